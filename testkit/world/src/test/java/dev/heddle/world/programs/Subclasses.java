// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// Code that asks for the current thread and for ids by way of subclasses of `Thread`.
public final class Subclasses {
  private Subclasses() {}

  /// Asks without a qualifier.
  static class Worker extends Thread {
    Map<String, Object> seen = new LinkedHashMap<>();

    @Override
    public void run() {
      seen.put("unqualified id", threadId());
      seen.put("unqualified current", currentThread());
      LongSupplier id = this::threadId;
      seen.put("reference to its id", id.getAsLong());
    }
  }

  /// A subclass of a subclass.
  static final class SubWorker extends Worker {
    @Override
    public void run() {
      super.run();
      seen.put("super's id", super.threadId());
    }
  }

  /// A class with methods of its own in the place of those of `Thread`.
  public static class Own extends Thread {
    /// Hides that of `Thread`.
    public static Thread currentThread() {
      return OTHER;
    }

    @Override
    @Deprecated
    @SuppressWarnings("deprecation") // what is overridden is meant
    public long getId() {
      return -1 - super.getId();
    }
  }

  /// Inherits what hides and overrides.
  public static final class SubOwn extends Own {}

  /// What [Own#currentThread()] says.
  public static final Thread OTHER = new Thread();

  /// What is seen of one thread by way of its class, and, as `expected`, of `Thread`.
  public static Map<String, Map<String, Object>> ofSubclasses() throws InterruptedException {
    Map<String, Map<String, Object>> all = new LinkedHashMap<>();
    for (Worker thread : new Worker[] {new Worker(), new SubWorker()}) {
      thread.start();
      thread.join();
      ToLongFunction<Worker> id = Worker::threadId;
      thread.seen.put("id", thread.threadId());
      thread.seen.put("reference to an id", id.applyAsLong(thread));
      thread.seen.put("expected id", ((Thread) thread).threadId());
      thread.seen.put("thread", thread);
      all.put(thread.getClass().getSimpleName(), thread.seen);
    }
    return all;
  }

  /// The current thread by way of several classes, and by `Thread`.
  public static Map<String, Object> current() {
    Supplier<Thread> reference = Worker::currentThread;
    Map<String, Object> seen = new LinkedHashMap<>();
    seen.put("of a class of the program", SubWorker.currentThread());
    seen.put("of a class of the JDK", ForkJoinWorkerThread.currentThread());
    seen.put("by reference", reference.get());
    seen.put("expected", Thread.currentThread());
    return seen;
  }

  /// The local host by way of a subclass.
  public static InetAddress localHost() throws Exception {
    return Inet4Address.getLocalHost();
  }

  /// What a program declares itself.
  @SuppressWarnings("deprecation") // what is overridden is meant
  public static Map<String, Object> own() {
    SubOwn own = new SubOwn();
    Thread asThread = own;
    Map<String, Object> seen = new LinkedHashMap<>();
    seen.put("hidden", SubOwn.currentThread());
    seen.put("overridden", own.getId());
    seen.put("overridden, seen as a thread", asThread.getId());
    seen.put("expected", -1 - asThread.threadId());
    return seen;
  }
}
