// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.log;

import dev.heddle.internal.DaemonThread;
import java.lang.System.Logger.Level;
import java.time.ZoneId;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Writes the lines of one loop to the log `dev.heddle`, and calls its listeners, on a thread of
/// its own, in the order of arrival.
///
/// A log handler takes locks, waits for disks and peers, and throws. If a carrier waited for a lock
/// that a parked coroutine holds, it would wait forever, since only the carrier could wake that
/// coroutine. So carriers, coroutines and the watchdog only put a line into the queue.
///
/// **Thread** any. Only [#flush] and [#close] wait; none throws, except for lack of memory.
public final class AsyncLog {
  /*
   * States.  from   event                                  to     who, order
   *          IDLE   a line comes                           RUNS   any thread: adds the line, then
   *                                                               CAS on `writer`; the winner
   *                                                               starts
   *          RUNS   a line comes                           same   any thread: adds the line, then
   *                                                               unparks the writer
   *          RUNS   no line for LINGER                     IDLE   the writer: stores null, then
   *                                                               checks the queue once more
   *          RUNS   its thread dies of what it met         IDLE   the same, in a finally block
   *          IDLE   no thread can be had (out of memory)   IDLE   the next line tries again, and so
   *                                                               does flush()
   *
   * Threads. The writer is a daemon platform thread, one for each log at a time. It may wait for
   * what a coroutine holds, since the carrier continues and wakes that coroutine. Everything else:
   * any thread.
   *
   * I1. Lines are written one after the other, in the order in which they were put into the queue.
   *     [AsyncLogTest]
   * I2. A handler or listener that throws affects only its own line: that is written without its
   *     throwable, with the names of the classes, or to the standard error. The next line is tried
   *     again. [AsyncLogTest]
   * I3. A handler that never returns costs memory for at most LIMIT lines. Dropped lines are
   *     counted, and the count is logged when the handler has accepted the waiting lines.
   *     [AsyncLogTest]
   * I4. flush() returns when all earlier lines, and the count of the dropped ones, are written. It
   *     gives up, and says so, after PATIENCE checks without a line written, or after
   *     TOTAL_PATIENCE times as many checks in all. Called by a handler or listener on the writing
   *     thread, it returns at once: it would wait for its own caller. [AsyncLogTest]
   * I5. A line that is written while the JVM exits is on the standard error, whether or not the log
   *     accepts it. [ProcessExitTest]
   *
   * The JVM's exit. A logging system removes its handlers in a shutdown hook, concurrently with all
   * other hooks, and a logger without handlers silently drops a line. So the time at which the line
   * is written matters, not when it was put: a caller that puts a line and then calls System.exit
   * has put it in time. Before the hooks start, the JVM begins to refuse adding and removing hooks.
   * While it does not refuse, no handler has been removed. If it still does not after the call of
   * the logger, the handlers had the line. If it does, the line also goes to the standard error:
   * before that call, if the exit is known by then, since a handler may hang. Twice is better than
   * never, since it is unknown which handlers were left.
   *
   * Memory order. Producer of a line: add to the queue, or to `dropped`, then read `writer`.
   * Writing thread: store null into `writer`, then read the queue and `dropped`. All are volatile:
   * one of the two sees the other's write, so no line remains without a thread. A line counts in
   * `dropped` before it leaves `pending`, so flush() finds it in one of them.
   *
   * Time. PATIENCE is counted in checks of a quarter of a second, not read from a clock: a JVM that
   * is stopped and continued (SIGSTOP, a suspended machine) has lost one check, not its last lines.
   * The count restarts whenever a line was written: a slow handler (a disk, a peer) gets its lines
   * as long as it accepts them, up to TOTAL_PATIENCE.
   *
   * Cost. A line: a node and an unpark. A loop that logs nothing has no thread.
   *
   * Rejected. One thread for all loops: a listener that hangs would silence every loop. The
   * watchdog's thread: it must continue to sample while a handler hangs. Logging on the carrier
   * with a time limit: a thread that waits for a lock cannot be recalled. Checking for the JVM's
   * exit when a line is put: a line put before and written after would be lost.
   *
   * Sources. trap-42, trap-64. Log4j 2's asynchronous appender, whose queue is bounded, too.
   */
  private static final int LIMIT = 1_000; // waiting lines; more would not help
  private static final long LINGER_NANOS = 1_000_000_000; // saves a thread for each line of a burst
  private static final long POLL_NANOS = 250_000_000;
  private static final int PATIENCE = 20; // checks, 5 s: a log slower than that is stuck
  private static final int TOTAL_PATIENCE = 6; // times as many, 30 s: LIMIT lines, 30 ms for each
  private static final AsyncLog SHARED = new AsyncLog("heddle", ClassLoader.getSystemClassLoader());

  private final String name;
  private final @Nullable ClassLoader loader;
  private final int patience; // looks
  private final Predicate<AsyncLog> waiter; // waits a while; returns whether it was interrupted
  private final Consumer<String> lastWords; // where flush() says what is lost

