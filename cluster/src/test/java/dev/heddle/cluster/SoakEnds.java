// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// The ends of sessions, by the deeds of all nodes: which message to an entity one of them may have
/// taken with it.
///
/// A message goes from its sender to the owner of its shard, from there perhaps back, or to the
/// next owner. So what may have taken it is an end of a session between two of these nodes:
///
/// - its sender's, in the sender's life;
/// - the owner of its shard as the sender knew it when it sent the message, and all later ones by
///   the time when the next message of the stream was got.
///
/// It must lie between the two: each end is written while it happens, and a message goes to another
/// owner only when the sender knows that nothing of its own is on its way any more. So no slack is
/// needed. The death of one of these nodes by a kill ends its sessions as well.
///
/// A node that leaves in time has handed its shards over, and all that it has sent was taken. So
/// the ends of its sessions excuse nothing but what it has sent after it had begun to leave.
final class SoakEnds {
  private record Life(String node, int life) {}

  private record View(String node, int life, int shard) {}

  private final List<Deed> ends = new ArrayList<>(); // of sessions
  private final Map<String, NavigableSet<Long>> deaths = new HashMap<>(); // by node
  private final Map<String, NavigableSet<Long>> inTime = new HashMap<>(); // of those that left
  private final Map<Life, Long> leavings = new HashMap<>(); // of those that left in time

  // owners by shard and generation, and when each was known to some node, or to one
  private final Map<Integer, NavigableMap<Long, Deed>> owners = new HashMap<>();
  private final Map<View, NavigableMap<Long, Long>> views = new HashMap<>();

  /// @param deeds in the order of time
  SoakEnds(List<Deed> deeds) {
    Map<Life, Long> begun = new HashMap<>();
    Map<String, Deed> last = new HashMap<>(); // end, by the two lives
    Set<Deed> goodbyes = new java.util.HashSet<>(); // ends that are
    for (Deed deed : deeds) {
      switch (deed.kind()) {
        case SESSION_ENDED -> {
          ends.add(deed);
          last.put(deed.at() + " " + deed.from() + " " + deed.life(), deed);
        }
        case GOODBYE -> {
          Deed end = last.get(deed.at() + " " + deed.from() + " " + deed.life());
          if (end != null) {
            goodbyes.add(end);
          }
        }
        case LEAVING -> begun.putIfAbsent(new Life(deed.at(), deed.key()), deed.nanos());
        case LEFT -> {
          Life life = new Life(deed.at(), deed.key());
          leavings.put(life, begun.getOrDefault(life, deed.nanos()));
          inTime.computeIfAbsent(deed.at(), _ -> new TreeSet<>()).add(deed.nanos());
        }
        case DIED -> deaths.computeIfAbsent(deed.from(), _ -> new TreeSet<>()).add(deed.nanos());
        case OWNER -> owner(deed);
        default -> {}
      }
    }
    ends.removeIf(it -> isOfALeave(it, goodbyes));
  }

  private void owner(Deed deed) {
    owners.computeIfAbsent(deed.key(), _ -> new TreeMap<>()).putIfAbsent(deed.token(), deed);
    views
        .computeIfAbsent(new View(deed.at(), deed.life(), deed.key()), _ -> new TreeMap<>())
        .put(deed.nanos(), deed.token());
  }

  /// Whether it has ended because one of the two has left in time.
  private boolean isOfALeave(Deed end, Set<Deed> goodbyes) {
    boolean otherLeft =
        goodbyes.contains(end) && leavings.containsKey(new Life(end.from(), end.life()));
    Long ownLeave = leavings.get(new Life(end.at(), end.key()));
    return otherLeft || (ownLeave != null && end.nanos() >= ownLeave);
  }

  /// Whether a node was killed after this, or has ended after it had left.
  boolean hasDied(String node, long nanos) {
    NavigableSet<Long> all = deaths.get(node);
    return all != null && all.higher(nanos) != null;
  }

  /// Whether an end of a session may have taken a message of which nothing else is known.
  ///
  /// @param next the next one of its stream that was got
  boolean mayHaveTaken(Deed lost, Deed next) {
    Long leave = leavings.get(new Life(lost.from(), lost.life()));
    if (leave != null && lost.nanos() >= leave) {
      return true; // sent while its node was leaving: nobody waits for that
    }
    Set<String> path = path(lost, next);
    return ends.stream().anyMatch(it -> isOn(it, path, lost, next))
        || path.stream().anyMatch(it -> !it.equals(lost.from()) && wasKilled(it, lost, next));
  }

  private boolean isOn(Deed end, Set<String> path, Deed lost, Deed next) {
    boolean isOfThatLife =
        (!end.at().equals(lost.from()) || end.key() == lost.life())
            && (!end.from().equals(lost.from()) || end.life() == lost.life());
    return end.nanos() >= lost.nanos()
        && end.nanos() <= next.nanos()
        && isOfThatLife
        && path.contains(end.at())
        && path.contains(end.from());
  }

  /// Not after it had left in time.
  private boolean wasKilled(String node, Deed lost, Deed next) {
    Long death = deaths.getOrDefault(node, new TreeSet<>()).higher(lost.nanos());
    if (death == null || death > next.nanos()) {
      return false;
    }
    Long before = deaths.get(node).lower(death);
    Long left = inTime.getOrDefault(node, new TreeSet<>()).lower(death);
    return left == null || (before != null && left < before);
  }

  /// The nodes that may have had it.
  private Set<String> path(Deed lost, Deed next) {
    int shard = SoakShards.shardOf(lost.key());
    Set<String> path = new TreeSet<>();
    path.add(lost.from());
    path.add(next.at());
    var known = views.getOrDefault(new View(lost.from(), lost.life(), shard), new TreeMap<>());
    var first = known.floorEntry(lost.nanos());
    NavigableMap<Long, Deed> all = owners.getOrDefault(shard, new TreeMap<>());
    for (Deed owner : all.tailMap(first == null ? 0 : first.getValue(), true).values()) {
      if (owner.nanos() <= next.nanos()) {
        path.add(owner.from());
      }
    }
    return path;
  }

  /// Whether the word that a message has failed may have been lost, or is not awaited any more.
  ///
  /// @param found by the node that says it; of whom it says it
  boolean mayHaveTakenTheWord(Deed found) {
    boolean ended =
        ends.stream()
            .anyMatch(it ->
                it.nanos() >= found.nanos()
                    && ((it.at().equals(found.at()) && it.from().equals(found.from()))
                        || (it.at().equals(found.from()) && it.from().equals(found.at()))));
    return ended || hasDied(found.from(), found.nanos()) || hasDied(found.at(), found.nanos());
  }

  /// For people: what has ended in that time, and the nodes that may have had it.
  String between(Deed lost, Deed next) {
    List<String> all = new ArrayList<>();
    for (Deed each : ends) {
      if (each.nanos() >= lost.nanos() && each.nanos() <= next.nanos()) {
        all.add("%s-%s".formatted(each.at(), each.from()));
      }
    }
    return "it may have been at %s; sessions that have ended: %s".formatted(path(lost, next), all);
  }
}
