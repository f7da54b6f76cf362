// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The observed side of `heddle ps`, asked through the pipes by this test.
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttachPollTest {
  private static final String LONG = "ä long answer, ".repeat(20_000); // many frames, cut anywhere

  @TempDir Path temporary;
  private Path folder = Path.of("");

  /// An observer's ends of its pipes.
  private record Ends(DataInputStream answers, DataOutputStream questions) {
    List<String> answer() throws IOException {
      List<String> values = new ArrayList<>();
      for (String value = Frames.next(answers); value != null; value = Frames.next(answers)) {
        values.add(value);
      }
      return values;
    }

    List<String> ask(String question) throws IOException {
      Frames.ask(questions, question);
      return answer();
    }

    void close() throws IOException {
      answers.close();
      questions.close();
    }
  }

  /// A feed that counts its looks and probes.
  private static final class Counting implements Feed {
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger probes = new AtomicInteger();
    private volatile boolean closed;

    @Override
    public List<Map<String, String>> look() {
      looks.incrementAndGet();
      return List.of(
          Map.of("row", "whole", "looks", "" + looks, "probes", "" + probes),
          Map.of("row", "part"));
    }

    @Override
    public void probe() {
      probes.incrementAndGet();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static final class Watched implements Attachable {
    private final Counting feed = new Counting();

    @Override
    public String kind() {
      return "test";
    }

    @Override
    public Map<String, String> summary() {
      return Map.of("name", "watched by this test");
    }

    @Override
    public Feed watch() {
      return feed;
    }

    @Override
    public String answer(String question) {
      return question;
    }
  }

  private record Shown(String name) implements Attachable {
    @Override
    public String kind() {
      return "test";
    }

    @Override
    public Map<String, String> summary() {
      return Map.of("name", name, "text", "a=b\nc ä");
    }

    @Override
    public String answer(String question) {
      if (question.equals("fails")) {
        throw new IllegalStateException("as it was asked to");
      }
      return question.equals("long") ? LONG : name + " says " + question;
    }
  }

  private final Attachable shown = new Shown("a loop of this test");

  @BeforeEach
  void makeFolder() throws IOException {
    folder =
        Files.createDirectory(
            temporary.resolve("jvm"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Attachables.add(shown);
  }

  @AfterEach
  void takeOut() {
    Attachables.remove(shown);
  }

  private Path offer(String name) throws Exception {
    Path offered = Files.createDirectory(folder.resolve(name));
    for (String pipe : List.of(AttachFolder.QUESTIONS, AttachFolder.ANSWERS)) {
      String path = offered.resolve(pipe).toString();
      assertThat(new ProcessBuilder("mkfifo", path).start().waitFor()).isZero();
    }
    return offered;
  }

  /// What an observer does, and this JVM when it looks.
  private Ends observed() throws Exception {
    Path offered = offer("observer");
    File questions = offered.resolve(AttachFolder.QUESTIONS).toFile();
    File answers = offered.resolve(AttachFolder.ANSWERS).toFile();
    try (var _ = new RandomAccessFile(questions, "rw");
        var _ = new RandomAccessFile(answers, "rw")) {
      var ends =
          new Ends(
              new DataInputStream(new FileInputStream(answers)),
              new DataOutputStream(new FileOutputStream(questions)));
      AttachPoll.serve(folder, AttachFolder.self());
      return ends;
    }
  }

  private static void awaitNoSession() throws InterruptedException {
    while (sessions() > 0) {
      Thread.sleep(1); // the test's own limit bounds it
    }
  }

  private static long sessions() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("heddle-attach"))
        .count();
  }

  private static String numberOf(List<Properties> all, String name) {
    return all.stream()
        .filter(each -> name.equals(each.getProperty("name")))
        .findFirst()
        .orElseThrow()
        .getProperty("number");
  }

  private static List<Properties> read(List<String> values) throws IOException {
    List<Properties> all = new ArrayList<>();
    for (String value : values) {
      all.add(Frames.read(value));
    }
    return all;
  }

  @Test
  void observer_isGreeted_andAnsweredUntilItLeaves() throws Exception {
    Ends ends = observed();
    assertThat(Frames.read(ends.answer().getFirst()))
        .containsEntry("protocol", "1")
        .containsKey("command");
    List<Properties> all = read(ends.ask("list"));
    String number = numberOf(all, "a loop of this test");
    assertThat(all.get(Integer.parseInt(number)))
        .containsEntry("kind", "test")
        .containsEntry("text", "a=b\nc ä");
    assertThat(ends.ask("dump " + number)).containsExactly("a loop of this test says dump");
    assertThat(ends.ask("long " + number)).containsExactly(LONG);
    ends.close();
    awaitNoSession();
  }

  @Test
  void questionThatCannotBeAnswered_isRefused_andTheNextOneIsAnswered() throws Exception {
    Ends ends = observed();
    ends.answer();
    String number = numberOf(read(ends.ask("list")), "a loop of this test");
    assertThatThrownBy(() -> ends.ask("fails " + number))
        .isInstanceOf(Frames.AnswerFailedException.class)
        .hasMessageContaining("as it was asked to");
    assertThatThrownBy(() -> ends.ask("nonsense")).isInstanceOf(Frames.AnswerFailedException.class);
    assertThat(ends.ask("dump " + number)).hasSize(1);
    ends.close();
    awaitNoSession();
  }

  @Test
  void feed_lastsFromTheFirstLookToTheEndOfTheSession() throws Exception {
    Watched watched = new Watched();
    Attachables.add(watched);
    Ends ends = observed();
    ends.answer();
    String number = numberOf(read(ends.ask("list")), "watched by this test");
    assertThat(ends.ask("probe " + number)).isEmpty();
    ends.ask("watch " + number);
    assertThat(read(ends.ask("watch " + number)))
        .extracting(row -> row.getProperty("looks"))
        .containsExactly("2", null);
    assertThat(ends.ask("stack " + number + " 17")).containsExactly("stack 17");
    assertThat(watched.feed.closed).isFalse();
    ends.close();
    awaitNoSession();
    assertThat(watched.feed.closed).isTrue();
    Attachables.remove(watched);
  }

  /// An observer that looked no more, but had not left, was paid for.
  @Test
  void feed_isClosed_whileTheObserverRests() throws Exception {
    Watched watched = new Watched();
    Attachables.add(watched);
    Ends ends = observed();
    ends.answer();
    String number = numberOf(read(ends.ask("list")), "watched by this test");
    ends.ask("watch " + number);
    assertThat(ends.ask("rest")).isEmpty();
    assertThat(watched.feed.closed).isTrue();
    assertThat(ends.ask("watch " + number)).as("it begins anew").isNotEmpty();
    ends.close();
    awaitNoSession();
    Attachables.remove(watched);
  }

  @Test
  void numbers_stay_andOfWhatHasEndedNothingIsKept() throws Exception {
    Watched watched = new Watched();
    Attachables.add(watched);
    Ends ends = observed();
    ends.answer();
    String number = numberOf(read(ends.ask("list")), "watched by this test");
    ends.ask("watch " + number);
    assertThat(numberOf(read(ends.ask("list")), "watched by this test")).isEqualTo(number);
    Attachables.remove(watched);
    ends.ask("list");
    assertThat(watched.feed.closed).isTrue();
    assertThatThrownBy(() -> ends.ask("watch " + number))
        .isInstanceOf(Frames.AnswerFailedException.class)
        .hasMessageContaining("has ended");
    ends.close();
    awaitNoSession();
  }

  /// That it comes at the end of a JVM, only another JVM can see: EndedJvmIT, TopIT.
  @Test
  void farewell_isPromised_andItsHookLeavesWithTheObserver() throws Exception {
    Ends ends = observed();
    ends.answer();
    assertThat(ends.ask(Frames.FAREWELL)).isEmpty();
    assertThat(ends.ask(Frames.FAREWELL)).isEmpty();
    ends.close();
    awaitNoSession();
  }

  @Test
  void look_leavesNothingInTheFileSystem() throws Exception {
    Ends ends = observed();
    assertThat(folder).doesNotExist();
    ends.close();
    awaitNoSession();
  }

  /// Nobody has the pipes open at the other side: no open may wait.
  @Test
  void observerThatWasKilled_delaysNothing_andLeavesNothing() throws Exception {
    offer("observer");
    AttachPoll.serve(folder, AttachFolder.self());
    assertThat(folder).doesNotExist();
    awaitNoSession();
  }

  @Test
  void observerThatIsNotReady_isLeftAlone() throws Exception {
    Path notReady = offer(".observer");
    AttachPoll.serve(folder, AttachFolder.self());
    assertThat(notReady.resolve(AttachFolder.QUESTIONS)).exists();
    assertThat(sessions()).isZero();
  }

  @Test
  void folderThatOthersMayEnter_isLeftAlone() throws Exception {
    Path offered = offer("observer");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x---"));
    AttachPoll.serve(folder, AttachFolder.self());
    assertThat(offered.resolve(AttachFolder.QUESTIONS)).exists();
  }

  @Test
  void folderOfAnotherUser_isLeftAlone() throws Exception {
    Path offered = offer("observer");
    UserPrincipal other =
        folder
            .getFileSystem()
            .getUserPrincipalLookupService()
            .lookupPrincipalByName(
                Objects.equals(System.getProperty("user.name"), "nobody") ? "root" : "nobody");
    AttachPoll.serve(folder, other);
    assertThat(offered.resolve(AttachFolder.QUESTIONS)).exists();
  }

  @Test
  void linkToAFolder_isLeftAlone() throws Exception {
    Path offered = offer("observer");
    Path link = Files.createSymbolicLink(temporary.resolve("link"), folder);
    AttachPoll.serve(link, AttachFolder.self());
    assertThat(offered.resolve(AttachFolder.QUESTIONS)).exists();
  }

  @Test
  void jvmThatGoesAway_isAnEndOfFile() throws Exception {
    Path answers = Files.createFile(temporary.resolve("cut"));
    Files.write(answers, new byte[] {'v', 0, 0, 0, 9, 'c', 'u', 't'});
    try (var in = new DataInputStream(new FileInputStream(answers.toFile()))) {
      assertThatThrownBy(() -> Frames.next(in)).isInstanceOf(EOFException.class);
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }
}
