// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.Body;
import dev.heddle.DeadlockError;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.SchedulerParts.Births;
import dev.heddle.test.host.HostDriver;
import dev.heddle.world.WorldAgent;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
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
   * The end of a wait in the JDK: see AgentWaits and ForeignWaits.
   *
   * A run without an end. Steps are counted. A step that does not end is seen by the caller's
   * thread, which watches the processor time of the carrier: not real time, of which a loaded
   * machine may grant the carrier none. The carrier is abandoned then: with the agent, the program
   * gets an error when it next asks for the time, for chance, or comes to a preemption point. One
   * that does none of these keeps the carrier, a daemon.
   *
   * Threads. run(): any thread outside of coroutines. Everything else: the carrier.
   *
   * Rejected. The caller's thread as the carrier: nobody would watch it. The loop's own watchdog:
   * it samples stacks by real time, and a stack that another thread reads postpones a resume, which
   * changes the course. Sorting the inbox: every loop would pay for it.
   */
  private static final int STOP_FACTOR = 2; // after so many times the limit of steps nothing helps

  private final HeddleOptions options;
  private final long seed;
  private final Chooser chooser;
  private final Body<T> main;
  private final @Nullable Phases phases; // null: the main coroutine's work is in one piece
  private final RunParts parts;
  private final JdkWaits waits;
  private final OpenResources resources = new OpenResources();

  // null: the program has no module of processes
  private final @Nullable SimulatedProcesses processes;

  // any thread
  private final Queue<Finding> findings = new ConcurrentLinkedQueue<>();

  // the carrier writes, the caller reads
  private volatile @Nullable RunTurn turn;
  private volatile @Nullable NodeLoops nodes;
  private volatile @Nullable RunRecord<T> record;
  private volatile @Nullable Throwable broken; // instead of the record

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
    this.main = main;
    this.phases = phases;
    this.parts = new RunParts(limits);
    this.waits = WorldAgent.isInstalled() ? new AgentWaits(parts, seed) : new ForeignWaits(parts);
    this.processes =
        RunParts.HAS_PROCESSES ? new SimulatedProcesses(parts, waits.endsTimed(), seed) : null;
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

  private RunRecord<T> runOnCarrier() {
    Thread carrier = waits.newCarrier(options, this::carry);
    if (processes != null) {
      processes.begin(carrier);
    }
    carrier.setDaemon(true);
    carrier.setContextClassLoader(Thread.currentThread().getContextClassLoader());
    carrier.start();
    UnendingRunError stuck = new CarrierWatch(carrier, this, parts.limits().patience()).await();
    if (processes != null) {
      processes.end(carrier);
    }
    if (stuck != null) {
      abandon();
    }
    waits.close();
    if (stuck != null) {
      return recordOf(stuck, RunRecord.LEFT_CARRIER); // what it may do yet does not count
    }
    RunRecord<T> ended = record;
    return ended == null ? recordOf(new BrokenRunError(broken), "the end of the carrier") : ended;
  }

  private void abandon() {
    waits.abandon();
    NodeLoop node = runningNode();
    if (node != null) {
      node.abandon();
    }
  }

  // racy reads of what a carrier may still change that does not end: the run has failed in any case
  private RunRecord<T> recordOf(Error withoutRecord, String uncontrolled) {
    return new RunRecord<>(
        null,
        cause(withoutRecord),
        parts.elapsed(),
        new Course(),
        List.of(),
        List.of(uncontrolled),
        List.of());
  }

  // ---- carrier ----

  private void carry() {
    try {
      record = runLoop();
    } catch (Throwable e) {
      // safe: the caller makes it the failure of the run
      broken = e;
    }
  }

  private RunRecord<T> runLoop() {
    RecordingPicker picker = new RecordingPicker(chooser, parts.clock(), new OwnSteps());
    RunTurn sleeps = new RunTurn(parts.clock(), parts.agenda(), this);
    Machine machine = Machine.of(sleeps, seed);
    NodeLoops nodes = new NodeLoops(parts, options, machine, seed);
    this.nodes = nodes;
    parts.attach(nodes);
    sleeps.attach(machine, nodes);
    parts.begin(picker);
    turn = sleeps;
    HostDriver outside = machine.driver(sleeps);
    T value = null;
    Throwable failure = null;
    try {
      value =
          LoopRuntime.run(
              options,
              new SchedulerParts(outside, parts.clock(), picker, waits, Births.ON_LOOP, false),
              this::runMain,
              this::started);
    } catch (Throwable e) {
      // safe: the outcome of the run; the caller decides
      failure = e;
    }
    describeProcesses(failure);
    describeThreads(failure);
    describeNodes(nodes, failure);
    failure = failure == null ? null : cause(failure);
    collectFindings();
    findings.addAll(nodes.end());
    Course course = picker.course();
    course.mix(parts.clock().nanoTime());
    course.mix(machine.network().fingerprint());
    List<String> uncontrolled = parts.uncontrolled();
    uncontrolled.addAll(waits.refused());
    return new RunRecord<>(
        value,
        failure,
        parts.elapsed(),
        course,
        List.copyOf(findings),
        List.copyOf(uncontrolled),
        processes == null ? List.of() : List.copyOf(processes.unchecked()));
  }

  private Throwable cause(Throwable failure) {
    return phases == null ? failure : phases.cause(failure);
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

  private void describeThreads(@Nullable Throwable failure) {
    String threads = waits.threadsAtDeadlock();
    if (failure instanceof DeadlockError && threads != null) {
      failure.addSuppressed(new ThreadsError(threads));
    }
  }

  private static void describeNodes(NodeLoops nodes, @Nullable Throwable failure) {
    String states = nodes.statesAtDeadlock();
    if (failure instanceof DeadlockError && states != null) {
      failure.addSuppressed(new NodesError("the nodes at that time:\n" + states));
    }
  }

  private void started(LoopRuntime loop) {
    parts.started(loop);
    if (phases != null) {
      phases.attach(loop);
    }
    loop.redirectReports(this::onReport);
    loop.futures().listen(resources);
    waits.started(loop);
  }

  // any thread: a future may be completed by another one
  private void onReport(String what, @Nullable Throwable failure) {
    findings.add(new Finding(Finding.Kind.UNHANDLED, what, failure));
  }

  private final class OwnSteps implements RecordingPicker.Steps {
    @Override
    public void onStep(@Nullable Thread thread) {
      int steps = parts.picker().steps();
      long limit = parts.limits().steps();
      if (steps >= limit) {
        nodes().stepsAreUsedUp();
      }
      if (steps > limit * STOP_FACTOR) {
        parts.loop().scheduler().finish(); // the program ignores its cancellation
      }
      waits.onStep(thread);
    }

    @Override
    public boolean wake(Thread thread) {
      return waits.wake(thread);
    }
  }

  @Override
  public void beforePoll() {
    waits.beforePoll();
  }

  @Override
  public boolean runNode() {
    return nodes().runReady();
  }

  @Override
  public boolean isHeld() {
    return (phases != null && phases.isBetween()) || nodes().isAny();
  }

  @Override
  public RunTurn.Next onIdle(boolean endless) {
    if (phases != null && phases.isBetween()) {
      return phases.begin() ? RunTurn.Next.RETURN : RunTurn.Next.WAIT;
    }
    return waits.onIdle(endless);
  }

  private void collectFindings() {
    findings.addAll(waits.findings());
    LoopRuntime loop = parts.loopIfStarted();
    if (loop != null) {
      Leftovers.forgetThreads(loop);
      findings.addAll(Leftovers.of(loop));
      findings.addAll(resources.findings());
    }
    if (processes != null) {
      processes.leaks().forEach(left -> findings.add(Leftovers.leak(left)));
    }
  }

  // ---- any thread ----

  /// The loop, once it has begun.
  @Nullable LoopRuntime loop() {
    return parts.loopIfStarted();
  }

  private NodeLoops nodes() {
    return Objects.requireNonNull(nodes, "the run has not begun");
  }

  /// The node that has the turn; null: the program of the run has it.
  @Nullable NodeLoop runningNode() {
    NodeLoops all = nodes;
    return all == null ? null : all.running();
  }

  /// Whether the carrier waits for another thread.
  boolean isWaiting() {
    RunTurn sleeps = turn;
    return sleeps != null && sleeps.isWaiting();
  }
}
