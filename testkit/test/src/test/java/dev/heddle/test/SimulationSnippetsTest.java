// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The code that the documentation of simulations shows.
@Tag("once")
class SimulationSnippetsTest {
  @TempDir private Path folder;

  @Test
  void run() {
    // @start region=run
    SimulationResult<String> result =
        Simulation.run(() -> {
          Heddle.delay(Duration.ofDays(1)); // no real time
          return "done";
        });
    assertThat(result.value()).isEqualTo("done");
    assertThat(result.elapsed()).isEqualTo(Duration.ofDays(1));
    // @end
  }

  @Test
  void explore() {
    // @start region=explore
    Exploration covered =
        Simulation.explore(() -> {
          int[] counter = {0};
          Heddle.scope(scope -> {
            scope.spawn(() -> counter[0]++);
            scope.spawn(() -> counter[0]++);
            return null;
          });
          assertThat(counter[0]).isEqualTo(2); // in each order
        });
    assertThat(covered.runs()).isEqualTo(100);
    // @end
  }

  @Test
  void options() {
    // @start region=options
    SimulationOptions options =
        SimulationOptions.defaults()
            .withSeeds(1_000)
            .withStrategy(Strategy.pct(3))
            .withLoop(HeddleOptions.defaults().withStackSize(64 << 10));
    Simulation.explore(options, () -> Heddle.spawn(Heddle::yieldNow));
    // @end
    assertThat(options.seeds()).isEqualTo(1_000);
  }

  // @start region=fresh
  static final class CallOfALibrary implements Action {
    @Override
    public void run() {
      // calls classes of org.example.library, whose static state is new
    }
  }

  @Test
  void fresh() {
    SimulationOptions options =
        SimulationOptions.defaults().withFreshClasses("org.example.library");
    Simulation.explore(options, new CallOfALibrary());
  }

  // @end

  @Test
  void strategy() {
    // @start region=strategy
    SimulationOptions options = SimulationOptions.defaults();
    Exploration all =
        Simulation.explore(
            options.withStrategy(Strategy.exhaustive(10_000)),
            () -> {
              Heddle.spawn(Heddle::yieldNow);
              Heddle.spawn(Heddle::yieldNow);
            });
    assertThat(all.complete()).isTrue();
    // @end
  }

  @Test
  void result() {
    // @start region=result
    SimulationResult<?> result =
        Simulation.record(SimulationOptions.defaults().withSeed(17), () -> Heddle.spawn(() -> 1));
    if (result.failure() != null) {
      result.writeTrace(folder.resolve("seed-17.json")); // for ui.perfetto.dev
    }
    // @end
    assertThat(result.failure()).isNull();
  }

  @Test
  void decisions() {
    // @start region=decisions
    SimulationResult<?> result =
        Simulation.run(() -> {
          Heddle.launch("one", Heddle::yieldNow);
          Heddle.launch("two", Heddle::yieldNow);
        });
    for (Decision decision : result.decisions()) {
      IO.println(decision); // decision 0 at 0 ms: two, number 2 of 2 that were ready
    }
    // @end
    assertThat(result.decisions()).isNotEmpty();
  }

  @Test
  void failure() {
    // @start region=failure
    try {
      Simulation.explore(Programs::lostUpdate);
    } catch (SimulationError e) {
      e.result().writeTrace(folder.resolve("failed.json"));
      IO.println(e.getMessage()); // with the line that replays it
    }
    // @end
    assertThat(folder.resolve("failed.json")).isNotEmptyFile();
  }
}
