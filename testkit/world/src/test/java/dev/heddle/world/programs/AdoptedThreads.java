// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/// Ordinary code with platform threads; each method returns what it has seen of them.
@SuppressWarnings("ReferenceEquality") // threads and loaders themselves are meant
public final class AdoptedThreads {
  private static final ScopedValue<String> SCOPED = ScopedValue.newInstance();
  private static final InheritableThreadLocal<String> INHERITED = new InheritableThreadLocal<>();

  private AdoptedThreads() {}

  /// The states that a thread goes through, as another thread sees them.
  public static List<Thread.State> states() throws InterruptedException {
    List<Thread.State> seen = new ArrayList<>();
    Object monitor = new Object();
    CountDownLatch parks = new CountDownLatch(1);
    Thread thread =
        new Thread(() -> {
          parks.countDown();
          LockSupport.park();
          sleep(1_000);
          synchronized (monitor) {
            LockSupport.parkNanos(1);
          }
        });
    seen.add(thread.getState());
    thread.start();
    seen.add(thread.getState());
    parks.await();
    sleep(1);
    seen.add(thread.getState());
    LockSupport.unpark(thread);
    sleep(1);
    seen.add(thread.getState());
    synchronized (monitor) {
      sleep(2_000);
      seen.add(thread.getState());
    }
    thread.join();
    seen.add(thread.getState());
    return seen;
  }

  /// What a thread is asked by others before, while and after it runs.
  public static Map<String, Object> lifeOf() throws InterruptedException {
    Map<String, Object> seen = new TreeMap<>();
    Thread[] itself = new Thread[1];
    Thread thread =
        new Thread(
            () -> {
              itself[0] = Thread.currentThread();
              sleep(1_000);
            },
            "worker");
    thread.setDaemon(true);
    seen.put("alive before", thread.isAlive());
    thread.start();
    sleep(1);
    seen.put("alive", thread.isAlive());
    seen.put("itself", itself[0] == thread);
    seen.put("virtual", itself[0].isVirtual());
    seen.put("daemon", itself[0].isDaemon());
    seen.put("name", itself[0].getName());
    seen.put("stack", namesSleep(thread.getStackTrace()));
    thread.join();
    seen.put("alive after", thread.isAlive());
    seen.put("stack after", thread.getStackTrace().length);
    try {
      thread.start();
    } catch (IllegalThreadStateException _) {
      seen.put("second start", "refused");
    }
    return seen;
  }

  private static boolean namesSleep(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      if (frame.getClassName().equals(AdoptedThreads.class.getName())
          && frame.getMethodName().equals("sleep")) {
        return true;
      }
    }
    return false;
  }

  /// How a thread sees that it is interrupted.
  public static List<String> interrupts() throws InterruptedException {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    Thread thread =
        new Thread(() -> {
          try {
            Thread.sleep(1_000_000);
          } catch (InterruptedException _) {
            seen.add("sleep ended");
          }
          Thread.currentThread().interrupt();
          seen.add("set " + Thread.currentThread().isInterrupted());
          seen.add("taken " + Thread.interrupted());
          seen.add("left " + Thread.currentThread().isInterrupted());
          while (!Thread.interrupted()) {
            LockSupport.park();
          }
          seen.add("park ended");
        });
    thread.start();
    sleep(1);
    thread.interrupt();
    sleep(1);
    thread.interrupt();
    thread.join();
    return seen;
  }

  /// What a thread has from its maker.
  public static List<String> inheritance() throws InterruptedException {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    INHERITED.set("inherited");
    ClassLoader loader = new ClassLoader(AdoptedThreads.class.getClassLoader()) {};
    Thread.currentThread().setContextClassLoader(loader);
    Thread thread =
        new Thread(() -> {
          seen.add(INHERITED.get());
          seen.add("loader " + (Thread.currentThread().getContextClassLoader() == loader));
          seen.add("scoped " + SCOPED.isBound());
          ScopedValue.where(SCOPED, "own").run(() -> seen.add(SCOPED.get()));
        });
    ScopedValue.where(SCOPED, "maker's")
        .run(() -> {
          thread.start();
          sleep(1);
        });
    thread.join();
    return seen;
  }

  /// The names that the JDK gives.
  public static List<String> names() throws Exception {
    List<String> seen = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      seen.add(new Thread(() -> {}).getName());
      try (ExecutorService executor = Executors.newFixedThreadPool(1)) {
        seen.add(executor.submit(() -> Thread.currentThread().getName()).get());
      }
    }
    return seen;
  }

  /// The handler of its own that a failing thread has.
  public static List<String> handled() throws InterruptedException {
    List<String> seen = new ArrayList<>();
    Thread thread =
        new Thread(() -> {
          throw new IllegalArgumentException("mine");
        });
    thread.setUncaughtExceptionHandler(
        (failed, e) -> seen.add((failed == thread) + " " + e.getMessage()));
    thread.start();
    thread.join();
    return seen;
  }

  /// A thread without a handler fails.
  public static void unhandled(boolean virtual) throws InterruptedException {
    Runnable fails =
        () -> {
          throw new IllegalArgumentException("nobody's");
        };
    Thread thread = virtual ? Thread.ofVirtual().unstarted(fails) : new Thread(fails);
    thread.start();
    thread.join();
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
