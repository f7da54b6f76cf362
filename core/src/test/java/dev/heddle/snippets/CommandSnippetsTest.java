// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.os.Child;
import dev.heddle.os.Command;
import dev.heddle.os.CommandFailedException;
import dev.heddle.os.CommandResult;
import dev.heddle.os.OutputLimitException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of commands shows.
@Tag("once")
class CommandSnippetsTest {
  @Test
  void run() {
    Heddle.run(() -> {
      // @start region=run
      Command sort = Command.of("sort", "-r").withInput("a\nc\nb\n").withEnvironment("LC_ALL", "C");
      CommandResult result = Heddle.withTimeout(Duration.ofSeconds(60), sort::run).orThrow();
      List<String> sorted = result.lines();
      // @end
      assertThat(sorted).containsExactly("c", "b", "a");
    });
  }

  @Test
  void failed() {
    List<String> said = new ArrayList<>();
    Heddle.run(() -> {
      // @start region=failed
      try {
        said.add(Command.of("ls", "missing").run().orThrow().output());
      } catch (CommandFailedException e) {
        said.add("not there"); // the code is e.exitCode(), what it printed is in the message
      }
      // @end
    });
    assertThat(said).containsExactly("not there");
  }

  @Test
  void limit() {
    int[] got = {0};
    Heddle.run(() -> {
      // @start region=limit
      try {
        Command.of("cat").withInput("a long story").withOutputLimit(6).run();
      } catch (OutputLimitException e) {
        got[0] = e.bytes().length; // what came until then
      }
      // @end
    });
    assertThat(got[0]).isLessThanOrEqualTo(6);
  }

  @Test
  void child() {
    Heddle.run(() -> {
      StringBuilder seen = new StringBuilder();
      // @start region=child
      try (Child cat = Command.of("cat").start()) {
        cat.input().write("one\ntwo\n");
        cat.input().close();
        for (String line : cat.output()) { // as they come; other coroutines go on
          seen.append(line).append(';');
        }
        seen.append("exit ").append(cat.await());
      }
      // @end
      assertThat(seen).hasToString("one;two;exit 0");
    });
  }
}
