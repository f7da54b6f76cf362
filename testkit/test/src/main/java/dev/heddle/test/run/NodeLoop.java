// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.HeddleOptions;
import dev.heddle.LoopEndedException;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.SchedulerParts.Births;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.time.Agenda;
import dev.heddle.test.time.Turns;
import dev.heddle.world.WorldAgent;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The loop of a node, on a carrier of its own, which runs while the carrier of the run lends it
/// the turn.
///
/// **Thread** the holder of the turn, unless a method says otherwise.
final class NodeLoop implements Turns.Turn, RunMember, Nodes.Handle {
  /*
   * States.
   *   from     event                              to       who
   *   -        new NodeLoop                       ASLEEP   the holder of the turn: ready to begin
   *   ASLEEP   lend(), chosen among the ready     RUNNING  the run's carrier, which waits for the
   *                                                        turn to come back
   *   RUNNING  sleep()                            ASLEEP   its carrier
   *   RUNNING  its loop has ended, or crashed     ENDED    its carrier
   *   ASLEEP   crash(), then lend()               ENDED    its carrier, which runs no code of the
   *                                                        program
   *
   * A sleeping loop is ready when it was woken up, when its driver has something to deliver, or
   * when its deadline has come, which is an entry of its agenda. A poll without a wait gives the
   * turn back, too: a loop that is always busy would keep it for ever.
   *
   * A paused loop is not ready, whatever happens; what has happened meanwhile is there when it goes
   * on.
   *
   * A crash takes effect at once: the loop is over, host and files have lost their power, and the
   * agenda of the node is dropped. Its carrier learns of it when it gets the turn the next time,
   * and leaves without another step.
   *
   * Memory order. `hasTurn` is volatile. Who has the turn writes it after all that it has done, and
   * the next one reads it first. wakeup() may come from any thread: it writes `woken` and then
   * unparks the carrier of the run, which reads `woken` before each wait in real time.
   *
   * Rejected. One carrier for all loops: a scheduler is its carrier's own frame. A pool of
   * carriers: a crashed loop's frame is on its carrier.
   */
  private final OpenResources resources = new OpenResources();
  private final String name;
  private final HeddleOptions options;
  private final RunParts parts;
  private final JdkWaits waits;
  private final @Nullable SimulatedProcesses processes;
  private final NodeLoops nodes;
  private final Machine machine;
  private final HostDriver driver;
  private final Action program;
  private final Runnable whenEnded;
  private final Thread carrier;
  private final Thread lender;

  // the holder of the turn
  private BooleanSupplier hasWork = () -> false;
  private boolean began;
  private boolean due = true; // ready to begin
  private boolean crashed;
  private boolean stopping;
  private boolean paused;
  private boolean ended;
  private @Nullable Throwable failure;

  // written by the one that gives the turn away, read by the one that gets it
  private volatile boolean hasTurn;

  // any thread
  private final Queue<Finding> findings = new ConcurrentLinkedQueue<>();

  // any thread sets it, the carrier takes it
  private volatile boolean woken;

  NodeLoop(
      NodeLoops nodes,
      String name,
      Machine machine,
      RunParts parts,
      Action program,
      Runnable ended) {
    this.nodes = nodes;
    this.name = name;
    this.machine = machine;
    this.parts = parts;
    this.program = program;
    this.whenEnded = ended;
    this.options = nodes.options().withName(name);
    long seed = nodes.newSeed(name);
    this.waits = WorldAgent.isInstalled() ? new AgentWaits(parts, seed) : new ForeignWaits(parts);
    this.processes =
        RunParts.HAS_PROCESSES ? new SimulatedProcesses(parts, waits.endsTimed(), seed) : null;
    this.lender = nodes.carrier();
    this.carrier = waits.newCarrier(options, this::carry);
    carrier.setDaemon(true);
    carrier.setContextClassLoader(lender.getContextClassLoader());
    this.driver = machine.driver(this);
  }

  @Override
  public Machine machine() {
    return machine;
  }

  @Override
  public boolean isNode() {
    return true;
  }

  @Override
  public Nodes nodes() {
    return nodes;
  }

  String name() {
    return name;
  }

  // ---- the run's carrier ----

  boolean isReady() {
    return crashed || (!paused && (due || woken || hasWork.getAsBoolean()));
  }

  @Override
  public boolean hasCrashed() {
    return crashed;
  }

  boolean hasEnded() {
    return ended;
  }

  /// Why its program has failed; null: it has not.
  @Nullable Throwable failure() {
    return failure;
  }

  /// The run is over, and this one does not give the turn back. **Thread** any.
  void abandon() {
    waits.abandon();
  }

  /// Lends it the turn until it sleeps or has ended.
  void lend() {
    hasTurn = true;
    if (began) {
      LockSupport.unpark(carrier);
    } else {
      began = true;
      if (processes != null) {
        processes.begin(carrier);
      }
      OutsideWorld.run(carrier::start); // else the run's world would adopt it
    }
    boolean interrupted = false;
    while (hasTurn) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (ended) {
      release();
    }
  }

  private void release() {
    awaitCarrier();
    if (processes != null) {
      processes.end(carrier);
    }
    waits.close();
    parts.agenda().drop();
    if (!nodes.isOver()) {
      whenEnded.run();
    }
  }

