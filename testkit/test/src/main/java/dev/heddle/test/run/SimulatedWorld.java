// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.scheduler.BornThreads;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.context.VirtualThreads;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.nio.HostNetwork;
import dev.heddle.test.nio.ServerSocketFront;
import dev.heddle.test.nio.SimulatedProvider;
import dev.heddle.test.nio.SocketFront;
import dev.heddle.test.time.Agenda;
import dev.heddle.world.OpenWorld;
import dev.heddle.world.World;
import java.net.InetAddress;
import java.net.SocketImpl;
import java.net.UnknownHostException;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What the agent asks of a simulation: time, chance and threads of unmodified code, from the loop
/// and its clock.
///
/// Timed waits in the JDK become entries of the agenda. Virtual threads, and platform threads that
/// the program starts, become entries of the loop's ready queue. Chance follows from the seed.
///
/// **Thread** the carrier, and what is mounted there, unless a method says otherwise.
final class SimulatedWorld extends World implements HostNetwork.Networked, HostNetwork.Threads {
  private static final long ORIGIN_NANOS =
      1_000_000_000_000L; // as if the machine had been up for a while
  private static final long EPOCH_NANOS = 1_893_456_000_000_000_000L; // 2030-01-01T00:00:00Z
  private static final long FOR_EVER_NANOS =
      TimeUnit.DAYS.toNanos(36_500); // no program means this wait
  private static final int READS = 1_000; // of the clock in one step; then a loop waits for it
  private static final long READ_NANOS = 10_000; // what such a read takes
  private static final long SPIN_NANOS = 1_000;

  private final RunParts run;
  private final VirtualClock clock;
  private final Agenda agenda;
  private final SplittableRandom random;
  private boolean isAsking; // at a point
  private final OpenWorld open;

  private @Nullable Scheduler scheduler; // set before the first thread starts
  private @Nullable HostNetwork network; // set with it
  private @Nullable Thread starting; // the last one
  private int reads;
  private final List<Finding> findings = new ArrayList<>();
  private final Map<String, RuntimeException> refused = new LinkedHashMap<>(); // by stack
  private final RealFiles realFiles = new RealFiles();
  private final Map<Thread, Adopted> running = new LinkedHashMap<>();

  // any thread sets it: the run is over, and the program does not let go of the carrier
  private volatile boolean abandoned;

  /// Ends what an abandoned program does.
  private static final class AbandonedRunError extends Error {
    private static final long serialVersionUID = 1;

    AbandonedRunError() {
      super("the simulation has ended, since this code did not end", null, false, false);
    }
  }

  /// A platform thread that runs.
  ///
  /// @param body which runs its code
  /// @param startedAt the line that has started it
  private record Adopted(Thread body, Object startedAt) {}

  SimulatedWorld(RunParts run, long seed) {
    this.run = run;
    this.clock = run.clock();
    this.agenda = run.agenda();
    this.random = new SplittableRandom(seed);
    this.open = OpenWorld.of(this);
  }

  Thread newCarrier(String name, Runnable loop) {
    return open.newCarrier(name, loop);
  }

  /// The loop that runs its threads. Called before the first one starts.
  void attach(Scheduler runs) {
    scheduler = runs;
    network = new HostNetwork((HostDriver) runs.reactor().driver(), clock, this);
  }

  void close() {
    open.close();
  }

  /// From now on the program gets an error where it asks for time or chance, or comes to a
  /// preemption point. **Thread** any.
  void abandon() {
    abandoned = true;
  }

  private void endIfAbandoned() {
    if (abandoned) {
      throw new AbandonedRunError();
    }
  }

  // ---- steps of the loop ----

  void beginStep(@Nullable Thread thread) {
    reads = 0;
    open.beginTurn(thread == null ? Thread.currentThread() : thread, random.nextLong());
  }

  /// A thread has left the carrier, on which nothing is mounted now.
  void endStep(Thread thread) {
    open.endTurn(thread);
  }

  /// Waits until the JVM has handed over the monitors that were freed. Nothing is mounted.
  void settle() {
    open.awaitUnblocker();
  }

  /// Ends the wait of a thread for no reason.
  ///
  /// @return false: it does not wait
  boolean wake(Thread virtual) {
    return open.wakeForNoReason(virtual);
  }

  /// The thread that the program knows, by the virtual one that runs it.
  Thread faceOf(Thread virtual) {
    return open.faceOf(virtual);
  }

  /// What the program has been refused, with the stacks.
  Set<String> refused() {
    return refused.keySet();
  }

  /// The failures of threads that no code observes, refused calls, and threads that still run.
  /// Those of the common pool do not count: nobody ends it. Whether a thread is a daemon says
  /// nothing, since all are that coroutines create.
  List<Finding> findings() {
    List<Finding> all = new ArrayList<>(findings);
    refused
        .values()
        .forEach(refusal ->
            all.add(new Finding(Finding.Kind.REFUSED, "a call that was refused", refusal)));
    Set<Thread> bodies = new HashSet<>();
    running.forEach((thread, adopted) -> {
      bodies.add(adopted.body);
      if (isOfTheProgram(thread)) {
        all.add(Leftovers.thread(thread, adopted.body, adopted.startedAt));
      }
      open.forget(adopted.body);
    });
    BornThreads born = scheduler == null ? null : scheduler.bornThreads();
    if (born != null) {
      for (Thread thread : born.alive()) {
        if (VirtualThreads.schedulerOf(thread) instanceof Turns turns && bodies.add(thread)) {
          all.add(Leftovers.thread(thread, thread, turns.startedAt));
        }
      }
    }
    return all;
  }

