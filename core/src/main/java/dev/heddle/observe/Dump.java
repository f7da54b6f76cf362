// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.time.Instant;
import java.util.List;

/// Every coroutine of a loop at one moment: who runs, who waits, on what, since when.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=dump}
///
/// @param loop the loop's name
/// @param takenAt the moment
/// @param scopes the tree: each scope behind the one it stands in, the root first
/// @param coroutines all that have not ended, in the order of their numbers
/// @param parts what else runs in this JVM: runtimes of processes; in dumps that the program asks
///   for, not in the reports of its loops
/// @see dev.heddle.Heddle#dump()
/// @since 0.1
public record Dump(
    String loop,
    Instant takenAt,
    List<ScopeSnapshot> scopes,
    List<CoroutineSnapshot> coroutines,
    List<DumpPart> parts) {
  /// A dump of a loop alone.
  public Dump(
      String loop,
      Instant takenAt,
      List<ScopeSnapshot> scopes,
      List<CoroutineSnapshot> coroutines) {
    this(loop, takenAt, scopes, coroutines, List.of());
  }

  /// For people: the tree of scopes, each coroutine with its state, what it waits for and how long,
  /// where it was spawned, and its stack. Coroutines of a scope that differ only in number, name
  /// and time are shown once; a stack that was shown before is referred to. Behind it, what runs
  /// beside the loop.
  public String text() {
    DumpText text = new DumpText(this);
    StringBuilder all = new StringBuilder(text.heading() + "\n\n" + text.tree());
    parts.forEach(part -> all.append('\n').append(part.text()));
    return all.toString();
  }

  /// For people in a hurry: a line for each coroutine.
  public String table() {
    DumpText text = new DumpText(this);
    return text.heading() + "\n\n" + text.table();
  }

  /// For programs: one JSON object with everything this record has; stacks stand in an array of
  /// their own, each once, and coroutines refer to them by index.
  public String json() {
    return new DumpJson(this).write();
  }

  @Override
  public String toString() {
    return text();
  }
}
