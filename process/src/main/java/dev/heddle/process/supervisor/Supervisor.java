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
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A process that starts others, its children, and starts them again when they fail.
///
/// Children are started in the order in which they were named, those that are after others not
/// before these have started; the others do not wait for each other. A child that cannot start
/// keeps back those that are after it, and nobody else. Before each restart there is a delay, which
/// grows from one failure of the child to the next, and is short again after a run that was longer
/// than the longest delay. When there are more restarts than [Builder#intensity] allows, the
/// supervisor ends its children and fails with a [RestartLimitException]; that is for its own
/// supervisor to deal with.
///
/// It ends its children in reverse order, one after the other, when it is cancelled: each is asked
/// first, and has the time that its specification gives it. When the supervisor itself is
/// terminated, its children end with it, over their links.
///
/// A child that is over stays in the report until another one is added with its name, in its place.
/// A temporary one is forgotten at once, unless others are after it: its end is for the listener.
///
/// Messages that it understands are [Children], [Add] and [End], sent with `ask`.
///
/// @since 0.1
public final class Supervisor implements Process {
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
   * Who has started before whom. A child can only be after children that were named before it, so the order of naming is an order in
   * which all can be started, and there are no circles. Who takes the place of one that is over takes its number too: others may be
   * after that name.
   *
   * Rejected. Delays in the children's specifications: one failing data base would need as many as it has clients. A backoff that
   * carries its own count: it was made anew for each try, and never grew (trap 56). P13; cases 175-182, 221.
   */

  /// Who is restarted with a child that has failed.
  public enum Strategy {
    /// nobody
    ONE_FOR_ONE,
    /// all its siblings
    ONE_FOR_ALL,
    /// its siblings that were named after it
    REST_FOR_ONE
  }

  /// Asks for the status of all children: the answer is a list of [ChildStatus], in their order,
  /// without temporary ones that are over.
  public record Children() {}

  /// Asks for one more child, or for another one in the place of a child that is over: the answer
  /// is its [ChildStatus].
  public record Add(ChildSpec child) {}

  /// Asks to end a child for good: the answer is its [ChildStatus], when it has ended.
  public record End(String child) {}

  private static final System.Logger LOG = System.getLogger("dev.heddle.process.supervisor");

  private final Strategy strategy;
  private final RestartLimit limit;
  private final Backoff backoff;
  private final Consumer<ChildStatus> listener;
  private final LongSupplier nanos;
  private final RandomGenerator random;
  private final Map<String, Child> children = new LinkedHashMap<>();
  private final Map<Long, Child> monitors = new HashMap<>();
  private final Map<Long, Consumer<ProcessEvent>> commands = new HashMap<>(); // by tag
  private final List<Recovery> recoveries = new ArrayList<>();
  private @Nullable ProcessContext self;
  private @Nullable StepOutput out; // of the step that runs
  private long lastTag = Long.MIN_VALUE; // far from those of what it was before an upgrade
  private int named; // children, from the first one on
  private boolean someSettled; // temporary ones, since the last look
  private boolean closing;
  private @Nullable Instant deadline; // of a cancellation
  private @Nullable RuntimeException failure; // with which it ends

  private Supervisor(Builder how) {
    this.strategy = how.strategy;
    this.limit = new RestartLimit(how.most, how.period);
    this.backoff = how.backoff;
    this.listener = how.listener;
    this.nanos = how.nanos;
    this.random = how.random;
    how.children.forEach(this::add);
  }

  /// Says how a supervisor is to be.
  public static Builder builder() {
    return new Builder();
  }

  private Child add(ChildSpec spec) {
    Child old = children.get(spec.name());
    if (old != null && !old.isSettled()) {
      throw new IllegalArgumentException(
          "there is a child '" + spec.name() + "' already; end it, or take another name");
    }
    int number = old == null ? named++ : old.number;
    for (String name : spec.after()) {
      Child before = children.get(name);
      if (before == null || before.number >= number) {
        throw new IllegalArgumentException(
            "child '%s' is after '%s', which has not been named before it; name it before"
                .formatted(spec.name(), name));
      }
    }
    Child child = new Child(spec, number);
    children.put(spec.name(), child); // in the place of the old one
    return child;
  }

  // ---- steps ----

