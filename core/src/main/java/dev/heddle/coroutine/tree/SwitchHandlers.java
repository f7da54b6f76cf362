// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.CompositeException;
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
   * A handler that saved something in LEAVE restores it in ENTER, so the two must pair for each of them, whatever happens between.
   *
   * States of a handler.
   *          from   event                                        to     who
   *          -      added before the coroutine's start           AWAY   whoever adds it
   *          -      added later                                  HERE   whoever adds it, also while the coroutine is suspended
   *          HERE   the coroutine suspends: LEAVE                AWAY   the coroutine
   *          AWAY   it goes on: ENTER                            HERE   the coroutine
   *          AWAY   it suspends or ends: ENTER, then that        as it  the coroutine, whose stack had ended before ENTER could run
   *          HERE   it ends: FINISH                              GONE   the coroutine, as the last thing on its stack
   *
   * A suspension that does not take place (pinned, or a LEAVE handler threw) has gone through AWAY all the same. A stack that ends
   * between two handlers leaves the one AWAY and the other HERE; that each knows for itself spares a look at the stack's end in
   * each switch (50 ns).
   *
   * Threads. The loop's, on the stack of the coroutine.
   *
   * I1. ENTER runs as often as LEAVE, plus once for the start; FINISH once, unless the coroutine never started or was
   *     abandoned. [SwitchHandlerTest, SwitchCountTest]
   * I2. What one handler throws keeps no other from its call. [SwitchHandlerTest]
   * I3. The list changes between calls, never during one: a handler leaves it by returning false. [SwitchHandlerTest]
   *
   * Sources. DESIGN 3.1, 3.4, fact 8; promise T10; case 304.
   */
  private final List<Entry> handlers = new ArrayList<>(1);
  private boolean telling;

  /// Those of a coroutine, for somebody who adds or removes one.
  ///
  /// @throws IllegalStateException while one of them runs
  static SwitchHandlers toChange(CoroutineNode<?> coroutine) {
    coroutine.scheduler().checkOnLoop();
    RareData rare = coroutine.rare();
    SwitchHandlers those = rare.handlers;
    if (those == null) {
      those = new SwitchHandlers();
      rare.handlers = those;
    }
    if (those.telling) {
      throw new IllegalStateException(
          "a switch handler of "
              + coroutine.describe()
              + " is running, and none can be added or removed meanwhile; return false to remove"
              + " it, or do it from the coroutine's body");
    }
    return those;
  }

  /// Tells whoever wants to know of a switch: a section that refuses it, or else the handlers.
  static void switched(CoroutineNode<?> coroutine, boolean enter, boolean finishing) {
    RareData rare = coroutine.rare();
    if (rare.section != null && rare.section.takesOver(coroutine, enter, finishing)) {
      return;
    }
    if (rare.handlers != null) {
      try {
        rare.handlers.tell(coroutine, enter, finishing);
      } finally {
        if (rare.handlers.isEmpty()) {
          coroutine.watchWhatIsThere();
        }
      }
    }
  }

  boolean isEmpty() {
    return handlers.isEmpty();
  }

  /// Adds a handler.
  ///
  /// @param away whether its first call is the ENTER of the start
  void add(SwitchHandler handler, boolean away) {
    handlers.add(new Entry(Objects.requireNonNull(handler, "handler"), away));
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

  /// Tells all of them; then throws what some have thrown. Allocates nothing unless they throw.
  void tell(CoroutineNode<?> coroutine, boolean enter, boolean finishing) {
    List<Throwable> failures = null;
    telling = true;
    try {
      if (!enter) {
        failures = call(coroutine, true, false, null);
      }
      failures = call(coroutine, enter, finishing, failures);
    } finally {
      telling = false;
    }
    if (failures != null) {
      throw Rethrow.unchecked(
          failures.size() == 1
              ? failures.getFirst()
              : new CompositeException(
                  failures.size() + " switch handlers of " + coroutine.describe() + " failed",
                  failures));
    }
  }

  // ENTER is for those that are away: not for one that was added in the middle of a suspension
  private @Nullable List<Throwable> call(
      CoroutineNode<?> coroutine,
      boolean enter,
      boolean finishing,
      @Nullable List<Throwable> failures) {
    List<Throwable> thrown = failures;
    for (int i = 0; i < handlers.size(); ) {
      Entry entry = handlers.get(i);
      boolean stays = true; // also one that throws: who has seen LEAVE is to see ENTER
      try {
        stays = (enter && !entry.away) || entry.tell(coroutine, enter, finishing);
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

    boolean tell(CoroutineNode<?> coroutine, boolean enter, boolean finishing) {
      away = !enter;
      return handler.onSwitch(
          coroutine, enter ? Switch.ENTER : finishing ? Switch.FINISH : Switch.LEAVE);
    }
  }
}
