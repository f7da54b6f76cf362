// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.SchedulerParts;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// A loop whose driver calls a handler that waits for a lock of the log's, for ever: nobody can be
/// told of it through the log. It is killed.
public final class SilentLogProgram {
  private static final Logger LOGGER = Logger.getLogger("dev.heddle"); // held: else forgotten
  private static final Object LOCK = new Object();

  private SilentLogProgram() {}

  /// Never ends.
  public static void main(String[] args) throws InterruptedException {
    LOGGER.addHandler(new Stuck());
    CountDownLatch held = new CountDownLatch(1);
    Thread.ofPlatform()
        .start(() -> {
          synchronized (LOCK) {
            held.countDown();
            waitForEver();
          }
        });
    held.await();
    CallingDriver driver = new CallingDriver();
    driver.call(SilentLogProgram::handler);
    LoopRuntime.run(
        HeddleOptions.defaults().withHoldLimit(Duration.ofMillis(20)),
        SchedulerParts.usual(driver),
        () -> {
          Heddle.delay(Duration.ofHours(1));
          return "";
        },
        _ -> {});
  }

  private static void handler() {
    synchronized (LOCK) {
      throw new AssertionError("nobody lets go of it");
    }
  }

  private static void waitForEver() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static final class Stuck extends Handler {
    @Override
    public void publish(LogRecord record) {
      synchronized (LOCK) {
        throw new AssertionError("nobody lets go of it");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
