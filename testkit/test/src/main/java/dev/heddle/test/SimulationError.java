// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.util.Objects;

/// A run of a [Simulation] has failed. The message says how to replay it; the cause is what the run
/// has thrown.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=failure}
///
/// @since 0.1
public final class SimulationError extends AssertionError {
  private static final long serialVersionUID = 1;

  private final transient SimulationResult<?> result;

  SimulationError(String message, SimulationResult<?> result) {
    super(message, Objects.requireNonNull(result.failure()));
    this.result = result;
  }

  /// The failing run; of an exploration that shrinks, the run with the shrunk schedule.
  public SimulationResult<?> result() {
    return result;
  }
}
