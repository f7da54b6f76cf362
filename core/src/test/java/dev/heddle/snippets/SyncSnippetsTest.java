// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.sync.Semaphore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the API documentation of the synchronizers shows, compiled and run.
@Tag("once")
class SyncSnippetsTest {
  private final List<Object> log = new ArrayList<>();

  private String fetch(String url) {
    Heddle.delay(Duration.ofMillis(1));
    return url;
  }

  @Test
  void semaphore() {
    List<String> urls = List.of("a", "b", "c");
    Heddle.run(() -> {
      // @start region=semaphore
      var connections = new Semaphore("connections", 2);
      Heddle.scope(() -> {
        for (String url : urls) {
          Heddle.launch(url, () -> log.add(connections.withPermit(() -> fetch(url))));
        }
      });
      // @end
    });
    assertThat(log).containsExactlyInAnyOrder("a", "b", "c");
  }
}