  @Override
  public void init(ProcessContext context, String method, @Nullable Object input) {
    self = context;
    context.trapExits(true);
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput output) {
    out = output;
    events.forEach(this::take);
    if (!closing) {
      startThoseThatMay();
    }
    if (!closing) {
      recoveries.forEach(this::advance);
      forgetThoseSettled();
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
      case Signal.Cancel cancel -> {
        deadline = cancel.deadline();
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
    boolean ofChild = children.values().stream().anyMatch(child -> exit.pid().equals(child.pid));
    if (!ofChild && !closing) {
      fail(
          new IllegalStateException(
              "the supervisor was linked to " + exit.pid() + ", which has ended: " + exit.reason(),
              exit.cause()));
    }
  }

  private void answer(Request request) {
    switch (request.message()) {
      case Children _ ->
          request.reply().with(children.values().stream().map(Child::status).toList());
      case Add add -> {
        try {
          request.reply().with(add(add.child()).status());
        } catch (IllegalArgumentException e) {
          request.reply().failed(e);
        }
      }
      case End end -> {
        Child child = children.get(end.child());
        if (child == null) {
          request
              .reply()
              .failed(
                  new IllegalArgumentException(
                      "no child '" + end.child() + "'; there are " + children.keySet()));
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
    Recovery recovery = recoveryOf(child);
    if (recovery != null) {
      recovery.members.remove(child);
      if (recovery.members.isEmpty()) {
        callOff(recovery);
        recoveries.remove(recovery);
      }
    }
    if (!child.isAlive()) {
      become(child, child.isOver() ? child.state : State.STOPPED);
    } else if (child.state != State.STOPPING) {
      stop(child);
    }
  }

  /// A temporary child that is over is forgotten, unless others are after it, who look whether it
  /// has started.
  private void forgetThoseSettled() {
    if (!someSettled) {
      return;
    }
    someSettled = false;
    Set<String> needed = new HashSet<>();
    children.values().forEach(child -> needed.addAll(child.spec.after()));
    children
        .values()
        .removeIf(child -> child.isForgettable() && !needed.contains(child.spec.name()));
  }

  // ---- starts ----

  private void startThoseThatMay() {
    for (Child child : children.values()) {
      if (!closing
          && child.state == State.WAITING
          && child.spec.after().stream().allMatch(n -> child(n).hasStarted())) {
        start(child);
      }
    }
  }

  private Child child(String name) {
    return Objects.requireNonNull(children.get(name));
  }

  private void start(Child child) {
    child.starts++;
    become(child, State.STARTING);
    Pid pid;
    try {
      Process made = child.spec.factory().call();
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
        || children.values().stream().anyMatch(other -> other != child && pid.equals(other.pid))) {
      throw new IllegalStateException(
          "the name of the child belongs to " + pid + "; end that one, or take another name");
    }
  }

  // ---- ends ----

  private void ended(Child child, Exit exit) {
    child.exit = exit;
    if (child.state == State.STOPPING || recoveryOf(child) != null) {
      boolean again = recoveryOf(child) != null && !child.isTemporary();
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
    if (deadline != null) {
      Duration left = Duration.between(Instant.now(), deadline);
      within = left.compareTo(within) < 0 ? left : within;
    }
    try {
      self()
          .runtime()
          .cancel(
              Objects.requireNonNull(child.pid),
              "its supervisor ends it",
              within.isNegative() ? Duration.ZERO : within);
    } catch (SendFailedException _) {
      // safe: it has ended; its monitor is about to tell
    }
  }

  /// Goes on with the end of children, the last first, each when the one before has ended.
  ///
  /// @return whether there is none left to end
  private boolean haveEnded(List<Child> some) {
    for (Child child : some.reversed()) {
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
    recoveries.forEach(this::callOff);
    recoveries.clear();
    if (!haveEnded(List.copyOf(children.values()))) {
      return;
    }
    for (Child child : children.values()) {
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

  private static final class Recovery {
    final List<Child> members = new ArrayList<>(); // in their order
    final Duration delay;
    long pause; // the tag of the command; 0 while it was not yielded

    Recovery(Duration delay) {
      this.delay = delay;
    }
  }

  private @Nullable Recovery recoveryOf(Child child) {
    for (Recovery recovery : recoveries) {
      if (recovery.members.contains(child)) {
        return recovery;
      }
    }
    return null;
  }

  private void recover(Child failed) {
    boolean quiet =
        failed.state == State.RUNNING
            && nanos.getAsLong() - failed.runningSinceNanos >= backoff.maximum().toNanos();
    failed.failures = quiet ? 0 : failed.failures;
    Recovery recovery = new Recovery(backoff.before(failed.failures++, random));
    List<Child> pending = List.of();
    if (strategy != Strategy.ONE_FOR_ONE && !recoveries.isEmpty()) {
      callOff(recoveries.getFirst());
      pending = recoveries.removeFirst().members;
    }
    for (Child child : children.values()) {
      if (child == failed || pending.contains(child) || isRestartedWith(failed, child)) {
        recovery.members.add(child);
      }
    }
    recoveries.add(recovery);
    for (Child child : recovery.members) {
      child.delay = recovery.delay;
      if (child == failed || !child.isAlive()) {
        become(child, State.BACKING_OFF);
      }
    }
  }

  private boolean isRestartedWith(Child failed, Child other) {
    boolean named =
        switch (strategy) {
          case ONE_FOR_ONE -> false;
          case ONE_FOR_ALL -> true;
          case REST_FOR_ONE -> other.number > failed.number;
        };
    return named && !other.isOver() && (other.isAlive() || !other.isTemporary());
  }

  private void advance(Recovery recovery) {
    if (recovery.pause == 0 && haveEnded(recovery.members)) {
      recovery.members.removeIf(child -> child.state == State.STOPPED); // a temporary one
      recovery.pause =
          command(
              new SupervisorCommands.Pause(recovery.delay),
              _ -> {
                recoveries.remove(recovery);
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
    someSettled |= child.isForgettable();
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

  /// Says how a supervisor is to be. For one thread; each method returns the builder.
  ///
  /// @since 0.1
  public static final class Builder {
    private final List<ChildSpec> children = new ArrayList<>();
    private Strategy strategy = Strategy.ONE_FOR_ONE;
    private int most = 10;
    private Duration period = Duration.ofMinutes(1);
    private Backoff backoff = Backoff.DEFAULT;
    private Consumer<ChildStatus> listener = _ -> {};
    private LongSupplier nanos = System::nanoTime;
    private RandomGenerator random = RandomGenerator.getDefault();

    private Builder() {}

    /// Names a child; they are started in this order.
    public Builder child(ChildSpec spec) {
      children.add(Objects.requireNonNull(spec, "spec"));
      return this;
    }

    /// Who is restarted with a child that has failed; nobody where this is not said.
    public Builder strategy(Strategy of) {
      this.strategy = Objects.requireNonNull(of, "strategy");
      return this;
    }

    /// How many restarts there may be within a period, before the supervisor gives up; 10 within a
    /// minute where this is not said. A restart of several children counts once.
    ///
    /// @param restarts 0 for none
    public Builder intensity(int restarts, Duration within) {
      if (restarts < 0 || within.isNegative()) {
        throw new IllegalArgumentException(
            "neither may be negative: " + restarts + " restarts within " + within);
      }
      this.most = restarts;
      this.period = within;
      return this;
    }

    /// How long to wait before a restart; [Backoff#DEFAULT] where this is not said.
    public Builder backoff(Backoff of) {
      this.backoff = Objects.requireNonNull(of, "backoff");
      return this;
    }

    /// Is told of each change of a child. Must not block; what it throws is logged. **Thread** that
    /// of the supervisor's step.
    public Builder listener(Consumer<ChildStatus> of) {
      this.listener = Objects.requireNonNull(of, "listener");
      return this;
    }

    /// Where time and chance come from; for tests, which also let [SupervisorCommands.Pause] be
    /// carried out by a handler of their own.
    ///
    /// @param nanoTime counts nanoseconds from anywhere
    /// @param chance for the jitter
    public Builder sources(LongSupplier nanoTime, RandomGenerator chance) {
      this.nanos = Objects.requireNonNull(nanoTime, "nanoTime");
      this.random = Objects.requireNonNull(chance, "chance");
      return this;
    }

    /// The process: to be spawned once.
    ///
    /// @throws IllegalArgumentException when two children have one name, or one is after another
    ///   that was not named before it
    public Supervisor build() {
      return new Supervisor(this);
    }
  }
}
