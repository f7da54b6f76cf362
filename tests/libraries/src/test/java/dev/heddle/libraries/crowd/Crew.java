// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Starts the helpers of a test: threads when the test runs on one, coroutines of its loop when it
/// is one.
///
/// Nothing here sleeps: a test waits until its helper is in the state it wants, and lets the others
/// run meanwhile.
final class Crew {
  /// A guard against a hang, not a bound on how long a test may take.
  private static final long GUARD_SECONDS = 120;

  private final Executor starter;

  Crew(Executor starter) {
    this.starter = starter;
  }

  /// Something that runs beside the test.
  static final class Helper {
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    // written by the helper, read after one of the latches
    private volatile @Nullable Thread thread;
    private @Nullable Throwable failure;

    private void run(Action body) {
      thread = Thread.currentThread();
      started.countDown();
      try {
        body.run();
      } catch (Throwable thrown) { // an assertion's, too; join() throws it
        failure = thrown;
      } finally {
        ended.countDown();
      }
    }

    /// Its thread, which is its own as long as it has not ended.
    Thread thread() throws InterruptedException {
      started.await();
      Thread thread = this.thread;
      assertThat(thread).isNotNull();
      return thread;
    }

    /// Waits until the JDK has suspended it: in a park, a monitor, a sleep.
    Helper awaitWait() throws Exception {
      Thread thread = thread();
      until(() ->
          isEnded()
              || switch (thread.getState()) {
                case WAITING, TIMED_WAITING, BLOCKED -> true;
                default -> false;
              });
      assertThat(isEnded()).as("ended, and should wait").isFalse();
      return this;
    }

    boolean isEnded() {
      return ended.getCount() == 0;
    }

    /// Waits until it waits, and interrupts it.
    void interruptInWait() throws Exception {
      awaitWait();
      thread().interrupt();
    }

    /// Waits for its end, and throws what it threw.
    void join() throws Exception {
      assertThat(ended.await(GUARD_SECONDS, TimeUnit.SECONDS)).as("helper has ended").isTrue();
      if (failure != null) {
        throw new AssertionError("a helper failed: " + failure, failure);
      }
    }
  }

  /// Starts a helper.
  Helper start(Action body) {
    Helper helper = new Helper();
    starter.execute(() -> helper.run(body));
    return helper;
  }

  /// Lets the others run until the condition holds.
  static void until(Callable<Boolean> condition) throws Exception {
    while (!condition.call()) {
      yieldToOthers();
    }
  }

  /// Lets the others run, ten times: for asserting that something does not happen.
  static void letOthersRun() {
    for (int i = 0; i < 10; i++) {
      yieldToOthers();
    }
  }

  /// Lets whatever is ready run, once.
  @SuppressWarnings("ThreadPriorityCheck") // the same for threads and for coroutines
  static void yieldToOthers() {
    Thread.yield();
  }
}
