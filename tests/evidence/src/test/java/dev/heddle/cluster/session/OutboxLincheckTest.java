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
      Outbox.Packed packet = outbox.next(1 << 20);
      List<String> taken = new ArrayList<>();
      for (int at = Packet.HEADER_BYTES;
          packet != null && at < packet.length();
          at += new Numbered(0).size()) {
        taken.add(Numbered.read(packet.bytes(), at));
      }
      return String.join(" ", taken);
    }

    /// Drops what is there.
    @Operation
    public int close() {
      return outbox.close();
    }
  }

  /// What a sequence of calls gives.
  public static class Specification {
    private final List<String> frames = new ArrayList<>();
    private boolean closed;

    /// As [Real#offer(int)].
    public String offer(int number) {
      if (closed) {
        return "CLOSED";
      }
      frames.add(String.valueOf(number));
      return "ACCEPTED";
    }

    /// As [Real#next()].
    public String next() {
      String taken = String.join(" ", frames);
      frames.clear();
      return taken;
    }

    /// As [Real#close()].
    public int close() {
      closed = true;
      int dropped = frames.size();
      frames.clear();
      return dropped;
    }
  }

  @Test
  @Tag("C1")
  @Tag("C2")
  void outbox_inAllSmallInterleavings_isAQueue() {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(2)
        .sequentialSpecification(Specification.class)
        .check(Real.class);
  }
}
