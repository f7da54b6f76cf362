// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import dev.heddle.process.supervisor.ChildSpec.Restart;
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

/// A process that starts children of one kind, as many as it is asked for, while it runs: one for
/// each connection, session or job. OTP calls it `simple_one_for_one`, Elixir a
/// `DynamicSupervisor`.
///
/// Each child is made by the template, of the argument that came with [StartChild], and is known by
/// its PID. A start, an end and a restart take the same time however many children there are. Their
/// order is not kept: when the supervisor is cancelled it asks all of them to end at once, each
/// with its own time, and waits for the last. When the supervisor is terminated, its children end
/// with it, over their links.
///
/// A start that fails is for whoever has asked for it, and is not tried again. A child that ends
/// later is started again when [Builder#restart] says so, alone, after a delay that grows from one
/// failure of it to the next. More restarts than [Builder#intensity] allows end the supervisor with
/// a [RestartLimitException].
///
/// A child that is over is forgotten at once: its end is for the listener, and for those that
/// monitor it.
///
/// Messages that it understands are [StartChild], [StopChild], [Count] and [Children], sent with
/// `ask`. One process answers them all; where that is too little, a [Supervisor] of several of
/// these shares the children out.
///
/// @since 0.1
public final class DynamicSupervisor implements StartOnce {
  /// Makes the process of a child.
  ///
  /// @param <A> of the argument of a start
  @FunctionalInterface
  public interface Template<A> {
    /// A new process. On a worker, so it must not block. What it throws fails that start.
    Process create(A argument) throws Exception;
  }

  /// Asks for one more child. The answer is its [Pid], when it has started: it has said so, or its
  /// `init` has returned. It fails when the start fails, when there are as many as there may be, or
  /// when the supervisor is ending.
  ///
  /// The child is the supervisor's. It is started, and lives on, also when the asker has given up
  /// by then, by a deadline or a cancellation: [Children] lists it with its argument and PID, and
  /// its name leads to it.
  ///
  /// @param argument for the template; null for one that takes none
  public record StartChild(@Nullable Object argument) {
    /// Without an argument.
    public StartChild() {
      this(null);
    }
  }

  /// Asks to end a child for good. The answer is its [dev.heddle.process.Exit], when it has ended.
  ///
  /// @param child the PID of the process that runs, or ran last
  public record StopChild(Pid child) {}

  /// Asks how many children there are: the answer is [Counts].
  public record Count() {}

  /// Asks for the status of all children: the answer is a list of [DynamicChildStatus], in no
  /// order. **Cost** grows with their number.
  public record Children() {}

  /// How many children there are, by what they do.
  ///
  /// @param starting not started yet
  /// @param running started
  /// @param backingOff have ended, and will be started again after the delay
  /// @param stopping were told to end
  public record Counts(int starting, int running, int backingOff, int stopping) {
    /// All of them.
    public int all() {
      return starting + running + backingOff + stopping;
    }
  }

  private final DynamicSupervisorLogic<?> supervision;
  private final AtomicBoolean begun = new AtomicBoolean();

  private DynamicSupervisor(DynamicSupervisorLogic<?> supervision) {
    this.supervision = supervision;
  }

  /// Says how a supervisor of children that are made of an argument is to be.
  ///
  /// @param argument what a start is given; another class is refused
  /// @param template makes the process of each child, for each start
  public static <A> Builder<A> builder(Class<A> argument, Template<A> template) {
    Objects.requireNonNull(argument, "argument");
    Objects.requireNonNull(template, "template");
    return new Builder<>(argument, template);
  }

  /// Says how a supervisor of children that need no argument is to be.
  ///
  /// @param factory makes the process of each child, for each start
  public static Builder<Void> builder(Callable<? extends Process> factory) {
    Objects.requireNonNull(factory, "factory");
    return new Builder<>(Void.class, _ -> factory.call());
  }