  // it has given the turn back and is about to end; a test that counts threads shall not see it
  private void awaitCarrier() {
    boolean interrupted = false;
    while (carrier.isAlive()) {
      try {
        carrier.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- any node ----

  @Override
  public void crash() {
    if (ended || crashed) {
      return;
    }
    LoopRuntime loop = parts.loopIfStarted();
    if (loop == null) {
      losePower();
    } else {
      loop.crash(this::losePower); // which refuses it where the caller cannot leave
    }
    while (hasTurn && Thread.currentThread() != carrier) {
      // a thread of the program that is no coroutine: it leaves the carrier, and never gets it back
      LockSupport.park(this);
      Thread.interrupted();
    }
  }

  private void losePower() {
    crashed = true;
    driver.crash();
    parts.agenda().drop();
  }

  @Override
  public void pause() {
    if (hasTurn) {
      throw new IllegalStateException(
          "the program of the node " + name + " cannot pause itself: it would run on");
    }
    paused = true;
  }

  @Override
  public void resume() {
    paused = false;
  }

  @Override
  public void stop(String why) {
    LoopRuntime loop = parts.loopIfStarted();
    if (loop == null) {
      crash(); // its program has not begun
    } else if (!ended && !crashed) {
      stopping = true;
      loop.shutdown().request(why, null, options.shutdownDeadline());
    }
  }

  // ---- its carrier ----

  private void carry() {
    try {
      if (!crashed) {
        runToItsEnd();
      }
      describeEnd();
    } catch (Throwable e) {
      failure = e; // of the simulation itself
    } finally {
      ended = true;
      giveBack(); // whatever has happened: the run waits for it
    }
  }

  private void runToItsEnd() {
    try {
      runLoop();
    } catch (Throwable e) {
      boolean wasAsked = crashed || (stopping && e instanceof Cancellation);
      failure = wasAsked ? null : e;
    }
  }

  private void describeEnd() {
    if (!crashed) {
      collectFindings();
    }
    if (parts.hasBegun()) {
      var _ = parts.picker().course(); // with the names
    }
  }

  private void runLoop() {
    RecordingPicker picker = nodes.newPicker(name, new OwnSteps());
    parts.begin(picker);
    try {
      LoopRuntime.<@Nullable Void>run(
          options,
          new SchedulerParts(driver, parts.clock(), picker, waits, Births.ON_LOOP, false),
          this::runProgram,
          this::started);
    } catch (LoopEndedException e) {
      if (!crashed) {
        throw e;
      }
    }
  }

  private @Nullable Void runProgram() throws Exception {
    if (processes != null) {
      processes.beginMain();
    }
    program.run();
    return null;
  }

  private void started(LoopRuntime loop) {
    parts.started(loop);
    loop.redirectReports(this::onReport);
    loop.futures().listen(resources);
    waits.started(loop);
  }

  // any thread: a future may be completed by another one
  private void onReport(String what, @Nullable Throwable why) {
    findings.add(new Finding(Finding.Kind.UNHANDLED, name + ": " + what, why));
  }

  private final class OwnSteps implements RecordingPicker.Steps {
    @Override
    public void onStep(@Nullable Thread thread) {
      if (parts.picker().steps() >= parts.limits().steps()) {
        nodes.stepsAreUsedUp();
        parts.loop().scheduler().runOnCarrier(NodeLoop.this::crash);
      }
      waits.onStep(thread);
    }

    @Override
    public boolean wake(Thread thread) {
      return waits.wake(thread);
    }
  }

  private void collectFindings() {
    waits.findings().forEach(this::add);
    LoopRuntime loop = parts.loopIfStarted();
    if (loop != null) {
      Leftovers.forgetThreads(loop);
      Leftovers.coroutines(loop).forEach(this::add);
      if (!stopping) {
        Leftovers.timers(loop).forEach(this::add); // else the deadline of its end is one
        resources.findings().forEach(this::add); // else it was asked to end, and is cut off
      }
    }
    if (processes != null) {
      processes.leaks().forEach(left -> add(Leftovers.leak(left)));
    }
    waits.refused().forEach(refused -> parts.uncontrolled(name + ": " + refused));
  }

  private void add(Finding found) {
    findings.add(new Finding(found.kind(), name + ": " + found.what(), found.failure()));
  }

  // ---- its driver ----

  @Override
  public void serve(Object sleeper, BooleanSupplier toDeliver) {
    hasWork = toDeliver;
  }

  @Override
  public void sleep(long deadlineNanos) {
    waits.beforePoll();
    Agenda.@Nullable Entry alarm = null;
    if (deadlineNanos == Turns.NO_WAIT || Thread.currentThread().isInterrupted()) {
      due = true;
    } else if (deadlineNanos != Turns.NO_DEADLINE) {
      alarm = parts.agenda().add(deadlineNanos, () -> due = true);
    }
    giveBack();
    awaitTurn();
    due = false;
    woken = false;
    if (alarm != null) {
      alarm.cancel();
    }
  }

  private void giveBack() {
    hasTurn = false;
    LockSupport.unpark(lender);
  }

  private void awaitTurn() {
    boolean interrupted = false;
    while (!hasTurn) {
      LockSupport.park(driver);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt(); // the scheduler asks for it after a sleep
    }
  }

  @Override
  public boolean expectsMore() {
    return !parts.agenda().isEmpty();
  }

  @Override
  public void wakeup() {
    woken = true;
    if (!hasTurn) {
      LockSupport.unpark(lender);
    }
  }

  // ---- the end of the run, and the watch ----

  /// What its coroutines do.
  String describe() {
    return "node " + name + ":\n" + parts.loop().dump().text();
  }

  /// Its carrier. **Thread** any.
  Thread carrier() {
    return carrier;
  }

  /// The loop; null: it has not started. **Thread** any.
  @Nullable LoopRuntime loop() {
    return parts.loopIfStarted();
  }

  /// Whether only the network can end its waits.
  boolean waitsForNetworkOnly() {
    LoopRuntime loop = parts.loopIfStarted();
    return loop == null || ended || ForeignWaits.waitsForNetworkOnly(loop.scheduler());
  }

  List<Finding> findings() {
    return List.copyOf(findings);
  }
}
