// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a loop knows about a failure in addition to the throwable: the coroutine that threw it, the
/// coroutines that spawned that one, and the other failures that it superseded.
///
/// A loop adds no cause and no suppressed exception to a user's throwable. It adds frames in one
/// case: if a call ran on another thread ([Heddle#offload], a task of a pool), the caller's frames
/// are appended to the trace of what the call throws.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=report}
///
/// *Currently* superseded failures are kept for the last 256 throwables that have some.
///
/// @param coroutine number and name of the coroutine whose body threw it first; null if no
///   coroutine did
/// @param spawnSite where that coroutine was spawned, file and line; the class of its body for work
///   that another thread has submitted; null for a main coroutine, and if no coroutine threw it
/// @param spawnedBy the asynchronous trace: the spawner of that coroutine, then the spawner of that
///   one, nearest first, each with its own spawn site. The owner of its scope stands for the
///   spawner of work that another thread has submitted
/// @param merged failures that this one superseded on its way, in order
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

  /// The coroutine with its site, then its spawners, one a line; without the merged failures.
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
