// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Process;
import java.util.concurrent.atomic.AtomicBoolean;

/// A process that ends children of its own before it ends.
interface StartOnce extends Process {
  /// A second process of the same object would take the first one's children for its own.
  static void checkBeginsOnce(AtomicBoolean begun) {
    if (!begun.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "this supervisor object was spawned before; call build() for each start, also in the"
              + " factory of a child");
    }
  }
}
