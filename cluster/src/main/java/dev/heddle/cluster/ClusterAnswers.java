// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.observe.attach.Attachable;
import java.util.LinkedHashMap;
import java.util.Map;

/// Answers `heddle ps`, `heddle dump` and `heddle cluster status` about a node, on their threads.
record ClusterAnswers(ClusterMXBean node) implements Attachable {
  @Override
  public String kind() {
    return "cluster";
  }

  @Override
  public Map<String, String> summary() {
    Map<String, String> fields = new LinkedHashMap<>();
    var nodes = node.getNodes();
    int inTouch = node.getNodesInTouch();
    fields.put("name", node.getName());
    fields.put("state", nodes.getFirst().state());
    fields.put("cluster", node.getCluster());
    fields.put("address", node.getAddress());
    fields.put("inTouch", Integer.toString(inTouch));
    fields.put(
        "lost", Long.toString(nodes.stream().filter(it -> it.state().equals("LOST")).count()));
    fields.put(
        "refused",
        Long.toString(
            nodes.stream()
                .filter(it -> it.state().equals("GREETING") && !it.reason().isEmpty())
                .count()));
    fields.put("brokenPairs", Integer.toString(node.getBrokenPairs().size()));
    return fields;
  }

  @Override
  public String answer(String question) {
    return switch (question) {
      case "table", "dump" -> node.table();
      case "json" -> node.dumpJson();
      default -> throw new IllegalArgumentException("a node does not know '" + question + "'");
    };
  }
}
