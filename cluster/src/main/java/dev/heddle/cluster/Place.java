// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.util.Map;
import java.util.Objects;

/// Where a process is started: among the nodes in touch that have the entry. Immutable.
///
/// @since 0.1
public sealed interface Place {
  /// At the node with this name.
  static Place on(String node) {
    return new On(Objects.requireNonNull(node, "node"));
  }

  /// At a node with this label, by chance; this node is one of them if it has the label.
  static Place label(String name, String value) {
    return new Labelled(Map.of(name, value));
  }

  /// At any node, by chance; this one is among them.
  static Place anywhere() {
    return new Labelled(Map.of());
  }

  /// A node by name.
  ///
  /// @param node the name
  record On(String node) implements Place {
    @Override
    public String toString() {
      return "node '" + node + "'";
    }
  }

  /// A node by labels.
  ///
  /// @param labels all of which it has
  record Labelled(Map<String, String> labels) implements Place {
    /// Copies the labels.
    public Labelled {
      labels = Map.copyOf(labels);
    }

    @Override
    public String toString() {
      return labels.isEmpty() ? "any node" : "a node with the labels " + labels;
    }
  }
}
