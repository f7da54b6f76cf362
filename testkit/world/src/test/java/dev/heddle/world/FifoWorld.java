// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The smallest world: one carrier, first in, first out, and a clock that moves when nobody can
/// run. Shows what a simulation has to do; tests of the agent run programs in it.
final class FifoWorld extends World {
  static final String NOT_ADOPTED = "not-adopted"; // a thread of that name runs for itself
  static final long ORIGIN = 1_000_000_000_000L;
  private static final long EPOCH_NANOS = 1_893_456_000_000_000_000L; // 2030-01-01T00:00:00Z
  private static final long FOR_EVER = TimeUnit.HOURS.toNanos(12);
  private static final long COARSE_READS = 1_000; // of the clock in one turn, before it moves

  /// What came of a program.
  record Outcome(
      @Nullable Object result,
      @Nullable Throwable failure,
      long elapsedNanos,
      boolean deadlocked,
      List<String> trace) {

    Object orThrow() throws Exception {
      if (failure instanceof Exception e) {
        throw e;
      }
      if (failure instanceof Error e) {
        throw e;
      }
      if (deadlocked) {
        throw new AssertionError("deadlock " + trace);
      }
      return String.valueOf(result);
    }
  }

  private final SplittableRandom random;
  private final OpenWorld open;
  final List<String> trace = new ArrayList<>();
  final List<String> refused = new ArrayList<>();
  final List<String> points = new ArrayList<>();
  final Set<String> processorsAsked = new HashSet<>();
  private String asked = ""; // the way, until the class is found
  String preemptsIn = "nowhere"; // the end of a point's name
  long pauseNanos; // there; 0: it yields

  // the carrier
  private final Deque<Coroutine> ready = new ArrayDeque<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(
          Comparator.comparingLong(Timer::deadline).thenComparingLong(Timer::number));
  private @Nullable Thread starting;
  private int coroutines;
  private int unfinished; // adopted threads that are no daemons
  private long now = ORIGIN;
  private long timersMade;
  private int reads;
  private @Nullable Object result;
  private @Nullable Throwable failure;
  private boolean deadlocked;

  // the unblocker, too
  private final Queue<Coroutine> unblocked = new ConcurrentLinkedQueue<>();

  FifoWorld(long seed) {
    random = new SplittableRandom(seed);
    open = OpenWorld.of(this);
  }

  static Outcome run(Callable<?> program) throws InterruptedException {
    return run(7, program);
  }

  static Outcome run(long seed, Callable<?> program) throws InterruptedException {
    return new FifoWorld(seed).runMain(program);
  }

  OpenWorld open() {
    return open;
  }

  /// Runs `program` on a thread of this world, until it and all threads that are no daemons have
  /// ended.
  Outcome runMain(Callable<?> program) throws InterruptedException {
    Thread main = new Thread(() -> body(program), "main");
    Thread carrier = open.newCarrier("fifo-world", () -> loop(main));
    carrier.start();
    carrier.join();
    open.close();
    return new Outcome(result, failure, now - ORIGIN, deadlocked, trace);
  }

  private void body(Callable<?> program) {
    try {
      result = program.call();
    } catch (Throwable e) {
      onUncaught(Thread.currentThread(), e);
    }
  }

  // @start region=loop
  private void loop(Thread main) {
    main.start();
    while (unfinished > 0 && failure == null) {
      open.awaitUnblocker();
      takeUnblocked();
      Coroutine next = ready.poll();
      if (next != null) {
        turn(next);
      } else if (!advance()) {
        deadlocked = true;
        return;
      }
    }
  }

  private void turn(Coroutine next) {
    reads = 0;
    open.beginTurn(next.thread(), random.nextLong());
    next.run();
    open.endTurn(next.thread());
  }

  // @end region=loop

  private boolean advance() {
    Timer first = timers.poll();
    if (first == null || first.deadline - now > FOR_EVER) {
      return false;
    }
    now = Math.max(now, first.deadline);
    if (!first.cancelled) {
      first.action.run();
    }
    return true;
  }

  private void takeUnblocked() {
    List<Coroutine> arrived = new ArrayList<>();
    for (Coroutine one = unblocked.poll(); one != null; one = unblocked.poll()) {
      arrived.add(one);
    }
    arrived.sort(Comparator.comparingInt(Coroutine::number));
    ready.addAll(arrived);
  }

  /// The scheduler of one virtual thread.
  private final class Coroutine implements Executor {
    private final int number = ++coroutines;
    private @Nullable Thread thread;
    private @Nullable Runnable task;

    @Override
    public void execute(Runnable toRun) {
      task = toRun;
      if (OpenWorld.isUnblocker()) {
        unblocked.add(this);
        return;
      }
      if (thread == null) {
        thread = starting;
      }
      ready.add(this);
    }

    Thread thread() {
      return Objects.requireNonNull(thread);
    }

    int number() {
      return number;
    }

    void run() {
      trace.add(number + "@" + (now - ORIGIN));
      Objects.requireNonNull(task).run();
    }
  }

  private static final class Timer implements Alarm {
    private final Runnable action;
    private final long deadline;
    private final long number;
    private boolean cancelled;

    Timer(Runnable action, long deadline, long number) {
      this.action = action;
      this.deadline = deadline;
      this.number = number;
    }

    long deadline() {
      return deadline;
    }

    long number() {
      return number;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  // ---- processors ----

  /// Notes which class of the JDK asks, and in which way.
  @Override
  public int processors() {
    StackWalker.getInstance()
        .forEach(frame -> {
          if (frame.getClassName().equals("java.lang.HeddleLimits")) {
            asked = frame.getMethodName();
          } else if (!asked.isEmpty()) {
            processorsAsked.add(asked + " by " + frame.getClassName());
            asked = "";
          }
        });
    return super.processors();
  }

  // ---- names ----

  @Override
  public String nameOf(InetAddress address) {
    return "host-" + address.getHostAddress();
  }

  // ---- answers ----

  @Override
  public long nanoTime() {
    if (++reads > COARSE_READS) {
      now += 10_000; // a loop waits for the clock
    }
    return now;
  }

  @Override
  public long epochNanos() {
    return EPOCH_NANOS + nanoTime() - ORIGIN;
  }

  @Override
  public Alarm schedule(Runnable action, long delayNanos) {
    long deadline = now + delayNanos;
    Timer timer = new Timer(action, deadline < 0 ? Long.MAX_VALUE : deadline, ++timersMade);
    timers.add(timer);
    return timer;
  }

  @Override
  public void onSpin() {
    now += 1_000;
  }

  @Override
  public Executor newScheduler() {
    return new Coroutine();
  }

  @Override
  public void onStart(Thread virtual) {
    starting = virtual;
  }

  @Override
  public boolean adopts(Thread platform) {
    return !platform.getName().equals(NOT_ADOPTED);
  }

  @Override
  public void onAdopted(Thread platform, Thread body) {
    unfinished += platform.isDaemon() ? 0 : 1;
  }

  @Override
  public void onEnd(Thread platform) {
    unfinished -= platform.isDaemon() ? 0 : 1;
  }

  @Override
  public void onUncaught(Thread thread, Throwable e) {
    if (failure == null) {
      failure = e;
    }
  }

  @Override
  public long nextRandom(String use) {
    return random.nextLong();
  }

  @Override
  public long pauseAt(String where) {
    points.add(where);
    return where.endsWith(preemptsIn) ? pauseNanos : -1;
  }

  @Override
  public RuntimeException refuse(String what) {
    refused.add(what);
    return new UnsupportedOperationException(what + " cannot be part of a simulation");
  }
}
