// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.Body;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.reactor.TimerQueue;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.SchedulerParts.Births;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.time.Agenda;
import dev.heddle.world.WorldAgent;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// One run of a loop in virtual time: its carrier is a thread of its own, its scheduling decisions
/// are a chooser's.
public final class SimulatedLoop<T extends @Nullable Object> implements RunTurn.Idle {
  /*
   * The loop is the one that programs run on in production. It gets other parts: a clock that
   * stands still, the driver of a host in a simulated network, whose sleeps advance that clock, a
   * picker that asks the chooser. Virtual threads that coroutines create run on the loop, too, as
   * entries of its ready queue.
   *
   * Time. The clock moves in an idle poll only: nothing is ready then, and the next thing to happen
   * is the first deadline of the loop or of the agenda. So a program that computes for an hour
   * takes no virtual time, and a program that waits for an hour takes no real time. With the agent
   * the clock moves also under a loop that waits by reading it, see SimulatedWorld.
   *
   * The end of a wait. In an idle poll without a deadline nothing inside can end a wait. With the
   * agent nothing outside can, either: it is a deadlock. Without it other threads may:
   *
   *   nothing waits in the JDK             a deadlock, by the loop's own rules and report, or since
   *                                        all waits are for a network in which nothing is on its way
   *   a coroutine waits in the JDK for an  refused: the run fails with the coroutine's stack. The
   *   amount of time                       time would be real, and the outcome the machine's
   *   a coroutine waits in the JDK         the carrier waits for other threads until the limit of
   *   without a bound                      patience, and then reports a deadlock; a cycle of locks
   *                                        at once
   *
   * What other threads decide is named in the record of the run: the same seed may then take
   * another course.
   *
   * Monitors, with the agent. The JVM hands over a monitor on a thread of its own. So before the
   * loop looks into its inbox, settle() waits until that thread has nothing left to hand over. It
   * may only do so with nothing mounted: a tick on a coroutine's stack asks for the trampoline, if
   * anything waits in the JDK, and nothing is picked before. In which order that thread has brought
   * its coroutines does not count, see ArrivalOrder.
   *
   * A run without an end. Steps are counted. A step that does not end is seen by the caller's
   * thread, which watches the processor time of the carrier: not real time, of which a loaded
   * machine may grant the carrier none. The carrier cannot be stopped then: it remains, a daemon.
   *
   * Threads. run(): any thread outside of coroutines. Everything else: the carrier.
   *
   * Rejected. The caller's thread as the carrier: nobody would watch it. The loop's own watchdog:
   * it samples stacks by real time, and a stack that another thread reads postpones a resume, which
   * changes the course. Sorting the inbox: every loop would pay for it.
   */
  private static final boolean HAS_PROCESSES = hasProcesses();
  private static final int STOP_FACTOR = 2; // after so many times the limit of steps nothing helps

  private final HeddleOptions options;
  private final long seed;
  private final Chooser chooser;
  private final Limits limits;
  private final Body<T> main;
  private final @Nullable Phases phases; // null: the main coroutine's work is in one piece
  private final VirtualClock clock = new VirtualClock();
  private final Agenda agenda = new Agenda();
  private final @Nullable SimulatedWorld world; // null: the agent is not installed

  // carrier only
  private final Set<String> uncontrolled = new LinkedHashSet<>();
  private @Nullable RecordingPicker picker;
  private final OpenResources resources = new OpenResources();
  private int foreign; // coroutines in a wait of the JDK, at the last tick
  private long stepBegan; // the number of dispatches then
  private boolean stepIsOpen; // what was picked has not left the carrier, as far as known
  private long waitedNanos; // of real time, for other threads, since a coroutine ran

  // null: the program has no module of processes
  private final @Nullable SimulatedProcesses processes;

  // any thread
  private final Queue<Finding> findings = new ConcurrentLinkedQueue<>();

