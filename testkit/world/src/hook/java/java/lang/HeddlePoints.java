// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.util.concurrent.Executor;

/// Preemption points: places where another coroutine may run.
public final class HeddlePoints {
  /*
   * A stall keeps the running thread away for some time of the world. It yields, as for a
   * preemption; the task that continues it goes to its scheduler only when that time has passed.
   * Between the two it is in no wait that its program could end.
   *
   *   at()           carrier.stallNanos = n, tryYield()
   *   scheduler()    the JDK submits the thread, on the same carrier, with nothing in between:
   *                  stallNanos = 0, the task goes to the world's clock
   *   (not yielded)  below a native frame: at() takes stallNanos back
   *
   * Rejected. A timed park: it would consume the permit of an unpark by the program.
   */
  private HeddlePoints() {}

  /// Before an access that other coroutines may see.
  ///
  /// @param where class and method
  public static void at(String where) {
    HeddleWorld world = HeddleWorld.current();
    if (world == null || !(Thread.currentThread() instanceof VirtualThread self)) {
      return;
    }
    long pause = world.pauseAt(where);
    if (pause >= 0) {
      world.stallNanos = pause;
      self.tryYield();
      world.stallNanos = 0;
    }
  }

  /// Filters the scheduler that gets a thread which can run.
  public static Executor scheduler(Executor jdk) {
    HeddleWorld world = HeddleWorld.current();
    if (world == null || world.stallNanos == 0) {
      return jdk;
    }
    long nanos = world.stallNanos;
    world.stallNanos = 0;
    return turn -> {
      var _ = world.schedule(() -> jdk.execute(turn), nanos);
    };
  }
}
