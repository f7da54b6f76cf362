// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Programs that are told to end, and in which something holds up the end for ever; [StuckExitTest]
/// says what is to come of it.
public final class StuckExitProgram {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final HeddleOptions SHORT =
      HeddleOptions.defaults()
          .withShutdownDeadline(Duration.ofMillis(20))
          .withGracePeriod(Duration.ofMillis(20))
          .withHoldLimit(Duration.ZERO);

  private static final Logger LOGGER = Logger.getLogger("dev.heddle"); // held: else forgotten

  private StuckExitProgram() {}

  /// What happens in such a JVM.
  public enum Scenario {
    /// A coroutine never lets go of the carrier: the loop cannot even see the request.
    HOLDS_THE_CARRIER {
      @Override
      void run() {
        Heddle.run(
            SHORT.withSignalHandling(),
            () -> {
              signalSelf();
              while (true) {
                Thread.onSpinWait();
              }
            });
      }
    },
    /// The carrier waits, outside any coroutine, for a lock that nobody gives back.
    STANDS_OUTSIDE_COROUTINES {
      @Override
      void run() {
        Object lock = new Object();
        CountDownLatch held = new CountDownLatch(1);
        Thread.ofPlatform()
            .name("the holder")
            .start(() -> {
              synchronized (lock) {
                held.countDown();
                while (true) {
                  LockSupport.park();
                }
              }
            });
        AtomicReference<LoopRuntime> root = new AtomicReference<>();
        LoopRuntime.run(
            SHORT.withSignalHandling(),
            () -> {
              held.await();
              root.get().scheduler().runOnCarrier(() -> stand(lock));
              Heddle.delay(HOUR);
            },
            List.of(),
            root::set);
      }
    },
    /// The loop ends in time; then the logging system's own hook waits for a coroutine's lock.
    HOOK_BEHIND_A_COROUTINE {
      @Override
      void run() {
        try {
          runWithHandlerThatNeverReturns(SHORT.withSignalHandling());
        } catch (ExitException e) {
          System.out.println("exit " + e.code());
          System.exit(e.code());
        }
      }
    },
    /// The same, and nobody handles the signal: the JVM runs its hooks at once.
    HOOK_BEHIND_A_COROUTINE_UNHANDLED {
      @Override
      void run() {
        runWithHandlerThatNeverReturns(SHORT);
      }
    },
    /// All end in order, and a hook of the program's takes longer than the deadline.
    SLOW_HOOK {
      @Override
      void run() {
        Runtime.getRuntime().addShutdownHook(new Thread(StuckExitProgram::putInOrder));
        Heddle.run(
            SHORT,
            () -> {
              signalSelf();
              Heddle.delay(HOUR);
            });
      }
    };

    abstract void run();
  }

  /// Run in a JVM of its own.
  public static void main(String[] args) {
    try {
      Scenario.valueOf(System.getProperty("scenario")).run();
    } catch (ExitException _) {
      // the JVM exits already, with its own code
    }
  }

  private static void stand(Object lock) {
    signalSelf();
    synchronized (lock) {
      throw new AssertionError("nobody lets go of it");
    }
  }

  private static void runWithHandlerThatNeverReturns(HeddleOptions options) {
    LOGGER.addHandler(new Stuck());
    CountDownLatch inHandler = Stuck.REACHED;
    Heddle.run(
        options,
        () -> {
          Heddle.launch("logs", () -> LOGGER.warning("of the program"));
          while (inHandler.getCount() > 0) {
            Heddle.yieldNow();
          }
          signalSelf();
          Heddle.delay(HOUR);
        });
  }

  /// Never returns from its first line, and holds what its end waits for.
  private static final class Stuck extends Handler {
    static final CountDownLatch REACHED = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();

    @Override
    public void publish(LogRecord record) {
      lock.lock();
      REACHED.countDown();
      while (true) {
        LockSupport.park();
        Thread.interrupted(); // this wait outlasts its cancellation
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      lock.lock();
    }
  }

  private static void putInOrder() {
    long end = System.nanoTime() + 4_000_000_000L; // longer than a stuck exit may take
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(100_000_000);
    }
    System.out.println("in order");
    System.out.flush();
  }

  // reflective: javac warns of every mention of that class
  private static void signalSelf() {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Object term = signal.getConstructor(String.class).newInstance("TERM");
      signal.getMethod("raise", signal).invoke(null, term);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("SIGTERM could not be raised", e);
    }
  }
}
