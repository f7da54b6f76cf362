// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.observe.LoopReport;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/// How a loop runs. An immutable value; start from [#defaults()] and change what matters.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=options}
///
/// @param name of the loop's threads
/// @param handleSignals whether SIGINT and SIGTERM stop the loop gracefully while it runs; a second
///   one ends the process; one that a coroutine of the loop awaits is left to it
/// @param reuse whether a finished coroutine's execution context serves the next one; off:
///   thread-bound state and thread identity are fresh for every coroutine, at 150 ns each. System
///   property `heddle.reuse=on|off`, default on
/// @param exactSites whether every spawn records its file and line, at 1 us each, instead of its
///   body's class. System property `heddle.sites=exact|lazy`, default lazy
/// @param driver by which driver the loop sees the outside world: `jdk`, which is always there; one
///   that the module heddle-netty brings: `io_uring`, `epoll`, `kqueue`, `nio`; or `auto`, the best
///   that works here. System property `heddle.driver`, default auto
/// @param gracePeriod how long a cancelled coroutine may suspend to clean up before every
///   suspension throws again; default 5 s
/// @param shutdownDeadline how long the loop may take to stop after a failure, a signal or `exit`;
///   default 10 s
/// @param stackSize in bytes, of threads that Heddle starts for loops; default 8 MiB
/// @param holdLimit how long a coroutine may keep the loop from all others before the watchdog
///   reports it, with its stack; zero: never. System property `heddle.watchdog=off|MILLISECONDS`,
///   default 200 ms
/// @param stallLimit how long a loop may do nothing, with coroutines that only wait in the JDK for
///   locks and queues, before that is reported, once; zero: never. System property
///   `heddle.stall=off|MILLISECONDS`, default 5 s
/// @param offloadThreads how many calls of [Heddle#offload] may run at once, at least 1; those
///   above wait for one to end; default 64
/// @param reports told of each [LoopReport] that is logged, on the thread of the loop's log: it may
///   wait and throw, and holds up later lines and reports of this loop, nothing else; `run` waits
///   for it for 5 s at most
/// @since 0.1
public record HeddleOptions(
    String name,
    boolean handleSignals,
    boolean reuse,
    boolean exactSites,
    String driver,
    Duration gracePeriod,
    Duration shutdownDeadline,
    long stackSize,
    Duration holdLimit,
    Duration stallLimit,
    int offloadThreads,
    Consumer<? super LoopReport> reports) {

  private static final long DEFAULT_STACK = 8L << 20;
  private static final int OFFLOAD_THREADS = 64; // they wait for devices and peers, not processors

  /// Checks the values.
  ///
  /// @throws IllegalArgumentException when a duration or the stack size is negative, or there is no
  ///   thread for offloaded calls
  public HeddleOptions {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(driver, "driver");
    requireNotNegative(gracePeriod, "gracePeriod");
    requireNotNegative(shutdownDeadline, "shutdownDeadline");
    requireNotNegative(holdLimit, "holdLimit");
    requireNotNegative(stallLimit, "stallLimit");
    Objects.requireNonNull(reports, "reports");
    if (stackSize < 0) {
      throw new IllegalArgumentException("stackSize must not be negative: " + stackSize);
    }
    if (offloadThreads < 1) {
      throw new IllegalArgumentException("offloadThreads must be at least 1: " + offloadThreads);
    }
  }

  private static void requireNotNegative(Duration duration, String what) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(what + " must not be negative: " + duration);
    }
  }

  /// The defaults, as the system properties say.
  ///
  /// @throws IllegalArgumentException when a system property has a value that it cannot have
  public static HeddleOptions defaults() {
    return new HeddleOptions(
        "heddle",
        false,
        choice("heddle.reuse", "on", "off"),
        !choice("heddle.sites", "lazy", "exact"),
        System.getProperty("heddle.driver", "auto"),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        DEFAULT_STACK,
        limit("heddle.watchdog", Duration.ofMillis(200)),
        limit("heddle.stall", Duration.ofSeconds(5)),
        OFFLOAD_THREADS,
        report -> {});
  }

  // whether the property has its first, default value
  private static boolean choice(String property, String usual, String other) {
    String value = System.getProperty(property, usual);
    if (!value.equals(usual) && !value.equals(other)) {
      throw new IllegalArgumentException(
          "-D" + property + "=" + value + ": must be " + usual + " or " + other);
    }
    return value.equals(usual);
  }

  private static Duration limit(String property, Duration usual) {
    String value = System.getProperty(property);
    if (value == null || value.equals("off")) {
      return value == null ? usual : Duration.ZERO;
    }
    if (!value.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException(
          "-D" + property + "=" + value + ": must be off or a number of milliseconds");
    }
    return Duration.ofMillis(Long.parseLong(value));
  }

  /// The same with another name for the loop's threads.
  public HeddleOptions withName(String changed) {
    return with(draft -> draft.name = changed);
  }

  /// The same, handling SIGINT and SIGTERM or not.
  public HeddleOptions withHandleSignals(boolean changed) {
    return with(draft -> draft.handleSignals = changed);
  }

  /// The same, reusing execution contexts or not.
  public HeddleOptions withReuse(boolean changed) {
    return with(draft -> draft.reuse = changed);
  }

  /// The same, recording exact spawn sites or not.
  public HeddleOptions withExactSites(boolean changed) {
    return with(draft -> draft.exactSites = changed);
  }

  /// The same with another driver. A loop that is started with one that there is not, or that does
  /// not work here, fails and says why.
  public HeddleOptions withDriver(String changed) {
    return with(draft -> draft.driver = changed);
  }

  /// The same with another grace period.
  public HeddleOptions withGracePeriod(Duration changed) {
    return with(draft -> draft.gracePeriod = changed);
  }

  /// The same with another shutdown deadline.
  public HeddleOptions withShutdownDeadline(Duration changed) {
    return with(draft -> draft.shutdownDeadline = changed);
  }

  /// The same with another stack size.
  public HeddleOptions withStackSize(long changed) {
    return with(draft -> draft.stackSize = changed);
  }

  /// The same with another limit for holding the loop; zero: no watchdog.
  public HeddleOptions withHoldLimit(Duration changed) {
    return with(draft -> draft.holdLimit = changed);
  }

  /// The same with another limit for doing nothing; zero: no stall report.
  public HeddleOptions withStallLimit(Duration changed) {
    return with(draft -> draft.stallLimit = changed);
  }

  /// The same with another number of offloaded calls at once.
  public HeddleOptions withOffloadThreads(int changed) {
    return with(draft -> draft.offloadThreads = changed);
  }

  /// The same, telling `changed` of each report beside the log.
  public HeddleOptions withReports(Consumer<? super LoopReport> changed) {
    return with(draft -> draft.reports = changed);
  }

  private HeddleOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /// The components, to change one of them.
  private static final class Draft {
    private String name;
    private boolean handleSignals;
    private boolean reuse;
    private boolean exactSites;
    private String driver;
    private Duration gracePeriod;
    private Duration shutdownDeadline;
    private long stackSize;
    private Duration holdLimit;
    private Duration stallLimit;
    private int offloadThreads;
    private Consumer<? super LoopReport> reports;

    Draft(HeddleOptions from) {
      name = from.name;
      handleSignals = from.handleSignals;
      reuse = from.reuse;
      exactSites = from.exactSites;
      driver = from.driver;
      gracePeriod = from.gracePeriod;
      shutdownDeadline = from.shutdownDeadline;
      stackSize = from.stackSize;
      holdLimit = from.holdLimit;
      stallLimit = from.stallLimit;
      offloadThreads = from.offloadThreads;
      reports = from.reports;
    }

    HeddleOptions options() {
      return new HeddleOptions(
          name,
          handleSignals,
          reuse,
          exactSites,
          driver,
          gracePeriod,
          shutdownDeadline,
          stackSize,
          holdLimit,
          stallLimit,
          offloadThreads,
          reports);
    }
  }
}
