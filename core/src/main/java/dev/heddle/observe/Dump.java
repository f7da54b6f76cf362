// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Every coroutine of a loop at one moment: who runs, who waits, on what, since when.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=dump}
///
/// @param loop the loop's name
/// @param takenAt the moment
/// @param root the main coroutine's scope, and below its members the scopes they have opened
/// @see dev.heddle.Heddle#dump()
/// @since 0.1
public record Dump(String loop, Instant takenAt, ScopeSnapshot root) {
  /// All of them: each before those in the scopes it has opened, the members of a scope as they
  /// were spawned.
  public List<CoroutineSnapshot> coroutines() {
    List<CoroutineSnapshot> found = new ArrayList<>();
    collect(root, found);
    return found;
  }

  private static void collect(ScopeSnapshot scope, List<CoroutineSnapshot> into) {
    for (CoroutineSnapshot member : scope.members()) {
      into.add(member);
      member.scopes().forEach(inner -> collect(inner, into));
    }
  }

  /// For people: the tree of scopes, each coroutine with its state, what it waits for and how long,
  /// where it was spawned, and its stack. Coroutines of a scope that differ only in number, name
  /// and time are shown once; a stack that was shown before is referred to.
  public String text() {
    DumpText text = new DumpText(this);
    return text.heading() + "\n\n" + text.tree();
  }

  /// For people in a hurry: a line for each coroutine.
  public String table() {
    return new DumpText(this).table();
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
