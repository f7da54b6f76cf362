// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.PoolClosedException;
import dev.heddle.ServiceUnavailableException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.simulated.program.Threads;
import dev.heddle.sync.Backoff;
import dev.heddle.sync.CircuitBreaker;
import dev.heddle.sync.CircuitBreakerOptions;
import dev.heddle.sync.Pool;
import dev.heddle.sync.PoolOptions;
import dev.heddle.sync.RateLimiter;
import dev.heddle.sync.Retry;
import dev.heddle.sync.Semaphore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/// Clients of a flaky service behind a retry, a circuit breaker, a rate limiter, a semaphore and a
/// pool of connections, all at once, cancelled at any moment.
///
/// A connection has one holder, is destroyed once, and there are never too many. A half-open
/// breaker lets no more through than it may. No period has more calls than the limiter gives. At
/// the end nobody waits, and all permits are back.
final class Guards {
  private static final int MOST = 2;
  private static final Duration PERIOD = Duration.ofMillis(10);

  private final Random random = new Random();
  private final Set<Connection> living = new HashSet<>();
  private final List<Long> calls = new ArrayList<>(); // when they began
  private int inHalfOpen;

  private Guards() {}

  /// A resource.
  private final class Connection {
    private boolean held;
    private boolean destroyed;
  }

  /// A row of [OwnParts].
  static void run(Threads threads) {
    new Guards().play();
  }

  private void play() {
    int perPeriod = 1 + random.nextInt(3);
    Semaphore semaphore = new Semaphore(1 + random.nextInt(3));
    int permits = semaphore.availablePermits();
    RateLimiter limiter = RateLimiter.of(perPeriod, PERIOD, perPeriod);
    CircuitBreaker breaker =
        new CircuitBreaker(CircuitBreakerOptions.defaults().withFailures(2, 3).withTrialCalls(1));
    Retry retry =
        Retry.with(Backoff.exponential(Duration.ofMillis(1)))
            .withMaxAttempts(3)
            .withAttemptTimeout(Duration.ofMillis(20));
    PoolOptions<Connection> options =
        PoolOptions.of(this::open)
            .withSize(random.nextInt(2), MOST)
            .withBeforeAcquire(connection -> pause() && random.nextInt(5) > 0)
            .withBeforeRelease(connection -> random.nextInt(5) > 0)
            .withDestroy(this::destroy)
            .withMaxIdle(Duration.ofMillis(5))
            .withMaxLifetime(Duration.ofMillis(15))
            .withAcquireTimeout(Duration.ofMillis(1 + random.nextInt(30)));
    Heddle.supervise(() -> {
      Pool<Connection> pool = openPool(options);
      List<Coroutine<?>> clients = new ArrayList<>();
      for (int i = 2 + random.nextInt(4); i > 0; i--) {
        clients.add(
            Heddle.spawn(() -> {
              for (int call = 0; call < 3; call++) {
                try {
                  retry.run(
                      () -> semaphore.withPermit(() -> guarded(limiter, breaker, pool)),
                      Deadline.after(Duration.ofMillis(1 + random.nextInt(100))));
                } catch (IllegalStateException
                    | DeadlineException
                    | ServiceUnavailableException
                    | PoolClosedException _) {
                  // as it may be
                }
              }
            }));
      }
      for (int i = random.nextInt(3); i > 0; i--) {
        Heddle.delay(Duration.ofMillis(random.nextInt(20)));
        switch (random.nextInt(3)) {
          case 0 -> clients.get(random.nextInt(clients.size())).cancel("by the program");
          case 1 -> pool.evictIdle();
          default -> breaker.trip();
        }
      }
      clients.forEach(Guards::join);
      check(pool.lent() == 0, "lent at the end: " + pool);
      check(pool.waiting() == 0, "somebody waits: " + pool);
      pool.close();
    });
    check(living.isEmpty(), "not destroyed: " + living.size());
    check(semaphore.availablePermits() == permits, "permits: " + semaphore);
    check(limiter.waiting() == 0, "somebody waits: " + limiter);
    verifyRate(perPeriod);
  }

  private static Pool<Connection> openPool(PoolOptions<Connection> options) {
    while (true) {
      try {
        return Pool.open(options);
      } catch (IllegalStateException _) {
        // of the factory
      }
    }
  }

  private static void join(Coroutine<?> client) {
    try {
      var _ = client.await();
    } catch (Cancellation _) {
      // by the program
    }
  }

  private boolean pause() {
    if (random.nextInt(3) == 0) {
      Heddle.delay(Duration.ofMillis(random.nextInt(4)));
    }
    return true;
  }

  private Connection open() {
    boolean _ = pause();
    if (random.nextInt(6) == 0) {
      throw new IllegalStateException("no connection, on purpose");
    }
    Connection made = new Connection();
    living.add(made);
    check(living.size() <= MOST, "too many: " + living.size());
    return made;
  }

  private void destroy(Connection connection) {
    check(!connection.destroyed, "destroyed twice");
    check(!connection.held, "destroyed, and held");
    connection.destroyed = true;
    // it counts until it is gone
    try {
      boolean _ = pause();
    } finally {
      living.remove(connection);
    }
  }

  private void guarded(RateLimiter limiter, CircuitBreaker breaker, Pool<Connection> pool) {
    limiter.acquire();
    calls.add(System.nanoTime());
    breaker.run(() -> {
      boolean trial = breaker.state() == CircuitBreaker.State.HALF_OPEN;
      check(!trial || ++inHalfOpen == 1, "two trials at once");
      try {
        pool.run(this::use);
      } finally {
        inHalfOpen -= trial ? 1 : 0;
      }
    });
  }

  private void use(Connection connection) {
    check(!connection.held && !connection.destroyed, "held by two, or destroyed");
    connection.held = true;
    try {
      boolean _ = pause();
      if (random.nextInt(3) == 0) {
        throw new IllegalStateException("no answer, on purpose");
      }
    } finally {
      connection.held = false;
    }
  }

  // a bucket: in any time, no more than it has refilled in that time, and the burst
  private void verifyRate(int perPeriod) {
    for (int from = 0; from < calls.size(); from++) {
      for (int to = from; to < calls.size(); to++) {
        double periods = (calls.get(to) - calls.get(from)) / (double) PERIOD.toNanos();
        int most = perPeriod + (int) Math.floor(periods * perPeriod + 1e-6);
        check(to - from + 1 <= most, (to - from + 1) + " calls in " + periods + " periods");
      }
    }
  }
}
