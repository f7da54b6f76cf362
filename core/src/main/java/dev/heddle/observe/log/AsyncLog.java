// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.log;

import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Writes the lines of one loop to the log `dev.heddle`, and calls its listeners, on a thread of
/// its own, in the order in which they came.
///
/// A handler of the log takes locks, waits for disks and peers, and throws. A carrier that waited
/// for a lock which a parked coroutine holds would wait for ever: only the carrier could wake that
/// coroutine. So a carrier, a coroutine and the watchdog only put a line into the queue.
///
/// **Thread** any; no method but [#flush] and [#close] waits, and none throws, but for want of
/// memory.
public final class AsyncLog {
  /*
   * States.  from   event                                  to     who, order
   *          IDLE   a line comes                           RUNS   any thread: adds the line, then CAS on `writer`; the winner starts
   *          RUNS   a line comes                           same   any thread: adds the line, then unparks the writer
   *          RUNS   no line for LINGER                     IDLE   the writer: stores null, then looks at the queue once more
   *          RUNS   its thread dies of what it met         IDLE   the same, in a finally block
   *          IDLE   no thread can be had (out of memory)   IDLE   the next line tries again, and so does flush()
   *
   * Threads. The writer is a daemon platform thread, of each log one at a time. It may wait for what a coroutine holds: the carrier
   * goes on, and wakes that coroutine. Everything else: any thread.
   *
   * I1. Lines are written in the order in which their calls put them into the queue, one after the other. [AsyncLogTest]
   * I2. Whatever a handler or a listener throws costs its own line only: that is written without its throwable, by the names of the
   *     classes, or to the standard error; the next line is tried again. [AsyncLogTest]
   * I3. A handler that never returns costs memory for LIMIT lines and no more; what is dropped is counted, and the number is logged
   *     when the handler takes lines again. [AsyncLogTest]
   * I4. flush() returns when all lines that came before it are written, or when PATIENCE looks have passed; then it says so. [AsyncLogTest]
   *
   * Memory order. Writer of a line: add to the queue, then read `writer`. Writing thread: store null into `writer`, then read the
   * queue. All four are volatile: one of the two sees the other's write, so that no line stays behind without a thread.
   *
   * Time. PATIENCE is counted in looks of a quarter of a second, not read off a clock: a JVM that is stopped and continued (SIGSTOP, a
   * suspended machine) has lost one look, not its last words.
   *
   * Cost. A line: a node and an unpark. A loop that logs nothing has no thread.
   *
   * Rejected. One thread for all loops: a listener that hangs would silence every loop. The watchdog's thread: it must go on looking
   * while a handler hangs. Logging on the carrier with a time limit: nothing can be taken back from a thread that waits for a lock.
   *
   * Sources. DESIGN fact 8; traps 42, 64. Log4j 2's asynchronous appender, whose queue is bounded as well.
   */
  private static final int LIMIT =
      1_000; // lines that wait; a program with more has been told enough
  private static final long LINGER_NANOS = 1_000_000_000; // saves a thread for each line of a burst
  private static final long LOOK_NANOS = 250_000_000;
  private static final int PATIENCE = 20; // looks, 5 s: a log that takes longer for a line is stuck
  private static final AsyncLog SHARED = new AsyncLog("heddle", ClassLoader.getSystemClassLoader());

  private final String name;
  private final @Nullable ClassLoader loader;
  private final int patience; // looks

  // any thread
  private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger(); // in the queue, or being written
  private final AtomicInteger dropped = new AtomicInteger();
  private final AtomicReference<@Nullable Thread> writer = new AtomicReference<>();
  private volatile boolean closed;
  private final ConcurrentLinkedQueue<Thread> waiting = new ConcurrentLinkedQueue<>(); // in flush()

  /// A log without lines; costs nothing until the first one comes.
  ///
  /// @param name of whose lines these are; in the thread's name and in what is said of lost lines
  /// @param loader the context class loader of its thread, where handlers look for their settings
  public AsyncLog(String name, @Nullable ClassLoader loader) {
    this(name, loader, PATIENCE);
  }

  AsyncLog(String name, @Nullable ClassLoader loader, int patience) {
    this.name = name;
    this.loader = loader;
    this.patience = patience;
  }

  /// The log of what belongs to no loop, or does not know which: drivers, files, groups of loops.
  public static AsyncLog shared() {
    return SHARED;
  }

  // ---- any thread ----

  /// A line about a failure that no code will get.
  public void error(String text, @Nullable Throwable failure) {
    put(() -> write(Level.ERROR, text, failure));
  }

  /// A line about what is probably a mistake.
  public void warning(String text, @Nullable Throwable failure) {
    put(() -> write(Level.WARNING, text, failure));
  }

  /// The same, with a text that takes a while to make: the writing thread makes it.
  public void warning(Supplier<String> text) {
    put(() -> write(Level.WARNING, text.get(), null));
  }

  /// A line for those who debug.
  public void debug(String text, @Nullable Throwable failure) {
    put(() -> write(Level.DEBUG, text, failure));
  }

  /// A line for the standard error: the JVM exits, and its loggers are shut down at the same time.
  public void besideTheLog(String text, @Nullable Throwable failure) {
    put(() -> {
      System.err.println("dev.heddle: " + text);
      if (failure != null) {
        failure.printStackTrace();
      }
    });
  }

