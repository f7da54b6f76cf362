// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.time.Instant;
import java.util.List;

/// All coroutines of a loop at one moment: their states, what they wait for, and since when.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=dump}
///
/// @param loop the loop's name
/// @param takenAt the moment
/// @param scopes the tree: each scope after its parent, the root first
/// @param coroutines those that have not ended, in the order of their numbers
/// @param parts what else runs in this JVM: process runtimes; only in dumps that the program
///   requests, not in a loop's reports
/// @see dev.heddle.Heddle#dump()
/// @since 0.1
public record Dump(
    String loop,
    Instant takenAt,
    List<ScopeSnapshot> scopes,
    List<CoroutineSnapshot> coroutines,
    List<DumpPart> parts) {
  /// Creates a dump of a loop alone.
  public Dump(
      String loop,
      Instant takenAt,
      List<ScopeSnapshot> scopes,
      List<CoroutineSnapshot> coroutines) {
    this(loop, takenAt, scopes, coroutines, List.of());
  }

  /// As text: the tree of scopes; each coroutine with its state, what it waits for and how long,
  /// where it was spawned, and its stack. Coroutines of a scope that differ only in number, name
  /// and time are shown once; a repeated stack is shown as a reference. Then the other parts.
  public String text() {
    DumpText text = new DumpText(this);
    StringBuilder all = new StringBuilder(text.heading() + "\n\n" + text.tree());
    parts.forEach(part -> all.append('\n').append(part.text()));
    return all.toString();
  }

  /// As a table: a line for each coroutine.
  public String table() {
    DumpText text = new DumpText(this);
    return text.heading() + "\n\n" + text.table();
  }

  /// As JSON: one object with all fields of this record. Stacks are in a separate array, each once,
  /// and coroutines refer to them by index.
  public String json() {
    return new DumpJson(this).write();
  }

  @Override
  public String toString() {
    return text();
  }
}
