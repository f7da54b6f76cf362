// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.DynamicSupervisor;
import dev.heddle.process.supervisor.Shutdown;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The pages on supervisors say what the code has: its words, and its defaults.
class SupervisionPageTest {
  private static String page(String name) throws IOException {
    return Files.readString(Path.of(System.getProperty("heddle.root"), "docs", name));
  }

  @Test
  void supervision_hasARowForEachConstant() throws IOException {
    String page = page("explanation/supervision.md");
    Stream.<Enum<?>[]>of(
            ChildSpec.Restart.values(),
            Supervisor.Strategy.values(),
            Supervisor.AutoShutdown.values(),
            Supervisor.FirstStart.values())
        .flatMap(Stream::of)
        .forEach(constant -> assertThat(page).contains("\n| `" + constant + "`"));
    for (ChildStatus.State state : ChildStatus.State.values()) {
      assertThat(page).containsPattern("\n\\| [^\n]*`" + state + "`");
    }
  }

  @Test
  void supervision_namesEachRequest_andEachShutdown() throws IOException {
    String page = page("explanation/supervision.md");
    for (Class<?> of : List.of(Supervisor.class, DynamicSupervisor.class)) {
      Stream.of(of.getDeclaredClasses())
          .filter(type -> type.isRecord() && type != DynamicSupervisor.ChildCounts.class)
          .forEach(type -> assertThat(page).contains("`" + type.getSimpleName() + "`"));
    }
    Stream.of(Shutdown.class.getDeclaredMethods())
        .filter(way -> Modifier.isStatic(way.getModifiers()) && !way.isSynthetic())
        .forEach(way -> assertThat(page).contains("Shutdown." + way.getName() + "("));
  }

  @Test
  void pages_sayTheDefaultsOfTheCode() throws IOException {
    String time = inWords(Shutdown.DEFAULT_TIMEOUT);
    String restarts = Supervisor.Builder.DEFAULT_RESTARTS + " within a minute";
    Backoff backoff = Supervisor.Builder.DEFAULT_BACKOFF;
    Duration first = Duration.ofMillis(100);
    String delays = "%s, doubled up to %s".formatted(inWords(first), inWords(backoff.maxDelay()));
    assertThat(Supervisor.Builder.DEFAULT_PERIOD).isEqualTo(Duration.ofMinutes(1));
    assertThat(backoff.withJitter(0).delay(1, Duration.ZERO)).isEqualTo(first);
    assertThat(backoff.withJitter(0).delay(2, Duration.ZERO)).isEqualTo(first.multipliedBy(2));
    RandomGenerator least = () -> 0;
    assertThat(backoff.withRandom(least).delay(1, Duration.ZERO)).isEqualTo(Duration.ofMillis(80));
    assertThat(page("explanation/supervision.md"))
        .contains("| has " + time + "; one that is a supervisor has no limit |")
        .contains("More than " + Supervisor.Builder.DEFAULT_RESTARTS + " restarts within a minute")
        .contains("passes: " + inWords(first) + ", doubled")
        .contains("up to " + inWords(backoff.maxDelay()) + ", less a random part of up to a fifth");
    assertThat(page("how-to/supervise-processes.md")).contains("has " + time + " to clean up");
    assertThat(page("reference/options.md"))
        .contains("| `intensity` | " + restarts + " |")
        .contains("| `backoff` | " + delays + ", a fifth of it left to chance |")
        .contains("| `shutdown` | " + time + "; no limit for supervisors |");
  }

  private static String inWords(Duration time) {
    return time.toSecondsPart() > 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }
}
