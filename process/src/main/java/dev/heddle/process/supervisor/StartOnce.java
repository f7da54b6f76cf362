// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Process;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

  /// Calls the listener of a supervisor, if it has one; logs what that throws.
  static <S> void notify(@Nullable Consumer<? super S> listener, Supplier<? extends S> status) {
    if (listener == null) {
      return;
    }
    S now = status.get();
    try {
      listener.accept(now);
    } catch (Throwable t) {
      System.getLogger("dev.heddle.process.supervisor")
          .log(System.Logger.Level.ERROR, "a listener failed at a change of " + now, t);
    }
  }
}
