// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.Signal;
import dev.heddle.process.StepOutput;
import dev.heddle.process.dispatch.Command;
import dev.heddle.process.supervisor.ChildStatus.State;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
   *    STARTING                     its init has returned                            RUNNING
   *    STARTING, RUNNING            it ends, and is to be restarted                  BACKING_OFF: a recovery begins
   *    STARTING, RUNNING            it ends, and is not                              EXITED or FAILED
   *    STARTING, RUNNING            its supervisor wants it to end                   STOPPING: asked, with a deadline
   *    STOPPING                     it ends, within a recovery                       BACKING_OFF
   *    STOPPING                     it ends                                          STOPPED
   *    BACKING_OFF                  the recovery's delay is over                     WAITING
   *    WAITING, BACKING_OFF         End                                              STOPPED
   *
   * A recovery is the way from a failure to a restart: of one child, or of all that the strategy names. It ends those that still
   * live, the last first and one at a time; then it waits for the delay; then all of them are WAITING. With ONE_FOR_ONE each child has its
   * own; else there is one, into which a further failure is merged.
   *
   * Each step takes what has come into the states, then looks what follows from them (start, recover, close). So what comes together
   * or in another order than expected needs no rule of its own: a late signal is of a monitor that nobody knows any more.
   *
   * Rejected. Delays in the children's specifications: one failing data base would need as many as it has clients. A backoff that
   * carries its own count: it was made anew for each try, and never grew (trap 56). P13; cases 175-182, 221.
   */

  private static final System.Logger LOG = System.getLogger("dev.heddle.process.supervisor");

  private final RestartLimit limit;
  private final Backoff backoff;
  private final Consumer<ChildStatus> listener;
  private final LongSupplier nanos;
  private final RandomGenerator random;
  private final Siblings children = new Siblings();
  private final Recoveries recoveries;
  private final Map<Long, Child> monitors = new HashMap<>();
  private final Map<Long, Consumer<ProcessEvent>> commands = new HashMap<>(); // by tag
  private @Nullable ProcessContext self;
  private @Nullable StepOutput out; // of the step that runs
  private long lastTag = Long.MIN_VALUE; // far from those of what it was before an upgrade
  private boolean closing;
  private Signal.@Nullable Cancel cancel; // what it was asked to end by
  private @Nullable RuntimeException failure; // with which it ends

  Supervision(Supervisor.Builder how) {
    this.limit = new RestartLimit(how.most, how.period);
    this.backoff = how.backoff;
    this.listener = how.listener;
    this.nanos = how.nanos;
    this.random = how.random;
    this.recoveries = new Recoveries(how.strategy);
    how.children.forEach(children::add);
  }

  void begin(ProcessContext context) {
    self = context;
    context.trapExits(true);
  }

  void step(List<ProcessEvent> events, StepOutput output) {
    out = output;
    events.forEach(this::take);
    if (!closing) {
      startThoseThatMay();
    }
    if (!closing) {
      recoveries.pending().forEach(this::advance);
      children.forgetThoseThatMayBe();
    }
    if (closing) {
      close(output);
    }
  }

  private void take(ProcessEvent event) {
    if (!event.isMessage()) {
      Consumer<ProcessEvent> then = commands.remove(event.tag());
      if (then != null) {
        then.accept(event);
      }
      return;
    }
    switch (event.data()) {
      case Signal.Down down -> {
        Child child = monitors.remove(down.monitor());
        if (child != null) {
          ended(child, down.exit());
        }
      }
      case Signal.LinkDown down -> linkDown(down.exit());
      case Signal.Cancel asked -> {
        cancel = asked;
        closing = true;
      }
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
    if (!children.isOfAny(exit.pid()) && !closing) {
      fail(
          new IllegalStateException(
              "the supervisor was linked to " + exit.pid() + ", which has ended: " + exit.reason(),
              exit.cause()));
    }
  }

  private void answer(Request request) {
    switch (request.message()) {
      case Supervisor.Children _ -> request.reply().with(children.status());
      case Supervisor.Add add -> {
        try {
          request.reply().with(children.add(add.child()).status());
        } catch (IllegalArgumentException e) {
          request.reply().failed(e);
        }
      }
      case Supervisor.End end -> {
        Child child = children.get(end.child());
        if (child == null) {
          request
              .reply()
              .failed(
                  new IllegalArgumentException(
                      "no child '" + end.child() + "'; there are " + children.names()));
        } else {
          child.atEnd.add(request.reply());
          end(child);
        }
      }
      case null, default ->
          request
              .reply()
              .failed(
                  new IllegalArgumentException(
                      "a supervisor is asked for Children, Add or End, not " + request.message()));
    }
  }

  private void end(Child child) {
    Recovery recovery = recoveries.of(child);
    if (recovery != null) {
      recovery.members.remove(child);
      if (recovery.members.isEmpty()) {
        callOff(recovery);
        recoveries.over(recovery);
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
    for (Child child : children.inOrder()) {
      if (!closing && children.mayStart(child)) {
        start(child);
      }
    }
  }

  private void start(Child child) {
    child.starts++;
    become(child, State.STARTING);
    Pid pid;
    try {
      Process made = child.spec.make();
      pid = self().spawn(made, child.spec.options().withParent(self().self()).withLink(true));
      checkIsItsOwn(child, pid);
    } catch (Throwable t) { // a class that cannot be loaded costs one child, not its siblings
      ended(child, new Exit(self().self(), Exit.Reason.FAILED, null, t));
      return;
    }
    child.pid = pid;
    monitors.put(self().monitor(pid), child);
    command(
        new SupervisorCommands.AwaitStart(self().runtime(), pid),
        event -> {
          if (child.state == State.STARTING
              && pid.equals(child.pid)
              && Boolean.TRUE.equals(event.data())) {
            child.runningSinceNanos = nanos.getAsLong();
            become(child, State.RUNNING);
          } // else it has ended, of which its monitor tells
        });
  }

  /// Whoever has the name that a child wants is given in its place, and is not ours to end.
  private void checkIsItsOwn(Child child, Pid pid) {
    if (child.spec.options().name() == null) {
      return;
    }
    ProcessSnapshot there = self().runtime().process(pid);
    if ((there != null && !self().self().equals(there.parent()))
        || children.inOrder().stream().anyMatch(other -> other != child && pid.equals(other.pid))) {
      throw new IllegalStateException(
          "the name of the child belongs to " + pid + "; end that one, or take another name");
    }
  }

  // ---- ends ----

  private void ended(Child child, Exit exit) {
    child.exit = exit;
    if (child.state == State.STOPPING || recoveries.of(child) != null) {
      boolean again = recoveries.of(child) != null && !child.isTemporary();
      become(child, again ? State.BACKING_OFF : State.STOPPED);
    } else if (closing || !child.wantsRestart(exit)) {
      become(child, exit.isAbnormal() ? State.FAILED : State.EXITED);
    } else if (limit.admits(nanos.getAsLong())) {
      recover(child);
    } else {
      become(child, State.FAILED);
      fail(new RestartLimitException(child.spec.name(), limit.most, limit.period, exit.cause()));
    }
  }

  private void fail(RuntimeException why) {
    if (failure == null) {
      failure = why;
    }
    closing = true;
  }

  private void stop(Child child) {
    become(child, State.STOPPING);
    Duration within = child.spec.shutdown();
    if (cancel != null && cancel.remaining().compareTo(within) < 0) {
      within = cancel.remaining();
    }
    try {
      self().runtime().cancel(Objects.requireNonNull(child.pid), "its supervisor ends it", within);
    } catch (SendFailedException _) {
      // safe: it has ended; its monitor is about to tell
    }
  }

  /// Goes on with the end of children, the last first, each when the one before has ended.
  ///
  /// @return whether there is none left to end
  private boolean haveEnded(Collection<Child> some) {
    for (Child child : List.copyOf(some).reversed()) {
      if (child.isAlive()) {
        if (child.state != State.STOPPING) {
          stop(child);
        }
        return false;
      }
    }
    return true;
  }

  private void close(StepOutput output) {
    recoveries.pending().forEach(this::callOff);
    recoveries.clear();
    if (!haveEnded(children.inOrder())) {
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
    output.done();
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
    for (Child child : recovery.members) {
      child.delay = recovery.delay;
      if (child == failed || !child.isAlive()) {
        become(child, State.BACKING_OFF);
      }
    }
  }

  private void advance(Recovery recovery) {
    if (recovery.pause == 0 && haveEnded(recovery.members)) {
      recovery.members.removeIf(child -> child.state == State.STOPPED); // a temporary one
      recovery.pause =
          command(
              new SupervisorCommands.Pause(recovery.delay),
              _ -> {
                recoveries.over(recovery);
                recovery.members.forEach(child -> become(child, State.WAITING));
              });
    }
  }

  private void callOff(Recovery recovery) {
    if (recovery.pause != 0) {
      commands.remove(recovery.pause);
      var _ = self().cancelCommand(recovery.pause); // if it is over, nobody listens any more
      recovery.pause = 0;
    }
  }

  // ---- small things ----

  private void become(Child child, State state) {
    child.state = state;
    children.hasChanged(child);
    ChildStatus status = child.status();
    if (!child.isAlive()) {
      child.atEnd.forEach(reply -> reply.with(status));
      child.atEnd.clear();
    }
    try {
      listener.accept(status);
    } catch (Throwable t) {
      LOG.log(System.Logger.Level.ERROR, "a listener failed at a change of " + status, t);
    }
  }

  private long command(Command<?> command, Consumer<ProcessEvent> then) {
    long tag = ++lastTag;
    commands.put(tag, then);
    Objects.requireNonNull(out).yield(tag, command);
    return tag;
  }

  private ProcessContext self() {
    return Objects.requireNonNull(self);
  }
}
