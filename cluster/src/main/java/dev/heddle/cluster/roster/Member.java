// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The last life of a node that the roster has admitted.
final class Member {
  enum State {
    ADMITTED,
    LOST,
    LEFT
  }

  final String node;
  final int life;
  final @Nullable StorageProof proof;
  final long admission;
  long renewal;

  /// After the last renewal; 0 for the time of the judge.
  long lostNanos;

  State state = State.ADMITTED;

  /// All requests below have been answered.
  long settled;

  /// Outcomes of the requests from `settled` on, for their repetitions.
  final SortedMap<Long, Outcome> outcomes = new TreeMap<>();

  Member(String node, int life, @Nullable StorageProof proof, long admission) {
    this.node = node;
    this.life = life;
    this.proof = proof;
    this.admission = admission;
    renewal = admission;
  }

  void settle(long below) {
    if (below > settled) {
      settled = below;
      outcomes.headMap(below).clear();
    }
  }

  void end(State how) {
    state = how;
    outcomes.clear();
  }
}
