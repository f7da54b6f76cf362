// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The stages of the JDK's futures as coroutines of a loop.
@Tag("T16")
@Timeout(300)
class CompletableFutureTest {
  @Test
  void stages_thatAreGivenTheExecutor_areCoroutines() {
    int id = 7;
    String shown =
        Heddle.run(() -> {
          try (ExecutorService executor = Loop.current().executor()) {
            // @start region=future
            CompletableFuture<String> page =
                CompletableFuture.supplyAsync(() -> load(id), executor)
                    .thenApplyAsync(this::render, executor);
            // @end
            return page.join();
          }
        });
    assertThat(shown).isEqualTo("<7>");
  }

  private int load(int id) {
    assertThat(Heddle.inCoroutine()).isTrue();
    Heddle.yieldNow();
    return id;
  }

  private String render(int row) {
    assertThat(Heddle.inCoroutine()).isTrue();
    return "<" + row + ">";
  }
}
