// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// How the life of a process depends on its parent.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=options}
///
/// @since 0.1
public enum Lifetime {
  /// the end of its parent does not affect it, as for processes in Erlang that are not linked
  INDEPENDENT,
  /// it ends when its parent has ended for any reason, as children do in Pekko: if it traps exits,
  /// it gets a [ProcessSignal.Cancel] and has the time of [StartOptions#shutdown]; otherwise it is
  /// ended, with [Exit.Reason#SHUTDOWN]
  WITH_PARENT
}
