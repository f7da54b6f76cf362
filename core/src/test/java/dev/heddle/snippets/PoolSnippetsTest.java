// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.PoolClosedException;
import dev.heddle.ServiceUnavailableException;
import dev.heddle.event.Deadline;
import dev.heddle.sync.Backoff;
import dev.heddle.sync.CircuitBreaker;
import dev.heddle.sync.CircuitBreakerOptions;
import dev.heddle.sync.Lease;
import dev.heddle.sync.Pool;
import dev.heddle.sync.PoolOptions;
import dev.heddle.sync.RecoveryStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of pools and circuit breakers shows, compiled and run.
@Tag("once")
class PoolSnippetsTest {
  private final List<String> log = new ArrayList<>();

  private final class Session {
    String ask(String question) {
      Heddle.yieldNow();
      return question + "!";
    }

    boolean isAlive() {
      return true;
    }

    boolean reset() {
      return true;
    }

    void end() {
      log.add("ended");
    }
  }

  private Session connect() {
    return new Session();
  }

  private PoolOptions<Session> options() {
    return PoolOptions.<Session>of(this::connect).withDestroy(Session::end);
  }

  @Test
  void pool() {
    Heddle.run(() -> {
      var answers = new ArrayList<String>();
      // @start region=pool
      try (var sessions = Pool.open(PoolOptions.of(this::connect).withSize(0, 5))) {
        Heddle.scope(() -> {
          for (int i = 0; i < 100; i++) {
            String question = "question " + i;
            Heddle.launch("asker", () -> answers.add(sessions.use(s -> s.ask(question))));
          }
        }); // 100 questions, over 5 sessions
      }
      // @end
      assertThat(answers).hasSize(100).startsWith("question 0!");
    });
  }

  @Test
  void lease() {
    Heddle.run(() -> {
      try (var sessions = Pool.open(options())) {
        // @start region=lease
        try (var lease = sessions.acquire(Deadline.after(Duration.ofSeconds(30)))) {
          Session session = lease.resource();
          log.add(session.ask("ready"));
          if (!session.isAlive()) {
            lease.discard(); // destroyed, and the next acquirer gets a new one
          }
        } // back to the pool
        // @end
      }
    });
    assertThat(log).containsExactly("ready!", "ended");
  }

  @Test
  void options_ofAPool() {
    Heddle.run(() -> {
      // @start region=options
      PoolOptions<Session> options =
          PoolOptions.<Session>of(this::connect)
              .withName("sessions")
              .withSize(2, 20)
              .withBeforeRelease(Session::reset) // false, or a failure: destroyed
              .withHealthCheck(Duration.ofSeconds(30), Session::isAlive)
              .withMaxIdle(Duration.ofMinutes(10))
              .withMaxLifetime(Duration.ofMinutes(30))
              .withLeakThreshold(Duration.ofMinutes(1))
              .withDestroy(Session::end);
      try (Pool<Session> sessions = Pool.open(options)) {
        log.add(sessions.use(session -> session.ask("ready")));
      }
      // @end
    });
    assertThat(log).containsExactly("ready!", "ended", "ended");
  }

  @Test
  void leases() {
    Heddle.run(() -> {
      try (var sessions = Pool.open(options().withName("sessions"))) {
        Lease<Session> first = sessions.acquire();
        // @start region=leases
        for (Lease<Session> lease : sessions.leases()) {
          if (lease.holder().isDone()) {
            lease.close(); // its holder will never do that
          }
        }
        log.add(sessions.snapshot().text()); // a line for each lease; Heddle.dump() shows it, too
        // @end
        first.close();
      }
    });
    assertThat(log.getFirst()).contains("Pool 'sessions'", "held for", "main");
  }

  @Test
  void closed() {
    Heddle.run(() -> {
      // @start region=closed
      Pool<Session> sessions = Pool.open(options());
      sessions.close();
      try {
        sessions.run(session -> log.add(session.ask("still there?")));
      } catch (PoolClosedException e) {
        log.add(e.getMessage()); // a pool was closed by coroutine-1 'main'; ...
      }
      // @end
    });
    assertThat(log)
        .containsExactly(
            "a pool was closed by coroutine-1 'main'; acquire before that, or open another");
  }

  @Test
  void breaker() {
    Heddle.run(() -> {
      // @start region=breaker
      CircuitBreaker breaker = new CircuitBreaker();
      String answer = breaker.run(() -> connect().ask("ready"));
      // @end
      assertThat(answer).isEqualTo("ready!");
    });
  }

  @Test
  void breaker_options() {
    Heddle.run(() -> {
      // @start region=breakerOptions
      CircuitBreaker breaker =
          new CircuitBreaker(
              CircuitBreakerOptions.defaults()
                  .withName("sessions")
                  .withFailures(10, 20) // half of the last 20 calls
                  .withRecovery(RecoveryStrategy.fixed(Duration.ofSeconds(10)))
                  .withTrialCalls(3)
                  .withFailureWhen(e -> !(e instanceof IllegalArgumentException))
                  .withListener((from, to) -> log.add(from + " -> " + to)));
      PoolOptions<Session> options = PoolOptions.of(this::connect).withCircuitBreaker(breaker);
      // @end
      try (var sessions = Pool.open(options)) {
        assertThat(sessions.<String>use(s -> s.ask("ready"))).isEqualTo("ready!");
      }
      assertThat(breaker.info()).contains("0 of the last 20 calls failed");
      breaker.trip();
      // @start region=breakerSnapshot
      CircuitBreaker.Snapshot now = breaker.snapshot();
      log.add("%s, %d calls refused".formatted(now.state(), now.refused()));
      // @end
      assertThat(log).endsWith("CLOSED -> OPEN", "OPEN, 0 calls refused");
    });
  }

  @Test
  void recovery() {
    // @start region=recovery
    RecoveryStrategy doubling =
        RecoveryStrategy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(1));
    RecoveryStrategy random =
        RecoveryStrategy.backoff(Backoff.exponential(Duration.ofSeconds(1)).withJitter(0.2));
    RecoveryStrategy own = attempt -> Duration.ofSeconds(attempt).multipliedBy(attempt);
    // @end
    assertThat(doubling.openTime(3)).isEqualTo(Duration.ofSeconds(4));
    assertThat(doubling.openTime(30)).isEqualTo(Duration.ofMinutes(1));
    assertThat(random.openTime(2)).isBetween(Duration.ofMillis(1600), Duration.ofSeconds(2));
    assertThat(own.openTime(3)).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void permit() {
    Heddle.run(() -> {
      var breaker = new CircuitBreaker();
      // @start region=permit
      try (var permit = breaker.acquire()) {
        Session session = connect();
        if (session.isAlive()) {
          permit.success();
        } else {
          permit.failure(null);
        }
      } // without a report, as after a cancellation, it counts as neither
      // @end
      assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
    });
  }

  @Test
  void unavailable() {
    Heddle.run(() -> {
      var breaker = new CircuitBreaker();
      breaker.trip();
      // @start region=unavailable
      try {
        breaker.run(() -> connect().ask("ready"));
      } catch (ServiceUnavailableException e) {
        Duration wait = e.retryAfter(); // null: only probe() or reset() ends it
        log.add("503" + (wait == null ? "" : ", Retry-After: " + wait.toSeconds()));
      }
      // @end
      // @start region=state
      String health =
          switch (breaker.state()) {
            case CLOSED -> "up";
            case OPEN -> "down";
            case HALF_OPEN -> "on trial";
          };
      // @end
      assertThat(health).isEqualTo("down");
    });
    assertThat(log.getFirst()).startsWith("503, Retry-After: ");
  }
}
