// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Reply;
import dev.heddle.process.Request;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.StepOutput;
import dev.heddle.process.dispatch.CommandCallbacks;
import dev.heddle.process.dispatch.ProcessCommands.AwaitStart;
import dev.heddle.process.dispatch.TimeCommands.Pause;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.DynamicChild.Failures;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The logic of a [DynamicSupervisor].
final class DynamicSupervisorLogic<A> {
  /*
   * States of a child. (none) means that it is not known.
   *
   * from                event                                to
   * (none)              StartChild                           STARTING: spawned, linked and
   *                                                          monitored (1)
   * STARTING            it has started                       RUNNING: the asker gets its PID
   * STARTING            it ends before its first start       (none): the asker gets the failure
   * STARTING, RUNNING   it ends, and is to be restarted      BACKING_OFF: the delay begins
   * STARTING, RUNNING   it ends, and is not                  (none): EXITED or FAILED (2)
   * STARTING, RUNNING   StopChild, or the supervisor ends    STOPPING
   * STOPPING            it ends                              (none): STOPPED (2)
   * BACKING_OFF         the delay is over                    STARTING; BACKING_OFF again, when no
   *                                                          process can be made
   * BACKING_OFF         StopChild, or the supervisor ends    (none): STOPPED (2)
   *
   * (1) Even if the asker has given up.
   * (2) The state that the listener gets.
   *
   * A child is in one map, by the PID of the process that runs or ran last. Exits, StopChild and
   * LinkDown find it there. So each event touches one child, and a child costs its entry and its
   * object, besides the process and its links.
   *
   * The shutdown cancels all children, some in each step: they do not wait for each other, and no
   * step lasts long.
   *
   * Rejected. Keeping children that have ended for reports, as a Supervisor does: a server has had
   * millions of them. Retrying a first start: its asker learns of the failure, and may ask again.
   */

  private static final System.Logger LOG = System.getLogger("dev.heddle.process.supervisor");
  private static final int MOST_ENDS = 128; // begun in a step, so that it does not last long

  private final DynamicSupervisor.Builder<A> how;
  private final RestartLimit limit;
  private final @Nullable Consumer<DynamicChildStatus> listener;
  private final LongSupplier nanos;
  private final Backoff backoff;
  private final CommandCallbacks commands = new CommandCallbacks();
  private final ChildStart starts = new ChildStart();
  private final Map<Pid, DynamicChild<A>> children = new HashMap<>();
  private final Map<State, Integer> counts = new EnumMap<>(State.class);
  private @Nullable ProcessContext self;
  private long restarts; // read by any thread; safe: may be out of date
  private boolean closing;
  private @Nullable Queue<DynamicChild<A>> toEnd; // once the shutdown has begun
  private ProcessSignal.@Nullable Cancel cancel; // the signal that has cancelled it
  private @Nullable RuntimeException failure; // with which it ends
  private @Nullable Object reason; // the detail of a deliberate end

  DynamicSupervisorLogic(DynamicSupervisor.Builder<A> how) {
    this.how = how.copy();
    // from their start: so the signal of the link comes before that of the monitor, to a known one
    this.how.options = this.how.options.monitored();
    this.limit = new RestartLimit(how.intensity);
    RandomGenerator chance = how.random == null ? WorkerThread.simulatedChance() : how.random;
    this.backoff = chance == null ? how.backoff : how.backoff.withRandom(chance);
    this.listener = how.listener;
    this.nanos = how.nanos;
  }

  void begin(ProcessContext context) {
    self = context;
    context.trapExits();
  }

  void step(List<ProcessEvent> events, StepOutput output) {
    commands.stepBegins(output);
    events.forEach(this::take);
    if (closing) {
      close(output);
    }
  }

