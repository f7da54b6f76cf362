// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

/// A node has got in touch, or no longer is.
///
/// @since 0.1
public sealed interface ClusterChange {
  /// The name of the node.
  String node();

  /// Its life, as in its PIDs.
  int life();

  /// It is in touch.
  ///
  /// @param node its name
  /// @param life its life
  record Up(String node, int life) implements ClusterChange {}

  /// It has left the cluster.
  ///
  /// @param node its name
  /// @param life its life
  record Left(String node, int life) implements ClusterChange {}

  /// It no longer is in touch; whether it is alive is not known.
  ///
  /// @param node its name
  /// @param life its life
  /// @param reason why
  record Lost(String node, int life, String reason) implements ClusterChange {}
}
