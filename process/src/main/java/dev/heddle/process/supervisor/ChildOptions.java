// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Lifetime;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.StartOptions;
import org.jspecify.annotations.Nullable;

/// The start options of children. Those of siblings that are given the same ones are one object: a
/// process keeps its options, and there are many.
final class ChildOptions {
  private @Nullable StartOptions given;
  private @Nullable StartOptions made;

  /// The options with the supervisor as parent, linked.
  StartOptions of(StartOptions options, Pid supervisor) {
    StartOptions known = made;
    if (known == null || given != options) {
      known = options.withParent(supervisor).withLink(true).withLifetime(Lifetime.WITH_PARENT);
      given = options;
      made = known;
    }
    return known;
  }

  /// Whoever has the name that a child wants is given in its place, and is not ours to end.
  ///
  /// @param isKnown whether that is another child
  /// @throws IllegalStateException when it is not the process that was to be started
  static void checkIsNew(ProcessContext self, Pid pid, boolean isKnown) {
    ProcessSnapshot there = self.runtime().process(pid);
    if (isKnown || (there != null && !self.self().equals(there.parent()))) {
      throw new IllegalStateException(
          "the name of the child belongs to " + pid + "; end that one, or take another name");
    }
  }
}