  private void take(ProcessEvent event) {
    if (!event.isMessage()) {
      commands.completed(event);
      return;
    }
    switch (event.data()) {
      case ProcessSignal.Down down -> {
        DynamicChild<A> child = children.get(down.exit().pid());
        if (child != null) {
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
              "dynamic supervisor "
                  + self().self()
                  + " has dropped an unknown message: "
                  + event.data());
    }
  }

  /// The exit of a child is reported by its monitor too; the exit of any other linked process ends
  /// the supervisor.
  private void linkDown(Exit exit) {
    if (children.containsKey(exit.pid()) || closing) {
      return;
    }
    closeWith(exit.detail());
    if (exit.isFailure()) {
      failure =
          new IllegalStateException(
              "the supervisor was linked to " + exit.pid() + ", which has ended: " + exit.reason(),
              exit.cause());
    }
  }

  /// Begins a deliberate end; the first reason counts.
  private void closeWith(@Nullable Object why) {
    reason = closing ? reason : why;
    closing = true;
  }

  // ---- requests ----

  private void answer(Request request) {
    Reply<@Nullable Object> reply = request.reply();
    switch (request.message()) {
      case DynamicSupervisor.StartChild start -> start(start.argument(), reply);
      case DynamicSupervisor.StopChild end -> {
        DynamicChild<A> child = children.get(end.child());
        if (child == null) {
          reply.fail(
              new IllegalArgumentException(
                  end.child() + " is not, or no longer, a child of " + self().self()));
        } else {
          end(child, reply);
        }
      }
      case DynamicSupervisor.CountChildren _ -> reply.complete(counts());
      case DynamicSupervisor.WhichChildren _ ->
          reply.complete(children.values().stream().map(DynamicChild::status).toList());
      case null, default ->
          reply.fail(
              new IllegalArgumentException(
                  "a dynamic supervisor is asked for StartChild, StopChild, CountChildren or WhichChildren, not "
                      + request.message()));
    }
  }

  private DynamicSupervisor.ChildCounts counts() {
    return new DynamicSupervisor.ChildCounts(
        count(State.STARTING),
        count(State.RUNNING),
        count(State.BACKING_OFF),
        count(State.STOPPING));
  }

  private void end(DynamicChild<A> child, Reply<@Nullable Object> reply) {
    if (child.atEnd == null) {
      child.atEnd = new ArrayList<>(1);
    }
    child.atEnd.add(reply);
    if (child.state != State.STOPPING) {
      end(child);
    }
  }

  // ---- starts ----

  private void start(@Nullable Object given, Reply<@Nullable Object> asker) {
    A argument;
    Process made;
    Pid pid;
    try {
      checkMayStart();
      argument = argument(given);
      made = make(argument);
      pid = spawn(made, argument);
    } catch (Throwable t) { // a class that cannot be loaded must not end the supervisor
      asker.fail(t);
      return;
    }
    DynamicChild<A> child = new DynamicChild<>(argument, pid, asker);
    counted(child.state, 1);
    begins(child, made);
  }

  private void checkMayStart() {
    if (closing) {
      throw new StartRefusedException(
          "dynamic supervisor " + self().self() + " is ending; it starts no children any more",
          null);
    }
    if (children.size() >= how.maxChildren) {
      throw new StartRefusedException(
          "max children exceeded: %d live already; end some, or raise maxChildren()"
              .formatted(how.maxChildren),
          null);
    }
  }

  private @Nullable A argument(@Nullable Object given) {
    boolean isWanted = given == null ? how.argument == Void.class : how.argument.isInstance(given);
    if (!isWanted) {
      throw new IllegalArgumentException(
          "the template of dynamic supervisor %s takes %s, not %s"
              .formatted(
                  self().self(),
                  how.argument == Void.class ? "no argument" : "a " + how.argument.getName(),
                  given));
    }
    return how.argument.cast(given);
  }

  @SuppressWarnings("NullAway") // only a template of Void gets null: argument()
  private Process make(@Nullable A argument) throws Exception {
    Process made = how.template.create(argument);
    if (made == null) {
      throw new StartRefusedException(
          "the template has returned null for " + argument + "; let it make a new process", null);
    }
    return made;
  }

  @SuppressWarnings("NullAway") // the same
  private Pid spawn(Process made, @Nullable A argument) {
    StartOptions all = starts.of(how.options, self(), how.shutdown);
    if (how.name == null) {
      return self().spawn(made, all);
    }
    Pid pid = self().spawn(made, all.withName(how.name.apply(argument)));
    ChildStart.checkNotTaken(self(), pid, children.containsKey(pid));
    return pid;
  }

  /// Records the process of a child and waits for its start.
  private void begins(DynamicChild<A> child, Process made) {
    Pid pid = child.pid;
    child.isSupervisor = made instanceof StartOnce;
    children.put(pid, child);
    commands.submit(
        new AwaitStart(pid),
        event -> {
          if (pid.equals(child.pid) && Boolean.TRUE.equals(event.data())) {
            started(child);
          } // otherwise it has ended, which its monitor reports
        });
  }

  /// Called when a child has started; perhaps this is known, or it is stopping or has ended.
  private void started(DynamicChild<A> child) {
    if (child.state != State.STARTING) {
      return;
    }
    Reply<@Nullable Object> asker = child.asker;
    child.asker = null;
    if (child.failures != null) {
      child.failures.runningSinceNanos = nanos.getAsLong();
    }
    become(child, State.RUNNING);
    if (asker != null) {
      var _ = asker.complete(child.pid); // if the asker has given up, the child stays
    }
  }

  // ---- ends ----

  private void ended(DynamicChild<A> child, Exit exit) {
    boolean hadStarted = child.state != State.STARTING;
    if (child.state == State.STOPPING || closing) {
      over(child, State.STOPPED, exit);
    } else if (child.asker != null || !how.restart.isWanted(exit, hadStarted)) {
      over(child, exit.isFailure() || !hadStarted ? State.FAILED : State.EXITED, exit);
    } else if (limit.admits(nanos.getAsLong())) {
      backOff(child, exit);
    } else {
      over(child, State.FAILED, exit);
      failure = new RestartLimitException(child.pid, limit.allowed, exit.cause());
      closing = true;
    }
  }

  private void over(DynamicChild<A> child, State last, Exit exit) {
    children.remove(child.pid);
    counted(child.state, -1);
    child.state = last;
    if (child.asker != null) {
      child.asker.fail(
          exit.cause() != null
              ? exit.cause()
              : new StartRefusedException(
                  "the child has ended before it had started: " + exit.reason(), null));
    } else {
      StartOnce.notify(listener, () -> child.status(exit));
    }
    if (child.atEnd != null) {
      child.atEnd.forEach(reply -> reply.complete(exit));
    }
  }

  /// Ends a child for good.
  private void end(DynamicChild<A> child) {
    Failures failures = child.failures;
    if (child.state == State.BACKING_OFF && failures != null) {
      commands.forget(failures.pause);
      var _ = self().cancelCommand(failures.pause); // if it has a result, that is dropped
      over(child, State.STOPPED, failures.last);
      return;
    }
    become(child, State.STOPPING);
    ChildShutdown.begin(self(), child.pid, how.shutdown, child.isSupervisor, cancel);
  }

  private void close(StepOutput output) {
    if (toEnd == null) {
      toEnd = new ArrayDeque<>(children.values());
    }
    for (int i = 0; i < MOST_ENDS && !toEnd.isEmpty(); i++) {
      DynamicChild<A> child = toEnd.remove();
      if (child.state != State.STOPPING && children.get(child.pid) == child) {
        end(child);
      }
    }
    if (!toEnd.isEmpty()) {
      output.continueNow();
    } else if (children.isEmpty()) {
      if (failure != null) {
        throw failure;
      }
      output.shutdown(reason);
    }
  }

  // ---- restarts ----

  private void backOff(DynamicChild<A> child, Exit exit) {
    restarts++;
    Worker here = WorkerThread.currentWorker();
    if (here != null) {
      here.restarts();
    }
    if (child.failures == null) {
      child.failures = new Failures(exit);
    }
    Failures failures = child.failures;
    failures.last = exit;
    boolean quiet =
        child.state == State.RUNNING
            && nanos.getAsLong() - failures.runningSinceNanos >= backoff.maxDelay().toNanos();
    if (quiet) {
      failures.inARow = 0;
      failures.drawn = Duration.ZERO;
    }
    Duration delay = backoff.delay(++failures.inARow, failures.drawn);
    failures.drawn = delay;
    become(child, State.BACKING_OFF);
    failures.pause = commands.submit(new Pause(delay), _ -> startAgain(child));
  }

  private void startAgain(DynamicChild<A> child) {
    if (closing) {
      return; // shutdown will stop it
    }
    child.starts++;
    become(child, State.STARTING);
    Process made;
    Pid pid;
    try {
      made = make(child.argument);
      pid = spawn(made, child.argument);
    } catch (Throwable t) {
      ended(child, ChildStart.creationFailed(self(), t));
      return;
    }
    children.remove(child.pid);
    child.pid = pid;
    begins(child, made);
  }

  long restarts() {
    return restarts;
  }

  // ---- small things ----

  private int count(State state) {
    return counts.getOrDefault(state, 0);
  }

  private void counted(State state, int more) {
    var _ = counts.merge(state, more, Integer::sum);
  }

  private void become(DynamicChild<A> child, State state) {
    counted(child.state, -1);
    counted(state, 1);
    child.state = state;
    if (child.asker == null) {
      StartOnce.notify(listener, child::status);
    }
  }

  private ProcessContext self() {
    return Objects.requireNonNull(self);
  }
}
