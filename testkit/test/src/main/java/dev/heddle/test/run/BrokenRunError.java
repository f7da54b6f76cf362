// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import org.jspecify.annotations.Nullable;

/// The simulation itself has failed: its carrier ended without a record of the run.
public final class BrokenRunError extends Error {
  private static final long serialVersionUID = 1;

  BrokenRunError(@Nullable Throwable cause) {
    super("the simulation itself has failed, not the program: its carrier ended early", cause);
  }
}