  // any thread
  private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger(); // in the queue, or being written
  private final AtomicInteger dropped = new AtomicInteger(); // and their number not logged
  private final AtomicInteger written = new AtomicInteger(); // shows flush() that there is progress
  private final AtomicReference<@Nullable Thread> writer = new AtomicReference<>();
  private volatile boolean closed;
  private final ConcurrentLinkedQueue<Thread> waiting = new ConcurrentLinkedQueue<>(); // in flush()

  /// A log without lines; costs nothing until the first one comes.
  ///
  /// @param name of whose lines these are; in the thread's name and in what is said of lost lines
  /// @param loader the context class loader of its thread, where handlers find their settings
  public AsyncLog(String name, @Nullable ClassLoader loader) {
    this(name, loader, PATIENCE, AsyncLog::awaitProgress, StandardError::say);
  }

  AsyncLog(
      String name,
      @Nullable ClassLoader loader,
      int patience,
      Predicate<AsyncLog> waiter,
      Consumer<String> lastWords) {
    this.name = name;
    this.loader = loader;
    this.patience = patience;
    this.waiter = waiter;
    this.lastWords = lastWords;
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

  /// The same; then, on the writing thread, `next` may read the failure and put further lines.
  public void error(String text, Throwable failure, Runnable next) {
    put(() -> {
      write(Level.ERROR, text, failure);
      goOn(next);
    });
  }

  /// A line about what is probably a mistake.
  public void warning(String text, @Nullable Throwable failure) {
    put(() -> write(Level.WARNING, text, failure));
  }

  /// The same, with a text that takes a while to make: the writing thread makes it.
  public void warning(Supplier<String> text) {
    put(() -> write(Level.WARNING, text.get(), null));
  }

  /// The same, for a caller that has another way to say it, should the log hang.
  ///
  /// @return whether the line has been written by now; for any thread
  public BooleanSupplier trackedWarning(Supplier<String> text) {
    AtomicBoolean done = new AtomicBoolean();
    put(() -> {
      try {
        write(Level.WARNING, text.get(), null);
      } finally {
        done.set(true);
      }
    });
    return done::get;
  }

  public void debug(String text, @Nullable Throwable failure) {
    put(() -> write(Level.DEBUG, text, failure));
  }

  /// A line for the standard error alone: the JVM exits, and its loggers are shut down at the same
  /// time. Lines of the other methods go there as well when the JVM exits before they are written.
  public void stderrOnly(String text, @Nullable Throwable failure) {
    put(() -> print(text, failure));
  }

  /// The same, with `next` as in [#error(String, Throwable, Runnable)].
  public void stderrOnly(String text, Throwable failure, Runnable next) {
    put(() -> {
      print(text, failure);
      goOn(next);
    });
  }

  private static void goOn(Runnable next) {
    try {
      next.run();
    } catch (Throwable e) {
      write(Level.ERROR, "the report of a failure failed", e);
    }
  }

  /// Calls what may take locks, wait or throw (a listener, a management tool) in its turn among the
  /// lines.
  ///
  /// @param what it is, for the line about what it throws
  /// @return false when it will not be called: too many lines wait; it counts as a dropped one
  public boolean call(String what, Runnable listener) {
    return put(() -> callNow(what, listener));
  }

  /// The same, for a caller that calls again later: nothing is counted as dropped.
  public boolean tryCall(String what, Runnable listener) {
    return put(() -> callNow(what, listener), false);
  }

  private static void callNow(String what, Runnable listener) {
    try {
      listener.run();
    } catch (Throwable e) {
      write(Level.ERROR, what + " failed", e);
    }
  }

  /// Readies the logging system, on the writing thread, for what may have to be said when no
  /// descriptor is left. One that begins then cannot read its settings, nor the rules of the time
  /// zone, and says nothing for ever.
  public void prepare() {
    put(() -> {
      var _ = isWanted(Level.WARNING);
      var _ = ZoneId.systemDefault().getRules();
    });
  }

  // whether it was not dropped
  private boolean put(Runnable line) {
    return put(line, true);
  }

  private boolean put(Runnable line, boolean isCountedIfDropped) {
    if (pending.incrementAndGet() > LIMIT) {
      if (isCountedIfDropped) {
        dropped.incrementAndGet();
      }
      pending.decrementAndGet();
      ensureWriter(); // it may have written all others meanwhile; it reports this one
      return false;
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
    return true;
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
    Thread fresh = DaemonThread.of(name + "-log", this::run);
    fresh.setContextClassLoader(loader);
    return fresh;
  }

  private void start(Thread fresh) {
    try {
      DaemonThread.start(fresh);
    } catch (Throwable e) {
      writer.set(null);
      throw e;
    }
  }

  /// Waits until all lines that have come are written, for as long as the log takes them: a handler
  /// that hangs must not keep its loop from ending. So it waits for five seconds without a line
  /// written, and for thirty in all. Lines that are left then are counted on the standard error,
  /// and are written if the handler ever returns.
  ///
  /// **Thread** any, with no coroutine mounted. On the writing thread, in a handler or a listener,
  /// it does not wait.
  ///
  /// @return whether all are written
  public boolean flush() {
    if (left() == 0 || Thread.currentThread() == writer.get()) {
      return left() == 0;
    }
    boolean interrupted = Thread.interrupted();
    Thread self = Thread.currentThread();
    waiting.add(self);
    int looks = 0;
    int quiet = 0; // of those, the last without a line
    try {
      while (left() > 0 && quiet < patience && looks < patience * TOTAL_PATIENCE) {
        int before = written.get();
        ensureWriter();
        interrupted |= waiter.test(this);
        looks++;
        quiet = written.get() == before ? quiet + 1 : 0;
      }
    } finally {
      waiting.remove(self);
      if (interrupted) {
        self.interrupt();
      }
    }
    int left = left();
    if (left > 0) {
      lastWords.accept(lost(left, quiet < patience));
    }
    return left == 0;
  }

  /// The number of unwritten lines, with dropped ones that are not yet reported.
  int left() {
    return pending.get() + dropped.get();
  }

  private boolean awaitProgress() {
    boolean interrupted = false;
    long until = System.nanoTime() + POLL_NANOS;
    while (left() > 0 && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(this, POLL_NANOS);
      interrupted |= Thread.interrupted();
    }
    return interrupted;
  }

  private String lost(int left, boolean slow) {
    StringBuilder text = new StringBuilder();
    text.append("dev.heddle: ")
        .append(left == 1 ? "1 line" : left + " lines")
        .append(" of '")
        .append(name)
        .append("' could not be logged within ")
        .append(POLL_NANOS * patience * (slow ? TOTAL_PATIENCE : 1) / 1_000_000_000)
        .append(" s; ");
    Thread stuck = writer.get();
    if (stuck == null) {
      return text.append("no thread could be started for it\n").toString();
    }
    text.append("a handler of the log or a listener of reports ")
        .append(slow ? "is too slow" : "has not returned")
        .append(", at\n");
    return text.append(frames(stuck)).toString();
  }

  private static String frames(Thread stuck) {
    StringBuilder text = new StringBuilder();
    for (StackTraceElement frame : stuck.getStackTrace()) {
      text.append("  at ").append(frame).append('\n');
    }
    return text.toString();
  }

  /// Where the writing thread stands now, in words and frames; for what is said beside a log that
  /// hangs.
  public String whereItStands() {
    Thread stuck = writer.get();
    return stuck == null
        ? "for no thread could be started for it:\n"
        : "for a handler or a listener of reports has not returned, at\n" + frames(stuck);
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
        reportDropped();
        if (!closed) {
          LockSupport.parkNanos(this, LINGER_NANOS);
        }
      } while (hasWork());
    } finally {
      writer.set(null);
      if (hasWork()) {
        ensureWriter();
      }
    }
  }

