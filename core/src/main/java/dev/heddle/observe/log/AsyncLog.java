// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.log;

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
   *          IDLE   a line comes                           RUNS   any thread: adds the line, then
   *                                                               CAS on `writer`; the winner
   *                                                               starts
   *          RUNS   a line comes                           same   any thread: adds the line, then
   *                                                               unparks the writer
   *          RUNS   no line for LINGER                     IDLE   the writer: stores null, then
   *                                                               looks at the queue once more
   *          RUNS   its thread dies of what it met         IDLE   the same, in a finally block
   *          IDLE   no thread can be had (out of memory)   IDLE   the next line tries again, and so
   *                                                               does flush()
   *
   * Threads. The writer is a daemon platform thread, of each log one at a time. It may wait for
   * what a coroutine holds: the carrier goes on, and wakes that coroutine. Everything else: any
   * thread.
   *
   * I1. Lines are written in the order in which their calls put them into the queue, one after the
   *     other. [AsyncLogTest]
   * I2. Whatever a handler or a listener throws costs its own line only: that is written without
   *     its throwable, by the names of the classes, or to the standard error; the next line is
   *     tried again. [AsyncLogTest]
   * I3. A handler that never returns costs memory for LIMIT lines and no more; what is dropped is
   *     counted, and the number is logged when the handler has taken the lines that waited.
   *     [AsyncLogTest]
   * I4. flush() returns when all lines that came before it are written, and the number of those
   *     that were dropped; or when PATIENCE looks have passed without a line written, or
   *     TOTAL_PATIENCE times as many in all: then it says so. Called by a handler or a listener, on
   *     the writing thread, it returns at once: it would wait for its own caller. [AsyncLogTest]
   * I5. A line that is written while the JVM exits is on the standard error, whatever becomes of it
   *     in the log. [ProcessExitTest]
   *
   * The JVM's exit. A logging system removes its handlers in a shutdown hook, beside all other
   * hooks, and a logger without handlers takes a line and forgets it. So what counts is when the
   * line is written, not when it was put: whoever puts a line and calls System.exit has put it in
   * time. All hooks start behind one step of the JVM's, from which on it refuses to add or remove a
   * hook. While it does not refuse, no handler has been removed. If it still does not behind the
   * call of the logger, the handlers had the line. If it does, the line goes to the standard error
   * as well: before that call, where the exit is known by then, for a handler may hang. Twice is
   * better than never: which handlers were there nobody can tell.
   *
   * Memory order. Writer of a line: add to the queue, or to `dropped`, then read `writer`. Writing
   * thread: store null into `writer`, then read the queue and `dropped`. All are volatile: one of
   * the two sees the other's write, so that no line stays behind without a thread. A line counts in
   * `dropped` before it leaves `pending`: flush() finds it in one of them.
   *
   * Time. PATIENCE is counted in looks of a quarter of a second, not read off a clock: a JVM that
   * is stopped and continued (SIGSTOP, a suspended machine) has lost one look, not its last words.
   * It is counted anew whenever a line was written: a handler that is slow (a disk, a peer) gets
   * its lines as long as it takes them, but for TOTAL_PATIENCE.
   *
   * Cost. A line: a node and an unpark. A loop that logs nothing has no thread.
   *
   * Rejected. One thread for all loops: a listener that hangs would silence every loop. The
   * watchdog's thread: it must go on looking while a handler hangs. Logging on the carrier with a
   * time limit: nothing can be taken back from a thread that waits for a lock. Who puts a line asks
   * whether the JVM exits: a line put before, and written after, would be lost.
   *
   * Sources. trap-42, trap-64. Log4j 2's asynchronous appender, whose queue is bounded as well.
   */
  private static final int LIMIT =
      1_000; // lines that wait; a program with more has been told enough
  private static final long LINGER_NANOS = 1_000_000_000; // saves a thread for each line of a burst
  private static final long POLL_NANOS = 250_000_000;
  private static final int PATIENCE = 20; // looks, 5 s: a log that takes longer for a line is stuck
  private static final int TOTAL_PATIENCE = 6; // times as many, 30 s: LIMIT lines, 30 ms for each
  private static final AsyncLog SHARED = new AsyncLog("heddle", ClassLoader.getSystemClassLoader());

  private final String name;
  private final @Nullable ClassLoader loader;
  private final int patience; // looks
  private final Predicate<AsyncLog> waiter; // waits a while; tells whether it was interrupted
  private final Consumer<String> lastWords; // where flush() says what is lost

  // any thread
  private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger(); // in the queue, or being written
  private final AtomicInteger dropped = new AtomicInteger(); // and their number not logged
  private final AtomicInteger written = new AtomicInteger(); // tells flush() that it goes on
  private final AtomicReference<@Nullable Thread> writer = new AtomicReference<>();
  private volatile boolean closed;
  private final ConcurrentLinkedQueue<Thread> waiting = new ConcurrentLinkedQueue<>(); // in flush()

  /// A log without lines; costs nothing until the first one comes.
  ///
  /// @param name of whose lines these are; in the thread's name and in what is said of lost lines
  /// @param loader the context class loader of its thread, where handlers look for their settings
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

  /// A line for those who debug.
  public void debug(String text, @Nullable Throwable failure) {
    put(() -> write(Level.DEBUG, text, failure));
  }

  /// A line for the standard error alone: the JVM exits, and its loggers are shut down at the same
  /// time. Lines of the other methods go there as well when the JVM exits before they are written.
  public void stderrOnly(String text, @Nullable Throwable failure) {
    put(() -> print(text, failure));
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

  /// Readies the logging system, on the writing thread, for what may have to be said when no
  /// descriptor is left. One that begins then cannot read its settings, nor the rules of the time
  /// zone, and says nothing for ever.
  public void prepare() {
    put(() -> {
      var _ = isWanted(Level.WARNING);
      var _ = ZoneId.systemDefault().getRules();
    });
  }

  private void put(Runnable line) {
    if (pending.incrementAndGet() > LIMIT) {
      dropped.incrementAndGet();
      pending.decrementAndGet();
      ensureWriter(); // it may have written all others meanwhile, and is to tell of this one
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

  /// Lines that are not written, with those that were dropped and are not told of.
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
      return true; // safe: the call that follows is tried all the same, and tells of what it meets
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

  /// Whether the JVM runs its shutdown hooks, or has begun to.
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
