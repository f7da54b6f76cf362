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
/// @since 0.1
public final class HeddleOptions {
  private static final long DEFAULT_STACK = 8L << 20;
  private static final int OFFLOAD_THREADS = 64; // they wait for devices and peers, not processors

  // written before the object leaves this class, never after
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

  private HeddleOptions() {
    name = "heddle";
    handleSignals = false;
    reuse = choice("heddle.reuse", "on", "off");
    exactSites = !choice("heddle.sites", "lazy", "exact");
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

  /// The defaults, as the system properties say.
  ///
  /// @throws IllegalArgumentException when a system property has a value that it cannot have
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

  // ---- what it says ----

  /// The name of the loop's threads; default `heddle`.
  public String name() {
    return name;
  }

  /// Whether SIGINT and SIGTERM stop the loop gracefully while it runs. A second one ends the
  /// process; one that a coroutine of the loop awaits is left to it. Default false.
  public boolean handleSignals() {
    return handleSignals;
  }

  /// Whether a finished coroutine's execution context serves the next one. Off: thread-bound state
  /// and thread identity are fresh for every coroutine, at 150 ns each. System property
  /// `heddle.reuse=on|off`, default on.
  public boolean reuse() {
    return reuse;
  }

  /// Whether every spawn records its file and line, at 1 us each, instead of its body's class.
  /// System property `heddle.sites=exact|lazy`, default lazy.
  public boolean exactSites() {
    return exactSites;
  }

  /// The driver by which the loop sees the outside world: `jdk`, which is always there; one that
  /// the module heddle-netty brings: `io_uring`, `epoll`, `kqueue`, `nio`; or `auto`, the best that
  /// works here. System property `heddle.driver`, default auto.
  public String driver() {
    return driver;
  }

  /// How long a cancelled coroutine may suspend to clean up before every suspension throws again;
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

  /// How long a coroutine may keep the loop from all others before the watchdog reports it, with
  /// its stack; zero: never. System property `heddle.watchdog=off|MILLISECONDS`, default 200 ms.
  public Duration holdLimit() {
    return holdLimit;
  }

  /// How long a loop may do nothing, with coroutines that only wait in the JDK for locks and
  /// queues, before that is reported, once; zero: never. System property
  /// `heddle.stall=off|MILLISECONDS`, default 5 s.
  public Duration stallLimit() {
    return stallLimit;
  }

  /// How many calls of [Heddle#offload] may run at once; those above wait for one to end. Default
  /// 64.
  public int offloadThreads() {
    return offloadThreads;
  }

  /// Called with each [LoopReport] that is logged, on the thread of the loop's log: it may wait and
  /// throw, and holds up later lines and reports of this loop, nothing else. `run` waits for it for
  /// 5 s at most.
  public Consumer<? super LoopReport> reports() {
    return reports;
  }

  // ---- another value ----

  /// The same with another name for the loop's threads.
  public HeddleOptions withName(String changed) {
    Objects.requireNonNull(changed, "name");
    return with(copy -> copy.name = changed);
  }

  /// The same, handling SIGINT and SIGTERM or not.
  public HeddleOptions withHandleSignals(boolean changed) {
    return with(copy -> copy.handleSignals = changed);
  }

  /// The same, reusing execution contexts or not.
  public HeddleOptions withReuse(boolean changed) {
    return with(copy -> copy.reuse = changed);
  }

  /// The same, recording exact spawn sites or not.
  public HeddleOptions withExactSites(boolean changed) {
    return with(copy -> copy.exactSites = changed);
  }

  /// The same with another driver. A loop that is started with one that there is not, or that does
  /// not work here, fails and says why.
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

  /// The same with another limit for doing nothing; zero: no stall report.
  ///
  /// @throws IllegalArgumentException when it is negative
  public HeddleOptions withStallLimit(Duration changed) {
    requireNotNegative(changed, "stallLimit");
    return with(copy -> copy.stallLimit = changed);
  }

  /// The same with another number of offloaded calls at once.
  ///
  /// @throws IllegalArgumentException when it is less than 1
  public HeddleOptions withOffloadThreads(int changed) {
    if (changed < 1) {
      throw new IllegalArgumentException("offloadThreads must be at least 1: " + changed);
    }
    return with(copy -> copy.offloadThreads = changed);
  }

  /// The same, calling `changed` with each report beside the log.
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
