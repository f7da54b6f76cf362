// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.HeddleOptions;
import java.util.ArrayList;
import java.util.List;

/// Refuses options of a loop that a simulation would ignore.
final class LoopOptionsCheck {
  private LoopOptionsCheck() {}

  /// @throws IllegalArgumentException when there is one; the message names it
  static void check(HeddleOptions options) {
    HeddleOptions usual = HeddleOptions.defaults();
    List<String> ignored = new ArrayList<>();
    if (!options.driver().equals(usual.driver())) {
      ignored.add("driver '" + options.driver() + "' (it has one of its own)");
    }
    if (options.handleSignals()) {
      ignored.add("handleSignals (it has no signals)");
    }
    if (!options.holdLimit().equals(usual.holdLimit())) {
      ignored.add("holdLimit (it has no watchdog; see SimulationOptions.withPatience)");
    }
    if (!options.stallLimit().equals(usual.stallLimit())) {
      ignored.add("stallLimit (it finds deadlocks at once)");
    }
    if (!ignored.isEmpty()) {
      throw new IllegalArgumentException(
          "a simulation ignores these options of its loop, so leave them out: "
              + String.join(", ", ignored));
    }
  }
}
