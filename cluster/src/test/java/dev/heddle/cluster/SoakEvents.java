// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/// What happens to the nodes of [ClusterSoak], in which order, and what has happened: a long run
/// has proved nothing about what never did.
///
/// The events come as cards of a shuffled pack: each that is in it comes before the pack is
/// shuffled anew.
final class SoakEvents {
  /// A kind of event.
  enum Kind {
    /// two nodes do not hear each other
    CUT_PAIR(2, false),
    /// one does not hear another
    CUT_ONE_WAY(1, false),
    /// one or two are cut off from the others
    CUT_GROUPS(2, false),
    /// a pair is cut off and heals, again and again
    FLAP(1, false),
    /// a node is stopped, and goes on
    PAUSE(2, false),
    /// a node is killed
    KILL(1, false),
    /// a node leaves
    LEAVE(1, false),
    /// a node starts that was killed or has left
    RESTART(0, false),
    /// the leader of the voters is killed
    LEADER_KILLED(1, true),
    /// the leader of the voters, which is never killed, stands still
    LEADER_STOPPED(0, true),
    /// a node that owns a name is stopped, for longer than others wait for its lease
    OWNER_STOPPED(1, true),
    /// the same, cut off
    OWNER_CUT_OFF(1, true);

    private final int cards;
    private final boolean needsNames;

    Kind(int cards, boolean needsNames) {
      this.cards = cards;
      this.needsNames = needsNames;
    }

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }
  }

  private final Random random;
  private final boolean hasNames;
  private final List<Kind> pack = new ArrayList<>();
  private final Map<Kind, Integer> done = new EnumMap<>(Kind.class);
  private long last; // when something began
  private long longestGapNanos;

  /// @param hasNames whether there is a log of voters
  SoakEvents(Random random, boolean hasNames) {
    this.random = random;
    this.hasNames = hasNames;
  }

  /// What is to happen next.
  Kind next() {
    if (pack.isEmpty()) {
      for (Kind each : Kind.values()) {
        if (hasNames || !each.needsNames) {
          pack.addAll(Collections.nCopies(each.cards, each));
        }
      }
      Collections.shuffle(pack, random);
    }
    return pack.removeLast();
  }

  /// A round begins: what comes now ends no gap.
  void begin(long nanos) {
    last = nanos;
  }

  /// One has happened, or begun.
  void happened(Kind kind, long nanos) {
    done.merge(kind, 1, Integer::sum);
    longestGapNanos = Math.max(longestGapNanos, nanos - last);
    last = nanos;
  }

  /// Between the begin of a thing and that of the next one of its round.
  long longestGapMillis() {
    return TimeUnit.NANOSECONDS.toMillis(longestGapNanos);
  }

  /// What has not happened, and should have by now. A leader that is never killed may not have led.
  List<String> missing() {
    List<String> missing = new ArrayList<>();
    for (Kind each : Kind.values()) {
      boolean isDue = (hasNames || !each.needsNames) && each != Kind.LEADER_STOPPED;
      if (isDue && !done.containsKey(each)) {
        missing.add(each.toString());
      }
    }
    return missing;
  }

  @Override
  public String toString() {
    return done.toString();
  }
}
