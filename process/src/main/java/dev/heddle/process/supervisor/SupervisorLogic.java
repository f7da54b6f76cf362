// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.StepOutput;
import dev.heddle.process.dispatch.CommandCallbacks;
import dev.heddle.process.dispatch.ProcessCommands.AwaitStart;
import dev.heddle.process.dispatch.TimeCommands.Pause;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The logic of a [Supervisor]: each step first updates the states of the children from its events,
/// then acts on these states.
final class SupervisorLogic {
  /*
   * States of a child.
   *
   * from                      event                                to
   * WAITING                   all that it starts after are         STARTING: spawned, linked,
   *                           RUNNING or EXITED                    monitored
   * STARTING                  it has started                       RUNNING
   * STARTING, RUNNING         it ends, and is to be restarted      BACKING_OFF: a plan begins
   * STARTING, RUNNING         it ends, and is not                  EXITED or FAILED
   * STARTING, RUNNING         the supervisor ends it               STOPPING: cancelled, with a
   *                                                                deadline
   * STOPPING                  it ends, as part of a restart plan   BACKING_OFF
   * STOPPING                  it ends                              STOPPED
   * BACKING_OFF               the delay of the plan is over        WAITING
   * WAITING, BACKING_OFF      StopChild                            STOPPED
   * STOPPED, EXITED, FAILED   RestartChild                         WAITING
   *
   * A restart plan leads from a failure to a restart: of one child, or of all that the strategy
   * names. It ends those that still run, the last first and one at a time; then it waits for the
   * delay; then all of them are WAITING. With ONE_FOR_ONE each child has its own plan; otherwise
   * there is one, into which a further failure is merged.
   *
   * Because each step updates the states first and acts afterwards (start, restart, stop), events
   * that come together, or in an unexpected order, need no rules of their own: a late signal
   * belongs to a monitor that is no longer known. No event visits all children: ChildList knows
   * which may start, and a restart plan and the shutdown remember their positions (OrderedStop).
   *
   * Rejected. Delays in the specifications of children: one failing data base would need as many as
   * it has clients. A backoff that carries its own count: it was created anew for each try, and
   * never grew. P13; proc-175 to proc-182, proc-221.
   */

  private static final System.Logger LOG = System.getLogger("dev.heddle.process.supervisor");
  private static final int MOST_STARTS = 128; // in a step, so that it does not last long

  private final RestartLimit limit;
  private final Backoff backoff;
  private final Supervisor.AutoShutdown autoShutdown;
  private final Supervisor.FirstStart firstStart;
  private final @Nullable Consumer<ChildStatus> listener;
  private final LongSupplier nanos;
  private final ChildList children = new ChildList();
  private final RestartPlans plans;
  private final CommandCallbacks commands = new CommandCallbacks();
  private final ChildStart starts = new ChildStart();
  private @Nullable ProcessContext self;
  private int pendingInitialStarts; // children of the builder that have not started once
  private long restarts; // read by any thread; safe: may be out of date
  private boolean closing;
  private @Nullable OrderedStop<SupervisedChild> end; // of all children, once it has begun
  private ProcessSignal.@Nullable Cancel cancel; // the signal that has cancelled it
  private @Nullable RuntimeException failure; // with which it ends
  private @Nullable Object reason; // the detail of a deliberate end

  SupervisorLogic(Supervisor.Builder how) {
    this.limit = new RestartLimit(how.intensity);
    RandomGenerator chance = how.random == null ? WorkerThread.simulatedChance() : how.random;
    this.backoff = chance == null ? how.backoff : how.backoff.withRandom(chance);
    this.autoShutdown = how.autoShutdown;
    this.firstStart = how.firstStart;
    this.listener = how.listener;
    this.nanos = how.nanos;
    this.plans =
        new RestartPlans(
            switch (how.strategy) {
              case ONE_FOR_ONE -> null;
              case ONE_FOR_ALL -> _ -> 0;
              case REST_FOR_ONE -> failed -> failed.number;
            });
    how.children.forEach(child -> add(child, true));
    this.pendingInitialStarts = how.children.size();
  }