  @Override
  public void init(ProcessContext context, String method, @Nullable Object input) {
    StartOnce.checkBeginsOnce(begun);
    supervision.begin(context);
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput output) {
    supervision.step(events, output);
  }

  /// Says how a dynamic supervisor is to be. For one thread; each method returns the builder.
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
    Backoff backoff = Backoff.defaults();
    @Nullable Consumer<DynamicChildStatus> listener;
    LongSupplier nanos = System::nanoTime;
    @Nullable RandomGenerator random;

    private Builder(Class<A> argument, Template<A> template) {
      this.argument = argument;
      this.template = template;
    }

    /// What was said up to now: the supervisor does not see what is said later.
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

    /// How the children are started; [StartOptions#defaults()] where this is not said. The
    /// supervisor is their parent, and linked to them.
    ///
    /// @throws IllegalArgumentException when they have a name, which only one child could take; or
    ///   say what the supervisor says: a parent, a time for the shutdown, or that children outlive
    ///   the supervisor
    public Builder<A> options(StartOptions of) {
      if (of.name() != null) {
        throw new IllegalArgumentException(
            "only one child could have the name '"
                + of.name()
                + "'; give each its own by name(argument -> ...)");
      }
      ChildOptions.check(of, "shutdown of the DynamicSupervisor");
      this.options = of;
      return this;
    }

    /// The name under which each child is registered; none where this is not said. So a child is
    /// found again when it was restarted. A start whose name is taken fails.
    public Builder<A> name(Function<? super A, String> of) {
      this.name = Objects.requireNonNull(of, "name");
      return this;
    }

    /// When a child is started again; never where this is not said: who has asked for it would not
    /// know its new PID.
    public Builder<A> restart(Restart when) {
      this.restart = Objects.requireNonNull(when, "restart");
      return this;
    }

    /// How a child is ended; [Shutdown#byDefault] where this is not said.
    public Builder<A> shutdown(Shutdown how) {
      this.shutdown = Objects.requireNonNull(how, "shutdown");
      return this;
    }

    /// How many children there may be, those included that wait for a restart; no bound where this
    /// is not said. One more is refused, with a [dev.heddle.process.StartRefusedException].
    ///
    /// @throws IllegalArgumentException when it is less than one
    public Builder<A> maxChildren(int most) {
      if (most < 1) {
        throw new IllegalArgumentException("a supervisor may have one child at least: " + most);
      }
      this.maxChildren = most;
      return this;
    }

    /// How many restarts, of all children together, there may be within a period, before the
    /// supervisor gives up; 10 within a minute where this is not said.
    ///
    /// @param restarts 0 for none
    /// @param within more than zero
    /// @throws IllegalArgumentException when the number is negative, or the period not positive
    public Builder<A> intensity(int restarts, Duration within) {
      this.intensity = new RestartLimit.Allowed(restarts, within);
      return this;
    }

    /// How long to wait before a restart; [Backoff#defaults()] where this is not said.
    public Builder<A> backoff(Backoff of) {
      this.backoff = Objects.requireNonNull(of, "backoff");
      return this;
    }

    /// Is told of each change of a child that has started once. Must not block; what it throws is
    /// logged. **Thread** that of the supervisor's step.
    public Builder<A> listener(Consumer<DynamicChildStatus> of) {
      this.listener = Objects.requireNonNull(of, "listener");
      return this;
    }

    /// Where time and chance come from; for tests.
    ///
    /// @param nanoTime counts nanoseconds from anywhere
    /// @param chance for the jitter
    Builder<A> sources(LongSupplier nanoTime, RandomGenerator chance) {
      this.nanos = Objects.requireNonNull(nanoTime, "nanoTime");
      this.random = Objects.requireNonNull(chance, "chance");
      return this;
    }

    /// The process: to be spawned once. A second `spawn` of it starts a process that fails at once,
    /// and leaves the first one alone.
    public DynamicSupervisor build() {
      return new DynamicSupervisor(new DynamicSupervisorLogic<>(this));
    }
  }
}
