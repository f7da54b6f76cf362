// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.process.supervisor.ChildSpec.Restart;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A process that starts any number of children of one kind on request: one for each connection,
/// session or job. OTP calls it `simple_one_for_one`, Elixir a `DynamicSupervisor`.
///
/// The template makes each child from the argument of [StartChild]. A child is known by its PID. A
/// start, an end and a restart take the same time however many children there are. Children have no
/// order: when the supervisor is cancelled, it cancels all of them at once, each with its own time,
/// and waits for the last. When it is terminated, its children end with it, by their links.
///
/// A start that fails is reported to its asker, and not tried again. A child that ends later is
/// restarted alone, as [Builder#restart] says, after a delay that grows from one failure of it to
/// the next. If more restarts are needed than [Builder#intensity] allows, the supervisor fails with
/// a [RestartLimitException].
///
/// A child that has ended for good is forgotten at once; only the listener, and processes that
/// monitor it, get its exit.
///
/// Its messages are [StartChild], [StopChild], [CountChildren] and [WhichChildren], sent with
/// `ask`. One process handles them all; if it is too slow, distribute the children over several of
/// these under a [Supervisor].
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=dynamic}
///
/// @since 0.1
public final class DynamicSupervisor implements StartOnce {
  /// Makes the process of a child.
  ///
  /// @param <A> of the argument of a start
  @FunctionalInterface
  public interface Template<A> {
    /// Returns a new process. Called on a worker, so it must not block. If it throws, the start
    /// fails.
    Process create(A argument) throws Exception;
  }

  /// Starts a child. The reply is its [Pid], when it has started: it has reported ready, or its
  /// `init` has returned. The request fails when the start fails, when there are
  /// [Builder#maxChildren] already, or when the supervisor is ending.
  ///
  /// The child belongs to the supervisor. It starts and stays even if the asker has given up
  /// meanwhile: [WhichChildren] lists it with its argument and PID, and its name leads to it.
  ///
  /// @param argument for the template; null if it takes none
  public record StartChild(@Nullable Object argument) {
    /// Without an argument.
    public StartChild() {
      this(null);
    }
  }

  /// Ends a child for good. The reply is its [dev.heddle.process.Exit], when it has ended.
  ///
  /// @param child the PID of the process that runs, or ran last
  public record StopChild(Pid child) {}

  /// Requests the number of children: the reply is [ChildCounts].
  public record CountChildren() {}

  /// Requests the status of all children: the reply is a list of [DynamicChildStatus], in no order.
  /// **Cost** grows with their number.
  public record WhichChildren() {}

  /// The number of children in each state.
  ///
  /// @param starting not started yet
  /// @param running started
  /// @param backingOff ended, to be restarted after a delay
  /// @param stopping being ended
  public record ChildCounts(int starting, int running, int backingOff, int stopping) {
    /// All of them.
    public int all() {
      return starting + running + backingOff + stopping;
    }
  }

  private final DynamicSupervisorLogic<?> logic;
  private final AtomicBoolean begun = new AtomicBoolean();

  private DynamicSupervisor(DynamicSupervisorLogic<?> logic) {
    this.logic = logic;
  }

  /// Configures a supervisor whose children are made from an argument.
  ///
  /// @param argument the class of the argument of a start; others are refused
  /// @param template makes the process of each child, for each start
  public static <A> Builder<A> builder(Class<A> argument, Template<A> template) {
    Objects.requireNonNull(argument, "argument");
    Objects.requireNonNull(template, "template");
    return new Builder<>(argument, template);
  }

  /// Configures a supervisor whose children need no argument.
  ///
  /// @param factory makes the process of each child, for each start
  public static Builder<Void> builder(Callable<? extends Process> factory) {
    Objects.requireNonNull(factory, "factory");
    return new Builder<>(Void.class, _ -> factory.call());
  }

