// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.Backoff;
import dev.heddle.sync.Retry;
import dev.heddle.sync.RetryBudget;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of retries shows, compiled and run.
@Tag("once")
class RetrySnippetsTest {
  private int calls;

  private String fetch(String page) throws IOException {
    if (++calls < 3) {
      throw new IOException("connection refused");
    }
    return "<" + page + ">";
  }

  // @start region=retry
  static final Retry PATIENT =
      Retry.with(Backoff.exponential(Duration.ofMillis(100)).withFullJitter())
          .withMaxAttempts(5)
          .withAttemptTimeout(Duration.ofSeconds(2))
          .withTimeout(Duration.ofSeconds(10))
          .withRetryOn(IOException.class);

  String fetchPatiently(String page) {
    return PATIENT.run(() -> fetch(page));
  }

  // @end

  @Test
  void retry() {
    VirtualTime.run(() -> assertThat(fetchPatiently("a")).isEqualTo("<a>"));
  }

  // @start region=backoff
  static final Backoff BACKOFF =
      Backoff.exponential(Duration.ofMillis(100)) // 100 ms, 200 ms, 400 ms, ...
          .withMaxDelay(Duration.ofSeconds(5)) // never more than 5 s
          .withFullJitter(); // anything from 0 to that

  // @end

  @Test
  void backoff() {
    assertThat(BACKOFF.delay(3, Duration.ZERO)).isBetween(Duration.ZERO, Duration.ofMillis(400));
  }

  // @start region=budget
  static final class Client {
    // a tenth of the calls may be retried, and 10 in a row
    private final RetryBudget budget = new RetryBudget(0.1, 10);
    private final Retry retry = Retry.with(BACKOFF).withBudget(budget);

    String call(String request) {
      return retry.run(() -> send(request));
    }
  }

  // @end

  private static String send(String request) {
    throw new IllegalStateException("no answer to " + request);
  }

  @Test
  void budget() {
    VirtualTime.run(() -> {
      Client client = new Client();
      for (int i = 0; i < 20; i++) {
        assertThatThrownBy(() -> client.call("it")).hasMessage("no answer to it");
        Heddle.yieldNow();
      }
      assertThat(client.budget.available()).isZero();
    });
  }
}
