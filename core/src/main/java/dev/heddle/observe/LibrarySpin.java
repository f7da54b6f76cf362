// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A method of a library that waits in a busy loop for other threads. On a loop these never run
/// while it does, so it waits for ever.
///
/// @param words what it does, for reports
/// @param advice what mends it
record LibrarySpin(String className, String method, String words, String advice) {
  private static final List<LibrarySpin> KNOWN =
      List.of(
          new LibrarySpin(
              "org.apache.commons.pool2.impl.GenericObjectPool",
              "create",
              "it waits in a busy loop of Commons Pool (2.12.1 and later), for an object that"
                  + " another borrower is making",
              "set the pool's maxWait, for example pool.setMaxWait(Duration.ofSeconds(30)): then it"
                  + " waits without one"));

  /// The one that is on this stack, if there is one.
  static @Nullable LibrarySpin on(List<StackTraceElement> stack) {
    for (StackTraceElement frame : stack) {
      for (LibrarySpin spin : KNOWN) {
        if (frame.getClassName().equals(spin.className)
            && frame.getMethodName().equals(spin.method)) {
          return spin;
        }
      }
    }
    return null;
  }
}