  private boolean hasWork() {
    return !queue.isEmpty() || dropped.get() > 0;
  }

  private void writeAll() {
    for (Runnable line = queue.poll(); line != null; line = queue.poll()) {
      try {
        line.run();
      } catch (Throwable _) {
        // safe: not even its class could be named, for want of memory or stack; the next line may
        // be
      } finally {
        written.incrementAndGet();
        if (pending.decrementAndGet() == 0) {
          waiting.forEach(LockSupport::unpark);
        }
      }
    }
  }

  // behind all lines that waited
  private void reportDropped() {
    int lines = dropped.get();
    if (lines == 0) {
      return;
    }
    try {
      String what = "the log could not keep up: " + lines + " lines of '" + name + "' were dropped";
      write(Level.WARNING, what, null);
    } finally {
      dropped.addAndGet(-lines);
      waiting.forEach(LockSupport::unpark);
    }
  }

  private static void write(Level level, String text, @Nullable Throwable failure) {
    boolean wanted = isWanted(level);
    boolean exits = JvmExits.already();
    if (wanted && exits) {
      print(text, failure);
    }
    log(level, text, failure);
    if (wanted && !exits && JvmExits.already()) {
      print(text, failure);
    }
  }

  private static boolean isWanted(Level level) {
    try {
      return Log.DEV_HEDDLE.isLoggable(level);
    } catch (Throwable _) {
      return true; // safe: the call that follows is tried all the same, and reports its own failure
    }
  }

  private static void print(String text, @Nullable Throwable failure) {
    System.err.println("dev.heddle: " + text);
    if (failure == null) {
      return;
    }
    try {
      failure.printStackTrace();
    } catch (Throwable unprinted) {
      System.err.println(
          "[%s cannot be printed: %s]".formatted(nameOf(failure), nameOf(unprinted)));
    }
  }

  private static void log(Level level, String text, @Nullable Throwable failure) {
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

  private static final class JvmExits {
    private static final Thread NO_HOOK = noHook();

    private JvmExits() {}

    private static Thread noHook() {
      Thread thread = Thread.ofPlatform().inheritInheritableThreadLocals(false).unstarted(() -> {});
      thread.setContextClassLoader(null); // it is kept for ever
      return thread;
    }

    static boolean already() {
      try {
        Runtime.getRuntime().removeShutdownHook(NO_HOOK); // was never added: asks, and changes none
        return false;
      } catch (IllegalStateException _) {
        return true; // safe: this is the answer
      }
    }
  }
}
