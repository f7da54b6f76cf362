// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `heddle console` as it is used mostly: without process ids. The programs of other tests are
/// there, too.
@Tag("watch-4")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsoleOfAllIT {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  private static final String PROGRAM =
      """
      import dev.heddle.Heddle;
      import java.time.Duration;

      void main() {
        Heddle.run(() -> {
          IO.println("ready");
          Heddle.delay(Duration.ofHours(1));
        });
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();

  @AfterEach
  void endThem() throws InterruptedException {
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().waitFor();
    }
  }

  /// Starts a program.
  ///
  /// @return the beginning of what a page is told of a look at it
  private String startOne(String name) throws Exception {
    Outcome.Started child =
        Outcome.start(
            List.of(
                JAVA.toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("heddle.jar"),
                checkout.write(name, PROGRAM).toString()),
            checkout.root(),
            Map.of(),
            "");
    started.add(child);
    child.awaitOutput("ready");
    return "event: look\ndata: {" + key(child.process().pid());
  }

  private static String key(long pid) {
    return "\"pid\":" + pid + ",";
  }

  private static void await(InputStream events, StringBuilder read, String wanted)
      throws IOException {
    while (read.indexOf(wanted) < 0) {
      int next = events.read();
      assertThat(next).as(read.toString()).isNotNegative();
      read.append((char) next);
    }
  }

  @Test
  void consoleWithoutPids_onItsPort_showsEachProgram_alsoOneThatBeginsLater_andNotItself()
      throws Exception {
    String first = startOne("First.java");
    int port = TestPorts.next();
    ConsoleProgram.Running console =
        ConsoleProgram.console(checkout, "--port", Integer.toString(port));
    started.add(console.console());
    assertThat(console.port()).isEqualTo(port);
    try (Socket page = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
      page.getOutputStream()
          .write(
              "GET /%s/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
                  .formatted(console.token(), port)
                  .getBytes(UTF_8));
      StringBuilder read = new StringBuilder();
      await(page.getInputStream(), read, first);
      await(page.getInputStream(), read, startOne("Second.java"));
      assertThat(read).doesNotContain(key(console.console().process().pid()));
    }
  }
}
