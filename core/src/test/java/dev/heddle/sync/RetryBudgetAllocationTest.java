// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.counts.AllocationProgram;
import dev.heddle.counts.AllocationTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RetryBudgetAllocationTest {
  /// Uses a budget, of which most withdrawals are refused.
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      AllocationProgram.tell(() -> {
        RetryBudget budget = new RetryBudget(0.1, 10);
        return () -> {
          budget.deposit();
          var _ = budget.tryWithdraw();
        };
      });
    }
  }

  @Test
  void budget_thatIsUsed_allocatesNothing() throws Exception {
    assertThat(AllocationTest.bytesOf(Program.class)).isEmpty();
  }
}
