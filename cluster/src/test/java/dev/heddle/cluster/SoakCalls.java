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
/// - a message that was accepted is got, unless a node has found that this very message has failed,
///   or a session that it may have gone through has ended: see [SoakEnds]. And the sender's node is
///   told of each that has failed (C3);
/// - a message that has failed for sure, or a request that was refused, is not got, and a request
///   that had a reply is; a caller waits for the reply to its time, unless the request has failed,
///   or may have, as a message (C5);
/// - of a shard, and of an entity, one acts at a time (C6): see [SoakOwners];
/// - a resource outside, which entities change with their tokens, lets no stale write in (C6): see
///   [SoakTokens].
final class SoakCalls {
  static final String SHARD = "shard-";
  static final String ENTITY = "entity-";

  private static final long SECOND = 1_000_000_000L;
  private static final long GAP_NANOS = SECOND / 10; // longer without a deed: another interval

  /// One life of a node, and a key.
  private record Stream(String from, int life, int key) {}

  /// One of them.
  private record Message(Stream stream, int number) {}

  /// What was got, in the order of time.
  private static final class Received {
    final List<Deed> all = new ArrayList<>();
    final TreeMap<Integer, Deed> byNumber = new TreeMap<>();
  }

  /// @param token tells apart the lives of a node, each of which counts from one
  private record Entity(String at, int entity, int key, long token) {}

  private final SoakOwners owners;
  private final List<Deed> deeds;
  private final Map<Stream, Received> received = new HashMap<>();
  private final Map<Integer, List<Deed>> byKey = new TreeMap<>(); // that were got
  private final Map<Message, Deed> failed = new HashMap<>(); // found by which node
  private final Map<Stream, Integer> told = new HashMap<>(); // how often, of which no one knows
  private final SoakEnds ends;
  private SoakTokens tokens = new SoakTokens(List.of());
  private final List<String> problems = new ArrayList<>();
  private int sent;
  private int lostWithASession;
  private int lostAndTold;
  private int lostWithTheirNode;

  /// @param deeds in the order of time
  SoakCalls(List<Deed> deeds, SoakOwners owners) {
    this.deeds = deeds;
    this.owners = owners;
    this.ends = new SoakEnds(deeds);
  }

  /// What did not hold; and tells the owners who has acted.
  List<String> judge() {
    for (Deed deed : deeds) {
      switch (deed.kind()) {
        case GOT -> got(deed);
        case FAILED, REFUSED -> failed.putIfAbsent(messageOf(deed), deed);
        case TOLD -> told.merge(streamOf(deed), 1, Integer::sum);
        default -> {}
      }
    }
    for (Deed deed : deeds) {
      Deed got = of(streamOf(deed)).byNumber.get(deed.number());
      switch (deed.kind()) {
        case SENT -> sent(deed, got);
        case REPLIED -> check(got != null, "reply: %s was not got", deed);
        case REFUSED -> check(got == null, "refused: %s was got", deed);
        case UNKNOWN -> unknown(deed);
        default -> {}
      }
    }
    words();
    byKey.forEach(this::entities);
    acts();
    tokens = new SoakTokens(deeds);
    problems.addAll(tokens.problems());
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

  private static Message messageOf(Deed deed) {
    return new Message(streamOf(deed), deed.number());
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
    if (failed.containsKey(messageOf(deed))) {
      lostAndTold++;
    } else if (next == null && ends.hasDied(deed.from(), deed.nanos())) {
      lostWithTheirNode++; // all that live have asked each entity once more
    } else if (next == null) {
      problems.add("lost: %s, and nothing after it was got, and its node lives".formatted(deed));
    } else if (ends.mayHaveTaken(deed, next.getValue())) {
      lostWithASession++;
    } else {
      problems.add(
          "lost: %s, and then %s was got; %s"
              .formatted(deed, next.getValue(), ends.between(deed, next.getValue())));
    }
  }

  private void unknown(Deed request) {
    long time = request.token() - request.nanos();
    Deed givenUp =
        new Deed(
            request.at(),
            request.kind(),
            request.token(),
            0,
            request.from(),
            request.life(),
            request.key(),
            request.number(),
            0);
    boolean isInTime = time >= SoakShards.REPLY.toNanos();
    boolean isExplained =
        isInTime
            || failed.containsKey(messageOf(request))
            || ends.isLeaving(request, request.token());
    if (!isExplained && !ends.mayHaveTaken(request, givenUp)) {
      problems.add(
          "unanswered: %s was given up after %d ms; %s"
              .formatted(request, time / 1_000_000, ends.between(request, givenUp)));
    }
  }

  /// Each node was told of what others have found to have failed, as often as they have, unless the
  /// session between them has ended since.
  private void words() {
    Map<Stream, List<Deed>> found = new HashMap<>();
    failed.forEach((message, by) -> {
      boolean isFoundElsewhere = !by.at().equals(message.stream.from);
      if (isFoundElsewhere && !ends.mayHaveTakenTheWord(by)) {
        found.computeIfAbsent(message.stream, _ -> new ArrayList<>()).add(by);
      }
    });
    found.forEach((stream, all) -> {
      int heard = told.getOrDefault(stream, 0);
      if (heard < all.size()) {
        problems.add("untold: %s was told of %d of those: %s".formatted(stream, heard, all));
      }
    });
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
    return "Messages to entities accepted: %d, lost with a session: %d, told to have failed: %d, lost with their node: %d; got, with requests: %d, by %d entities, of %d ownerships of shards; with a former token: %d"
        .formatted(
            sent,
            lostWithASession,
            lostAndTold,
            lostWithTheirNode,
            got,
            entities.size(),
            owners.ownerships(SHARD),
            tokens.refused());
  }
}
