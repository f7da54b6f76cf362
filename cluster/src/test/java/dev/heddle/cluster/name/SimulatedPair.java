// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import java.util.HashMap;
import java.util.Map;

/// What two nodes of a simulation have between them.
final class SimulatedPair {
  boolean isCut;
  int session; // 0 for none; a number for each
  final Map<String, Integer> open = new HashMap<>(); // who takes which session for open
  final Map<String, Integer> formats = new HashMap<>(); // of the log, by node, in this session
  final Map<String, Long> last = new HashMap<>(); // arrival of the last message, by receiver
}
