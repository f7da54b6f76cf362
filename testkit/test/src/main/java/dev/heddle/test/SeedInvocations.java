// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Chooser;
import dev.heddle.world.WorldAgent;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterators;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/// The invocations of one test method, one after the other: JUnit asks for the next one when the
/// one before has ended.
final class SeedInvocations implements Iterator<TestTemplateInvocationContext> {
  /// What an invocation that has ended means.
  enum Verdict {
    /// It has initialised classes; the next one is the same again. Or it warms up the JVM. See
    /// [Runs].
    DROPPED,
    /// It counts.
    COUNTS,
    /// It counts, and is the first one that failed.
    FIRST_FAILURE
  }

  /// @param result what counts of the run
  record Ended(Verdict verdict, SimulationResult<?> result) {}

  private record Planned(String name, SimulationOptions options, Supplier<Chooser> chooser) {}

  private final SimulationOptions options;
  private final @Nullable ScheduleSearch search; // of an exhaustive test
  private int begun;
  private boolean isWarm;
  private boolean failed;
  private boolean stopped; // by a run that does not end: the others would take as long
  private @Nullable Planned last;
  private boolean isRepeated; // the next one is the last one again
  private int repeats; // of the last one
  private @Nullable Throwable dropped; // the first failure of those before it

  SeedInvocations(SimulationOptions options) {
    this.options = Replay.of(options);
    Runs.prepareAgent(this.options);
    this.isWarm = !WorldAgent.isInstalled();
    this.search =
        this.options.strategy() instanceof Strategies.Exhaustive all
                && this.options.schedule() == null
            ? new ScheduleSearch(all.runs(), all.preemptions())
            : null;
  }

  Stream<TestTemplateInvocationContext> stream() {
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, 0), false);
  }

  @Override
  public boolean hasNext() {
    return !stopped && (isRepeated || hasOther());
  }

  private boolean hasOther() {
    return search == null ? begun < options.seeds() : search.hasNext();
  }

  @Override
  public TestTemplateInvocationContext next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    if (!isWarm) {
      isWarm = true;
      return new SeedInvocation(this, options, Runs.chooser(options), "warm-up");
    }
    Planned next = isRepeated ? Objects.requireNonNull(last) : plan();
    String name = isRepeated ? next.name + ", again, since it has initialised classes" : next.name;
    isRepeated = false;
    last = next;
    return new SeedInvocation(this, next.options, next.chooser.get(), name);
  }

  private Planned plan() {
    repeats = 0;
    int number = begun++;
    if (search != null) {
      Chooser chooser = search.next();
      return new Planned("schedule " + number, options, () -> chooser);
    }
    SimulationOptions one = options.withSeed(options.seed() + number);
    return new Planned("seed " + one.seed(), one, () -> Runs.chooser(one));
  }

  /// Whether the current invocation only warms up the JVM.
  boolean isWarmUp() {
    return last == null;
  }

  /// Takes note of a run.
  ///
  /// @param hasInitialised whether classes were initialised meanwhile
  Ended ended(SimulationResult<?> result, boolean hasInitialised) {
    stopped = result.isAbandoned();
    if (!stopped && (isWarmUp() || (hasInitialised && repeats++ < Runs.MOST_REPEATS))) {
      isRepeated = !isWarmUp();
      dropped = dropped == null ? result.failure() : dropped;
      return new Ended(Verdict.DROPPED, result);
    }
    Runs.reportDropped(dropped, result);
    dropped = null;
    String departure = search == null || stopped ? null : search.took(result);
    SimulationResult<?> counts =
        departure == null || result.failure() != null ? result : result.failedBy(departure);
    boolean first = !failed && counts.failure() != null;
    failed |= first;
    return new Ended(first ? Verdict.FIRST_FAILURE : Verdict.COUNTS, counts);
  }

  /// What an exhaustive test has covered, when it has ended; else null.
  @Nullable String coverage() {
    if (search == null || hasNext()) {
      return null;
    }
    return search.isComplete()
        ? "all %,d schedules were run".formatted(begun)
        : "%,d schedules were run, and there may be more".formatted(begun);
  }

  /// Whether it has covered all schedules.
  boolean isComplete() {
    return search != null && search.isComplete();
  }
}
