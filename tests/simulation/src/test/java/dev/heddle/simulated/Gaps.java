// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import dev.heddle.simulated.program.Program;
import java.util.List;
import java.util.Set;

/// What simulations cannot do yet, and the programs that need it. A gap that is closed is removed
/// here; its programs are then explored like all others.
final class Gaps {
  /// Waits that come back for no reason.
  private static final Set<String> NEED_SPURIOUS_WAKE_UPS =
      Set.of("ParkSpuriousWakeup", "WaitSpuriousWakeup");

  /// A running thread that loses the processor for long, in virtual time.
  private static final Set<String> NEED_STALLS = Set.of("check-then-act on a cache with expiry");

  private Gaps() {}

  /// Those that need nothing that is missing.
  static List<Program> without(List<Program> programs) {
    return programs.stream().filter(program -> !isOne(program)).toList();
  }

  /// Those that need something that is missing.
  static List<Program> of(List<Program> programs) {
    return programs.stream().filter(Gaps::isOne).toList();
  }

  private static boolean isOne(Program program) {
    return NEED_SPURIOUS_WAKE_UPS.contains(program.name()) || NEED_STALLS.contains(program.name());
  }
}
