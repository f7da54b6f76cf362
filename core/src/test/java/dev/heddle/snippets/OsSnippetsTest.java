// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.os.Processes;
import dev.heddle.os.Raise;
import dev.heddle.os.Signal;
import dev.heddle.os.Signals;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of the system around the loop shows.
@Tag("once")
class OsSnippetsTest {
  private final List<String> log = new ArrayList<>();

  private void redraw() {
    log.add("redrawn");
  }

  private void flush() {
    log.add("flushed");
  }

  @Test
  void processes() {
    Heddle.run(() -> {
      Process server = Heddle.offload(() -> new ProcessBuilder("cat").start());
      server.getOutputStream().close();
      // @start region=processes
      int code = Heddle.await(Processes.exitOf(server)); // of the JDK's ProcessBuilder
      Heddle.await(Processes.exitOf(server.pid())); // of anybody
      // @end
      assertThat(code).isZero();
    });
  }

  @Test
  void signals() {
    Heddle.run(() -> {
      Heddle.launch(
          "raise",
          () -> {
            Heddle.yieldNow();
            Raise.signal("WINCH");
            while (log.isEmpty()) {
              Heddle.yieldNow();
            }
            Raise.signal("TERM");
          });
      // @start region=signals
      Heddle.background(
          "resize",
          () -> {
            try (var resizes = Signals.stream(8, "WINCH")) {
              for (Signal _ : resizes) {
                redraw();
              }
            }
          });
      Signal end = Heddle.await(Signals.of("INT", "TERM")); // the server goes on meanwhile
      flush();
      // @end
      assertThat(end.number()).isPositive();
    });
    assertThat(log).containsExactly("redrawn", "flushed");
  }
}
