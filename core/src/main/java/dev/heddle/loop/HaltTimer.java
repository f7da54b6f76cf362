// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.internal.DaemonThread;
import dev.heddle.observe.log.StandardError;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Ends the JVM if its exit takes too long: halts it from a thread that waits for no other.
final class HaltTimer {
  /*
   * Why. The JVM exits when all its shutdown hooks have ended. The hook of java.util.logging takes
   * the locks of its handlers; programs have hooks, too. If one waits for a lock that is never
   * released, SIGTERM no longer has an effect, and only SIGKILL helps.
   *
   * States.
   *   from      event                             to        what happens
   *   -         a signal asks loops to stop       STOPPING  afterSignal(): a hook of the JVM, a
   *                                                         thread that monitors
   *   STOPPING  these loops have ended            ENDED     the thread ends; the program continues
   *                                                         with its ExitException
   *   STOPPING  deadline, grace period and a      EXITING   the loops are abandoned: the timer
   *             second are over                             itself exits the JVM, so that hooks
   *                                                         run, and halts it after HOOKS
   *   STOPPING  the JVM exits                     EXITING   the hook starts the clock: what is
   *                                                         left of that time, but at least HOOKS
   *   ENDED     the JVM exits before that time    EXITING   the same
   *             is over
   *   ENDED     that time is over                 DISARMED  an exit that comes later is the
   *                                                         program's own business
   *   -         the JVM exits otherwise, and a    EXITING   afterExit(): the grace period, but at
   *             loop has not ended, or left                 least HOOKS
   *             coroutines behind: they may hold
   *             what other hooks wait for
   *   EXITING   the clock has run out             -         Runtime.halt; what holds the exit up
   *                                                         goes to the standard error
   *
   * Exit codes. After a signal: 128 plus its number. Otherwise the code passed to System.exit is on
   * a stack, where it cannot be read, so 1.
   *
   * Threads. Its own daemon threads, which run on while hooks run and take no lock. afterSignal():
   * the JVM's signal threads.
   *
   * I1. A JVM that received a signal which a loop handles ends at the latest HOOKS after the
   *     shutdown deadline, the grace period and a second, whatever locks are held, unless its loops
   *     have ended and the program continues. [StuckExitTest]
   * I2. If all loops have ended without abandoned coroutines, hooks have unlimited time, except as
   *     in I1. [StuckExitTest]
   *
   * Time is counted in checks, not read from a clock: a JVM that was stopped for a minute (SIGSTOP)
   * did not have that minute.
   *
   * Rejected. Halting without an exit: hooks restore terminals, files and children. (A second
   * signal, a second or more after the first, does so all the same, in SignalDispatcher: the user
   * wants the end now, and hooks may be what takes so long.) A timer on the loop: the loop itself
   * may be stuck. An interrupt for the holder of the lock: it may be any thread.
   */
  private static final long CHECK_NANOS = 100_000_000;
  private static final Duration LOOP_TO_END = Duration.ofSeconds(1); // for contexts and driver
  private static final Duration HOOKS = Duration.ofSeconds(2); // a hook takes milliseconds
  private static final int MAX_NAMED = 10; // threads that may delay the exit

  private final String cause;
  private final int code;
  private volatile List<LoopEnd> loops; // not yet seen to end
  private final long checksLeft; // until the exit must have begun

  // only its threads
  private volatile long checksDone;
  private volatile boolean abandoned;

  private HaltTimer(String cause, int code, List<LoopEnd> loops, long checksLeft) {
    this.cause = cause;
    this.code = code;
    this.loops = loops;
    this.checksLeft = checksLeft;
  }

  /// Called when a signal has stopped `loops`: the JVM ends with `code` in time.
  static void afterSignal(String signal, int code, List<LoopEnd> loops) {
    long longest = 0;
    for (LoopEnd loop : loops) {
      long needed =
          checksIn(loop.options().shutdownDeadline()) + checksIn(loop.options().gracePeriod());
      longest = Math.max(longest, needed);
    }
    HaltTimer timer = new HaltTimer(signal, code, loops, longest + checksIn(LOOP_TO_END));
    try {
      Thread hook = DaemonThread.of("heddle-exit-after-signal", timer::exitBegins);
      Runtime.getRuntime().addShutdownHook(hook);
      var _ = DaemonThread.start("heddle-halt-timer", () -> timer.watch(hook));
    } catch (IllegalStateException _) {
      timer.exitBegins(); // the JVM is exiting
    }
  }

