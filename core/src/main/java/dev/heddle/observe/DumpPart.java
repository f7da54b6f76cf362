// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

/// A part of a dump in addition to the coroutines of the loop: a pool with its leases, a process
/// runtime with its workers and its processes.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=waits}
///
/// @since 0.1
public interface DumpPart {
  /// The part as text.
  String text();

  /// The part as a JSON object.
  String json();
}
