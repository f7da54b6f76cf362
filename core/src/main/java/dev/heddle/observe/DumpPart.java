// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

/// What stands in a dump beside the coroutines of its loop: a runtime of processes, with its
/// workers and its processes.
///
/// @since 0.1
public interface DumpPart {
  /// For people.
  String text();

  /// For programs: a JSON object.
  String json();
}
