// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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

  private final Supervision supervision;

  private Supervisor(Builder how) {
    supervision = new Supervision(how);
  }

  /// Says how a supervisor is to be.
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public void init(ProcessContext context, String method, @Nullable Object input) {
    supervision.begin(context);
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput output) {
    supervision.step(events, output);
  }

  /// Says how a supervisor is to be. For one thread; each method returns the builder.
  ///
  /// @since 0.1
  public static final class Builder {
    final List<ChildSpec> children = new ArrayList<>();
    Strategy strategy = Strategy.ONE_FOR_ONE;
    int most = 10;
    Duration period = Duration.ofMinutes(1);
    Backoff backoff = Backoff.DEFAULT;
    Consumer<ChildStatus> listener = _ -> {};
    LongSupplier nanos = System::nanoTime;
    RandomGenerator random = RandomGenerator.getDefault();

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
