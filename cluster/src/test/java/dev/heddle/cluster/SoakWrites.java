// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import dev.heddle.cluster.SoakResource.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Judges what the resources of shards have let in and refused: see [SoakShardWriter]. They go by
/// tokens alone; who is the later owner is known here without them, by the order in which the nodes
/// have heard of the owners, which is that of the log.
///
/// - No write is let in after one of a later owner: it is stale.
/// - A token is that of one node.
/// - No write is refused but for a higher token, and none of an owner that follows the one with
///   that token.
final class SoakWrites {
  /// What a life of a node has heard of a shard.
  private record Heard(String at, int life, int shard) {}

  private final List<Deed> deeds;
  private final Map<Heard, Map<Long, Integer>> places = new HashMap<>(); // of tokens in the log
  private final List<String> problems = new ArrayList<>();
  private int letIn;
  private int refused;
  private int refusedLate;

  /// @param deeds in the order of time
  SoakWrites(List<Deed> deeds) {
    this.deeds = deeds;
    for (Deed each : deeds) {
      if (each.kind() == Kind.OWNER && each.entity() == 0) { // it owns the shard now
        var heard =
            places.computeIfAbsent(
                new Heard(each.at(), each.life(), each.key()), _ -> new HashMap<>());
        heard.putIfAbsent(each.token(), heard.size());
      }
    }
  }

  /// Whether the log has one ownership of a shard after another one, as some node has heard.
  private boolean isLater(int shard, long token, long than) {
    return places.entrySet().stream()
        .filter(it -> it.getKey().shard == shard)
        .map(Map.Entry::getValue)
        .filter(it -> it.containsKey(token) && it.containsKey(than))
        .anyMatch(it -> it.get(token) > it.get(than));
  }

  /// @param all that the resource of a shard has let in, in its order
  void judge(int shard, List<Write> all) {
    letIn += all.size();
    Write latest = null; // of the owner that is the last one, by the log
    for (Write each : all) {
      if (latest == null || latest.token() != each.token()) {
        if (latest != null && isLater(shard, latest.token(), each.token())) {
          problems.add(
              "stale: %s to shard %d was let in after %s, of a later owner"
                  .formatted(each, shard, latest));
          continue;
        }
        latest = each;
      } else if (!latest.node().equals(each.node())) {
        problems.add("token: %s and %s have owned shard %d".formatted(latest, each, shard));
      }
    }
    deeds.stream()
        .filter(it -> it.kind() == Kind.WRITE_REFUSED && it.key() == shard)
        .forEach(it -> refused(it, all));
  }

  private void refused(Deed deed, List<Write> all) {
    refused++;
    refusedLate += deed.entity();
    Write higher = null;
    for (Write each : all) {
      if (each.nanos() <= deed.nanos() && each.token() > deed.token()) {
        higher = each;
      }
    }
    if (higher == null) {
      problems.add("refused: %s, and no higher token had been written".formatted(deed));
    } else if (isLater(deed.key(), deed.token(), higher.token())) {
      problems.add("refused: %s, of the owner that follows %s".formatted(deed, higher));
    }
  }

  List<String> problems() {
    return problems;
  }

  /// Writes of former owners that were tried and refused.
  int refused() {
    return refused;
  }

  /// A line.
  String counts() {
    return "Writes of entities let in: %d; of former owners, refused: %d, of which %d after they were closed"
        .formatted(letIn, refused, refusedLate);
  }
}
