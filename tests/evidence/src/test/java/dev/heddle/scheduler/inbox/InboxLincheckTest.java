// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The inbox is linearizable: a queue that any thread adds to, and that the carrier empties in
/// order.
@Tag("T1")
@Tag("trap-39")
public class InboxLincheckTest {
  /// The real class.
  @Param(name = "number", gen = IntGen.class, conf = "1:4")
  public static class Real {
    private final Inbox inbox = new Inbox(new Wakeup(() -> {}));
    private final List<Integer> arrived = new ArrayList<>();

    /// Posts a letter of its own.
    @Operation
    public boolean post(int number) {
      return inbox.post(
          new Inbox.Node() {
            @Override
            public void onArrival() {
              arrived.add(number);
            }
          });
    }

    /// What arrives now, oldest first.
    @Operation(nonParallelGroup = "carrier")
    public List<Integer> drain() {
      arrived.clear();
      inbox.drain();
      return List.copyOf(arrived);
    }

    /// What arrives at last.
    @Operation(nonParallelGroup = "carrier", runOnce = true)
    public List<Integer> close() {
      arrived.clear();
      inbox.close();
      return List.copyOf(arrived);
    }

    /// Whether a drain would bring nothing, as the carrier asks before it sleeps.
    @Operation(nonParallelGroup = "carrier")
    public boolean isEmpty() {
      return inbox.isEmpty();
    }
  }

  /// What a sequence of calls gives.
  public static class Specification {
    private final List<Integer> queue = new ArrayList<>();
    private boolean closed;

    /// As [Real#post(int)].
    public boolean post(int number) {
      if (!closed) {
        queue.add(number);
      }
      return !closed;
    }

    /// As [Real#drain()].
    public List<Integer> drain() {
      List<Integer> all = List.copyOf(queue);
      queue.clear();
      return all;
    }

    /// As [Real#close()].
    public List<Integer> close() {
      closed = true;
      return drain();
    }

    /// As [Real#isEmpty()].
    public boolean isEmpty() {
      return queue.isEmpty() && !closed;
    }
  }

  @Test
  void inbox_inAllSmallInterleavings_isAQueue() {
    new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(400)
        .threads(3)
        .actorsPerThread(2)
        .sequentialSpecification(Specification.class)
        .check(Real.class);
  }
}
