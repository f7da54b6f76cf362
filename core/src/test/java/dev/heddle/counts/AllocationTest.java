// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Mutex;
import dev.heddle.sync.RateLimiter;
import dev.heddle.sync.Semaphore;
import dev.heddle.thread.ThreadChannel;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What must not allocate, measured in bytes of the carrier.
@Tag("T8")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class AllocationTest {
  public static final int TIMES = 100_000;
  private static final int ROUNDS = 5;
  private static final long SPAWN = 240; // bytes; with a walk of the stack for each, 1,500
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static long bytesFor(long carrier, Runnable once) {
    long before = THREADS.getThreadAllocatedBytes(carrier);
    for (int i = 0; i < TIMES; i++) {
      once.run();
    }
    return THREADS.getThreadAllocatedBytes(carrier) - before;
  }

  /// Bytes for many calls of `once`, after a warm-up, less what measuring itself takes, in the best
  /// of some rounds: on a busy machine the compiler comes late, and in between.
  public static long measured(long carrier, Runnable once) {
    bytesFor(carrier, once);
    bytesFor(carrier, () -> {});
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      least = Math.min(least, bytesFor(carrier, once) - bytesFor(carrier, () -> {}));
    }
    return least;
  }

  @Test
  void await_ofAFinishedCoroutine_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          Coroutine<String> done = Heddle.spawn(() -> "done");
          done.await();
          return measured(carrier, done::await);
        });
    // less than one byte in a thousand calls: what is left belongs to the compiler's transitions
    assertThat(bytes).isLessThan(TIMES / 1_000);
  }

  @Test
  void suspend_amongTwoReadyCoroutines_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          Heddle.background("other", AllocationTest::suspendForEver);
          return measured(carrier, Heddle::yieldNow);
        });
    // the JDK may replace the chunk that holds a stack, now and then
    assertThat(bytes).isLessThan(TIMES);
  }

  @Test
  void mutex_withoutContention_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          Mutex mutex = new Mutex();
          return measured(
              carrier,
              () -> {
                mutex.lock();
                mutex.unlock();
              });
        });
    assertThat(bytes).isLessThan(TIMES / 1_000);
  }

  @Test
  void channel_withoutWaiting_allocatesNothing() {
    doesNotAllocate(() -> {
      Channel<String> channel = Channel.of(8);
      return () -> {
        channel.send("item");
        channel.receive();
      };
    });
  }

  @Test
  void semaphore_withoutContention_allocatesNothing() {
    doesNotAllocate(() -> {
      Semaphore semaphore = new Semaphore(2);
      return () -> {
        semaphore.acquire(2);
        semaphore.release(2);
      };
    });
  }

  @Test
  void rateLimiter_withoutWaiting_allocatesNothing() {
    doesNotAllocate(() -> {
      RateLimiter limiter = RateLimiter.of(1_000_000_000, Duration.ofSeconds(1)); // all at once
      return limiter::acquire;
    });
  }

  @Test
  void threadChannel_withoutWaiting_allocatesNothing() {
    doesNotAllocate(() -> {
      ThreadChannel<String> channel = ThreadChannel.of(8);
      return () -> {
        channel.send("item");
        channel.receive();
      };
    });
  }

  /// Measures what `make` makes in a coroutine. Each 64th of such calls lets others run; the JDK
  /// may then replace the chunk that holds a stack, now and then.
  private static void doesNotAllocate(Body<Runnable> make) {
    long carrier = Thread.currentThread().threadId();
    long bytes = Heddle.run(() -> measured(carrier, make.run()));
    assertThat(bytes).isLessThan(TIMES);
  }

  @SuppressWarnings("InfiniteLoopStatement") // cancelled when everything else is done
  private static void suspendForEver() {
    while (true) {
      Heddle.yieldNow();
    }
  }

  /// A spawn and its end: 128 bytes beside the coroutine's stack, and nothing for its site.
  @Test
  void spawn_atOneLine_allocatesNothingForItsSite() {
    long carrier = Thread.currentThread().threadId();
    long bytes = Heddle.run(() -> measured(carrier, () -> Heddle.spawn(() -> "done").await()));
    assertThat(bytes).isLessThan(SPAWN * TIMES);
  }

  @Test
  void measure_ofACallThatAllocates_seesIt() {
    long carrier = Thread.currentThread().threadId();
    Object[] sink = new Object[1];
    long bytes = Heddle.run(() -> measured(carrier, () -> sink[0] = new byte[16]));
    // without this the tests above could not fail
    assertThat(bytes).isGreaterThan(16L * TIMES);
  }
}
