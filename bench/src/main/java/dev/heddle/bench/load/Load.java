// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.load;

import java.util.Optional;

/// What a server is asked.
///
/// @param dialogue the words
/// @param connections open at the same time
/// @param depth requests under way on each; of a load with a pace, until its peak is known
/// @param pace of a load that does not wait for answers
public record Load(Dialogue dialogue, int connections, int depth, Optional<Pace> pace) {
  /// A load in which each answer brings the next request.
  public Load(Dialogue dialogue, int connections, int depth) {
    this(dialogue, connections, depth, Optional.empty());
  }

  /// Checks the numbers.
  public Load {
    if (connections <= 0 || depth <= 0) {
      throw new IllegalArgumentException(
          "A load needs connections and a depth, found " + connections + " and " + depth);
    }
  }
}
