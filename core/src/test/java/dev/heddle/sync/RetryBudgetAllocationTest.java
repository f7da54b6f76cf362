// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.counts.AllocationTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RetryBudgetAllocationTest {
  @Test
  void budget_thatIsUsed_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          RetryBudget budget = new RetryBudget(0.1, 10);
          return AllocationTest.measured(
              carrier,
              () -> {
                budget.deposit();
                var _ = budget.tryWithdraw(); // also refused
              });
        });
    // less than one byte in a thousand calls: what is left belongs to the compiler's transitions
    assertThat(bytes).isLessThan(AllocationTest.TIMES / 1_000);
  }
}
