// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.observe.LoopReport;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/// Options of a loop. An immutable value; start from [#defaults()] and change what matters.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=options}
///
/// @since 0.1
public final class HeddleOptions {
  private static final long DEFAULT_STACK = 8L << 20;
  private static final int OFFLOAD_THREADS = 64; // most wait for devices or peers

  // effectively final: written only before the object leaves this class
  private String name;
  private boolean handleSignals;
  private boolean reuse;
  private String driver;
  private Duration gracePeriod;
  private Duration shutdownDeadline;
  private long stackSize;
  private Duration holdLimit;
  private Duration stallLimit;
  private int offloadThreads;
  private Consumer<? super LoopReport> reports;

  private HeddleOptions() {
    name = "heddle";
    handleSignals = false;
    reuse = choice("heddle.reuse", "on", "off");
    driver = System.getProperty("heddle.driver", "auto");
    gracePeriod = Duration.ofSeconds(5);
    shutdownDeadline = Duration.ofSeconds(10);
    stackSize = DEFAULT_STACK;
    holdLimit = limit("heddle.watchdog", Duration.ofMillis(200));
    stallLimit = limit("heddle.stall", Duration.ofSeconds(5));
    offloadThreads = OFFLOAD_THREADS;
    reports = report -> {};
  }

  private HeddleOptions(HeddleOptions from) {
    name = from.name;
    handleSignals = from.handleSignals;
    reuse = from.reuse;
    driver = from.driver;
    gracePeriod = from.gracePeriod;
    shutdownDeadline = from.shutdownDeadline;
    stackSize = from.stackSize;
    holdLimit = from.holdLimit;
    stallLimit = from.stallLimit;
    offloadThreads = from.offloadThreads;
    reports = from.reports;
  }