  /// Calls what may take locks, wait or throw (a listener, a management tool) in its turn among the
  /// lines.
  ///
  /// @param what it is, for the line about what it throws
  public void call(String what, Runnable listener) {
    put(() -> {
      try {
        listener.run();
      } catch (Throwable e) {
        write(Level.ERROR, what + " failed", e);
      }
    });
  }

  private void put(Runnable line) {
    if (pending.incrementAndGet() > LIMIT) {
      pending.decrementAndGet();
      dropped.incrementAndGet();
      return;
    }
    boolean added = false;
    try {
      added = queue.add(line);
    } finally {
      if (!added) {
        pending.decrementAndGet(); // no memory
      }
    }
    ensureWriter();
  }

  private void ensureWriter() {
    Thread current = writer.get();
    if (current != null) {
      LockSupport.unpark(current);
      return;
    }
    try {
      Thread fresh = newWriter();
      if (writer.compareAndSet(null, fresh)) {
        start(fresh);
      }
    } catch (OutOfMemoryError _) {
      // safe: the line stays in the queue; the next one tries again, and so does flush()
    }
  }

  private Thread newWriter() {
    Thread fresh =
        Thread.ofPlatform()
            .daemon()
            .inheritInheritableThreadLocals(false)
            .name(name + "-log")
            .unstarted(this::run);
    fresh.setContextClassLoader(loader);
    return fresh;
  }

  private void start(Thread fresh) {
    try {
      fresh.start();
    } catch (Throwable e) {
      writer.set(null);
      throw e;
    }
  }

  /// Waits until all lines that have come are written, for five seconds at most: a handler that
  /// hangs must not keep its loop from ending. Lines that are left then are counted on the standard
  /// error, and are written if the handler ever returns.
  ///
  /// **Thread** any, with no coroutine mounted.
  ///
  /// @return whether all are written
  public boolean flush() {
    if (pending.get() == 0) {
      return true;
    }
    boolean interrupted = Thread.interrupted();
    Thread self = Thread.currentThread();
    waiting.add(self);
    try {
      for (int look = 0; pending.get() > 0 && look < patience; look++) {
        ensureWriter();
        long until = System.nanoTime() + LOOK_NANOS;
        while (pending.get() > 0 && System.nanoTime() - until < 0) {
          LockSupport.parkNanos(this, LOOK_NANOS);
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      waiting.remove(self);
      if (interrupted) {
        self.interrupt();
      }
    }
    int left = pending.get();
    if (left > 0) {
      StandardError.say(lost(left));
    }
    return left == 0;
  }

  private String lost(int left) {
    StringBuilder text = new StringBuilder();
    text.append("dev.heddle: ")
        .append(left == 1 ? "1 line" : left + " lines")
        .append(" of '")
        .append(name)
        .append("' could not be logged within ")
        .append(patience * LOOK_NANOS / 1_000_000_000)
        .append(" s; ");
    Thread stuck = writer.get();
    if (stuck == null) {
      return text.append("no thread could be started for it\n").toString();
    }
    text.append("a handler of the log or a listener of reports has not returned, at\n");
    for (StackTraceElement frame : stuck.getStackTrace()) {
      text.append("  at ").append(frame).append('\n');
    }
    return text.toString();
  }

  /// As [#flush], and lets the thread go as soon as it has nothing to write. Lines that come later
  /// are written all the same.
  public boolean close() {
    closed = true;
    boolean all = flush();
    Thread idle = writer.get();
    if (idle != null) {
      LockSupport.unpark(idle);
    }
    return all;
  }

  // ---- the writing thread ----

  private void run() {
    try {
      do {
        writeAll();
        if (!closed) {
          LockSupport.parkNanos(this, LINGER_NANOS);
        }
      } while (!queue.isEmpty());
    } finally {
      writer.set(null);
      if (!queue.isEmpty()) {
        ensureWriter();
      }
    }
  }

  private void writeAll() {
    for (Runnable line = queue.poll(); line != null; line = queue.poll()) {
      try {
        line.run();
        tellOfDropped();
      } catch (Throwable _) {
        // safe: not even its class could be named, for want of memory or stack; the next line may
        // be
      } finally {
        if (pending.decrementAndGet() == 0) {
          waiting.forEach(LockSupport::unpark);
        }
      }
    }
  }

  private void tellOfDropped() {
    int lines = dropped.getAndSet(0);
    if (lines > 0) {
      String what = "the log could not keep up: " + lines + " lines of '" + name + "' were dropped";
      write(Level.WARNING, what, null);
    }
  }

  private static void write(Level level, String text, @Nullable Throwable failure) {
    try {
      Log.DEV_HEDDLE.log(level, text, failure);
    } catch (Throwable unlogged) {
      writeNames(level, text, failure, unlogged);
    }
  }

  // a throwable of a user's may throw when it is printed, and so may a handler
  private static void writeNames(
      Level level, String text, @Nullable Throwable failure, Throwable unlogged) {
    String names =
        "%s [%s cannot be logged: %s]"
            .formatted(text, failure == null ? "this" : nameOf(failure), nameOf(unlogged));
    try {
      Log.DEV_HEDDLE.log(level, names);
    } catch (Throwable _) {
      System.err.println("dev.heddle: " + names); // safe: it keeps its failures to itself
    }
  }

  private static String nameOf(Throwable thrown) {
    return thrown.getClass().getName();
  }

  /// Found by the writing thread: to find it initialises the logging system.
  private static final class Log {
    static final System.Logger DEV_HEDDLE = System.getLogger("dev.heddle");

    private Log() {}
  }
}
