// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.ChannelClosedException;
import java.util.ArrayDeque;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A channel between threads is linearizable: a bounded queue with a close.
public class ThreadChannelLincheckTest {
  private static final int CAPACITY = 2;

  /// The real class.
  @Param(name = "number", gen = IntGen.class, conf = "1:9")
  public static class Real {
    private final ThreadChannel<Integer> channel = ThreadChannel.of(CAPACITY);

    /// Sends, if there is room.
    @Operation
    public String trySend(@Param(name = "number") int number) {
      try {
        return channel.trySend(number) ? "SENT" : "FULL";
      } catch (ChannelClosedException _) {
        return "CLOSED";
      }
    }

    /// Receives, if there is an item.
    @Operation
    public String tryReceive() {
      try {
        return String.valueOf(channel.tryReceive());
      } catch (ChannelClosedException _) {
        return "CLOSED";
      }
    }

    /// Ends the sending.
    @Operation
    public void close() {
      channel.close();
    }

    /// The number of items.
    @Operation
    public int size() {
      return channel.size();
    }
  }

  /// What a sequence of calls gives.
  public static class Specification {
    private final ArrayDeque<Integer> items = new ArrayDeque<>();
    private boolean closed;

    /// As [Real#trySend(int)].
    public String trySend(int number) {
      if (closed) {
        return "CLOSED";
      }
      if (items.size() == CAPACITY) {
        return "FULL";
      }
      items.addLast(number);
      return "SENT";
    }

    /// As [Real#tryReceive()].
    public String tryReceive() {
      return items.isEmpty() && closed ? "CLOSED" : String.valueOf(items.pollFirst());
    }

    /// As [Real#close()].
    public void close() {
      closed = true;
    }

    /// As [Real#size()].
    public int size() {
      return items.size();
    }
  }

  @Test
  @Tag("loop-278")
  void channel_inAllSmallInterleavings_isAQueueWithABound() {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(3)
        .sequentialSpecification(Specification.class)
        .check(Real.class);
  }
}