  /// The defaults, with the values of the system properties.
  ///
  /// @throws IllegalArgumentException when a system property has an invalid value
  public static HeddleOptions defaults() {
    return new HeddleOptions();
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

  // ---- values ----

  /// The name of the loop's threads; default `heddle`.
  public String name() {
    return name;
  }

  /// Whether SIGINT and SIGTERM stop the loop gracefully while it runs. A second signal, a second
  /// or more after the first, halts the JVM at once, without further clean-up. A signal that a
  /// coroutine of the loop awaits is delivered to that coroutine instead. Default false.
  public boolean handleSignals() {
    return handleSignals;
  }

  /// Whether the execution context of a finished coroutine is reused for the next one. If not,
  /// every coroutine has a thread identity and thread-bound state of its own, at 150 ns each.
  /// System property `heddle.reuse=on|off`, default on.
  public boolean reuse() {
    return reuse;
  }

  /// The driver for the loop's I/O: `jdk`, which is always available; `io_uring`, `epoll`, `kqueue`
  /// or `nio` from the module heddle-netty; or `auto`, the best that works on this system. System
  /// property `heddle.driver`, default auto.
  public String driver() {
    return driver;
  }

  /// How long a cancelled coroutine may suspend to clean up before every further suspension throws;
  /// default 5 s.
  public Duration gracePeriod() {
    return gracePeriod;
  }

  /// How long the loop may take to stop after a failure, a signal or `exit`; default 10 s.
  public Duration shutdownDeadline() {
    return shutdownDeadline;
  }

  /// The stack size in bytes of threads that Heddle starts for loops; default 8 MiB.
  public long stackSize() {
    return stackSize;
  }

  /// How long a coroutine may hold the loop's thread before the watchdog reports it, with its
  /// stack; zero: never. System property `heddle.watchdog=off|MILLISECONDS`, default 200 ms.
  public Duration holdLimit() {
    return holdLimit;
  }

  /// How long a loop may be stalled (all its coroutines wait in the JDK, for locks and queues)
  /// before that is reported, once; zero: never. System property `heddle.stall=off|MILLISECONDS`,
  /// default 5 s.
  public Duration stallLimit() {
    return stallLimit;
  }

  /// How many calls of [Heddle#offload] may run at once; further calls wait. Default 64.
  public int offloadThreads() {
    return offloadThreads;
  }

  /// Called with each [LoopReport] that is logged, on the log thread of the loop. It may block and
  /// throw; blocking delays only later log lines and reports of this loop. `run` waits for it for
  /// at most 5 s.
  public Consumer<? super LoopReport> reports() {
    return reports;
  }

  // ---- copies with another value ----

  /// The same with another name for the loop's threads.
  public HeddleOptions withName(String changed) {
    Objects.requireNonNull(changed, "name");
    return with(copy -> copy.name = changed);
  }

  /// The same, handling SIGINT and SIGTERM.
  public HeddleOptions withSignalHandling() {
    return with(copy -> copy.handleSignals = true);
  }

  /// The same, leaving SIGINT and SIGTERM to the JVM.
  public HeddleOptions withoutSignalHandling() {
    return with(copy -> copy.handleSignals = false);
  }

  /// The same, reusing execution contexts.
  public HeddleOptions withReuse() {
    return with(copy -> copy.reuse = true);
  }

  /// The same, with a new execution context for each coroutine.
  public HeddleOptions withoutReuse() {
    return with(copy -> copy.reuse = false);
  }

  /// The same with another driver. A loop with an unknown or unsupported driver fails at its start,
  /// with the reason.
  public HeddleOptions withDriver(String changed) {
    Objects.requireNonNull(changed, "driver");
    return with(copy -> copy.driver = changed);
  }

  /// The same with another grace period.
  ///
  /// @throws IllegalArgumentException when it is negative
  public HeddleOptions withGracePeriod(Duration changed) {
    requireNotNegative(changed, "gracePeriod");
    return with(copy -> copy.gracePeriod = changed);
  }

  /// The same with another shutdown deadline.
  ///
  /// @throws IllegalArgumentException when it is negative
  public HeddleOptions withShutdownDeadline(Duration changed) {
    requireNotNegative(changed, "shutdownDeadline");
    return with(copy -> copy.shutdownDeadline = changed);
  }

  /// The same with another stack size.
  ///
  /// @throws IllegalArgumentException when it is negative
  public HeddleOptions withStackSize(long changed) {
    if (changed < 0) {
      throw new IllegalArgumentException("stackSize must not be negative: " + changed);
    }
    return with(copy -> copy.stackSize = changed);
  }

  /// The same with another limit for holding the loop; zero: no watchdog.
  ///
  /// @throws IllegalArgumentException when it is negative
  public HeddleOptions withHoldLimit(Duration changed) {
    requireNotNegative(changed, "holdLimit");
    return with(copy -> copy.holdLimit = changed);
  }

  /// The same with another stall limit; zero: no stall reports.
  ///
  /// @throws IllegalArgumentException when it is negative
  public HeddleOptions withStallLimit(Duration changed) {
    requireNotNegative(changed, "stallLimit");
    return with(copy -> copy.stallLimit = changed);
  }

  /// The same with another number of concurrent offloaded calls.
  ///
  /// @throws IllegalArgumentException when it is less than 1
  public HeddleOptions withOffloadThreads(int changed) {
    if (changed < 1) {
      throw new IllegalArgumentException("offloadThreads must be at least 1: " + changed);
    }
    return with(copy -> copy.offloadThreads = changed);
  }

  /// The same, calling `changed` with each report in addition to logging it.
  public HeddleOptions withReports(Consumer<? super LoopReport> changed) {
    Objects.requireNonNull(changed, "reports");
    return with(copy -> copy.reports = changed);
  }

  private HeddleOptions with(Consumer<HeddleOptions> change) {
    HeddleOptions copy = new HeddleOptions(this);
    change.accept(copy);
    return copy;
  }

  private static void requireNotNegative(Duration duration, String what) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(what + " must not be negative: " + duration);
    }
  }
}
