// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.CompositeException;
import dev.heddle.coroutine.SwitchHandler;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/// The switch handlers of one coroutine, in the order in which they were added.
final class SwitchHandlers {
  /*
   * A handler that saved something in LEAVE restores it in ENTER, so the two must pair whatever happens between them.
   *
   * States.  from   event                                        to     who
   *          HERE   the coroutine suspends: LEAVE                AWAY   the coroutine
   *          AWAY   it goes on: ENTER                            HERE   the coroutine
   *          AWAY   it suspends or ends: ENTER, then that        as it  the coroutine, whose stack had ended before ENTER could run
   *          HERE   it ends: FINISH                              GONE   the coroutine, as the last thing on its stack
   *
   * A suspension that does not take place (pinned, or a LEAVE handler threw) has gone through AWAY all the same.
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
  private final List<SwitchHandler> handlers = new ArrayList<>(1);
  private boolean away;
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
        coroutine.watchWhatIsThere();
      }
    }
  }

  boolean isEmpty() {
    return handlers.isEmpty();
  }

  void add(SwitchHandler handler) {
    handlers.add(Objects.requireNonNull(handler, "handler"));
  }

  boolean remove(SwitchHandler handler) {
    return handlers.remove(handler);
  }

  /// Tells all of them; then throws what some have thrown.
  void tell(CoroutineNode<?> coroutine, boolean enter, boolean finishing) {
    List<Throwable> failures = new ArrayList<>(0);
    telling = true;
    try {
      if (away && !enter) {
        call(coroutine, true, false, failures);
      }
      away = !enter;
      call(coroutine, enter, finishing, failures);
    } finally {
      telling = false;
    }
    if (!failures.isEmpty()) {
      throw LoopRoot.<RuntimeException>rethrown(
          failures.size() == 1
              ? failures.getFirst()
              : new CompositeException(
                  failures.size() + " switch handlers of " + coroutine.describe() + " failed",
                  failures));
    }
  }

  private void call(
      CoroutineNode<?> coroutine, boolean enter, boolean finishing, List<Throwable> failures) {
    for (Iterator<SwitchHandler> each = handlers.iterator(); each.hasNext(); ) {
      try {
        if (!each.next().onSwitch(coroutine, enter, finishing)) {
          each.remove();
        }
      } catch (Throwable e) {
        // it stays: who has seen LEAVE is to see ENTER
        failures.add(e);
      }
    }
  }
}
