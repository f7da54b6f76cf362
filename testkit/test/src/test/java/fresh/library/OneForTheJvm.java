// SPDX-License-Identifier: Apache-2.0
package fresh.library;

import java.util.concurrent.atomic.AtomicInteger;

/// A library with static state; in a package that may be loaded anew.
public final class OneForTheJvm {
  private static final AtomicInteger CALLS = new AtomicInteger();

  private OneForTheJvm() {}

  /// The number of calls since the class was loaded.
  public static int call() {
    return CALLS.incrementAndGet();
  }
}
