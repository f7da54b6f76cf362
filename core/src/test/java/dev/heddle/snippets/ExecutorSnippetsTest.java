// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of executors shows.
@Tag("once")
class ExecutorSnippetsTest {
  @Test
  void executor() {
    int sum =
        Heddle.run(() -> {
          // @start region=executor
          try (ExecutorService executor = Loop.current().executor()) {
            List<CompletableFuture<Integer>> all =
                IntStream.range(0, 1_000)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> fetch(i), executor))
                    .toList();
            return all.stream().mapToInt(CompletableFuture::join).sum();
          }
          // @end
        });
    assertThat(sum).isEqualTo(499_500);
  }

  private static int fetch(int i) {
    Heddle.delay(Duration.ofMillis(1)); // or a call of JDBC
    return i;
  }
}
