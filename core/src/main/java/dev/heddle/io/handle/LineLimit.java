// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import java.io.IOException;

/// How long a line may be.
final class LineLimit {
  private LineLimit() {}

  static void require(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("the limit of a line must be positive, not " + limit);
    }
  }

  /// For a line that is longer.
  ///
  /// @param owner whose line it is
  static IOException exceeded(Object owner, int limit) {
    return new IOException(
        "a line of "
            + owner
            + " is longer than the limit of "
            + limit
            + " bytes; readLineUpTo() takes longer ones, and nothing of this one is lost");
  }
}
