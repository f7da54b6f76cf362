// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.util.Map;
import java.util.Objects;

/// Where a process is started: among the nodes in touch that have the entry. Immutable.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=spawn}
///
/// @since 0.1
public sealed interface Place {
  /// At the node with this name.
  static Place on(String node) {
    return new On(Objects.requireNonNull(node, "node"));
  }

  /// At a node with this label, by chance; this node is one of them if it has the label.
  static Labelled label(String name, String value) {
    return new Labelled(Map.of(name, value));
  }

  /// At any node, by chance; this one is among them.
  static Labelled anywhere() {
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

    /// At one of these nodes that has less to do: the better of two that are chosen by chance. So
    /// the most loaded one gets the fewest processes, and no node gets all that are started at the
    /// same time.
    ///
    /// That node has less to do which has fewer processes that are ready and wait for a worker, for
    /// each of its workers; if these are equal, which has fewer processes for each worker.
    ///
    /// Each node tells the others when its figures have changed, once a second. So a figure is at
    /// most a second old when it leaves; while the connection is slow or silent it may be older,
    /// but a node that is silent for 6 s is no longer in touch. A node that has told nothing yet is
    /// chosen only when the other one has told nothing either, or there is no other.
    ///
    /// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=leastLoaded}
    public LeastLoaded leastLoaded() {
      return new LeastLoaded(this);
    }

    @Override
    public String toString() {
      return labels.isEmpty() ? "any node" : "a node with the labels " + labels;
    }
  }

  /// The less loaded of two nodes, as of [Labelled#leastLoaded()].
  ///
  /// @param among the nodes of which two are chosen by chance
  record LeastLoaded(Labelled among) implements Place {
    @Override
    public String toString() {
      return among.toString();
    }
  }
}
