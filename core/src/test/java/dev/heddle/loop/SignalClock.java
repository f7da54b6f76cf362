// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// The clock by which several signals are one request to stop, stopped and moved by a test.
public final class SignalClock {
  private static final AtomicLong NOW = new AtomicLong();
  private static final AtomicLong READ_BY_HANDLERS = new AtomicLong();
  private static final AtomicLong READ_BY_TIMERS = new AtomicLong();

  private SignalClock() {}

  /// Stops it, for the rest of this JVM.
  public static void stop() {
    replace(SignalClock::read);
  }

  // a coroutine must not take the lock: one that the JDK parked with it would stop its carrier
  private static void replace(LongSupplier clock) {
    Thread other = Thread.ofPlatform().start(() -> SignalDispatcher.readTimeFrom(clock));
    while (other.isAlive()) {
      Thread.onSpinWait();
    }
  }

  /// Lets it run as ever, and watches who reads it.
  public static void watch() {
    replace(SignalClock::readTrueTime);
  }

  private static long readTrueTime() {
    String reader = Thread.currentThread().getName();
    if (!reader.endsWith(" handler") && !reader.equals("main")) {
      READ_BY_TIMERS.incrementAndGet();
    }
    return System.nanoTime();
  }

  /// Returns when a timer has looked whether a request is over, and has drawn its conclusion.
  public static void awaitTimer() {
    while (READ_BY_TIMERS.get() == 0) {
      Thread.onSpinWait();
    }
    watch(); // takes the lock under which it does
  }

  private static long read() {
    if (Thread.currentThread().getName().endsWith(" handler")) { // the JDK's name for them
      READ_BY_HANDLERS.incrementAndGet();
    }
    return NOW.get();
  }

  /// Moves it.
  public static void advance(Duration by) {
    NOW.addAndGet(by.toNanos());
  }

  /// Raises a SIGINT or SIGTERM and returns when it has been handled, if the process still lives.
  public static void awaitHandled(Runnable raise) {
    long before = READ_BY_HANDLERS.get();
    raise.run();
    while (READ_BY_HANDLERS.get() == before) {
      Thread.onSpinWait();
    }
    stop(); // takes the lock under which it is handled
  }
}
