// SPDX-License-Identifier: Apache-2.0
package simulators;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/// Six faulty programs in plain blocking Java.
///
/// In the first four, two threads meet at one point of time, and one of the two orders is wrong:
/// not that in which their waits began. So a machine that is fast enough seldom shows the fault.
final class Bugs {
  // static, for Lincheck 3.7 takes an object that only lambdas hold for one of a single thread
  private static int counter;
  private static int mine;
  private static int yours;

  private Bugs() {}

  @FunctionalInterface
  interface Code {
    void run() throws Exception;
  }

  /// Two threads read, wait and write.
  static void lostUpdate() throws Exception {
    AtomicInteger counter = new AtomicInteger();
    both(
        () -> {
          int read = counter.get();
          Thread.sleep(2);
          counter.set(read + 1);
        },
        () -> {
          Thread.sleep(1);
          Thread.sleep(1);
          int read = counter.get();
          Thread.sleep(2);
          counter.set(read + 1);
        });
    check(counter.get() == 2, "an update was lost");
  }

  /// A server drops what comes while it works, and a client waits without a time-out.
  static void forgottenTimeout() throws Exception {
    AtomicBoolean busy = new AtomicBoolean();
    Callable<Integer> request =
        () -> {
          CompletableFuture<Integer> reply = new CompletableFuture<>();
          if (busy.compareAndSet(false, true)) {
            start(() -> {
              Thread.sleep(2);
              busy.set(false);
              reply.complete(1);
            });
          }
          return reply.get();
        };
    both(
        request::call,
        () -> {
          Thread.sleep(1);
          Thread.sleep(1);
          request.call();
        });
  }

  /// Two locks in two orders.
  static void lockOrder() throws Exception {
    ReentrantLock a = new ReentrantLock();
    ReentrantLock b = new ReentrantLock();
    both(
        () -> {
          a.lock();
          Thread.sleep(2);
          b.lock();
          b.unlock();
          a.unlock();
        },
        () -> {
          Thread.sleep(1);
          Thread.sleep(1);
          b.lock();
          Thread.sleep(1);
          a.lock();
          a.unlock();
          b.unlock();
        });
  }

  /// An entry of a cache expires between a reader's check and its use.
  static void expiredEntry() throws Exception {
    long expiry = System.nanoTime() + 3_000_000;
    Map<String, Long> entries = new ConcurrentHashMap<>(Map.of("k", expiry));
    both(
        () -> {
          Thread.sleep(1);
          if (entries.containsKey("k")) {
            Thread.sleep(2);
            check(entries.get("k") != null, "the entry is gone");
          }
        },
        () -> {
          Thread.sleep(2);
          Thread.sleep(1);
          entries.values().removeIf(until -> until <= System.nanoTime());
        });
  }

  /// Two threads count, and nothing waits between read and write.
  static void race() throws Exception {
    counter = 0;
    both(() -> counter++, () -> counter++);
    check(counter == 2, "an update was lost");
  }

  /// Each of two threads writes a field and reads the other's; a processor may do the read first.
  static void reordering() throws Exception {
    mine = 0;
    yours = 0;
    int[] read = new int[2];
    both(
        () -> {
          mine = 1;
          read[0] = yours;
        },
        () -> {
          yours = 1;
          read[1] = mine;
        });
    check(read[0] + read[1] > 0, "both reads came before both writes");
  }

  private static void both(Code one, Code other) throws Exception {
    Throwable[] failed = new Throwable[1];
    Thread[] threads = {start(one, failed), start(other, failed)};
    for (Thread thread : threads) {
      thread.join();
    }
    if (failed[0] instanceof Error error) {
      throw error;
    }
    check(failed[0] == null, "failed: " + failed[0]);
  }

  private static Thread start(Code code) {
    return start(code, new Throwable[1]);
  }

  private static Thread start(Code code, Throwable[] failed) {
    Thread thread =
        new Thread(() -> {
          try {
            code.run();
          } catch (Throwable e) {
            failed[0] = e;
          }
        });
    thread.start();
    return thread;
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
