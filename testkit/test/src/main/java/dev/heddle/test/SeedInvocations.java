// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.world.WorldAgent;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/// The invocations of one test method, one after the other: JUnit asks for the next one when the
/// one before has ended.
final class SeedInvocations implements Iterator<TestTemplateInvocationContext> {
  private final SimulationOptions options;
  private final @Nullable ScheduleSearch search; // of an exhaustive test
  private int begun;
  private boolean isWarm; // see Runs.warmUp
  private boolean failed;

  SeedInvocations(SimulationOptions options) {
    this.options = Replay.of(options);
    Runs.prepareAgent(this.options);
    this.isWarm = !WorldAgent.isInstalled();
    this.search =
        this.options.strategy() instanceof Strategy.Exhaustive all
                && this.options.schedule() == null
            ? new ScheduleSearch(all.runs(), all.preemptions())
            : null;
  }

  Stream<TestTemplateInvocationContext> stream() {
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, 0), false);
  }

  @Override
  public boolean hasNext() {
    return search == null ? begun < options.seeds() : search.hasNext();
  }

  @Override
  public TestTemplateInvocationContext next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    if (!isWarm) {
      isWarm = true;
      return new SeedInvocation(null, options, Runs.chooser(options), "warm-up");
    }
    int number = begun++;
    if (search != null) {
      return new SeedInvocation(this, options, search.next(), "schedule " + number);
    }
    SimulationOptions one = options.withSeed(options.seed() + number);
    return new SeedInvocation(this, one, Runs.chooser(one), "seed " + one.seed());
  }

  /// Takes note of a run.
  ///
  /// @return whether it is the first one that failed
  boolean ended(SimulationResult<?> result) {
    if (search != null) {
      search.took(result.course());
    }
    boolean first = !failed && result.failure() != null;
    failed |= first;
    return first;
  }
}
