// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A process that starts others, its children, and starts them again when they fail.
///
/// Children are started in the order in which they were named, those that are after others not
/// before these have started; the others do not wait for each other. A child that cannot start
/// keeps back those that are after it, and nobody else; [Builder#firstStart] makes that the end of
/// the supervisor. Before each restart there is a delay, which grows from one failure of the child
/// to the next, and is short again after a run that was longer than the longest delay. When there
/// are more restarts than [Builder#intensity] allows, the supervisor ends its children and fails
/// with a [RestartLimitException]; that is for its own supervisor to deal with.
///
/// The supervisor itself counts as started when all children that were named to its builder have,
/// or are over: so a child of another supervisor that is after this one finds all of them.
///
/// It ends its children in reverse order, one after the other, when it is cancelled: each as its
/// specification says. When the supervisor itself is terminated, its children end with it, over
/// their links.
///
/// A child that is over stays in the report until another one is added with its name, in its place,
/// or it is removed. A temporary one is forgotten at once, unless others are after it: its end is
/// for the listener.
///
/// Messages that it understands are [Children], [StartChild], [StopChild], [RestartChild] and
/// [RemoveChild], sent with `ask`. Many children of one kind that come and go are for a
/// [DynamicSupervisor].
///
/// @since 0.1
public final class Supervisor implements StartOnce {
  /// Who is restarted with a child that has failed.
  public enum Strategy {
    /// nobody
    ONE_FOR_ONE,
    /// all its siblings
    ONE_FOR_ALL,
    /// its siblings that were named after it
    REST_FOR_ONE
  }

  /// When the supervisor ends because its significant children have ended: by themselves, and not
  /// to be started again. Children that it was asked to end do not count.
  public enum AutoShutdown {
    /// not for that reason
    NEVER,
    /// when one of them has
    ANY,
    /// when the last of them has
    ALL
  }

  /// What the supervisor does when the first start of a child that was named to the builder fails.
  public enum FirstStart {
    /// it tries again after the delay, as often as the intensity allows
    RETRY,
    /// it ends the children that have started, and fails with a [ChildStartException]
    FAIL
  }

  /// Asks for the status of all children: the answer is a list of [ChildStatus], in their order,
  /// without temporary ones that are over.
  public record Children() {}

  /// Asks for one more child, or for another one in the place of a child that is over: the answer
  /// is its [ChildStatus], at once. The supervisor starts it when its turn has come, also when the
  /// asker has given up.
  public record StartChild(ChildSpec child) {}

  /// Asks to end a child for good: the answer is its [ChildStatus], when it has ended.
  public record StopChild(String child) {}

  /// Asks to start a child again that is over: the answer is its [ChildStatus], at once.
  public record RestartChild(String child) {}

  /// Asks to forget a child that is over: the answer is its last [ChildStatus].
  public record RemoveChild(String child) {}

  private final SupervisorLogic supervisorLogic;
  private final AtomicBoolean begun = new AtomicBoolean();

  private Supervisor(Builder how) {
    supervisorLogic = new SupervisorLogic(how);
  }

  /// Says how a supervisor is to be.
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public void init(ProcessContext context, String method, @Nullable Object input) {
    StartOnce.checkBeginsOnce(begun);
    supervisorLogic.begin(context);
  }

  /// It has started when each child that was named to the builder has, or is over.
  @Override
  public boolean reportsReady() {
    return true;
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput output) {
    supervisorLogic.step(events, output);
  }

  /// Says how a supervisor is to be. For one thread; each method returns the builder.
  ///
  /// @since 0.1
  public static final class Builder {
    /// How many restarts there may be within [#DEFAULT_PERIOD] where nothing else is said.
    public static final int DEFAULT_RESTARTS = RestartLimit.Allowed.USUAL.most();

    /// The period of [#DEFAULT_RESTARTS].
    public static final Duration DEFAULT_PERIOD = RestartLimit.Allowed.USUAL.period();

    final List<ChildSpec> children = new ArrayList<>();
    Strategy strategy = Strategy.ONE_FOR_ONE;
    AutoShutdown autoShutdown = AutoShutdown.NEVER;
    FirstStart firstStart = FirstStart.RETRY;
    RestartLimit.Allowed intensity = RestartLimit.Allowed.USUAL;
    Backoff backoff = Backoff.defaults();
    @Nullable Consumer<ChildStatus> listener;
    LongSupplier nanos = System::nanoTime;
    @Nullable RandomGenerator random;

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

    /// When the end of significant children is the end of the supervisor; never where this is not
    /// said. It ends its other children then, and is done.
    public Builder autoShutdown(AutoShutdown when) {
      this.autoShutdown = Objects.requireNonNull(when, "autoShutdown");
      return this;
    }

    /// What a first start that fails leads to; another try where this is not said.
    public Builder firstStart(FirstStart failed) {
      this.firstStart = Objects.requireNonNull(failed, "firstStart");
      return this;
    }

    /// How many restarts there may be within a period, before the supervisor gives up;
    /// [#DEFAULT_RESTARTS] within [#DEFAULT_PERIOD] where this is not said. A restart of several
    /// children counts once.
    ///
    /// @param restarts 0 for none
    /// @param within more than zero
    /// @throws IllegalArgumentException when the number is negative, or the period not positive:
    ///   that would be no limit
    public Builder intensity(int restarts, Duration within) {
      this.intensity = new RestartLimit.Allowed(restarts, within);
      return this;
    }

    /// How long to wait before a restart; [Backoff#defaults()] where this is not said.
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

    /// Where time and chance come from; for tests.
    ///
    /// @param nanoTime counts nanoseconds from anywhere
    /// @param chance for the jitter
    Builder sources(LongSupplier nanoTime, RandomGenerator chance) {
      this.nanos = Objects.requireNonNull(nanoTime, "nanoTime");
      this.random = Objects.requireNonNull(chance, "chance");
      return this;
    }

    /// The process: to be spawned once. A second `spawn` of it starts a process that fails at once,
    /// and leaves the first one alone.
    ///
    /// @throws IllegalArgumentException when two children have one name, one is after another that
    ///   was not named before it, or one is significant and cannot be
    public Supervisor build() {
      return new Supervisor(this);
    }
  }
}