  void begin(ProcessContext context) {
    self = context;
    context.trapExits();
    if (pendingInitialStarts == 0) {
      ready(context);
    }
  }

  void step(List<ProcessEvent> events, StepOutput output) {
    commands.stepBegins(output);
    events.forEach(this::take);
    if (!closing) {
      startReady();
    }
    if (!closing) {
      advanceRecoveries();
      children.forgetTemporary();
    }
    if (closing) {
      close(output);
    } else if (children.someMayStart()) {
      output.continueNow();
    }
  }

  private void take(ProcessEvent event) {
    if (!event.isMessage()) {
      commands.completed(event);
      return;
    }
    switch (event.data()) {
      case ProcessSignal.Down down -> {
        SupervisedChild child = children.of(down.exit().pid());
        if (child != null && child.monitor == down.monitor()) {
          if (child.state == State.STARTING && ChildStart.hadStarted(self(), down.exit())) {
            started(child);
          }
          ended(child, ChildShutdown.exitAfterUnlink(self(), down.exit()));
        }
      }
      case ProcessSignal.LinkDown down -> linkDown(down.exit());
      case ProcessSignal.Cancel asked -> {
        cancel = asked;
        closing = true;
      }
      case ProcessSignal.ExitRequest asked -> closeWith(asked.detail());
      case Request request -> answer(request);
      case null, default ->
          LOG.log(
              System.Logger.Level.WARNING,
              "supervisor " + self().self() + " has dropped an unknown message: " + event.data());
    }
  }

  /// The exit of a child is reported by its monitor too; the exit of any other linked process ends
  /// the supervisor.
  private void linkDown(Exit exit) {
    if (children.of(exit.pid()) != null || closing) {
      return;
    }
    if (!exit.isFailure()) {
      closeWith(exit.detail());
      return;
    }
    fail(
        new IllegalStateException(
            "the supervisor was linked to " + exit.pid() + ", which has ended: " + exit.reason(),
            exit.cause()));
  }

  // ---- requests ----

  private void answer(Request request) {
    try {
      switch (request.message()) {
        case Supervisor.WhichChildren _ -> request.reply().complete(children.status());
        case Supervisor.StartChild start -> {
          checkIsOpen();
          request.reply().complete(add(start.child(), false).status());
        }
        case Supervisor.StopChild end -> {
          SupervisedChild child = named(end.child());
          child.exitReplies.add(request.reply());
          end(child);
        }
        case Supervisor.RestartChild restart -> {
          checkIsOpen();
          request.reply().complete(restart(named(restart.child())).status());
        }
        case Supervisor.RemoveChild remove -> {
          SupervisedChild child = named(remove.child());
          children.remove(child);
          request.reply().complete(child.status());
        }
        case null, default ->
            throw new IllegalArgumentException(
                "a supervisor is asked for WhichChildren, StartChild, StopChild, RestartChild or"
                    + (" RemoveChild, not " + request.message()));
      }
    } catch (IllegalArgumentException | StartRefusedException e) {
      request.reply().fail(e);
    }
  }

  private void checkIsOpen() {
    if (closing) {
      throw new StartRefusedException(
          "supervisor " + self().self() + " is ending; it starts no children any more", null);
    }
  }

  private SupervisedChild named(String name) {
    SupervisedChild child = children.get(name);
    if (child == null) {
      throw new IllegalArgumentException("no child '" + name + "'; there are " + children.names());
    }
    return child;
  }

  private SupervisedChild add(ChildSpec spec, boolean isOfTheFirst) {
    if (spec.isSignificant()
        && (autoShutdown == Supervisor.AutoShutdown.NEVER
            || spec.restart() == ChildSpec.Restart.PERMANENT)) {
      throw new IllegalArgumentException(
          "%s cannot be significant: the supervisor needs autoShutdown, here %s, and the child must"
                  .formatted(spec, autoShutdown)
              + " not be PERMANENT");
    }
    return children.add(spec, isOfTheFirst);
  }

