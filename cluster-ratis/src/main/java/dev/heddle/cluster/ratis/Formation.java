// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.ratis.VoterStatus.State;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Decides which voters a new log consists of, once, and tells a voter which log it belongs to.
final class Formation {
  /*
   * A log is named by the ids of its first voters. Two logs must never be used at the same time.
   *
   * States.  from      event                                               to
   *          NEW       the first by name: it has the status of all         ACCEPTED: their ids
   *          NEW,      another: the first by name has accepted ids, this   ACCEPTED: those
   *          ACCEPTED  one among them
   *          ACCEPTED  the first by name: an id of its ids has changed     ACCEPTED: the new ids
   *          ACCEPTED  the first by name: all have accepted its ids        STARTED: those
   *          NEW,      a voter that is STARTED, with all nodes             STARTED: the same. It
   *          ACCEPTED                                                      joins empty if its own
   *                                                                        id is missing there
   *          STARTED   any                                                 STARTED
   *
   * A state is on the disk before another voter hears of it: the caller writes it down when
   * received() or began() has changed it, and only then sends it.
   *
   * I1. Of two logs at most one is used. To use a log a majority of its voters has started it. The
   *     second log needs the acceptance of all voters, and one that has started another log does
   *     not give it. A voter that has lost its disk counts no more: its id is gone. [FormationTest]
   *     The acceptance is a second guard. With I2 the first one suffices: the first by name has the
   *     status of all, each told in its own life, before it proposes.
   * I2. What a voter hears is said by the present life of the other: sessions carry it, in order,
   *     and a later life ends the session of an earlier one. [VoterTransport]
   *
   * Threads. One at a time.
   *
   * Rejected. A majority at the first start: a voter that comes later with an old disk could bring
   * a log of its own. The list of names as the identity of a log: an empty disk would vote in it.
   */

  private final String id;
  private final SortedSet<String> names;
  private final Map<String, VoterStatus> others = new HashMap<>(); // by name of the node
  private SortedSet<String> accepted = new TreeSet<>();
  private SortedSet<String> started = new TreeSet<>();

  /// A voter that knows nothing.
  ///
  /// @param names of all voters, its own among them
  Formation(String id, Set<String> names) {
    this.id = id;
    this.names = new TreeSet<>(names);
  }

  /// Goes on from what was kept.
  void restore(VoterStatus kept) {
    accepted = kept.accepted();
    started = kept.started();
  }

  /// What to keep, and to tell the others.
  VoterStatus status(State state) {
    return new VoterStatus(id, accepted, started, state);
  }

  /// The ids of the first voters of its log; empty while there is none.
  SortedSet<String> started() {
    return Collections.unmodifiableSortedSet(started);
  }

  /// Begins, when this is the only voter.
  ///
  /// @return whether the state has changed
  boolean began() {
    return decide();
  }

  /// Another voter has told its status.
  ///
  /// @return whether the state has changed
  boolean received(VoterStatus status) {
    String node = VoterId.node(status.id());
    if (!names.contains(node) || node.equals(VoterId.node(id))) {
      return false;
    }
    others.put(node, status);
    if (!started.isEmpty()) {
      return false;
    }
    if (!status.started().isEmpty()) {
      return start(status.started());
    }
    return isFirst() ? decide() : accept(node, status.accepted());
  }

  private boolean isFirst() {
    return VoterId.node(id).equals(names.first());
  }

  private boolean start(SortedSet<String> ids) {
    if (!VoterId.nodes(ids).equals(names)) {
      return false;
    }
    started = ids;
    return true;
  }

  private boolean accept(String from, SortedSet<String> ids) {
    boolean isProposal = from.equals(names.first()) && ids.contains(id) && !ids.equals(accepted);
    if (!isProposal || !VoterId.nodes(ids).equals(names)) {
      return false;
    }
    accepted = ids;
    return true;
  }

  /// The first by name proposes the voters of now, or starts when all have accepted them.
  private boolean decide() {
    if (!started.isEmpty() || !isFirst() || others.size() < names.size() - 1) {
      return false;
    }
    SortedSet<String> present = new TreeSet<>(Set.of(id));
    others.values().forEach(other -> present.add(other.id()));
    if (!present.equals(accepted)) {
      accepted = present;
      return true;
    }
    boolean isAccepted =
        others.values().stream().allMatch(other -> other.accepted().equals(present));
    return isAccepted && start(present);
  }
}
