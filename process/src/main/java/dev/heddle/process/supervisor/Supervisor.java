// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A process that starts other processes, its children, and restarts them when they fail.
///
/// Children are started in the order in which they were named. A child that is specified to start
/// after others waits for these; otherwise children do not wait for each other. A child that cannot
/// start delays only those that start after it; [Builder#firstStart] can make this the end of the
/// supervisor. Before each restart there is a delay, which grows from one failure of the child to
/// the next, and is short again after a run longer than the longest delay. If more restarts are
/// needed than [Builder#intensity] allows, the supervisor ends its children and fails with a
/// [RestartLimitException], which its own supervisor handles.
///
/// The supervisor itself has started when all children that were named to its builder have started
/// or ended for good. So a child of another supervisor that starts after this one finds them all.
///
/// When it is cancelled, it ends its children in reverse order, one after the other, each as its
/// specification says. When it is terminated, its children end with it, by their links.
///
/// A child that has ended for good stays in the status until another child is added with its name,
/// in its place, or it is removed. A temporary one is forgotten at once, unless others start after
/// it; only the listener gets its end.
///
/// Its messages are [WhichChildren], [StartChild], [StopChild], [RestartChild] and [RemoveChild],
/// sent with `ask`. For many children of one kind that come and go, use a [DynamicSupervisor].
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=supervisor}
///
/// @since 0.1
public final class Supervisor implements StartOnce {
  /// The children that are restarted together with one that has failed.
  public enum Strategy {
    /// none
    ONE_FOR_ONE,
    /// all its siblings
    ONE_FOR_ALL,
    /// its siblings that were named after it
    REST_FOR_ONE
  }

  /// Whether the supervisor ends when significant children have ended by themselves, for good.
  /// Children that it was asked to end do not count.
  public enum AutoShutdown {
    /// it does not
    NEVER,
    /// when one of them has ended
    ANY,
    /// when the last of them has ended
    ALL
  }

  /// What the supervisor does when the first start of a child that was named to the builder fails.
  public enum FirstStart {
    /// it tries again after a delay, as often as the intensity allows
    RETRY,
    /// it ends the children that have started, and fails with a [ChildStartException]
    FAIL
  }

  /// Requests the status of all children: the reply is a list of [ChildStatus], in their order,
  /// without temporary ones that have ended for good.
  public record WhichChildren() {}

  /// Adds a child, or replaces one that has ended for good: the reply is its [ChildStatus], at
  /// once. The supervisor starts it when its turn has come, even if the asker has given up.
  public record StartChild(ChildSpec child) {}

  /// Ends a child for good: the reply is its [ChildStatus], when it has ended.
  public record StopChild(String child) {}

  /// Starts a child again that has ended for good: the reply is its [ChildStatus], at once.
  public record RestartChild(String child) {}

  /// Removes a child that has ended for good: the reply is its last [ChildStatus].
  public record RemoveChild(String child) {}

  private final SupervisorLogic logic;
  private final AtomicBoolean begun = new AtomicBoolean();

  private Supervisor(Builder how) {
    logic = new SupervisorLogic(how);
  }

  /// Configures a supervisor.
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public void init(ProcessContext context, String method, @Nullable Object input) {
    StartOnce.checkBeginsOnce(begun);
    logic.begin(context);
  }

  /// True: it has started when each child of the builder has started, or ended for good.
  @Override
  public boolean reportsReady() {
    return true;
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput output) {
    logic.step(events, output);
  }

  /// The number of times that it has begun to restart children. **Thread** any; the value may be a
  /// moment old.
  public long restarts() {
    return logic.restarts();
  }

  /// Configures a supervisor. For one thread; each method returns the builder.
  ///
  /// @since 0.1
  public static final class Builder {
    /// The default number of restarts within [#DEFAULT_PERIOD].
    public static final int DEFAULT_RESTARTS = RestartLimit.Allowed.USUAL.most();

    /// The period of [#DEFAULT_RESTARTS].
    public static final Duration DEFAULT_PERIOD = RestartLimit.Allowed.USUAL.period();

    /// The default delay before a restart: from 100 ms to 30 s, doubled each time, less a random
    /// part of up to a fifth.
    public static final Backoff DEFAULT_BACKOFF =
        Backoff.exponential(Duration.ofMillis(100)).withJitter(0.2);

    final List<ChildSpec> children = new ArrayList<>();
    Strategy strategy = Strategy.ONE_FOR_ONE;
    AutoShutdown autoShutdown = AutoShutdown.NEVER;
    FirstStart firstStart = FirstStart.RETRY;
    RestartLimit.Allowed intensity = RestartLimit.Allowed.USUAL;
    Backoff backoff = DEFAULT_BACKOFF;
    @Nullable Consumer<ChildStatus> listener;
    LongSupplier nanos = WorkerThread::nanoTime;
    @Nullable RandomGenerator random;

    private Builder() {}

    /// Adds a child; children are started in this order.
    public Builder child(ChildSpec spec) {
      children.add(Objects.requireNonNull(spec, "spec"));
      return this;
    }

    /// Sets which children are restarted together with one that has failed; by default, none.
    public Builder strategy(Strategy of) {
      this.strategy = Objects.requireNonNull(of, "strategy");
      return this;
    }

    /// Sets when the end of significant children ends the supervisor; by default, never. It then
    /// ends its other children, and itself normally.
    public Builder autoShutdown(AutoShutdown when) {
      this.autoShutdown = Objects.requireNonNull(when, "autoShutdown");
      return this;
    }

    /// Sets what follows a failed first start; by default, another try.
    public Builder firstStart(FirstStart failed) {
      this.firstStart = Objects.requireNonNull(failed, "firstStart");
      return this;
    }

    /// Sets the number of restarts within a period after which the supervisor gives up; by default,
    /// [#DEFAULT_RESTARTS] within [#DEFAULT_PERIOD]. A restart of several children counts once.
    ///
    /// @param restarts 0 for none
    /// @param within more than zero
    /// @throws IllegalArgumentException when the number is negative, or the period not positive
    public Builder intensity(int restarts, Duration within) {
      this.intensity = new RestartLimit.Allowed(restarts, within);
      return this;
    }

    /// Sets the delay before a restart; by default, [#DEFAULT_BACKOFF].
    public Builder backoff(Backoff of) {
      this.backoff = Objects.requireNonNull(of, "backoff");
      return this;
    }

    /// Sets a listener that is called with each change of a child. It must not block; what it
    /// throws is logged. **Thread** that of the supervisor's step.
    public Builder listener(Consumer<ChildStatus> of) {
      this.listener = Objects.requireNonNull(of, "listener");
      return this;
    }

    /// Sets the sources of time and randomness; for tests.
    ///
    /// @param nanoTime counts nanoseconds from an arbitrary origin
    /// @param chance for the jitter
    Builder sources(LongSupplier nanoTime, RandomGenerator chance) {
      this.nanos = Objects.requireNonNull(nanoTime, "nanoTime");
      this.random = Objects.requireNonNull(chance, "chance");
      return this;
    }

    /// Builds the process, to be spawned once. A second `spawn` of it starts a process that fails
    /// at once, and does not touch the first one.
    ///
    /// @throws IllegalArgumentException when two children have one name, a child is after one that
    ///   was not named before it, or is significant and cannot be
    public Supervisor build() {
      return new Supervisor(this);
    }
  }
}
