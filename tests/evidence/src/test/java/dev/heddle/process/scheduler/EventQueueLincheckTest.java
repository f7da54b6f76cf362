// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.ArrayDeque;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The ordinary lane of a mailbox is linearizable: a queue with a bound, which refuses when it is
/// full, and then only, until it is closed.
public class EventQueueLincheckTest {
  private static final int BOUND = 2;

  private static final class Item extends Node {
    final int number;

    Item(int number) {
      this.number = number;
    }
  }

  /// The real class.
  @Param(name = "number", gen = IntGen.class, conf = "1:9")
  public static class Real {
    private final EventQueue queue = new EventQueue(BOUND);
    private boolean closed; // the consumer: it asks for nothing after that

    /// Puts an item at the tail.
    @Operation
    public String push(@Param(name = "number") int number) {
      return queue.push(new Item(number)).name();
    }

    /// Takes the head.
    @Operation(nonParallelGroup = "consumer")
    public String take() {
      return closed ? "" : all(queue.take(1));
    }

    /// Takes all.
    @Operation(nonParallelGroup = "consumer")
    public String close() {
      String left = closed ? "" : all(queue.close());
      closed = true;
      return left;
    }

    private static String all(Node first) {
      StringBuilder text = new StringBuilder();
      for (Node n = first; n != null; n = EventQueue.after(n)) {
        text.append(((Item) n).number);
      }
      return text.toString();
    }
  }

  /// The real class, whose consumer looks at what is there, and takes out what it wants.
  @Param(name = "number", gen = IntGen.class, conf = "1:9")
  public static class Looking {
    private final EventQueue queue = new EventQueue(BOUND);

    /// Puts an item at the tail.
    @Operation
    public String push(@Param(name = "number") int number) {
      return queue.push(new Item(number)).name();
    }

    /// Looks at the head, and leaves it.
    @Operation(nonParallelGroup = "consumer")
    public String peek() {
      queue.rewind();
      return queue.peekNext() instanceof Item head ? "" + head.number : "";
    }

    /// Takes the head out.
    @Operation(nonParallelGroup = "consumer")
    public String take() {
      queue.rewind();
      if (!(queue.peekNext() instanceof Item head)) {
        return "";
      }
      var _ = queue.remove(head);
      queue.publish();
      return "" + head.number;
    }
  }

  /// What a sequence of calls gives.
  public static class Specification {
    private final ArrayDeque<Integer> items = new ArrayDeque<>();
    private boolean closed;

    /// As [Real#push(int)].
    public String push(int number) {
      if (closed) {
        return "CLOSED";
      }
      if (items.size() == BOUND) {
        return "FULL";
      }
      items.addLast(number);
      return "ACCEPTED";
    }

    /// As [Real#take()].
    public String take() {
      return items.isEmpty() ? "" : items.pollFirst().toString();
    }

    /// As [Looking#peek()].
    public String peek() {
      return items.isEmpty() ? "" : items.peekFirst().toString();
    }

    /// As [Real#close()].
    public String close() {
      closed = true;
      StringBuilder text = new StringBuilder();
      items.forEach(text::append);
      items.clear();
      return text.toString();
    }
  }

  @Test
  @Tag("P9")
  void lane_inAllSmallInterleavings_isAQueueWithABound() {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(3)
        .sequentialSpecification(Specification.class)
        .check(Real.class);
  }

  @Test
  @Tag("P9")
  @Tag("proc-233")
  void lane_whoseConsumerLooksAndLeaves_isAQueueWithABoundAllTheSame() {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(3)
        .sequentialSpecification(Specification.class)
        .check(Looking.class);
  }
}
