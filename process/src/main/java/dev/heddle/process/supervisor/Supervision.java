// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Request;
import dev.heddle.process.Signal;
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

/// What a [Supervisor] does: takes what has come into the states of its children, and does what
/// follows from them.
final class Supervision {
  /*
   * States of a child.  from                event                                    to
   *    WAITING                      all that it is after are RUNNING or EXITED       STARTING: spawned, linked, monitored
   *    STARTING                     it has started                                   RUNNING
   *    STARTING, RUNNING            it ends, and is to be restarted                  BACKING_OFF: a recovery begins
   *    STARTING, RUNNING            it ends, and is not                              EXITED or FAILED
   *    STARTING, RUNNING            its supervisor wants it to end                   STOPPING: asked, with a deadline
   *    STOPPING                     it ends, within a recovery                       BACKING_OFF
   *    STOPPING                     it ends                                          STOPPED
   *    BACKING_OFF                  the recovery's delay is over                     WAITING
   *    WAITING, BACKING_OFF         EndChild                                         STOPPED
   *    STOPPED, EXITED, FAILED      RestartChild                                     WAITING
   *
   * A recovery is the way from a failure to a restart: of one child, or of all that the strategy
   * names. It ends those that still live, the last first and one at a time; then it waits for the
   * delay; then all of them are WAITING. With ONE_FOR_ONE each child has its own; else there is
   * one, into which a further failure is merged.
   *
   * Each step takes what has come into the states, then looks what follows from them (start,
   * recover, close). So what comes together or in another order than expected needs no rule of its
   * own: a late signal is of a monitor that nobody knows any more. No event looks at all children:
   * Siblings knows who may start, a recovery and the end remember how far they are (Ending).
   *
   * Rejected. Delays in the children's specifications: one failing data base would need as many as
   * it has clients. A backoff that carries its own count: it was made anew for each try, and never
   * grew (trap 56). P13; cases 175-182, 221.
   */

  private static final System.Logger LOG = System.getLogger("dev.heddle.process.supervisor");
  private static final int MOST_STARTS = 128; // in a step, so that it is not a long one

  private final RestartLimit limit;
  private final Backoff backoff;
  private final Supervisor.AutoShutdown autoShutdown;
  private final Supervisor.FirstStart firstStart;
  private final @Nullable Consumer<ChildStatus> listener;
  private final LongSupplier nanos;
  private final RandomGenerator random;
  private final Siblings children = new Siblings();
  private final Recoveries recoveries;
  private final PendingCommands commands = new PendingCommands();
  private final ChildOptions options = new ChildOptions();
  private @Nullable ProcessContext self;
  private int waitsFor; // children of the first that have not started once
  private boolean closing;
  private @Nullable Ending<Child> end; // of all children, when that has begun
  private Signal.@Nullable Cancel cancel; // what it was asked to end by
  private @Nullable RuntimeException failure; // with which it ends
  private @Nullable Object reason; // why it ends on purpose, in the program's own terms

  Supervision(Supervisor.Builder how) {
    this.limit = new RestartLimit(how.intensity);
    this.backoff = how.backoff;
    this.autoShutdown = how.autoShutdown;
    this.firstStart = how.firstStart;
    this.listener = how.listener;
    this.nanos = how.nanos;
    this.random = how.random == null ? RandomGenerator.getDefault() : how.random;
    this.recoveries = new Recoveries(how.strategy);
    how.children.forEach(child -> add(child, true));
    this.waitsFor = how.children.size();
  }

  void begin(ProcessContext context) {
    self = context;
    context.trapExits(true);
    if (waitsFor == 0) {
      ready(context);
    }
  }

  void step(List<ProcessEvent> events, StepOutput output) {
    commands.stepBegins(output);
    events.forEach(this::take);
    if (!closing) {
      startThoseThatMay();
    }
    if (!closing) {
      advanceRecoveries();
      children.forgetThoseThatMayBe();
    }
    if (closing) {
      close(output);
    } else if (children.someMayStart()) {
      output.again();
    }
  }

  private void take(ProcessEvent event) {
    if (!event.isMessage()) {
      commands.completed(event);
      return;
    }
    switch (event.data()) {
      case Signal.Down down -> {
        Child child = children.of(down.exit().pid());
        if (child != null && child.monitor == down.monitor()) {
          if (child.state == State.STARTING && ChildStart.hadStarted(self(), down.exit())) {
            started(child);
          }
          ended(child, ChildShutdown.unlinked(self(), down.exit()));
        }
      }
      case Signal.LinkDown down -> linkDown(down.exit());
      case Signal.Cancel asked -> {
        cancel = asked;
        closing = true;
      }
      case Signal.ExitRequest asked -> closeFor(asked.detail());
      case Request request -> answer(request);
      case null, default ->
          LOG.log(
              System.Logger.Level.WARNING,
              "supervisor "
                  + self().self()
                  + " has dropped a message that it does not understand: "
                  + event.data());
    }
  }

