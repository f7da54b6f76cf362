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

  /// The real class without a bound, to which two items in a row are pushed at once.
  @Param(name = "number", gen = IntGen.class, conf = "1:4")
  public static class Rows {
    private final EventQueue queue = new EventQueue(Integer.MAX_VALUE);
    private boolean closed; // the consumer: it asks for nothing after that

    /// Puts an item at the tail.
    @Operation
    public String push(@Param(name = "number") int number) {
      return queue.push(new Item(number)).name();
    }

    /// Puts two items at the tail.
    @Operation
    public int pushTwo(@Param(name = "number") int number) {
      return queue.pushSome(new Item[] {new Item(number), new Item(number + 5)}, 0, 2);
    }

    /// Takes the head.
    @Operation(nonParallelGroup = "consumer")
    public String take() {
      return closed ? "" : Real.all(queue.take(1));
    }

    /// Takes all.
    @Operation(nonParallelGroup = "consumer")
    public String close() {
      String left = closed ? "" : Real.all(queue.close());
      closed = true;
      return left;
    }
  }

  /// What a sequence of calls of [Rows] gives.
  public static class RowsSpecification {
    private final ArrayDeque<Integer> items = new ArrayDeque<>();
    private boolean closed;

    /// As [Rows#push(int)].
    public String push(int number) {
      if (closed) {
        return "CLOSED";
      }
      items.addLast(number);
      return "ACCEPTED";
    }

    /// As [Rows#pushTwo(int)].
    public int pushTwo(int number) {
      if (closed) {
        return 0;
      }
      items.addLast(number);
      items.addLast(number + 5);
      return 2;
    }

    /// As [Rows#take()].
    public String take() {
      return items.isEmpty() ? "" : items.pollFirst().toString();
    }

    /// As [Rows#close()].
    public String close() {
      closed = true;
      StringBuilder text = new StringBuilder();
      items.forEach(text::append);
      items.clear();
      return text.toString();
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

  @Test
  @Tag("P9")
  void row_inAllSmallInterleavings_isPushedAtOnce() {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(3)
        .sequentialSpecification(RowsSpecification.class)
        .check(Rows.class);
  }
}
