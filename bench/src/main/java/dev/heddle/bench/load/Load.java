// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.load;

/// What a server is asked.
///
/// @param dialogue the words
/// @param connections open at the same time
/// @param depth requests under way on each
public record Load(Dialogue dialogue, int connections, int depth) {
  /// Checks the numbers.
  public Load {
    if (connections <= 0 || depth <= 0) {
      throw new IllegalArgumentException(
          "A load needs connections and a depth, found " + connections + " and " + depth);
    }
  }
}
