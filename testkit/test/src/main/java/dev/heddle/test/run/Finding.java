// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import org.jspecify.annotations.Nullable;

/// Something that a run has left behind, or that no code has observed.
///
/// @param kind its kind
/// @param what it, in words
/// @param failure null: there is no throwable
public record Finding(Kind kind, String what, @Nullable Throwable failure) {
  /// The kinds of findings.
  public enum Kind {
    /// A failure that no code of the program has observed.
    UNHANDLED,
    /// A call that the simulation refused, also where the program has caught the refusal: the run
    /// is not what the program means.
    REFUSED,
    /// Something that was started and not ended.
    LEAK
  }
}
