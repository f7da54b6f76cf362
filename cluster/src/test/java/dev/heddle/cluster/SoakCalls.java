// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// What has become of messages to entities, by the deeds of all nodes: see [SoakDeeds].
///
/// Of each life of a node and each key there is a stream of numbers. What must hold:
///
/// - no number is got twice (C1);
/// - numbers are got in order, wherever the entity runs (C8);
/// - a message that was accepted is got, unless a session ended or a lease was lost between then
///   and the next message of the stream that was got, or its node was told that one has failed
///   (C3);
/// - a request that was refused is not got, and one that had a reply is (C5);
/// - of a shard, and of an entity, one acts at a time (C6): see [SoakOwners].
///
/// A session counts that the sender had, or, when the entity has moved meanwhile, any session: the
/// message may have gone from the former owner to the next one.
final class SoakCalls {
  static final String SHARD = "shard-";
  static final String ENTITY = "entity-";

  private static final long SECOND = 1_000_000_000L;
  private static final long SLACK_NANOS = 2 * SECOND; // the two nodes see an end, and say it, late
  private static final long BEFORE_NANOS = 30 * SECOND; // who had the entity then
  private static final long GAP_NANOS = SECOND / 10; // longer without a deed: another interval

  private record Stream(String from, int life, int key) {}

  /// What was got, in the order of time.
  private static final class Received {
    final List<Deed> all = new ArrayList<>();
    final TreeMap<Integer, Deed> byNumber = new TreeMap<>();
  }

  private record Life(String node, int life) {}

  /// @param token tells apart the lives of a node, each of which counts from one
  private record Entity(String at, int entity, int key, long token) {}

  private final SoakOwners owners;
  private final List<Deed> deeds;
  private final Map<Stream, Received> received = new HashMap<>();
  private final Map<Integer, List<Deed>> byKey = new TreeMap<>(); // that were got
  private final List<Deed> ends = new ArrayList<>(); // of sessions and leases
  private final List<String> problems = new ArrayList<>();
  private int sent;
  private int excused;
  private int told;
  private final Map<Life, Integer> failed = new HashMap<>(); // of which no message is known yet

  /// @param deeds in the order of time
  SoakCalls(List<Deed> deeds, SoakOwners owners) {
    this.deeds = deeds;
    this.owners = owners;
  }

  /// What did not hold; and tells the owners who has acted.
  List<String> judge() {
    for (Deed deed : deeds) {
      switch (deed.kind()) {
        case GOT -> got(deed);
        case SESSION_ENDED, LEASE_LOST -> ends.add(deed);
        case FAILED -> failed.merge(new Life(deed.from(), deed.life()), deed.number(), Math::max);
        case SENT, REPLIED, REFUSED, UNKNOWN -> {}
      }
    }
    for (Deed deed : deeds) {
      Deed got = of(streamOf(deed)).byNumber.get(deed.number());
      switch (deed.kind()) {
        case SENT -> sent(deed, got);
        case REPLIED -> check(got != null, "reply: %s was not got", deed);
        case REFUSED -> check(got == null, "refused: %s was got", deed);
        case GOT, UNKNOWN, FAILED, SESSION_ENDED, LEASE_LOST -> {}
      }
    }
    byKey.forEach(this::entities);
    acts();
    return problems;
  }

  private void check(boolean holds, String text, Deed deed) {
    if (!holds) {
      problems.add(text.formatted(deed));
    }
  }

  private static Stream streamOf(Deed deed) {
    return new Stream(deed.from(), deed.life(), deed.key());
  }

  private Received of(Stream stream) {
    return received.computeIfAbsent(stream, _ -> new Received());
  }

  private void got(Deed deed) {
    Received it = of(streamOf(deed));
    Deed last = it.all.isEmpty() ? null : it.all.getLast();
    Deed before = it.byNumber.putIfAbsent(deed.number(), deed);
    if (before != null) {
      problems.add("duplicate: %s after %s".formatted(deed, before));
      return;
    }
    if (last != null
        && deed.number() < last.number()
        && !owners.wasStopped(deed.at(), deed.nanos(), deed.nanos())) {
      problems.add("order: %s after %s".formatted(deed, last));
    }
    it.all.add(deed);
    byKey.computeIfAbsent(deed.key(), _ -> new ArrayList<>()).add(deed);
  }

