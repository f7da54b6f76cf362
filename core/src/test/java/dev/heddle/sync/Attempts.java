// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What tests of retries do in virtual time: they run a body that fails a number of times, and see
/// when.
final class Attempts {
  final List<Object> log = new ArrayList<>();
  int count;

  private final Simulation simulation = new Simulation(1);

  void run(Action main) {
    Body<Boolean> body =
        () -> {
          main.run();
          return true;
        };
    var _ = simulation.<Boolean>run(body);
  }

  Duration elapsed() {
    return simulation.elapsed();
  }

  /// Fails in the first `failures` attempts.
  String failing(int failures) {
    count++;
    log.add(elapsed().toSeconds());
    if (count <= failures) {
      throw new IllegalStateException("attempt " + count);
    }
    return "attempt " + count;
  }
}
