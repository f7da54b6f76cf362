// SPDX-License-Identifier: Apache-2.0
package java.lang;

/// Preemption points: places where another coroutine may run.
public final class HeddlePoints {
  private HeddlePoints() {}

  /// Before an access that other coroutines may see.
  ///
  /// @param where class and method
  public static void at(String where) {
    HeddleWorld world = HeddleWorld.current();
    if (world != null
        && Thread.currentThread() instanceof VirtualThread self
        && world.preempts(where)) {
      self.tryYield();
    }
  }
}