  private static boolean isOfTheProgram(Thread platform) {
    return platform instanceof ForkJoinWorkerThread worker
        ? worker.getPool() != ForkJoinPool.commonPool()
        : !platform.getClass().getName().startsWith("java.util.concurrent."); // its own helpers
  }

  // ---- time ----

  @Override
  public long nanoTime() {
    endIfAbandoned();
    if (++reads > READS) {
      clock.advanceTo(clock.nanoTime() + READ_NANOS);
    }
    return ORIGIN_NANOS + clock.nanoTime();
  }

  @Override
  public long epochNanos() {
    return EPOCH_NANOS + nanoTime() - ORIGIN_NANOS;
  }

  @Override
  public Alarm schedule(Runnable action, long delayNanos) {
    if (delayNanos >= FOR_EVER_NANOS) {
      return () -> {};
    }
    return agenda.add(clock.nanoTime() + delayNanos, action)::cancel;
  }

  @Override
  public void onSpin() {
    endIfAbandoned();
    clock.advanceTo(clock.nanoTime() + SPIN_NANOS);
  }

  // ---- threads ----

  /// The scheduler of one virtual thread.
  private final class Turns implements Executor {
    private @Nullable Thread thread;
    private Object startedAt = "unknown";

    // also by the JVM's thread that hands over monitors
    @Override
    public void execute(Runnable turn) {
      if (thread == null) {
        thread = starting; // the first call comes from its start
        startedAt = ProgramSite.caller();
      }
      Scheduler loop = scheduler;
      if (loop != null) {
        loop.runBorn(turn, thread);
      }
    }
  }

  @Override
  public @Nullable Executor newScheduler() {
    return scheduler == null ? null : new Turns();
  }

  @Override
  public void onStart(Thread virtual) {
    starting = virtual;
  }

  @Override
  public boolean adopts(Thread platform) {
    return scheduler != null && !isOfTheRuntime();
  }

  // threads of the loop's log and its end serve the caller, who waits for them on the carrier;
  // those that sample loops and report dropped futures serve the JVM
  private static boolean isOfTheRuntime() {
    return StackWalker.getInstance()
        .walk(frames ->
            frames
                .map(StackWalker.StackFrame::getClassName)
                .anyMatch("dev.heddle.internal.DaemonThread"::equals));
  }

  @Override
  public void onAdopted(Thread platform, Thread body) {
    running.put(platform, new Adopted(body, ProgramSite.caller()));
  }

  @Override
  public void onEnd(Thread platform) {
    running.remove(platform);
  }

  @Override
  public void onUncaught(Thread thread, Throwable failure) {
    findings.add(
        new Finding(Finding.Kind.UNHANDLED, ThreadReport.named(thread) + " has failed", failure));
  }

  // ---- the network ----

  @Override
  public HostNetwork network() {
    return Objects.requireNonNull(network, "it is attached before the loop begins");
  }

  @Override
  public SocketImpl newSocket() {
    return new SocketFront(network());
  }

  @Override
  public SocketImpl newServerSocket() {
    return new ServerSocketFront(network());
  }

  @Override
  public SelectorProvider selectorProvider() {
    return SimulatedProvider.INSTANCE;
  }

  @Override
  public List<InetAddress> addressesOf(String host) throws UnknownHostException {
    return network().driver().addressesNow(host);
  }

  @Override
  public String nameOf(InetAddress address) {
    return network().driver().nameNow(address);
  }

  @Override
  public InetAddress localHost() throws UnknownHostException {
    InetAddress own = network().driver().address();
    return InetAddress.getByAddress(nameOf(own), own.getAddress());
  }

  @Override
  public boolean isVirtual() {
    return open.faceOf(Thread.currentThread()).isVirtual();
  }

  @Override
  public void opened(Object socket) {
    if (scheduler != null) {
      scheduler.futures().opened(socket);
    }
  }

  @Override
  public void closed(Object socket) {
    if (scheduler != null) {
      scheduler.futures().closed(socket);
    }
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck") // the simulation's loop decides what a yield means
  public void onFruitless() {
    onSpin();
    Thread.yield();
  }

  // ---- chance and choice ----

  @Override
  public long nextRandom(String use) {
    endIfAbandoned();
    return random.nextLong();
  }

  @Override
  public long pauseAt(String where) {
    Scheduler loop = scheduler;
    if (isAsking || loop == null || loop.isInTick()) {
      return Chooser.GO_ON;
    }
    isAsking = true; // what is asked below may have points, too
    try {
      if (PointCallers.runAlone(where)) {
        return Chooser.GO_ON;
      }
      endIfAbandoned();
      return pauseAt(where, loop);
    } finally {
      isAsking = false;
    }
  }

  private long pauseAt(String where, Scheduler loop) {
    // what the JVM's thread has brought by now is uncertain, that it may bring something is not
    boolean contested = loop.readyCount() > 0 || open.hasMonitorWaiters() || loop.hasArrivals();
    return run.picker().pauseAt(where, contested);
  }

  @Override
  public void onRealFile(String file) {
    String use = realFiles.name(file);
    if (use != null) {
      run.perhapsUncontrolled(use);
    }
  }

  @Override
  public RuntimeException refuse(String what) {
    UnsupportedOperationException refusal =
        new UnsupportedOperationException(what + " cannot be part of a simulation");
    StringBuilder text = new StringBuilder(refusal.getMessage());
    for (StackTraceElement frame : refusal.getStackTrace()) {
      text.append("\n  at ").append(frame);
    }
    refused.putIfAbsent(text.toString(), refusal);
    return refusal;
  }
}