  /// Called when the JVM exits and a loop has not ended, or has left coroutines behind that may
  /// hold what other hooks wait for.
  ///
  /// @param code unless the JVM exits for a signal
  static void afterExit(int code, Duration gracePeriod) {
    String signal = signalOfTheExit();
    int with = signal == null ? code : codeOf(signal, code);
    HaltTimer timer = new HaltTimer(signal == null ? "the exit" : signal, with, List.of(), 0);
    timer.haltAfter(Math.max(checksIn(gracePeriod), checksIn(HOOKS)));
  }

  private static long checksIn(Duration time) {
    return TimeUnit.NANOSECONDS.convert(time) / CHECK_NANOS;
  }

  private void watch(Thread hook) {
    List<LoopEnd> left = loops;
    while (checksDone < checksLeft && !left.isEmpty()) {
      check();
      left = left.stream().filter(loop -> !loop.isOver()).toList();
      loops = left;
    }
    if (!left.isEmpty()) {
      abandoned = true;
      left.forEach(LoopEnd::abandon);
      String holders = left.stream().map(LoopEnd::holder).collect(Collectors.joining());
      StandardError.say(
          ("dev.heddle: %s not ended, or not logged the last lines, by the shutdown deadline and"
                  + " the grace period after %s; the process exits with code %s anyway\n%s")
              .formatted(names(left), cause, code, holders));
      var _ = DaemonThread.start("heddle-exit", () -> Runtime.getRuntime().exit(code));
      return; // a hook starts the clock
    }
    while (checksDone < checksLeft) {
      check();
    }
    forget(hook);
  }

  private static String names(List<LoopEnd> loops) {
    String names =
        loops.stream()
            .map(loop -> "'" + loop.options().name() + "'")
            .collect(Collectors.joining(", "));
    return loops.size() == 1 ? "the loop " + names + " has" : "the loops " + names + " have";
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // safe: the JVM is exiting, and the hook has run
    }
  }

  // a shutdown hook: the others run at the same time, and the JVM waits for them
  private void exitBegins() {
    haltAfter(Math.max(abandoned ? 0 : checksLeft - checksDone, checksIn(HOOKS)));
  }

  private void haltAfter(long more) {
    Runnable halting =
        () -> {
          for (long i = 0; i < more; i++) {
            LockSupport.parkNanos(CHECK_NANOS);
          }
          halt();
        };
    var _ = DaemonThread.start("heddle-halt-timer", halting);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // a single writer
  private void check() {
    LockSupport.parkNanos(CHECK_NANOS);
    checksDone++;
  }

  private void halt() {
    StandardError.say(
        ("dev.heddle: the process did not exit in time after %s: a shutdown hook has not returned;"
                + " the JVM is halted with code %s\n%s")
            .formatted(cause, code, describeBlockers()));
    Runtime.getRuntime().halt(code);
  }

  private static String describeBlockers() {
    StringBuilder text = new StringBuilder();
    Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
    all.entrySet().stream()
        .filter(entry -> !entry.getKey().isDaemon() && entry.getValue().length > 0)
        .limit(MAX_NAMED)
        .forEach(entry -> {
          text.append("thread '").append(entry.getKey().getName()).append("'\n");
          for (StackTraceElement frame : entry.getValue()) {
            text.append("  at ").append(frame).append('\n');
          }
        });
    return text.toString();
  }

  // the JVM exits for a signal on a thread named after it
  private static @Nullable String signalOfTheExit() {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      String name = thread.getName();
      if (name.startsWith("SIG") && name.endsWith(" handler")) {
        return name.substring(0, name.indexOf(' '));
      }
    }
    return null;
  }

  private static int codeOf(String signal, int otherwise) {
    return switch (signal) {
      case "SIGHUP" -> 129;
      case "SIGINT" -> 130;
      case "SIGTERM" -> 143;
      default -> otherwise;
    };
  }
}
