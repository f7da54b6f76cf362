// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.load;

import java.util.OptionalInt;

/// What a server is asked.
///
/// @param dialogue the words
/// @param connections open at the same time
/// @param depth requests under way on each, of a load that waits for answers
/// @param rate requests per second, of a load that does not
public record Load(Dialogue dialogue, int connections, int depth, OptionalInt rate) {
  /// A load in which each answer brings the next request.
  public Load(Dialogue dialogue, int connections, int depth) {
    this(dialogue, connections, depth, OptionalInt.empty());
  }

  /// Checks the numbers.
  public Load {
    if (connections <= 0 || depth <= 0) {
      throw new IllegalArgumentException(
          "A load needs connections and a depth, found " + connections + " and " + depth);
    }
  }
}
