// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a loop knows about a failure beside what the throwable says: which coroutine it came from,
/// who spawned that one, and which other failures gave way to it.
///
/// A throwable of the user's is never changed: no cause and no suppressed one is added. Nor is a
/// frame, but for one case: what a call throws that its caller had made on another thread
/// ([Heddle#offload], a pool's task) has the frames of the caller below its own.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=report}
///
/// *Currently* the failures that gave way are kept for the last 256 throwables that have some.
///
/// @param coroutine number and name of the coroutine whose body threw it first; null when it left
///   none
/// @param spawnSite where that coroutine was spawned: the class of its body, or file and line with
///   `heddle.sites=exact`; null for a main coroutine, and when it left none
/// @param spawnedBy the asynchronous trace: who spawned that coroutine, and who spawned that one,
///   nearest first, each with its own spawn site. Exact sites record the spawner; else these are
///   the owners of the scopes around it
/// @param merged failures that met this one on its way and gave way to it, in order
/// @see Heddle#reportOf(Throwable)
/// @since 0.1
public record FailureReport(
    @Nullable String coroutine,
    @Nullable String spawnSite,
    List<String> spawnedBy,
    List<Throwable> merged) {

  /// Copies the lists.
  public FailureReport {
    spawnedBy = List.copyOf(spawnedBy);
    merged = List.copyOf(merged);
  }

  /// The coroutine, its site and who spawned it, a line each; without the merged failures.
  public String trace() {
    if (coroutine == null) {
      return "in no coroutine";
    }
    StringBuilder text = new StringBuilder("in ").append(coroutine);
    if (spawnSite != null) {
      text.append(" spawned at ").append(spawnSite);
    }
    for (String spawner : spawnedBy) {
      text.append("\n  by ").append(spawner);
    }
    return text.toString();
  }
}