  @Override
  public void init(ProcessContext context, String method, @Nullable Object input) {
    StartOnce.checkBeginsOnce(begun);
    logic.begin(context);
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

  /// Configures a dynamic supervisor. For one thread; each method returns the builder.
  ///
  /// @param <A> of the argument of a start
  /// @since 0.1
  public static final class Builder<A> {
    final Class<A> argument;
    final Template<A> template;
    StartOptions options = StartOptions.defaults();
    @Nullable Function<? super A, String> name;
    Restart restart = Restart.TEMPORARY;
    Shutdown shutdown = Shutdown.byDefault();
    int maxChildren = Integer.MAX_VALUE;
    RestartLimit.Allowed intensity = RestartLimit.Allowed.USUAL;
    Backoff backoff = Supervisor.Builder.DEFAULT_BACKOFF;
    @Nullable Consumer<DynamicChildStatus> listener;
    LongSupplier nanos = WorkerThread::nanoTime;
    @Nullable RandomGenerator random;

    private Builder(Class<A> argument, Template<A> template) {
      this.argument = argument;
      this.template = template;
    }

    /// A copy for the supervisor, which later calls do not change.
    Builder<A> copy() {
      Builder<A> copy = new Builder<>(argument, template);
      copy.options = options;
      copy.name = name;
      copy.restart = restart;
      copy.shutdown = shutdown;
      copy.maxChildren = maxChildren;
      copy.intensity = intensity;
      copy.backoff = backoff;
      copy.listener = listener;
      copy.nanos = nanos;
      copy.random = random;
      return copy;
    }

    /// Sets how the children are started; by default, [StartOptions#defaults()]. The supervisor is
    /// their parent, and linked to them.
    ///
    /// @throws IllegalArgumentException when they have a name, which only one child could take; or
    ///   set what the supervisor sets: a parent, a time for the shutdown, or that children outlive
    ///   the supervisor
    public Builder<A> options(StartOptions of) {
      if (of.name() != null) {
        throw new IllegalArgumentException(
            "only one child could have the name '%s'; give each its own by name(argument -> ...)"
                .formatted(of.name()));
      }
      ChildStart.check(of, "shutdown of the DynamicSupervisor");
      this.options = of;
      return this;
    }

    /// Sets the name under which each child is registered; by default, none. By its name a child is
    /// found again after a restart. A start whose name is taken fails.
    public Builder<A> name(Function<? super A, String> of) {
      this.name = Objects.requireNonNull(of, "name");
      return this;
    }

    /// Sets when a child is restarted; by default, never, because its asker would not know the new
    /// PID.
    public Builder<A> restart(Restart when) {
      this.restart = Objects.requireNonNull(when, "restart");
      return this;
    }

    /// Sets how a child is ended; by default, [Shutdown#byDefault].
    public Builder<A> shutdown(Shutdown how) {
      this.shutdown = Objects.requireNonNull(how, "shutdown");
      return this;
    }

    /// Sets the maximum number of children, including those that wait for a restart; by default, no
    /// bound. A further start fails with a [dev.heddle.process.StartRefusedException].
    ///
    /// @throws IllegalArgumentException when it is less than one
    public Builder<A> maxChildren(int most) {
      if (most < 1) {
        throw new IllegalArgumentException("maxChildren must be at least 1: " + most);
      }
      this.maxChildren = most;
      return this;
    }

    /// Sets the number of restarts, of all children together, within a period after which the
    /// supervisor gives up; by default, 10 within a minute.
    ///
    /// @param restarts 0 for none
    /// @param within more than zero
    /// @throws IllegalArgumentException when the number is negative, or the period not positive
    public Builder<A> intensity(int restarts, Duration within) {
      this.intensity = new RestartLimit.Allowed(restarts, within);
      return this;
    }

    /// Sets the delay before a restart; by default, [Supervisor.Builder#DEFAULT_BACKOFF].
    public Builder<A> backoff(Backoff of) {
      this.backoff = Objects.requireNonNull(of, "backoff");
      return this;
    }

    /// Sets a listener that is called with each change of a child that has started once. It must
    /// not block; what it throws is logged. **Thread** that of the supervisor's step.
    public Builder<A> listener(Consumer<DynamicChildStatus> of) {
      this.listener = Objects.requireNonNull(of, "listener");
      return this;
    }

    /// Sets the sources of time and randomness; for tests.
    ///
    /// @param nanoTime counts nanoseconds from an arbitrary origin
    /// @param chance for the jitter
    Builder<A> sources(LongSupplier nanoTime, RandomGenerator chance) {
      this.nanos = Objects.requireNonNull(nanoTime, "nanoTime");
      this.random = Objects.requireNonNull(chance, "chance");
      return this;
    }

    /// Builds the process, to be spawned once. A second `spawn` of it starts a process that fails
    /// at once, and does not touch the first one.
    public DynamicSupervisor build() {
      return new DynamicSupervisor(new DynamicSupervisorLogic<>(this));
    }
  }
}