  private SupervisedChild restart(SupervisedChild child) {
    if (!child.isSettled()) {
      throw new IllegalArgumentException(
          "child '%s' is %s; only one that has ended for good can be restarted"
              .formatted(child.spec.name(), child.state));
    }
    child.failures = 0;
    become(child, State.WAITING);
    return child;
  }

  private void end(SupervisedChild child) {
    RestartPlan plan = child.recovery;
    if (plan != null) {
      if (plan.leave(child)) {
        cancel(plan);
        plans.over(plan);
      } else {
        plans.memberChanged(plan);
      }
    }
    if (!child.isAlive()) {
      become(child, child.isTerminated() ? child.state : State.STOPPED);
    } else if (child.state != State.STOPPING) {
      stop(child);
    }
  }

  // ---- starts ----

  private void startReady() {
    for (int i = 0; i < MOST_STARTS && !closing; i++) {
      SupervisedChild child = children.nextToStart();
      if (child == null) {
        return;
      }
      start(child);
    }
  }

  private void start(SupervisedChild child) {
    child.starts++;
    become(child, State.STARTING);
    Pid pid;
    try {
      Process made = child.spec.make();
      pid = self().spawn(made, starts.of(child.spec.options(), self(), child.spec.shutdown()));
      if (child.spec.options().name() != null) { // then a start may return another process
        ChildStart.checkNotTaken(self(), pid, children.of(pid) != null);
      }
      child.isSupervisor = made instanceof StartOnce;
    } catch (Throwable t) { // a class that cannot be loaded must not end the supervisor
      ended(child, ChildStart.creationFailed(self(), t));
      return;
    }
    children.runsAs(child, pid);
    child.monitor = self().monitor(pid);
    commands.submit(
        new AwaitStart(pid),
        event -> {
          if (pid.equals(child.pid) && Boolean.TRUE.equals(event.data())) {
            started(child);
          } // otherwise it has ended, which its monitor reports
        });
  }

  /// Called when a child has started; perhaps this is known, or it is stopping or has ended.
  private void started(SupervisedChild child) {
    if (child.state == State.STARTING) {
      child.runningSinceNanos = nanos.getAsLong();
      become(child, State.RUNNING);
    }
  }

  // ---- ends ----

  private void ended(SupervisedChild child, Exit exit) {
    boolean hadStarted = child.state != State.STARTING;
    RestartPlan plan = child.recovery;
    child.exit = exit;
    if (child.state == State.STOPPING || plan != null) {
      endedOnRequest(child, plan);
    } else if (!closing && !hadStarted && mustStart(child)) {
      fail(new ChildStartException(child.spec.name(), exit));
      become(child, State.FAILED);
    } else if (closing || !child.spec.restart().isWanted(exit, hadStarted)) {
      become(child, exit.isFailure() || !hadStarted ? State.FAILED : State.EXITED);
      closing |= child.spec.isSignificant() && triggersAutoShutdown();
    } else if (limit.admits(nanos.getAsLong())) {
      recover(child);
    } else {
      fail(new RestartLimitException(child.spec.name(), limit.allowed, exit.cause()));
      become(child, State.FAILED);
    }
  }

  private void endedOnRequest(SupervisedChild child, @Nullable RestartPlan plan) {
    boolean again = plan != null && !child.isTemporary();
    if (plan != null) {
      plans.memberChanged(plan);
      if (!again) {
        var _ =
            plan.leave(child); // never the last member: the one that has failed is not temporary
      }
    }
    become(child, again ? State.BACKING_OFF : State.STOPPED);
  }

  private boolean mustStart(SupervisedChild child) {
    return firstStart == Supervisor.FirstStart.FAIL && child.isInitial && child.starts == 1;
  }

  /// Whether the supervisor ends when a significant child has ended.
  private boolean triggersAutoShutdown() {
    return switch (autoShutdown) {
      case NEVER -> false; // significant children are refused then
      case ANY -> true;
      case ALL -> children.significant() == 0;
    };
  }