  // ---- what was lost ----

  private void sent(Deed deed, Deed got) {
    sent++;
    if (got != null) {
      return;
    }
    var next = of(streamOf(deed)).byNumber.higherEntry(deed.number());
    if (next == null) {
      return; // its node has ended since: all others have asked once more
    }
    long from = deed.nanos() - SLACK_NANOS;
    long to = next.getValue().nanos() + SLACK_NANOS;
    if (mayBeLost(deed, from, to)) {
      excused++;
    } else if (failed.merge(new Life(deed.from(), deed.life()), -1, Integer::sum) >= 0) {
      told++;
    } else {
      problems.add("lost: %s, and then %s was got".formatted(deed, next.getValue()));
    }
  }

  private boolean mayBeLost(Deed lost, long from, long to) {
    Set<String> hosts = new HashSet<>();
    for (Deed each : byKey.getOrDefault(lost.key(), List.of())) {
      if (each.nanos() >= from - BEFORE_NANOS && each.nanos() <= to) {
        hosts.add(each.at());
      }
    }
    return ends.stream()
        .filter(it -> it.nanos() >= from && it.nanos() <= to)
        .anyMatch(it ->
            it.kind() == SoakDeeds.Kind.LEASE_LOST
                || it.at().equals(lost.from())
                || it.from().equals(lost.from())
                || hosts.size() > 1);
  }

  // ---- who has acted ----

  /// No two entities of one key of one node act in turns: one ends before the next begins.
  private void entities(int key, List<Deed> all) {
    Map<Entity, Deed> last = new HashMap<>();
    all.forEach(it -> last.put(entityOf(it), it));
    Set<Entity> over = new HashSet<>();
    Entity now = null;
    for (Deed each : all) {
      Entity it = entityOf(each);
      if (over.contains(it) && !owners.wasStopped(each.at(), each.nanos(), each.nanos())) {
        problems.add("entity: %s acted after another one of its key had begun".formatted(each));
      }
      if (now != null && !now.equals(it)) {
        over.add(now);
      }
      now = it;
    }
  }

  private static Entity entityOf(Deed deed) {
    return new Entity(deed.at(), deed.entity(), deed.key(), deed.token());
  }

  /// Without gaps, of shards and of entities, by their tokens.
  private void acts() {
    Map<String, Deed> first = new TreeMap<>();
    Map<String, Deed> last = new TreeMap<>();
    for (List<Deed> all : byKey.values()) {
      for (Deed each : all) {
        act(ENTITY + each.key(), each, first, last);
      }
    }
    deeds.stream()
        .filter(it -> it.kind() == SoakDeeds.Kind.GOT)
        .forEach(it -> act(SHARD + SoakShards.shardOf(it.key()), it, first, last));
    first.keySet().forEach(it -> add(it.split(" ")[0], first.get(it), last.get(it)));
  }

  private void act(String name, Deed deed, Map<String, Deed> first, Map<String, Deed> last) {
    String by = name + " " + deed.at() + " " + deed.token();
    Deed before = last.put(by, deed);
    if (before == null) {
      first.put(by, deed);
    } else if (deed.nanos() - before.nanos() > GAP_NANOS) {
      add(name, first.put(by, deed), before);
    }
  }

  private void add(String name, Deed first, Deed last) {
    owners.add(new SoakOwners.Acts(first.at(), name, first.token(), first.nanos(), last.nanos()));
  }

  /// A line.
  String counts() {
    int got = byKey.values().stream().mapToInt(List::size).sum();
    Set<String> entities = new TreeSet<>();
    byKey.values().forEach(all -> all.forEach(it -> entities.add(entityOf(it).toString())));
    return "Messages to entities accepted: %d, lost with a session or lease: %d, else told to have failed: %d; got, with requests: %d, by %d entities, of %d ownerships of shards"
        .formatted(sent, excused, told, got, entities.size(), owners.ownerships(SHARD));
  }
}
