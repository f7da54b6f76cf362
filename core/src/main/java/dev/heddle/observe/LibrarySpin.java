// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A library method that waits in a busy loop for other threads. In a coroutine it never ends: the
/// other coroutines cannot run meanwhile.
///
/// @param words its activity, for reports
/// @param advice the remedy
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

  /// The known method that is on this stack; null: none.
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
