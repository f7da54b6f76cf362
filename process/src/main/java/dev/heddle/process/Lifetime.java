// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// How long a process may live, compared with its parent.
///
/// @since 0.1
public enum Lifetime {
  /// the end of its parent is nothing to it, as of processes in Erlang that are not linked
  INDEPENDENT,
  /// it ends with its parent, however that has ended, as children do in Pekko: it is asked by
  /// [ProcessSignal.Cancel] if it traps exits, and has the time that [StartOptions#shutdown] says;
  /// else it is ended, with [Exit.Reason#SHUTDOWN]
  WITH_PARENT
}