  // the carrier writes, the caller reads
  private volatile @Nullable LoopRuntime loop;
  private volatile @Nullable RunTurn turn;
  private volatile @Nullable RunRecord<T> record;

  private SimulatedLoop(
      HeddleOptions options,
      long seed,
      Chooser chooser,
      Limits limits,
      Body<T> main,
      @Nullable Phases phases) {
    // a program that only waits for other threads has not stalled; stacks are not read by real time
    this.options = options.withStallLimit(Duration.ZERO).withHoldLimit(Duration.ZERO);
    this.seed = seed;
    this.chooser = chooser;
    this.limits = limits;
    this.main = main;
    this.phases = phases;
    this.world = WorldAgent.isInstalled() ? new SimulatedWorld(clock, agenda, seed) : null;
    this.processes = HAS_PROCESSES ? new SimulatedProcesses(new ForProcesses(), seed) : null;
  }

  /// Runs `main` to the end of its loop. Interrupts of the caller stop the loop, as those of the
  /// caller of [dev.heddle.Heddle#run] do.
  ///
  /// @param seed what chance in the program follows from, where the agent is installed
  public static <T extends @Nullable Object> RunRecord<T> run(
      HeddleOptions options, long seed, Chooser chooser, Limits limits, Body<T> main) {
    return new SimulatedLoop<>(options, seed, chooser, limits, main, null).runOnCarrier();
  }

  /// Runs the phases that another thread hands over, to their end. Else as [#run].
  public static RunRecord<@Nullable Void> run(
      HeddleOptions options, long seed, Chooser chooser, Limits limits, Phases phases) {
    Body<@Nullable Void> main =
        () -> {
          phases.runAll();
          return null;
        };
    return new SimulatedLoop<>(options, seed, chooser, limits, main, phases).runOnCarrier();
  }

  /// Whether a loop is one of a simulation.
  public static boolean isSimulated(LoopRuntime loop) {
    return Machine.of(loop) != null;
  }

  private RunRecord<T> runOnCarrier() {
    Thread carrier = newCarrier();
    if (processes != null) {
      processes.begin(carrier);
    }
    carrier.setDaemon(true);
    carrier.setContextClassLoader(Thread.currentThread().getContextClassLoader());
    carrier.start();
    UnendingRunError stuck = new CarrierWatch(carrier, this, limits.patience()).await();
    if (processes != null) {
      processes.end(carrier);
    }
    if (world != null) {
      world.close();
    }
    RunRecord<T> ended = record;
    return ended == null ? recordOfStuck(Objects.requireNonNull(stuck)) : ended;
  }

  private Thread newCarrier() {
    return world != null
        ? world.newCarrier(options.name(), this::carry)
        : Thread.ofPlatform()
            .name(options.name())
            .inheritInheritableThreadLocals(false)
            .stackSize(options.stackSize())
            .unstarted(this::carry);
  }

  // racy reads of what the carrier may still change: the run has failed in any case
  private RunRecord<T> recordOfStuck(UnendingRunError stuck) {
    return new RunRecord<>(
        null,
        stuck,
        elapsed(),
        new Course(),
        List.of(),
        List.of("a carrier that does not end"),
        List.of());
  }

  private Duration elapsed() {
    return Duration.ofNanos(clock.nanoTime());
  }

  // ---- carrier ----

  private void carry() {
    RecordingPicker chosen = new RecordingPicker(chooser, clock, this::onStep);
    RunTurn sleeps = new RunTurn(clock, agenda, this);
    Machine machine = Machine.of(sleeps, seed);
    sleeps.attach(machine);
    picker = chosen;
    turn = sleeps;
    HostDriver outside = machine.driver(sleeps);
    T value = null;
    Throwable failure = null;
    try {
      value =
          LoopRuntime.run(
              options,
              new SchedulerParts(outside, clock, chosen, this::onTick, Births.ON_LOOP),
              this::runMain,
              this::started);
    } catch (Throwable e) {
      // safe: the outcome of the run; the caller decides
      failure = e;
    }
    describeProcesses(failure);
    collectFindings();
    Course course = chosen.course();
    course.mix(clock.nanoTime());
    course.mix(machine.network().fingerprint());
    record =
        new RunRecord<>(
            value,
            failure,
            elapsed(),
            course,
            List.copyOf(findings),
            List.copyOf(uncontrolled),
            processes == null ? List.of() : List.copyOf(processes.unchecked()));
  }

