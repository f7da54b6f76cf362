// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a singleton is: which entry is started, with what input, and which nodes may run it.
///
/// @param name that the process has while it runs
/// @param entry of the node that runs it
/// @param node the only node that may run it; null for any with the labels
/// @param labels all of which a node must have to run it
public record SingletonSpec(
    String name, String entry, @Nullable String node, Map<String, String> labels, Input input) {
  /// Sorts the labels: equal specs are equal bytes.
  public SingletonSpec {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }

  /// An encoded input, with what another node needs to decode it.
  ///
  /// @param sender the node that has encoded it
  /// @param host of that node
  /// @param life of that node
  /// @param types the signatures of that node's types
  public record Input(String sender, String host, int life, List<String> types, byte[] content) {
    /// Copies the list.
    public Input {
      types = List.copyOf(types);
    }

    @Override
    public boolean equals(@Nullable Object o) {
      return o instanceof Input other
          && sender.equals(other.sender)
          && host.equals(other.host)
          && life == other.life
          && types.equals(other.types)
          && Arrays.equals(content, other.content);
    }

    @Override
    public int hashCode() {
      return Objects.hash(sender, host, life, Arrays.hashCode(content));
    }

    @Override
    public String toString() {
      return content.length + " bytes of node '" + sender + "'";
    }
  }

  /// The nodes that may run it, in words.
  public String place() {
    return node != null
        ? "node '" + node + "'"
        : labels.isEmpty() ? "any node" : "a node with the labels " + labels;
  }
}
