// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Process;
import java.util.concurrent.atomic.AtomicBoolean;

/// A supervisor, whose object is spawned once.
interface StartOnce extends Process {
  /// Fails at a second call: a second process of the same object would share the first one's
  /// children.
  static void checkBeginsOnce(AtomicBoolean begun) {
    if (!begun.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "this supervisor object was spawned before; call build() for each start, also in the"
              + " factory of a child");
    }
  }
}
