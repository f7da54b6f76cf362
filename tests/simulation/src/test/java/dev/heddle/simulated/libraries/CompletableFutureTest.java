// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.libraries;

import static java.util.concurrent.CompletableFuture.delayedExecutor;
import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.simulated.Simulated;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The timeouts of the JDK's `CompletableFuture`, which the common pool keeps.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CompletableFutureTest {
  @Test
  void orTimeout_failsAfterItsHour() {
    Duration elapsed =
        Simulated.virtually(() ->
            assertThatThrownBy(() -> new CompletableFuture<>().orTimeout(1, TimeUnit.HOURS).join())
                .hasCauseInstanceOf(TimeoutException.class));
    assertThat(elapsed).isBetween(Duration.ofHours(1), Duration.ofMinutes(61));
  }

  @Test
  void orTimeout_ofWhatIsDoneBefore_doesNothing() {
    Duration elapsed =
        Simulated.virtually(() -> {
          CompletableFuture<String> answer =
              supplyAsync(() -> "answer", delayedExecutor(59, TimeUnit.MINUTES));
          assertThat(answer.orTimeout(1, TimeUnit.HOURS).get()).isEqualTo("answer");
        });
    assertThat(elapsed).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
  }

  @Test
  void completeOnTimeout_givesTheOtherValueAfterItsDay() {
    Duration elapsed =
        Simulated.virtually(() ->
            assertThat(
                    new CompletableFuture<String>()
                        .completeOnTimeout("late", 1, TimeUnit.DAYS)
                        .thenApplyAsync(text -> text + "!")
                        .get(2, TimeUnit.DAYS))
                .isEqualTo("late!"));
    assertThat(elapsed).isBetween(Duration.ofDays(1), Duration.ofHours(25));
  }
}
