// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/// Programs with `wait` and `notify`.
final class Notifications {
  private Notifications() {}

  static void waitByOne() throws InterruptedException {
    Object monitor = new Object();
    synchronized (monitor) {
      monitor.wait();
    }
  }

  static void waitByTwo(Threads threads) {
    Object monitor = new Object();
    threads.start(
        2,
        () -> {
          synchronized (monitor) {
            monitor.wait();
          }
        });
  }

  static void withoutMonitor() throws InterruptedException {
    new Object().wait();
  }

  static void timedWait() throws InterruptedException {
    Object monitor = new Object();
    synchronized (monitor) {
      monitor.wait(1_000);
    }
  }

  /// A thread that waits once, and says when it has come so far and when it has come back.
  private static final class Waiting {
    final Object monitor = new Object();
    final CountDownLatch inMonitor = new CountDownLatch(1);
    final AtomicBoolean back = new AtomicBoolean();

    void await() throws InterruptedException {
      synchronized (monitor) {
        inMonitor.countDown();
        monitor.wait();
        back.set(true);
      }
    }
  }

  static void trustsWait(Threads threads) throws InterruptedException {
    Waiting waiting = new Waiting();
    threads.start(waiting::await);
    waiting.inMonitor.await();
    synchronized (waiting.monitor) {
      waiting.monitor.notify();
      check(!waiting.back.get(), "it came back before it was notified");
    }
  }

  static void notified(Threads threads) throws InterruptedException {
    Waiting waiting = new Waiting();
    threads.start(waiting::await);
    waiting.inMonitor.await();
    synchronized (waiting.monitor) {
      waiting.monitor.notify();
    }
  }

  static void reacquire(Threads threads) throws InterruptedException {
    Waiting waiting = new Waiting();
    threads.start(waiting::await);
    waiting.inMonitor.await();
    synchronized (waiting.monitor) {
      waiting.monitor.notify();
    }
    Thread.yield();
    synchronized (waiting.monitor) {
      check(waiting.back.get(), "notified, and not back yet");
    }
  }

  static void order(Threads threads) throws InterruptedException {
    Object monitor = new Object();
    CountDownLatch inMonitor = new CountDownLatch(2);
    AtomicBoolean open = new AtomicBoolean();
    AtomicBoolean firstIsBack = new AtomicBoolean();
    Threads.Task await =
        () -> {
          inMonitor.countDown();
          while (!open.get()) {
            monitor.wait();
          }
        };
    threads.start(() -> {
      synchronized (monitor) {
        await.run();
        firstIsBack.set(true);
      }
    });
    threads.start(() -> {
      synchronized (monitor) {
        await.run();
        check(firstIsBack.get(), "the second came back first");
      }
    });
    inMonitor.await();
    synchronized (monitor) {
      open.set(true);
      monitor.notifyAll();
    }
  }

  static void notifiedAndInterrupted(Threads threads) {
    Object monitor = new Object();
    threads.start(() -> {
      synchronized (monitor) {
        Thread waiting = Thread.currentThread();
        threads.start(() -> {
          synchronized (monitor) {
            monitor.notify();
          }
          waiting.interrupt();
        });
        try {
          monitor.wait();
        } catch (InterruptedException e) {
          // one of the two ways to come back
        }
      }
    });
  }
}
