// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Body;
import dev.heddle.test.run.Chooser;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Runs a program again and again, until a run fails or all are done.
final class Explorer {
  private final SimulationOptions options;
  private final Body<@Nullable Void> main;
  private final Set<Long> courses = new HashSet<>();
  private Duration elapsed = Duration.ZERO;
  private int runs;

  Explorer(SimulationOptions options, Body<@Nullable Void> main) {
    this.options = options;
    this.main = main;
  }

  Exploration explore() {
    boolean complete =
        (options.strategy() instanceof Strategies.Exhaustive all && options.schedule() == null)
            ? exploreAll(all)
            : exploreSeeds();
    return new Exploration(runs, courses.size(), complete, elapsed);
  }

  private boolean exploreSeeds() {
    int seeds = options.schedule() == null ? options.seeds() : 1; // it leaves nothing to chance
    for (int i = 0; i < seeds; i++) {
      SimulationOptions one = options.withSeed(options.seed() + i);
      run(one, () -> Runs.chooser(one));
    }
    return false;
  }

  private boolean exploreAll(Strategies.Exhaustive all) {
    ScheduleSearch search = new ScheduleSearch(all.runs(), all.preemptions());
    while (search.hasNext()) {
      Chooser next = search.next();
      SimulationResult<?> result = run(options, () -> next);
      String departure = search.took(result);
      if (departure != null) {
        throw FailureText.of(result.failedBy(departure), runs).error();
      }
    }
    return search.isComplete();
  }

  private SimulationResult<?> run(SimulationOptions one, Supplier<Chooser> chooser) {
    SimulationResult<?> result = Runs.<@Nullable Void>record(one, chooser, main).asReplay(one);
    runs++;
    courses.add(result.fingerprint());
    elapsed = elapsed.plus(result.elapsed());
    if (result.failure() != null) {
      throw shrunk(one, result).error();
    }
    return result;
  }

  private FailureText shrunk(SimulationOptions one, SimulationResult<?> found) {
    boolean wasStopped = Thread.currentThread().isInterrupted(); // as each other run would be
    if (!options.shrinks() || !found.isShrinkable() || wasStopped) {
      return FailureText.of(found, runs);
    }
    Shrinker shrinker =
        new Shrinker(schedule -> Runs.<@Nullable Void>record(one, () -> schedule, main), found);
    return FailureText.of(shrinker, found, runs);
  }
}
