// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway.Init") // set before each test
final class ChatTest {
  private ExampleProcess chat;
  private int port;

  @BeforeEach
  void open() throws Exception {
    chat = ExampleProcess.start("Chat");
    port = Integer.parseInt(chat.awaitLine("Chat on .*:(\\d+);").group(1));
  }

  @AfterEach
  void close() {
    chat.close();
  }

  /// Somebody at the other end of a socket.
  private static final class Person implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader reader;

    Person(int port) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      assertThat(hear()).isEqualTo("Your name?");
    }

    void say(String line) throws IOException {
      socket.getOutputStream().write((line + "\n").getBytes(UTF_8));
    }

    /// The next line; "null" when no more will come.
    String hear() throws IOException {
      return String.valueOf(reader.readLine());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private Person join(String name, int here) throws IOException {
    var person = new Person(port);
    person.say(name);
    assertThat(person.hear()).isEqualTo("* " + name + " has joined, " + here + " here");
    return person;
  }

  @Test
  void line_ofAGuest_isHeardByAll_andSoAreJoiningAndLeaving() throws Exception {
    try (Person ada = join("ada", 1)) {
      try (Person bob = join("bob", 2)) {
        assertThat(ada.hear()).isEqualTo("* bob has joined, 2 here");
        bob.say("Grüße");
        assertThat(ada.hear()).isEqualTo("bob: Grüße");
        assertThat(bob.hear()).isEqualTo("bob: Grüße");
        bob.say("/who");
        assertThat(bob.hear()).isEqualTo("* 2 here: ada, bob");
      }
      assertThat(ada.hear()).isEqualTo("* bob has left");
    }
    chat.awaitLine("^\\* ada has left$");
  }

  @Test
  void name_thatIsTakenOrNone_isAskedForAgain() throws Exception {
    try (Person ada = join("ada", 1);
        Person other = new Person(port)) {
      other.say("ADA");
      assertThat(other.hear()).isEqualTo("ADA is taken. Your name?");
      other.say("operator");
      assertThat(other.hear()).startsWith("operator is taken");
      other.say("not a name");
      assertThat(other.hear()).startsWith("Letters, digits");
      other.say("eve");
      assertThat(other.hear()).isEqualTo("* eve has joined, 2 here");
      assertThat(ada.hear()).isEqualTo("* eve has joined, 2 here");
    }
  }

  @Test
  void guest_whoDoesNotRead_losesLinesAndIsTold_andHoldsNobody() throws Exception {
    try (Person slow = join("slow", 1);
        Person ada = join("ada", 2)) {
      String text = "x".repeat(16 << 10);
      // more than what sockets and the queue can hold
      for (int i = 0; i < 1500; i++) {
        ada.say(i + text);
        assertThat(ada.hear()).isEqualTo("ada: " + i + text);
      }
      String heard = slow.hear();
      while (!heard.matches("\\* you read too slowly: [1-9]\\d* lines were dropped")) {
        heard = slow.hear();
      }
      ada.say("now you hear me");
      while (!heard.equals("ada: now you hear me")) {
        heard = slow.hear();
      }
    }
  }

  @Test
  void operator_isHeardByAll_andClosesTheChat() throws Exception {
    try (Person ada = join("ada", 1)) {
      chat.type("/who");
      chat.awaitLine("^\\* 1 here: ada$");
      chat.type("good evening");
      assertThat(ada.hear()).isEqualTo("operator: good evening");
      chat.type("/quit");
      assertThat(chat.awaitExit()).isZero();
      assertThat(chat.output()).contains("* the chat closes", "* ada was cut off");
    }
  }

  @Test
  void sigterm_whileTheOperatorIsSilent_endsTheChat() throws Exception {
    try (Person ada = join("ada", 1)) {
      chat.signal("TERM");
      assertThat(chat.awaitExit()).isEqualTo(143);
      assertThat(ada.hear()).isEqualTo("null");
    }
  }
}
