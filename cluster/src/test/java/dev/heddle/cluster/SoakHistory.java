// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// A history of deeds as the soak's nodes write them, by hand, for tests of its judges. Node `n1`
/// of life 1 sends to the key 4; times are seconds.
final class SoakHistory {
  static final int KEY = 4;
  private static final long SECOND = 1_000_000_000L;

  private final List<Deed> deeds = new ArrayList<>();

  List<Deed> inOrder() {
    List<Deed> all = new ArrayList<>(deeds);
    all.sort(Comparator.comparingLong(Deed::nanos));
    return all;
  }

  /// Without the last one.
  SoakHistory takeBack() {
    deeds.removeLast();
    return this;
  }

  private SoakHistory add(
      String at,
      Kind kind,
      long second,
      long token,
      String from,
      int life,
      int key,
      int number,
      int entity) {
    deeds.add(new Deed(at, kind, second * SECOND, token, from, life, key, number, entity));
    return this;
  }

  // ---- messages to an entity ----

  SoakHistory sent(int number, long second) {
    return asked(Kind.SENT, number, second);
  }

  SoakHistory asked(Kind outcome, int number, long second) {
    return add("n1", outcome, second, 0, "n1", 1, KEY, number, 0);
  }

  SoakHistory got(String at, int entity, long token, int number, long second) {
    return add(at, Kind.GOT, second, token, "n1", 1, KEY, number, entity);
  }

  /// A request whose caller knows nothing of it any more at a time.
  SoakHistory givenUp(int number, long second, long at) {
    return add("n1", Kind.UNKNOWN, second, at * SECOND, "n1", 1, KEY, number, 0);
  }

  /// The node `at` has found that it has failed.
  SoakHistory failed(String at, Kind kind, int number, long second) {
    return add(at, kind, second, 0, "n1", 1, KEY, number, 0);
  }

  /// The sender's node was told that one has failed.
  SoakHistory told(long second) {
    return add("n1", Kind.TOLD, second, 0, "n1", 1, KEY, 0, 0);
  }

  /// The log says so, as the sender's node knows it.
  SoakHistory owner(String node, long token, long second) {
    int shard = SoakShards.shardOf(KEY);
    return add("n1", Kind.OWNER, second, token, node, 1, shard, 0, 0);
  }

  /// The log says who is to own it next.
  SoakHistory nextOwner(String node, long token, long second) {
    int shard = SoakShards.shardOf(KEY);
    return add("n1", Kind.OWNER, second, token, node, 1, shard, 0, 1);
  }

  /// The resource of a shard has refused a write of a node.
  SoakHistory writeRefused(String node, long token, long second, int shard) {
    return add(node, Kind.WRITE_REFUSED, second, token, node, 0, shard, 0, 1);
  }

  // ---- nodes ----

  /// A session has ended at a node, of this life, with another one of that life.
  SoakHistory ended(String at, int life, String with, int itsLife, long second) {
    return ended(at, life, with, itsLife, second, 0, 0);
  }

  /// @param last number that was accepted for the other one's sink
  /// @param more whether it may be one more: 1 or 0
  SoakHistory ended(
      String at, int life, String with, int itsLife, long second, int last, int more) {
    return add(at, Kind.SESSION_ENDED, second, 0, with, itsLife, life, last, more);
  }

  SoakHistory goodbye(String at, String of, int itsLife, long second) {
    return add(at, Kind.GOODBYE, second, 0, of, itsLife, 0, 0, 0);
  }

  /// A node begins to leave.
  ///
  /// @param last number that was accepted for the sink of another one
  SoakHistory leaving(String node, int life, String to, int last, long second) {
    return add(node, Kind.LEAVING, second, 0, to, 0, life, last, 0);
  }

  SoakHistory leftInTime(String node, int life, long second) {
    return add(node, Kind.LEFT, second, 0, node, 0, life, 0, 0);
  }

  SoakHistory died(String node, long second) {
    return add("soak", Kind.DIED, second, 0, node, 0, 0, 0, 0);
  }

  // ---- messages to a sink, of n1 to n2, each of life 1 ----

  SoakHistory gap(int before, int number, long second) {
    return add("n2", Kind.GAP, second, 0, "n1", 1, 1, number, before);
  }

  SoakHistory cameLast(int number, long second) {
    return add("n2", Kind.LAST, second, 0, "n1", 1, 1, number, 0);
  }
}
