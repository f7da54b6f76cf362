// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Channels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of channel operators shows, compiled and run.
@Tag("once")
class ChannelsSnippetsTest {
  private final List<List<String>> rows = new ArrayList<>();

  private void insert(List<String> batch) {
    rows.add(batch);
  }

  // @start region=operators
  /// Writes rows in batches of 100, and none later than a second after it came.
  void writeAll(Channel<String> source) {
    for (List<String> batch : Channels.chunked(source, 100, Duration.ofSeconds(1))) {
      insert(batch);
    }
  }

  // @end

  @Test
  void operators() {
    VirtualTime.run(() -> {
      Channel<String> source = Channel.of(10);
      Heddle.launch("writer", () -> writeAll(source));
      source.send("a");
      source.send("b");
      Heddle.delay(Duration.ofSeconds(2));
      source.send("c");
      source.close();
    });
    assertThat(rows).containsExactly(List.of("a", "b"), List.of("c"));
  }
}
