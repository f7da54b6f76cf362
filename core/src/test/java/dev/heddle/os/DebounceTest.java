// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.event.Awaitable;
import dev.heddle.event.EventStream;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.simulation.Simulation;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// When a debounced watch tells, in virtual time.
@Tag("T13.4")
@Timeout(300)
class DebounceTest {
  private static final Path ROOT = Path.of("watched");
  private static final Duration BETWEEN = Duration.ofMillis(15);

  private final FileChange settled = new FileChange(FileChange.Kind.SETTLED, ROOT, null);

  private static FileChanges changes() {
    FileWatches watches = LoopRuntime.current().services().get(FileWatches.class, FileWatches::new);
    return new FileChanges(watches, ROOT, Duration.ofMillis(200));
  }

  private static EventStream<FileChange> stream(FileChanges changes) {
    Awaitable<FileChange> source = () -> changes;
    return EventStream.of(source, 8);
  }

  @Test
  @Tag("loop-245")
  void manyChangesInQuickSuccession_areOneWithoutAName_whenItIsQuiet() {
    new Simulation(1)
        .run(
            HeddleOptions.defaults(),
            () -> {
              FileChanges changes = changes();
              try (EventStream<FileChange> stream = stream(changes)) {
                for (int i = 0; i < 8; i++) {
                  changes.modified(ROOT.resolve("f" + i));
                  Heddle.delay(BETWEEN);
                }
                Heddle.delay(Duration.ofMillis(180));
                assertThat(stream.ready().event().isClosed())
                    .as("not quiet for long enough")
                    .isFalse();
                assertThat(stream.next()).isEqualTo(settled);
                Heddle.delay(Duration.ofHours(1));
                assertThat(stream.ready().event().isClosed()).as("exactly one").isFalse();
                changes.created(ROOT.resolve("again"));
                assertThat(stream.next()).isEqualTo(settled);
              }
              return null;
            });
  }

  @Test
  void changesThatWereLost_areChangesToo() {
    new Simulation(1)
        .run(
            HeddleOptions.defaults(),
            () -> {
              FileChanges changes = changes();
              try (EventStream<FileChange> stream = stream(changes)) {
                changes.lost();
                assertThat(stream.next()).isEqualTo(settled);
              }
              return null;
            });
  }
}