  /// A child's end comes by its monitor, too; any other link says: end with me.
  private void linkDown(Exit exit) {
    if (children.of(exit.pid()) != null || closing) {
      return;
    }
    if (!exit.isFailure()) {
      closeFor(exit.detail());
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
        case Supervisor.Children _ -> request.reply().with(children.status());
        case Supervisor.StartChild start -> {
          checkIsOpen();
          request.reply().with(add(start.child(), false).status());
        }
        case Supervisor.EndChild end -> {
          Child child = named(end.child());
          child.atEnd.add(request.reply());
          end(child);
        }
        case Supervisor.RestartChild restart -> {
          checkIsOpen();
          request.reply().with(restart(named(restart.child())).status());
        }
        case Supervisor.RemoveChild remove -> {
          Child child = named(remove.child());
          children.remove(child);
          request.reply().with(child.status());
        }
        case null, default ->
            throw new IllegalArgumentException(
                "a supervisor is asked for Children, StartChild, EndChild, RestartChild or"
                    + " RemoveChild, not "
                    + request.message());
      }
    } catch (IllegalArgumentException | StartRefusedException e) {
      request.reply().failed(e);
    }
  }

  private void checkIsOpen() {
    if (closing) {
      throw new StartRefusedException(
          "supervisor " + self().self() + " is ending; it starts no more children", null);
    }
  }

  private Child named(String name) {
    Child child = children.get(name);
    if (child == null) {
      throw new IllegalArgumentException("no child '" + name + "'; there are " + children.names());
    }
    return child;
  }

  private Child add(ChildSpec spec, boolean isOfTheFirst) {
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

  private Child restart(Child child) {
    if (!child.isSettled()) {
      throw new IllegalArgumentException(
          "child '%s' is %s; only one that is over is started again"
              .formatted(child.spec.name(), child.state));
    }
    child.failures = 0;
    become(child, State.WAITING);
    return child;
  }

  private void end(Child child) {
    Recovery recovery = child.recovery;
    if (recovery != null) {
      if (recovery.leave(child)) {
        callOff(recovery);
        recoveries.over(recovery);
      } else {
        recoveries.hasMoved(recovery);
      }
    }
    if (!child.isAlive()) {
      become(child, child.isOver() ? child.state : State.STOPPED);
    } else if (child.state != State.STOPPING) {
      stop(child);
    }
  }

  // ---- starts ----

  private void startThoseThatMay() {
    for (int i = 0; i < MOST_STARTS && !closing; i++) {
      Child child = children.nextToStart();
      if (child == null) {
        return;
      }
      start(child);
    }
  }

  private void start(Child child) {
    child.starts++;
    become(child, State.STARTING);
    Pid pid;
    try {
      Process made = child.spec.make();
      pid = self().spawn(made, options.of(child.spec.options(), self(), child.spec.shutdown()));
      checkIsItsOwn(child, pid);
      child.shutdown = ChildShutdown.of(child.spec.shutdown(), made);
    } catch (Throwable t) { // a class that cannot be loaded costs one child, not its siblings
      ended(child, ChildStart.notMade(self(), t));
      return;
    }
    children.runsAs(child, pid);
    child.monitor = self().monitor(pid);
    commands.submit(
        new AwaitStart(pid),
        event -> {
          if (pid.equals(child.pid) && Boolean.TRUE.equals(event.data())) {
            started(child);
          } // else it has ended, of which its monitor tells
        });
  }

  /// A child has started: maybe that is known, or it is to end, or has ended.
  private void started(Child child) {
    if (child.state == State.STARTING) {
      child.runningSinceNanos = nanos.getAsLong();
      become(child, State.RUNNING);
    }
  }

  /// Whoever has the name that a child wants is given in its place, and is not ours to end.
  private void checkIsItsOwn(Child child, Pid pid) {
    if (child.spec.options().name() != null) {
      ChildOptions.checkIsNew(self(), pid, children.of(pid) != null);
    }
  }

  // ---- ends ----

  private void ended(Child child, Exit exit) {
    boolean hadStarted = child.state != State.STARTING;
    Recovery recovery = child.recovery;
    child.exit = exit;
    if (child.state == State.STOPPING || recovery != null) {
      endedAsWanted(child, recovery);
    } else if (!closing && !hadStarted && mustStart(child)) {
      fail(new ChildStartException(child.spec.name(), exit));
      become(child, State.FAILED);
    } else if (closing || !child.spec.restart().isWanted(exit, hadStarted)) {
      become(child, exit.isFailure() || !hadStarted ? State.FAILED : State.EXITED);
      closing |= child.spec.isSignificant() && isTheEndOfSignificantOnes();
    } else if (limit.admits(nanos.getAsLong())) {
      recover(child);
    } else {
      fail(new RestartLimitException(child.spec.name(), limit.allowed, exit.cause()));
      become(child, State.FAILED);
    }
  }

  private void endedAsWanted(Child child, @Nullable Recovery recovery) {
    boolean again = recovery != null && !child.isTemporary();
    if (recovery != null) {
      recoveries.hasMoved(recovery);
      if (!again) {
        var _ = recovery.leave(child); // not the last: the one that has failed is not temporary
      }
    }
    become(child, again ? State.BACKING_OFF : State.STOPPED);
  }

  private boolean mustStart(Child child) {
    return firstStart == Supervisor.FirstStart.FAIL && child.isOfTheFirst && child.starts == 1;
  }

  /// Whether the supervisor ends when a significant child has ended.
  private boolean isTheEndOfSignificantOnes() {
    return switch (autoShutdown) {
      case NEVER -> false; // refused before
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

  /// It ends on purpose; the first reason counts.
  private void closeFor(@Nullable Object why) {
    reason = closing ? reason : why;
    closing = true;
  }

  private void stop(Child child) {
    become(child, State.STOPPING);
    ChildShutdown.begin(self(), Objects.requireNonNull(child.pid), child.shutdown, cancel);
  }

  /// Goes on with the end of children, the last first, each when the one before has ended.
  ///
  /// @param next the first of them that lives
  /// @return whether there is none left to end
  private boolean haveEnded(@Nullable Child next) {
    if (next != null && next.state != State.STOPPING) {
      stop(next);
    }
    return next == null;
  }

  private void close(StepOutput output) {
    if (end == null) {
      recoveries
          .pending()
          .forEach(recovery -> {
            callOff(recovery);
            recoveries.over(recovery);
          });
      end = new Ending<>(children.inOrder(), Child::isAlive);
    }
    if (!haveEnded(end.next())) {
      return;
    }
    for (Child child : children.inOrder()) {
      if (child.state == State.WAITING || child.state == State.BACKING_OFF) {
        become(child, State.STOPPED);
      }
    }
    if (failure != null) {
      throw failure;
    }
    output.shutdown(reason);
  }

  // ---- recoveries ----

  private void recover(Child failed) {
    boolean quiet =
        failed.state == State.RUNNING
            && nanos.getAsLong() - failed.runningSinceNanos >= backoff.maximum().toNanos();
    failed.failures = quiet ? 0 : failed.failures;
    Duration delay = backoff.before(failed.failures++, random);
    Recovery merged = recoveries.takeOneToBeMerged();
    if (merged != null) {
      callOff(merged);
    }
    Recovery recovery = recoveries.begin(failed, delay, merged, children);
    for (Child child : recovery.members()) {
      child.delay = recovery.delay;
      if (child == failed || !child.isAlive()) {
        become(child, State.BACKING_OFF);
      }
    }
  }

  private void advanceRecoveries() {
    Recovery recovery = recoveries.nextToAdvance();
    while (recovery != null) {
      advance(recovery);
      recovery = recoveries.nextToAdvance();
    }
  }

  private void advance(Recovery recovery) {
    if (recovery.pause == 0 && haveEnded(recovery.nextToEnd())) {
      recovery.pause =
          commands.submit(
              new Pause(recovery.delay),
              _ -> recoveries.over(recovery).forEach(child -> become(child, State.WAITING)));
    }
  }

  private void callOff(Recovery recovery) {
    if (recovery.pause != 0) {
      commands.forget(recovery.pause);
      var _ = self().cancelCommand(recovery.pause); // if it is over, nobody listens any more
      recovery.pause = 0;
    }
  }

  // ---- small things ----

  private void become(Child child, State state) {
    State before = child.state;
    child.state = state;
    children.hasChanged(child, before);
    if (!child.atEnd.isEmpty() && !child.isAlive()) {
      ChildStatus status = child.status();
      child.atEnd.forEach(reply -> reply.with(status));
      child.atEnd.clear();
    }
    if (listener != null) {
      tell(listener, child.status());
    }
    if (child.isWaitedFor && (child.hasStarted() || child.isOver())) {
      child.isWaitedFor = false;
      hasStarted();
    }
  }

  /// One child more of the first has started, or is over.
  private void hasStarted() {
    if (--waitsFor == 0 && !closing) {
      ready(self());
    }
  }

  private static void ready(ProcessContext context) {
    try {
      context.ready();
    } catch (IllegalStateException _) {
      // safe: a process that hides the supervisor, and has not promised to say so, has started
    }
  }

  private static void tell(Consumer<ChildStatus> listener, ChildStatus status) {
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
