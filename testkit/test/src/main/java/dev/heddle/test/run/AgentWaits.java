// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.context.ExecutionContext;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Waits in the JDK that the agent hands over to the simulation.
final class AgentWaits implements JdkWaits {
  /*
   * The end of a wait. Nothing outside can end one. So where neither the loop nor the agenda has a
   * deadline, it is a deadlock.
   *
   * Monitors. The JVM hands over a monitor on a thread of its own. So before the loop looks into
   * its inbox, settle() waits until that thread has nothing left to hand over. It may only do so
   * with nothing mounted: a tick on a coroutine's stack asks for the trampoline, if anything waits
   * in the JDK, and nothing is picked before. In which order that thread has brought its coroutines
   * does not count, see ArrivalOrder.
   *
   * A thread that has left must be known, or settle() does not wait for it. Most are picked. A
   * coroutine whose wait in the JDK was cancelled runs without: beforeResume(), afterResume().
   */
  private final RunParts run;
  private final SimulatedWorld world;

  private long stepBegan; // the number of dispatches then
  private String deadlocked = ""; // threads, and what they wait for

  private boolean stepIsOpen; // what was picked has not left the carrier, as far as known

  AgentWaits(RunParts run, long seed) {
    this.run = run;
    this.world = new SimulatedWorld(run, seed);
  }

  @Override
  public Thread newCarrier(HeddleOptions options, Runnable loop) {
    return world.newCarrier(options.name(), loop);
  }

  @Override
  public void started(LoopRuntime loop) {
    world.attach(loop.scheduler());
  }

  @Override
  public void onStep(@Nullable Thread thread) {
    world.beginStep(thread);
    stepBegan = run.loop().scheduler().dispatches();
    stepIsOpen = true;
  }

  @Override
  public void onTick() {
    settle();
  }

  @Override
  public void beforeResume(ExecutionContext context) {
    run.picker().resumes(context);
    world.beginStep(context.thread());
  }

  @Override
  public void afterResume(ExecutionContext context) {
    world.endStep(context.thread());
    world.settle(); // another carrier task may look at what this one has let go on
  }

  @Override
  public void beforePoll() {
    settle();
  }

  private void settle() {
    Scheduler scheduler = run.loop().scheduler();
    RecordingPicker steps = run.picker();
    if (!scheduler.isCarrier(Thread.currentThread())) {
      if (scheduler.foreignCount() > 0 || steps.hasThreads()) {
        scheduler.runOnCarrier(() -> {}); // the coroutine leaves
      }
      return;
    }
    Thread last = steps.lastThread();
    if (stepIsOpen && last != null && scheduler.dispatches() > stepBegan) {
      stepIsOpen = false;
      world.endStep(last);
    }
    world.settle();
  }

  @Override
  public RunTurn.Next onIdle(boolean endless) {
    LoopRuntime loop = run.loop();
    boolean onlyDaemonTimers = loop.scheduler().hasOnlyForeignWaits() && run.agenda().isEmpty();
    if (endless || onlyDaemonTimers) {
      if (!loop.shutdown().isStopping()) {
        deadlocked = describeThreads();
      }
      run.deadlocked();
      return RunTurn.Next.RETURN;
    }
    return RunTurn.Next.ADVANCE;
  }

  // their stacks are those of the deadlock now; when the run has ended, they are not
  private String describeThreads() {
    return run.picker().threads().stream()
        .filter(thread -> thread.getState() != Thread.State.TERMINATED)
        .map(thread -> ThreadReport.of(world.faceOf(thread), thread))
        .collect(Collectors.joining("\n"));
  }

  @Override
  public @Nullable String threadsAtDeadlock() {
    return deadlocked.isEmpty() ? null : deadlocked;
  }

  @Override
  public boolean wake(Thread thread) {
    return world.wake(thread);
  }

  @Override
  public boolean endsTimed() {
    return true;
  }

  @Override
  public List<Finding> findings() {
    return world.findings();
  }

  @Override
  public List<String> refused() {
    return List.copyOf(world.refused());
  }

  @Override
  public void abandon() {
    world.abandon();
  }

  @Override
  public void close() {
    world.close();
  }
}
