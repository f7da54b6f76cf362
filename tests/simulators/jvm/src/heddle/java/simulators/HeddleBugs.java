// SPDX-License-Identifier: Apache-2.0
package simulators;

import dev.heddle.Action;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationOptions;

/// The programs under Heddle, 1,000 seeds each.
final class HeddleBugs {
  private static final int SEEDS = 1_000;

  private HeddleBugs() {}

  /// @param kind `coroutines`, for which the agent is not needed, or `threads`
  public static void main(String[] kind) {
    if (kind[0].equals("coroutines")) {
      count("lostUpdate", CoroutineBugs::lostUpdate);
      count("forgottenTimeout", CoroutineBugs::forgottenTimeout);
      count("lockOrder", CoroutineBugs::lockOrder);
      count("expiredEntry", CoroutineBugs::expiredEntry);
      count("race", CoroutineBugs::race);
    } else {
      count("lostUpdate", Bugs::lostUpdate);
      count("forgottenTimeout", Bugs::forgottenTimeout);
      count("lockOrder", Bugs::lockOrder);
      count("expiredEntry", Bugs::expiredEntry);
      count("race", Bugs::race);
      count("reordering", Bugs::reordering);
    }
  }

  private static void count(String name, Action program) {
    int failed = 0;
    int first = -1;
    for (int seed = 0; seed < SEEDS; seed++) {
      SimulationOptions options = SimulationOptions.defaults().withSeed(seed);
      if (Simulation.record(options, () -> run(program)).failure() != null) {
        first = failed == 0 ? seed : first;
        failed++;
      }
    }
    IO.println("%s: %d of %d seeds fail, the first is %d".formatted(name, failed, SEEDS, first));
  }

  private static boolean run(Action program) throws Exception {
    program.run();
    return true;
  }
}
