// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.wire.NodeLife;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// The log and the lease of one node, as a test says: the log is what the test writes, in its
/// thread, and what the node submits is kept aside.
final class WrittenLog implements RosterAccess {
  private static final int LIFE = 5; // of all other nodes

  final Roster roster = new Roster(); // of the thread that writes
  final List<Command> submitted = new CopyOnWriteArrayList<>();
  volatile boolean hasLease = true;
  volatile Runnable onLease = () -> {}; // before each answer
  private final NodeLife self;
  private volatile long admission;

  WrittenLog(NodeLife self) {
    this.self = self;
  }

  void write(Command command, Part reader) {
    var _ = roster.apply(roster.applied() + 1, command);
    admission = roster.admission(self.node(), self.life());
    reader.applied(roster);
  }

  private int life(String node) {
    return node.equals(self.node()) ? self.life() : LIFE;
  }

  long admissionOf(String node) {
    return roster.admission(node, life(node));
  }

  void admit(String node, Part reader) {
    write(new Renew(node, life(node), null), reader);
  }

  /// The node may own shards of the type.
  void host(String node, String type, int count, Part reader) {
    write(new HostShards(node, admissionOf(node), type, count, true), reader);
  }

  /// The node has all shards of the type, which had no owner.
  void give(String node, String type, int count, Part reader) {
    host(node, type, count, reader);
    List<Assignment> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(new Assignment(i, 0, node));
    }
    write(new AssignShards(type, all), reader);
  }

  @Override
  public void submit(Command command) {
    submitted.add(command);
  }

  @Override
  public long admission() {
    return admission;
  }

  @Override
  public boolean mayAct(long admission) {
    onLease.run();
    return hasLease && admission != 0 && admission == this.admission;
  }

  @Override
  public void add(Part part) {
    throw new UnsupportedOperationException("the test calls it");
  }
}