  private T runMain() throws Exception {
    if (processes != null) {
      processes.beginMain();
    }
    return main.run();
  }

  private void describeProcesses(@Nullable Throwable failure) {
    String dump = processes == null ? null : processes.dump();
    if (failure != null && dump != null) {
      failure.addSuppressed(new ProcessesError("the processes at the end of the run:\n" + dump));
    }
  }

  private void started(LoopRuntime runtime) {
    loop = runtime;
    if (phases != null) {
      phases.attach(runtime);
    }
    runtime.redirectReports(this::onReport);
    runtime.futures().listen(resources);
    if (world != null) {
      world.attach(runtime.scheduler());
    }
  }

  // any thread: a future may be completed by another one
  private void onReport(String what, @Nullable Throwable failure) {
    findings.add(new Finding(Finding.Kind.UNHANDLED, what, failure));
  }

  private static boolean hasProcesses() {
    try {
      Class.forName(
          "dev.heddle.process.ProcessRuntime", false, SimulatedLoop.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException _) {
      return false;
    }
  }

  /// What runtimes of processes need of this run.
  private final class ForProcesses implements SimulatedProcesses.Run {
    @Override
    public long nanoTime() {
      return clock.nanoTime();
    }

    @Override
    public Agenda agenda() {
      return agenda;
    }

    @Override
    public RecordingPicker picker() {
      return Objects.requireNonNull(picker);
    }

    @Override
    public LoopRuntime loop() {
      return running();
    }

    @Override
    public boolean endsTimedWaits() {
      return world != null;
    }

    @Override
    public boolean checksMessages() {
      return limits.checksMessages();
    }

    @Override
    public void uncontrolled(String what) {
      uncontrolled.add(what);
    }
  }

  private LoopRuntime running() {
    return Objects.requireNonNull(loop);
  }

  private void stepsAreUsedUp() {
    LoopRuntime runtime = running();
    runtime
        .scheduler()
        .runOnCarrier(() ->
            runtime.failed(
                new UnendingRunError(
                    "the run has not ended after %,d steps, at virtual %s:%n%s"
                        .formatted(limits.steps(), elapsed(), runtime.dump().text()))));
  }

  // the thread may be null: it does not exist yet, or only the JDK knows it
  private void onStep(@Nullable Thread thread) {
    Scheduler scheduler = running().scheduler();
    int steps = Objects.requireNonNull(picker).steps();
    waitedNanos = 0;
    if (steps == limits.steps()) {
      stepsAreUsedUp();
    } else if (steps > limits.steps() * STOP_FACTOR) {
      scheduler.finish(); // the program ignores its cancellation
    }
    if (world != null) {
      world.beginStep(thread);
      stepBegan = scheduler.dispatches();
      stepIsOpen = true;
    }
  }

  private void onTick() {
    Scheduler scheduler = running().scheduler();
    int parked = scheduler.foreignCount();
    if (world != null) {
      settle(world, scheduler);
    } else if (parked > foreign) {
      scheduler.runOnCarrier(this::checkForeignWaits);
    }
    foreign = parked;
  }

  /// Waits until the JVM has handed over its monitors, before the loop looks into its inbox. Only
  /// with nothing mounted: on a coroutine's stack the coroutine leaves, if there may be such a
  /// monitor.
  private void settle(SimulatedWorld in, Scheduler scheduler) {
    RecordingPicker steps = Objects.requireNonNull(picker);
    if (!scheduler.isCarrier(Thread.currentThread())) {
      if (scheduler.foreignCount() > 0 || steps.hasThreads()) {
        scheduler.runOnCarrier(() -> {});
      }
      return;
    }
    Thread last = steps.lastThread();
    if (stepIsOpen && last != null && scheduler.dispatches() > stepBegan) {
      stepIsOpen = false;
      in.endStep(last);
    }
    in.settle();
  }

  private void checkForeignWaits() {
    LoopRuntime runtime = running();
    if (ForeignWaitCheck.hasTimedWait(runtime.tree())) {
      String refused = ForeignWaitCheck.refusal(runtime.dump());
      if (refused != null) {
        runtime.failed(new RealTimeWaitError(refused));
      }
    }
  }

  @Override
  public void beforePoll() {
    if (world != null) {
      settle(world, running().scheduler());
    }
  }

  @Override
  public boolean isHeld() {
    return phases != null && phases.isBetween();
  }

  @Override
  public RunTurn.Next onIdle(boolean endless) {
    if (phases != null && phases.isBetween()) {
      return phases.begin() ? RunTurn.Next.RETURN : RunTurn.Next.WAIT;
    }
    LoopRuntime runtime = running();
    if (world != null) {
      return onIdleInWorld(runtime, endless);
    }
    if (!endless) {
      return RunTurn.Next.ADVANCE;
    }
    if (isHopeless(runtime)) {
      waitedNanos = 0;
      runtime.onDeadlock();
      return RunTurn.Next.RETURN;
    }
    uncontrolled.add("a wake-up by a thread outside of the simulation");
    waitedNanos += RunTurn.WAIT_NANOS;
    return RunTurn.Next.WAIT;
  }

  // nobody outside can wake anything in a world
  private RunTurn.Next onIdleInWorld(LoopRuntime runtime, boolean endless) {
    boolean onlyDaemonTimers = runtime.scheduler().hasOnlyForeignWaits() && agenda.isEmpty();
    if (endless || onlyDaemonTimers) {
      runtime.onDeadlock();
      return RunTurn.Next.RETURN;
    }
    return RunTurn.Next.ADVANCE;
  }

  private boolean isHopeless(LoopRuntime runtime) {
    return waitsForNetworkOnly(runtime.scheduler())
        || waitedNanos > limits.patience().toNanos() || ForeignWaitCheck.hasCycle(runtime.dump());
  }

  private static boolean waitsForNetworkOnly(Scheduler scheduler) {
    return scheduler.foreignCount() == 0
        && scheduler.reactor().driver() instanceof HostDriver driver
        && scheduler.armedEvents() <= driver.waits();
  }

  private void collectFindings() {
    if (world != null) {
      findings.addAll(world.findings());
      uncontrolled.addAll(world.refused());
    }
    LoopRuntime runtime = loop;
    if (runtime == null) {
      return;
    }
    for (CoroutineNode<?> left : runtime.tree().coroutines()) {
      if (!left.isDone()) {
        findings.add(new Finding(Finding.Kind.LEAK, "abandoned: " + left.describe(), null));
      }
    }
    if (processes != null) {
      for (String left : processes.leaks()) {
        findings.add(new Finding(Finding.Kind.LEAK, left, null));
      }
    }
    for (String left : resources.describe()) {
      findings.add(new Finding(Finding.Kind.LEAK, left, null));
    }
    TimerQueue timers = runtime.scheduler().timers();
    if (timers.size() > 0) {
      Duration first = Duration.ofNanos(timers.nextDeadline());
      String what = "%,d timers are armed, the first one for %s".formatted(timers.size(), first);
      findings.add(new Finding(Finding.Kind.LEAK, what, null));
    }
  }

  // ---- any thread ----

  /// The loop, once it has begun.
  @Nullable LoopRuntime loop() {
    return loop;
  }

  /// Whether the carrier waits for another thread.
  boolean isWaiting() {
    RunTurn sleeps = turn;
    return sleeps != null && sleeps.isWaiting();
  }
}
