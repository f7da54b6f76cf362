// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import java.io.IOException;

/// Checks and reports limits of line lengths.
final class LineLimit {
  private LineLimit() {}

  static void require(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("the limit of a line must be positive, not " + limit);
    }
  }

  /// The exception for a line that is too long.
  ///
  /// @param owner the source of the line
  static IOException exceeded(Object owner, int limit) {
    return new IOException(
        "a line of "
            + owner
            + " is longer than the limit of "
            + limit
            + " bytes; readLineUpTo() accepts a larger limit, and nothing of this line is lost");
  }
}
