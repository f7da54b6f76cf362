// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Ref;

/// Checks of references that look a name up.
public final class NamedRefs {
  private NamedRefs() {}

  /// Checks that a name is looked up in the expected runtime, since two runtimes may both have it.
  ///
  /// @param what what the reference cannot be in that case, for the message
  /// @throws IllegalArgumentException when it looks a name up in another runtime
  public static void checkRuntime(Ref<?> ref, ProcessRuntime expected, String what) {
    if (ref.name() != null && ref.runtime() != expected) {
      throw new IllegalArgumentException(
          "%s looks its name up in another runtime, and cannot be %s; take a Ref of the same"
                  .formatted(ref, what)
              + " runtime, by its ref(\"%s\", %s.class)"
                  .formatted(ref.name(), ref.protocol().getSimpleName()));
    }
  }
}
