// SPDX-License-Identifier: Apache-2.0
package simulators;

import dev.heddle.Action;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationOptions;

/// The programs under Heddle, each with a number of seeds.
final class HeddleBugs {
  private final int seeds;

  private HeddleBugs(int seeds) {
    this.seeds = seeds;
  }

  /// @param arguments `coroutines`, for which the agent is not needed, or `threads`; the number of
  ///   seeds
  public static void main(String[] arguments) {
    HeddleBugs bugs = new HeddleBugs(Integer.parseInt(arguments[1]));
    if (arguments[0].equals("coroutines")) {
      bugs.countCoroutines();
    } else {
      bugs.countThreads();
    }
  }

  private void countCoroutines() {
    count("lostUpdate", CoroutineBugs::lostUpdate);
    count("forgottenTimeout", CoroutineBugs::forgottenTimeout);
    count("lockOrder", CoroutineBugs::lockOrder);
    count("expiredEntry", CoroutineBugs::expiredEntry);
    count("race", CoroutineBugs::race);
  }

  private void countThreads() {
    count("lostUpdate", Bugs::lostUpdate);
    count("forgottenTimeout", Bugs::forgottenTimeout);
    count("lockOrder", Bugs::lockOrder);
    count("expiredEntry", Bugs::expiredEntry);
    count("race", Bugs::race);
    count("reordering", Bugs::reordering);
  }

  private void count(String name, Action program) {
    int failed = 0;
    int first = -1;
    for (int seed = 0; seed < seeds; seed++) {
      SimulationOptions options = SimulationOptions.defaults().withSeed(seed);
      if (Simulation.record(options, () -> run(program)).failure() != null) {
        first = failed == 0 ? seed : first;
        failed++;
      }
    }
    IO.println("%s: %d of %d seeds fail, the first is %d".formatted(name, failed, seeds, first));
  }

  private static boolean run(Action program) throws Exception {
    program.run();
    return true;
  }
}
