// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Counts the calls of a coroutine that complete at once, from one scheduling decision to the next.
final class CoopBudget {
  private static final int CALLS = 64; // about 100 us of small reads

  private int used; // calls since another coroutine could run
  private long since; // scheduling decisions at the last of these calls

  /// Counts a call.
  ///
  /// @param dispatched the number of scheduling decisions
  /// @return whether the coroutine has had its share; it begins anew
  boolean isUsedUp(long dispatched) {
    if (dispatched != since) {
      since = dispatched;
      used = 0;
    }
    if (++used < CALLS) {
      return false;
    }
    used = 0;
    return true;
  }
}
