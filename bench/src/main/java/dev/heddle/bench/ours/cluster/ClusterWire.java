// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import dev.heddle.process.Pid;

/// What processes of different nodes say to each other.
sealed interface ClusterWire {
  /// Who wants the answers; says `counted` of all that came since the last.
  record Greeting(Pid from) implements ClusterWire {}

  /// A small record.
  record Small(long number, String text) implements ClusterWire {}

  /// A small record of a sender.
  record Item(int sender, long number) implements ClusterWire {}

  /// A hundred bytes of a sender.
  @SuppressWarnings("ArrayRecordComponent") // the bytes are the load
  record Blob(int sender, byte[] bytes) implements ClusterWire {}

  /// How many items are to come in a round, and who is told when they have.
  record Expect(long items, Pid from) implements ClusterWire {}

  /// So many have come.
  record Counted(long items) implements ClusterWire {}

  /// A question.
  record Question(long number) implements ClusterWire {}
}
