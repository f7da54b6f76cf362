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
import dev.heddle.process.dispatch.ProcessCommands.AwaitStart;
import dev.heddle.process.dispatch.TimeCommands.Pause;
import dev.heddle.process.supervisor.ChildStatus.State;
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
  private final RandomGenerator random;
  private final ChildList children = new ChildList();
  private final RestartPlans restartPlans;
  private final PendingCommands commands = new PendingCommands();
  private final ChildOptions options = new ChildOptions();
  private @Nullable ProcessContext self;
  private int pendingInitialStarts; // children of the builder that have not started once
  private boolean closing;
  private @Nullable OrderedStop<SupervisedChild> end; // of all children, once it has begun
  private ProcessSignal.@Nullable Cancel cancel; // the signal that has cancelled it
  private @Nullable RuntimeException failure; // with which it ends
  private @Nullable Object reason; // the detail of a deliberate end

  SupervisorLogic(Supervisor.Builder how) {
    this.limit = new RestartLimit(how.intensity);
    this.backoff = how.backoff;
    this.autoShutdown = how.autoShutdown;
    this.firstStart = how.firstStart;
    this.listener = how.listener;
    this.nanos = how.nanos;
    this.random = how.random == null ? RandomGenerator.getDefault() : how.random;
    this.restartPlans = new RestartPlans(how.strategy);
    how.children.forEach(child -> add(child, true));
    this.pendingInitialStarts = how.children.size();
  }

  void begin(ProcessContext context) {
    self = context;
    context.trapExits(true);
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
        SupervisedChild supervisedChild = children.of(down.exit().pid());
        if (supervisedChild != null && supervisedChild.monitor == down.monitor()) {
          if (supervisedChild.state == State.STARTING
              && ChildStart.hadStarted(self(), down.exit())) {
            started(supervisedChild);
          }
          ended(supervisedChild, ChildShutdown.exitAfterUnlink(self(), down.exit()));
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
        case Supervisor.Children _ -> request.reply().complete(children.status());
        case Supervisor.StartChild start -> {
          checkIsOpen();
          request.reply().complete(add(start.child(), false).status());
        }
        case Supervisor.StopChild end -> {
          SupervisedChild supervisedChild = named(end.child());
          supervisedChild.exitReplies.add(request.reply());
          end(supervisedChild);
        }
        case Supervisor.RestartChild restart -> {
          checkIsOpen();
          request.reply().complete(restart(named(restart.child())).status());
        }
        case Supervisor.RemoveChild remove -> {
          SupervisedChild supervisedChild = named(remove.child());
          children.remove(supervisedChild);
          request.reply().complete(supervisedChild.status());
        }
        case null, default ->
            throw new IllegalArgumentException(
                "a supervisor is asked for Children, StartChild, StopChild, RestartChild or"
                    + " RemoveChild, not "
                    + request.message());
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
    SupervisedChild supervisedChild = children.get(name);
    if (supervisedChild == null) {
      throw new IllegalArgumentException("no child '" + name + "'; there are " + children.names());
    }
    return supervisedChild;
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

  private SupervisedChild restart(SupervisedChild supervisedChild) {
    if (!supervisedChild.isSettled()) {
      throw new IllegalArgumentException(
          "child '%s' is %s; only one that has ended for good can be restarted"
              .formatted(supervisedChild.spec.name(), supervisedChild.state));
    }
    supervisedChild.failures = 0;
    become(supervisedChild, State.WAITING);
    return supervisedChild;
  }

  private void end(SupervisedChild supervisedChild) {
    RestartPlan restartPlan = supervisedChild.recovery;
    if (restartPlan != null) {
      if (restartPlan.leave(supervisedChild)) {
        cancel(restartPlan);
        restartPlans.over(restartPlan);
      } else {
        restartPlans.memberChanged(restartPlan);
      }
    }
    if (!supervisedChild.isAlive()) {
      become(
          supervisedChild, supervisedChild.isTerminated() ? supervisedChild.state : State.STOPPED);
    } else if (supervisedChild.state != State.STOPPING) {
      stop(supervisedChild);
    }
  }

  // ---- starts ----

  private void startReady() {
    for (int i = 0; i < MOST_STARTS && !closing; i++) {
      SupervisedChild supervisedChild = children.nextToStart();
      if (supervisedChild == null) {
        return;
      }
      start(supervisedChild);
    }
  }

  private void start(SupervisedChild supervisedChild) {
    supervisedChild.starts++;
    become(supervisedChild, State.STARTING);
    Pid pid;
    try {
      Process made = supervisedChild.spec.make();
      pid =
          self()
              .spawn(
                  made,
                  options.of(
                      supervisedChild.spec.options(), self(), supervisedChild.spec.shutdown()));
      checkOwned(supervisedChild, pid);
      supervisedChild.shutdown = ChildShutdown.of(supervisedChild.spec.shutdown(), made);
    } catch (Throwable t) { // a class that cannot be loaded must not end the supervisor
      ended(supervisedChild, ChildStart.creationFailed(self(), t));
      return;
    }
    children.runsAs(supervisedChild, pid);
    supervisedChild.monitor = self().monitor(pid);
    commands.submit(
        new AwaitStart(pid),
        event -> {
          if (pid.equals(supervisedChild.pid) && Boolean.TRUE.equals(event.data())) {
            started(supervisedChild);
          } // otherwise it has ended, which its monitor reports
        });
  }

  /// Called when a child has started; perhaps this is known, or it is stopping or has ended.
  private void started(SupervisedChild supervisedChild) {
    if (supervisedChild.state == State.STARTING) {
      supervisedChild.runningSinceNanos = nanos.getAsLong();
      become(supervisedChild, State.RUNNING);
    }
  }

  /// Checks that a start has not returned another process, which already has the child's name.
  private void checkOwned(SupervisedChild supervisedChild, Pid pid) {
    if (supervisedChild.spec.options().name() != null) {
      ChildOptions.checkNotTaken(self(), pid, children.of(pid) != null);
    }
  }

  // ---- ends ----

  private void ended(SupervisedChild supervisedChild, Exit exit) {
    boolean hadStarted = supervisedChild.state != State.STARTING;
    RestartPlan restartPlan = supervisedChild.recovery;
    supervisedChild.exit = exit;
    if (supervisedChild.state == State.STOPPING || restartPlan != null) {
      endedOnRequest(supervisedChild, restartPlan);
    } else if (!closing && !hadStarted && mustStart(supervisedChild)) {
      fail(new ChildStartException(supervisedChild.spec.name(), exit));
      become(supervisedChild, State.FAILED);
    } else if (closing || !supervisedChild.spec.restart().isWanted(exit, hadStarted)) {
      become(supervisedChild, exit.isFailure() || !hadStarted ? State.FAILED : State.EXITED);
      closing |= supervisedChild.spec.isSignificant() && triggersAutoShutdown();
    } else if (limit.admits(nanos.getAsLong())) {
      recover(supervisedChild);
    } else {
      fail(new RestartLimitException(supervisedChild.spec.name(), limit.allowed, exit.cause()));
      become(supervisedChild, State.FAILED);
    }
  }

  private void endedOnRequest(SupervisedChild supervisedChild, @Nullable RestartPlan restartPlan) {
    boolean again = restartPlan != null && !supervisedChild.isTemporary();
    if (restartPlan != null) {
      restartPlans.memberChanged(restartPlan);
      if (!again) {
        var _ =
            restartPlan.leave(
                supervisedChild); // never the last member: the one that has failed is not temporary
      }
    }
    become(supervisedChild, again ? State.BACKING_OFF : State.STOPPED);
  }

  private boolean mustStart(SupervisedChild supervisedChild) {
    return firstStart == Supervisor.FirstStart.FAIL
        && supervisedChild.isInitial
        && supervisedChild.starts == 1;
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
    if (failure == null) {
      failure = why;
    }
    closing = true;
  }

  /// Begins a deliberate end; the first reason counts.
  private void closeWith(@Nullable Object why) {
    reason = closing ? reason : why;
    closing = true;
  }

  private void stop(SupervisedChild supervisedChild) {
    become(supervisedChild, State.STOPPING);
    ChildShutdown.begin(
        self(), Objects.requireNonNull(supervisedChild.pid), supervisedChild.shutdown, cancel);
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
      restartPlans
          .pending()
          .forEach(restartPlan -> {
            cancel(restartPlan);
            restartPlans.over(restartPlan);
          });
      end = new OrderedStop<>(children.inOrder(), SupervisedChild::isAlive);
    }
    if (!continueStop(end.next())) {
      return;
    }
    for (SupervisedChild supervisedChild : children.inOrder()) {
      if (supervisedChild.state == State.WAITING || supervisedChild.state == State.BACKING_OFF) {
        become(supervisedChild, State.STOPPED);
      }
    }
    if (failure != null) {
      throw failure;
    }
    output.shutdown(reason);
  }

  // ---- restarts ----

  private void recover(SupervisedChild failed) {
    boolean quiet =
        failed.state == State.RUNNING
            && nanos.getAsLong() - failed.runningSinceNanos >= backoff.maximum().toNanos();
    failed.failures = quiet ? 0 : failed.failures;
    Duration delay = backoff.delay(failed.failures++, random);
    RestartPlan merged = restartPlans.takeOneToBeMerged();
    if (merged != null) {
      cancel(merged);
    }
    RestartPlan restartPlan = restartPlans.begin(failed, delay, merged, children);
    for (SupervisedChild supervisedChild : restartPlan.members()) {
      supervisedChild.delay = restartPlan.delay;
      if (supervisedChild == failed || !supervisedChild.isAlive()) {
        become(supervisedChild, State.BACKING_OFF);
      }
    }
  }

  private void advanceRecoveries() {
    RestartPlan restartPlan = restartPlans.nextToAdvance();
    while (restartPlan != null) {
      advance(restartPlan);
      restartPlan = restartPlans.nextToAdvance();
    }
  }

  private void advance(RestartPlan restartPlan) {
    if (restartPlan.backoffTag == 0 && continueStop(restartPlan.nextToEnd())) {
      restartPlan.backoffTag =
          commands.submit(
              new Pause(restartPlan.delay),
              _ ->
                  restartPlans
                      .over(restartPlan)
                      .forEach(supervisedChild -> become(supervisedChild, State.WAITING)));
    }
  }

  private void cancel(RestartPlan restartPlan) {
    if (restartPlan.backoffTag != 0) {
      commands.forget(restartPlan.backoffTag);
      var _ = self().cancelCommand(restartPlan.backoffTag); // if it has a result, that is dropped
      restartPlan.backoffTag = 0;
    }
  }

  // ---- small things ----

  private void become(SupervisedChild supervisedChild, State state) {
    State before = supervisedChild.state;
    supervisedChild.state = state;
    children.hasChanged(supervisedChild, before);
    if (!supervisedChild.exitReplies.isEmpty() && !supervisedChild.isAlive()) {
      ChildStatus status = supervisedChild.status();
      supervisedChild.exitReplies.forEach(reply -> reply.complete(status));
      supervisedChild.exitReplies.clear();
    }
    if (listener != null) {
      notifyListener(listener, supervisedChild.status());
    }
    if (supervisedChild.isAwaited
        && (supervisedChild.hasStarted() || supervisedChild.isTerminated())) {
      supervisedChild.isAwaited = false;
      hasStarted();
    }
  }

  /// Called when another child of the builder has started, or ended for good.
  private void hasStarted() {
    if (--pendingInitialStarts == 0 && !closing) {
      ready(self());
    }
  }

  private static void ready(ProcessContext context) {
    try {
      context.ready();
    } catch (IllegalStateException _) {
      // safe: a process that wraps the supervisor may not report ready, and has started already
    }
  }

  private static void notifyListener(Consumer<ChildStatus> listener, ChildStatus status) {
    try {
      listener.accept(status);
    } catch (Throwable t) {
      LOG.log(System.Logger.Level.ERROR, "a listener failed at a change of " + status, t);
    }
  }

  private ProcessContext self() {
    return Objects.requireNonNull(self);
  }
}
