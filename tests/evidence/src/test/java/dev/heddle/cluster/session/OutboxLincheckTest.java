// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.session.OutboxStress.Numbered;
import dev.heddle.cluster.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// An outbox is linearizable: a queue of which the writer takes all that is there, in a packet,
/// until it is closed.
public class OutboxLincheckTest {
  /// The writer's calls. It waits for a late packet.
  private static String next(Outbox outbox) {
    Outbox.Packed packet;
    do {
      packet = outbox.next(1 << 20);
    } while (packet == null && outbox.isLate());
    List<String> taken = new ArrayList<>();
    for (int at = Packet.HEADER_BYTES;
        packet != null && at < packet.length();
        at += new Numbered(0).size()) {
      taken.add(Numbered.read(packet.bytes(), at));
    }
    return String.join(" ", taken);
  }

  /// The real class.
  @Param(name = "number", gen = IntGen.class, conf = "1:9")
  public static class Real {
    private final Outbox outbox = new Outbox();

    /// Puts a frame at the tail.
    @Operation
    public String offer(@Param(name = "number") int number) {
      return outbox.offer(new Numbered(number), Outbox.Kind.MESSAGE).name();
    }

    /// Takes a packet.
    @Operation(nonParallelGroup = "writer")
    public String next() {
      return OutboxLincheckTest.next(outbox);
    }

    /// Drops what is there.
    @Operation
    public int close() {
      return outbox.close();
    }
  }

  /// The real class, with packets that one frame fills, and space for two of them.
  @Param(name = "number", gen = IntGen.class, conf = "1:9")
  public static class Small {
    private static final int SIZE = new Numbered(0).size();

    private final Outbox outbox = new Outbox(2 * SIZE, Packet.HEADER_BYTES + SIZE);

    /// Puts a frame at the tail.
    @Operation
    public String offer(@Param(name = "number") int number) {
      return outbox.offer(new Numbered(number), Outbox.Kind.MESSAGE).name();
    }

    /// Whether a sender need not wait.
    @Operation
    public boolean hasSpace() {
      return outbox.space().isDone();
    }

    /// Takes a packet.
    @Operation(nonParallelGroup = "writer")
    public String next() {
      return OutboxLincheckTest.next(outbox);
    }

    /// Drops what is there.
    @Operation
    public int close() {
      return outbox.close();
    }
  }

  /// What a sequence of calls gives.
  public static class Queue {
    private final List<String> frames = new ArrayList<>();
    private final int space;
    private final int packet;
    private boolean closed;

    /// With space for so many frames, and so many in a packet.
    Queue(int space, int packet) {
      this.space = space;
      this.packet = packet;
    }

    /// As [Small#offer(int)].
    public String offer(int number) {
      if (closed || frames.size() >= space) {
        return closed ? "CLOSED" : "FULL";
      }
      frames.add(String.valueOf(number));
      return "ACCEPTED";
    }

    /// As [Small#hasSpace()].
    public boolean hasSpace() {
      return closed || frames.size() < space;
    }

    /// As [Small#next()].
    public String next() {
      List<String> first = frames.subList(0, Math.min(packet, frames.size()));
      String taken = String.join(" ", first);
      first.clear();
      return taken;
    }

    /// As [Small#close()].
    public int close() {
      closed = true;
      int dropped = frames.size();
      frames.clear();
      return dropped;
    }
  }

  /// Of [Real].
  public static final class OfReal extends Queue {
    /// As Lincheck makes it.
    public OfReal() {
      super(Integer.MAX_VALUE, Integer.MAX_VALUE);
    }
  }

  /// Of [Small].
  public static final class OfSmall extends Queue {
    /// As Lincheck makes it.
    public OfSmall() {
      super(2, 1);
    }
  }

  private static void check(Class<?> real, Class<?> specification) {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(2)
        .sequentialSpecification(specification)
        .check(real);
  }

  @Test
  @Tag("C1")
  @Tag("C2")
  void outbox_inAllSmallInterleavings_isAQueue() {
    check(Real.class, OfReal.class);
  }

  @Test
  @Tag("C2")
  @Tag("C9")
  void outboxOfSmallPackets_thatIsFull_inAllSmallInterleavings_isABoundedQueue() {
    check(Small.class, OfSmall.class);
  }
}
