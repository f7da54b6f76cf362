// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.observe.CoroutineSnapshot;
import dev.heddle.observe.ForeignWait;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.test.host.HostDriver;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Waits in the JDK that the simulation does not control: the agent is not installed.
final class ForeignWaits implements JdkWaits {
  /*
   * The end of a wait. In an idle poll without a deadline nothing inside can end one. Other threads
   * may:
   *
   *   nothing waits in the JDK             a deadlock, by the loop's own rules and report, or since
   *                                        all waits are for a network with nothing on its way
   *   a coroutine waits in the JDK for an  refused: the run fails with the coroutine's stack. The
   *   amount of time                       time would be real, and the outcome the machine's
   *   a coroutine waits in the JDK         the carrier waits for other threads until the limit of
   *   without a bound                      patience, and then reports a deadlock; a cycle of locks
   *                                        at once
   *
   * Where a deadline is armed, the clock moves to it, although a thread outside could still end a
   * wait. Whether there is such a thread is not known: another coroutine may be the one to end it.
   * So the wait is named as one that perhaps was not controlled.
   *
   * What other threads decide is named in the record of the run: the same seed may then take
   * another course.
   */
  private final RunParts run;
  private int foreign; // coroutines in a wait of the JDK, at the last tick
  private long waitedNanos; // of real time, for other threads, since a coroutine ran
  private final Set<Long> named = new HashSet<>(); // the waits of these coroutines

  ForeignWaits(RunParts run) {
    this.run = run;
  }

  @Override
  public Thread newCarrier(HeddleOptions options, Runnable loop) {
    return Thread.ofPlatform()
        .name(options.name())
        .inheritInheritableThreadLocals(false)
        .stackSize(options.stackSize())
        .unstarted(loop);
  }

  @Override
  public void started(LoopRuntime loop) {}

  @Override
  public void onStep(@Nullable Thread thread) {
    waitedNanos = 0;
  }

  @Override
  public void onTick() {
    Scheduler scheduler = run.loop().scheduler();
    int parked = scheduler.foreignCount();
    if (parked > foreign) {
      scheduler.runOnCarrier(this::checkTimedWaits);
    }
    foreign = parked;
  }

  private void checkTimedWaits() {
    LoopRuntime loop = run.loop();
    if (ForeignWaitCheck.hasTimedWait(loop.tree())) {
      String refused = ForeignWaitCheck.refusal(loop.dump());
      if (refused != null) {
        loop.failed(new RealTimeWaitError(refused));
      }
    }
  }

  @Override
  public void beforePoll() {}

  @Override
  public RunTurn.Next onIdle(boolean endless) {
    LoopRuntime loop = run.loop();
    if (!endless) {
      if (loop.scheduler().foreignCount() > 0 && !run.usesProcesses()) {
        nameOpenWaits(loop);
      }
      return RunTurn.Next.ADVANCE;
    }
    if (isHopeless(loop)) {
      waitedNanos = 0;
      run.deadlocked();
      return RunTurn.Next.RETURN;
    }
    run.uncontrolled("a wake-up by a thread outside of the simulation");
    waitedNanos += RunTurn.WAIT_NANOS;
    return RunTurn.Next.WAIT;
  }

  private void nameOpenWaits(LoopRuntime loop) {
    boolean isNew = false;
    for (long id : ForeignWaitCheck.openWaits(loop.tree())) {
      isNew |= !named.contains(id);
    }
    if (!isNew) {
      return;
    }
    for (CoroutineSnapshot waiting : loop.dump().coroutines()) {
      ForeignWait wait = waiting.foreign();
      if (wait != null && named.add(waiting.id()) && wait.ownerId() == null) {
        run.perhapsUncontrolled(
            waiting.label() + " waits in the JDK (" + wait.method() + ") while the clock moves on");
      }
    }
  }

  private boolean isHopeless(LoopRuntime loop) {
    return (waitsForNetworkOnly(loop.scheduler()) && run.othersWaitForNetworkOnly())
        || waitedNanos > run.limits().patience().toNanos()
        || ForeignWaitCheck.hasCycle(loop.dump());
  }

  /// Whether nothing but the network can end the waits of a loop.
  static boolean waitsForNetworkOnly(Scheduler scheduler) {
    return scheduler.foreignCount() == 0
        && scheduler.reactor().driver() instanceof HostDriver driver
        && scheduler.armedEvents() <= driver.waits();
  }

  @Override
  public @Nullable String threadsAtDeadlock() {
    return null;
  }

  @Override
  public boolean wake(Thread thread) {
    return false;
  }

  @Override
  public boolean endsTimed() {
    return false;
  }

  @Override
  public List<Finding> findings() {
    return List.of();
  }

  @Override
  public List<String> refused() {
    return List.of();
  }

  @Override
  public void abandon() {} // nothing of the program asks the simulation

  @Override
  public void close() {}
}
