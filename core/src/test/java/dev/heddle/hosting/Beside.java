// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;

/// What a loop does beside coroutines that wait for something of the JDK's.
final class Beside {
  /// Turns of the loop that must pass beside a wait before it is released.
  static final int TURNS = 1_000;

  private Beside() {}

  /// Lets every ready coroutine run, again and again, while all of `waiters` wait.
  ///
  /// @return the turns, at most [#TURNS]
  static int turnsBeside(Collection<? extends Coroutine<?>> waiters) {
    int turns = 0;
    while (turns < TURNS && waiters.stream().noneMatch(Coroutine::isDone)) {
      Heddle.yieldNow();
      turns++;
    }
    return turns;
  }

  /// Runs `waiting` in `waiters` coroutines, lets turns pass, and then releases them.
  ///
  /// @return the turns that passed while all of them waited
  static int turnsBeside(int waiters, Action waiting, Action release) {
    return Heddle.run(() -> {
      List<Coroutine<?>> all = new ArrayList<>();
      for (int i = 0; i < waiters; i++) {
        all.add(spawn(waiting));
      }
      int turns = turnsBeside(all);
      release.run();
      all.forEach(Coroutine::await);
      return turns;
    });
  }

  /// Runs `waiting` in the current coroutine while a ticking one counts.
  ///
  /// @return ticks counted meanwhile
  static long ticksDuring(Action waiting) throws Exception {
    long[] ticks = new long[1];
    Heddle.background("ticker", () -> tick(ticks));
    long before = ticks[0];
    waiting.run();
    return ticks[0] - before;
  }

  @SuppressWarnings("InfiniteLoopStatement") // cancelled when everything else is done
  private static void tick(long[] ticks) {
    while (true) {
      Heddle.yieldNow();
      ticks[0]++;
    }
  }

  /// Starts a coroutine without a result.
  static Coroutine<Boolean> spawn(Action action) {
    return Heddle.spawn(() -> {
      action.run();
      return true;
    });
  }

  /// Lets turns pass until `condition` holds.
  static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Heddle.yieldNow();
    }
  }
}
