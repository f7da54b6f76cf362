// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.scheduler.Scheduler;

/// A limit on the retries of many calls together: a share of the calls, so that retries do not
/// multiply the load of a service that fails.
///
/// {@snippet class=dev.heddle.snippets.RetrySnippetsTest region=budget}
///
/// Each call adds the share to the balance, each retry takes 1 from it. When less than 1 is left,
/// the call throws its failure without a retry. The balance starts at the reserve, and does not
/// grow above it. So over n calls there are at most `reserve + share * n` retries.
///
/// One budget belongs to one service: all [Retry] values for that service share it.
///
/// **Thread** the loop on which it was created. **Suspends** never. **Cost** constant, no
/// allocation.
///
/// @since 0.1
public final class RetryBudget {
  private static final long ONE = 1_000_000; // a share is exact to a millionth

  private final Scheduler home;
  private final long share;
  private final long reserve;

  // loop only
  private long balance;
  private long refused;

  /// A budget of the current loop.
  ///
  /// @param share how many retries each call allows, from 0 to 1; usually 0.1 or 0.2
  /// @param reserve how many retries there may be in a row, at least 1; usually 10
  /// @throws IllegalStateException outside a coroutine
  public RetryBudget(double share, int reserve) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("a share of " + share + " is not between 0 and 1");
    }
    if (reserve < 1) {
      throw new IllegalArgumentException(
          "a reserve of " + reserve + " would never allow a retry; give at least 1");
    }
    this.home = CoroutineNode.current().scheduler();
    this.share = Math.round(share * ONE);
    this.reserve = reserve * ONE;
    this.balance = this.reserve;
  }

  /// Counts a call, which is not a retry.
  void deposit() {
    checkHome();
    balance = Math.min(reserve, balance + share);
  }

  /// Takes a retry.
  ///
  /// @return whether there was one left
  boolean tryWithdraw() {
    checkHome();
    if (balance < ONE) {
      refused++;
      return false;
    }
    balance -= ONE;
    return true;
  }

  private void checkHome() {
    if (CoroutineNode.current().scheduler() != home) {
      throw new IllegalStateException(
          "a retry budget belongs to another loop; make one on each loop that needs it");
    }
  }

  /// The number of retries that are left now.
  public int available() {
    return (int) (balance / ONE);
  }

  /// How many retries it has refused so far.
  public long refused() {
    return refused;
  }

  /// One line for reports: retries left, and refused.
  public String info() {
    return "a retry budget with "
        + available()
        + " of "
        + reserve / ONE
        + " left, "
        + refused
        + " refused";
  }

  @Override
  public String toString() {
    return info();
  }
}
