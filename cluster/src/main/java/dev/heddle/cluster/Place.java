// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.util.Map;

/// Where to start a process: a node among those in touch, this one included, that offer the entry.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=spawn}
///
/// @since 0.1
public sealed interface Place {
  /// A node with this name.
  static Place on(String node) {
    return new On(node);
  }

  /// Any node with this label; one at random when there are several.
  static Place label(String key, String value) {
    return new Labelled(key, value);
  }

  /// Any node; one at random.
  static Place anywhere() {
    return new Anywhere();
  }

  /// Whether a node fits.
  boolean fits(String node, Map<String, String> labels);

  /// See [Place#on].
  record On(String node) implements Place {
    @Override
    public boolean fits(String name, Map<String, String> labels) {
      return name.equals(node);
    }
  }

  /// See [Place#label].
  record Labelled(String key, String value) implements Place {
    @Override
    public boolean fits(String node, Map<String, String> labels) {
      return value.equals(labels.get(key));
    }
  }

  /// See [Place#anywhere].
  record Anywhere() implements Place {
    @Override
    public boolean fits(String node, Map<String, String> labels) {
      return true;
    }
  }
}