  private void fail(RuntimeException why) {
    failure = failure == null ? why : failure;
    closing = true;
  }

  /// Begins a deliberate end; the first reason counts.
  private void closeWith(@Nullable Object why) {
    reason = closing ? reason : why;
    closing = true;
  }

  private void stop(SupervisedChild child) {
    become(child, State.STOPPING);
    Pid pid = Objects.requireNonNull(child.pid);
    ChildShutdown.begin(self(), pid, child.spec.shutdown(), child.isSupervisor, cancel);
  }

  /// Continues an ordered stop of children.
  ///
  /// @param next the next child to end, or null
  /// @return whether all have ended
  private boolean continueStop(@Nullable SupervisedChild next) {
    if (next != null && next.state != State.STOPPING) {
      stop(next);
    }
    return next == null;
  }

  private void close(StepOutput output) {
    if (end == null) {
      plans
          .pending()
          .forEach(plan -> {
            cancel(plan);
            plans.over(plan);
          });
      end = new OrderedStop<>(children.inOrder(), SupervisedChild::isAlive);
    }
    if (!continueStop(end.next())) {
      return;
    }
    for (SupervisedChild child : children.inOrder()) {
      if (child.state == State.WAITING || child.state == State.BACKING_OFF) {
        become(child, State.STOPPED);
      }
    }
    if (failure != null) {
      throw failure;
    }
    output.shutdown(reason);
  }

  // ---- restarts ----

  private void recover(SupervisedChild failed) {
    restarts++;
    Worker here = WorkerThread.currentWorker();
    if (here != null) {
      here.restarts();
    }
    boolean quiet =
        failed.state == State.RUNNING
            && nanos.getAsLong() - failed.runningSinceNanos >= backoff.maxDelay().toNanos();
    if (quiet) {
      failed.failures = 0;
      failed.drawn = Duration.ZERO;
    }
    Duration delay = backoff.delay(++failed.failures, failed.drawn);
    failed.drawn = delay;
    RestartPlan merged = plans.takeOneToBeMerged();
    if (merged != null) {
      cancel(merged);
    }
    RestartPlan plan = plans.begin(failed, delay, merged, children);
    for (SupervisedChild child : plan.members()) {
      child.delay = plan.delay;
      if (child == failed || !child.isAlive()) {
        become(child, State.BACKING_OFF);
      }
    }
  }

  private void advanceRecoveries() {
    for (RestartPlan plan = plans.nextToAdvance(); plan != null; plan = plans.nextToAdvance()) {
      advance(plan);
    }
  }

  private void advance(RestartPlan plan) {
    if (plan.backoffTag == 0 && continueStop(plan.nextToEnd())) {
      plan.backoffTag =
          commands.submit(
              new Pause(plan.delay),
              _ -> plans.over(plan).forEach(child -> become(child, State.WAITING)));
    }
  }

  private void cancel(RestartPlan plan) {
    if (plan.backoffTag != 0) {
      commands.forget(plan.backoffTag);
      var _ = self().cancelCommand(plan.backoffTag); // if it has a result, that is dropped
      plan.backoffTag = 0;
    }
  }

  long restarts() {
    return restarts;
  }

  // ---- small things ----

  private void become(SupervisedChild child, State state) {
    State before = child.state;
    child.state = state;
    children.hasChanged(child, before);
    if (!child.exitReplies.isEmpty() && !child.isAlive()) {
      ChildStatus status = child.status();
      child.exitReplies.forEach(reply -> reply.complete(status));
      child.exitReplies.clear();
    }
    StartOnce.notify(listener, child::status);
    if (child.isAwaited && (child.hasStarted() || child.isTerminated())) {
      child.isAwaited = false;
      if (--pendingInitialStarts == 0 && !closing) {
        ready(self());
      }
    }
  }

  private static void ready(ProcessContext context) {
    try {
      context.ready();
    } catch (IllegalStateException _) {
      // safe: a process that wraps the supervisor may not report ready, and has started already
    }
  }

  private ProcessContext self() {
    return Objects.requireNonNull(self);
  }
}
