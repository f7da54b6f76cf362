// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Switch;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.internal.Rethrow;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The switch handlers of one coroutine, in the order in which they were added.
final class SwitchHandlers {
  /*
   * A handler that saves something in LEAVE restores it in ENTER. So the two calls must pair for
   * each handler in any case.
   *
   * States of a handler.
   *          from   event                                    to     who
   *          -      added before the coroutine's start       AWAY   the caller of add
   *          -      added later                              HERE   the caller of add, also while
   *                                                                 the coroutine is suspended
   *          HERE   the coroutine suspends: LEAVE            AWAY   the coroutine
   *          AWAY   it resumes: ENTER                        HERE   the coroutine
   *          AWAY   it suspends or ends: ENTER, then that    as it  the coroutine, whose stack
   *                                                                 overflowed before that ENTER
   *          HERE   it ends: FINISH                          GONE   the coroutine, as the last
   *                                                                 thing on its stack
   *
   * A suspension that fails (pinned, or a LEAVE handler threw) has passed through AWAY as well. If
   * the stack overflows between two handlers, the first is AWAY and the second HERE. Each handler
   * records its own state; otherwise each switch would have to probe the stack (50 ns).
   *
   * Threads. The loop's, on the stack of the coroutine.
   *
   * I1. ENTER runs as often as LEAVE, plus once for the start; FINISH runs once, unless the
   *     coroutine never started or was abandoned. [SwitchHandlerTest, SwitchCountTest]
   * I2. A handler that throws does not prevent the calls of the others. [SwitchHandlerTest]
   * I3. The list changes between calls, never during one; a handler leaves it by returning false.
   *     [SwitchHandlerTest]
   *
   * Sources. Promise T10; loop-304.
   */
  private final List<Entry> handlers = new ArrayList<>(1);
  private boolean notifying;

  void checkIdle(Coroutine<?> coroutine) {
    if (notifying) {
      throw new IllegalStateException(
          "a switch handler of "
              + coroutine
              + " is running, and none can be added or removed meanwhile; return false to remove"
              + " it, or do it from the coroutine's body");
    }
  }

  boolean isEmpty() {
    return handlers.isEmpty();
  }

  /// Adds a handler; if `away`, its first call is the ENTER of the start.
  void add(SwitchHandler handler, boolean away) {
    handlers.add(new Entry(Objects.requireNonNull(handler, "handler"), away));
  }

  <H extends SwitchHandler> @Nullable H find(Class<H> kind) {
    for (int i = 0; i < handlers.size(); i++) {
      if (kind.isInstance(handlers.get(i).handler)) {
        return kind.cast(handlers.get(i).handler);
      }
    }
    return null;
  }

  boolean remove(SwitchHandler handler) {
    for (int i = 0; i < handlers.size(); i++) {
      if (handlers.get(i).handler.equals(handler)) {
        handlers.remove(i);
        return true;
      }
    }
    return false;
  }

  /// Calls all handlers, then throws their failures. Allocates nothing unless one throws.
  void notifyAll(Coroutine<?> coroutine, boolean enter, boolean finishing) {
    List<Throwable> failures = null;
    notifying = true;
    try {
      if (!enter) {
        failures = call(coroutine, true, false, null);
      }
      failures = call(coroutine, enter, finishing, failures);
    } finally {
      notifying = false;
    }
    if (failures != null) {
      throw Rethrow.unchecked(Precedence.composite(failures, "switch handlers of " + coroutine));
    }
  }

  // ENTER is only for handlers that are AWAY: not for one that was added during a suspension
  private @Nullable List<Throwable> call(
      Coroutine<?> coroutine,
      boolean enter,
      boolean finishing,
      @Nullable List<Throwable> failures) {
    List<Throwable> thrown = failures;
    for (int i = 0; i < handlers.size(); ) {
      Entry entry = handlers.get(i);
      boolean stays = true; // even if it throws: after LEAVE it must get ENTER
      try {
        stays = (enter && !entry.away) || entry.invoke(coroutine, enter, finishing);
      } catch (Throwable e) {
        thrown = thrown == null ? new ArrayList<>() : thrown;
        thrown.add(e);
      }
      if (stays) {
        i++;
      } else {
        handlers.remove(i);
      }
    }
    return thrown;
  }

  private static final class Entry {
    private final SwitchHandler handler;
    private boolean away;

    Entry(SwitchHandler handler, boolean away) {
      this.handler = handler;
      this.away = away;
    }

    boolean invoke(Coroutine<?> coroutine, boolean enter, boolean finishing) {
      away = !enter;
      return handler.onSwitch(
          coroutine, enter ? Switch.ENTER : finishing ? Switch.FINISH : Switch.LEAVE);
    }
  }
}
