// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.ArrayDeque;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/// The deque is linearizable: a stack for its owner, of which others take the oldest, and now and
/// then its owner too.
public class WorkDequeLincheckTest {
  /// The real class. A steal that has lost against another one gives nothing, as from an empty
  /// deque: so steals are tried until they are not disturbed.
  @Param(name = "number", gen = IntGen.class, conf = "1:9")
  public static class Real {
    private final WorkDeque<Integer> deque = new WorkDeque<>(2, -2, 2);

    /// Puts an item at the owner's end.
    @Operation(nonParallelGroup = "owner")
    public void push(@Param(name = "number") int number) {
      deque.push(number);
    }

    /// Takes the newest.
    @Operation(nonParallelGroup = "owner")
    public Integer pop() {
      return deque.pop();
    }

    /// Takes the oldest, as the owner.
    @Operation(nonParallelGroup = "owner")
    public Integer pollOldest() {
      return deque.pollOldest();
    }

    /// Takes the oldest, from another thread.
    @Operation
    public String steal() {
      while (true) {
        WorkDeque<Integer> own = new WorkDeque<>(2, 0, 2);
        Integer oldest = deque.stealInto(own);
        if (oldest != null) {
          Integer next = own.pop();
          return next == null ? "" + oldest : oldest + " " + next;
        }
        if (deque.size() == 0) {
          return "none";
        }
      }
    }
  }

  /// What a sequence of calls gives.
  public static class Specification {
    private final ArrayDeque<Integer> items = new ArrayDeque<>();

    /// As [Real#push(int)].
    public void push(int number) {
      items.addFirst(number);
    }

    /// As [Real#pop()].
    public Integer pop() {
      return items.pollFirst();
    }

    /// As [Real#pollOldest()].
    public Integer pollOldest() {
      return items.pollLast();
    }

    /// As [Real#steal()].
    public String steal() {
      if (items.isEmpty()) {
        return "none";
      }
      boolean two = items.size() / 2 >= 2;
      Integer oldest = items.pollLast();
      return two ? oldest + " " + items.pollLast() : "" + oldest;
    }
  }

  @Test
  void deque_inAllSmallInterleavings_isAStackOfWhichOthersTakeTheOldest() {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(3)
        .sequentialSpecification(Specification.class)
        .check(Real.class);
  }
}
