// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.heddle.cluster.session.OutboxStress.Numbered;
import dev.heddle.cluster.wire.Packet;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/// The transport reads a packet, while its array may get the frames of another one: it reads the
/// packet as it was, or learns that it has arrived, and that not before it was acknowledged.
public class PacketReuseStress {
  private PacketReuseStress() {}

  private static final int SIZE = new Numbered(0).size();
  private static final int FRAMES = 4;
  private static final int PACKET = Packet.HEADER_BYTES + 7 * SIZE;

  /// A packet of frames 1, whose array may be used again for frames 2.
  private abstract static class Reuse {
    private volatile boolean acknowledged;

    abstract byte @Nullable [] pin();

    abstract void unpin();

    abstract void arrived();

    /// Writes frames 2, into that array if it is free.
    abstract void fill();

    abstract byte[] filled();

    /// The transport sends.
    String read() {
      byte[] bytes = pin();
      if (bytes == null) {
        return "arrived";
      }
      String found = numbers(bytes);
      unpin();
      acknowledged = true;
      return found;
    }

    void reuse() {
      arrived();
      fill();
    }

    void reuseWhenAcknowledged() {
      if (acknowledged) {
        arrived();
      }
      fill();
    }

    static String numbers(byte[] bytes) {
      String first = Numbered.read(bytes, Packet.HEADER_BYTES);
      for (int i = 1; i < FRAMES; i++) {
        if (!Numbered.read(bytes, Packet.HEADER_BYTES + i * SIZE).equals(first)) {
          return "changed";
        }
      }
      return first;
    }
  }

  private static final class OfOutbox extends Reuse {
    private final Outbox outbox = new Outbox(1 << 20, PACKET);
    private final Outbox.Packed packet = packet(1);

    OfOutbox() {
      var _ = packet(1); // while it is on its way, arrays are kept
    }

    private Outbox.Packed packet(int number) {
      offer(number);
      return Objects.requireNonNull(outbox.next(PACKET));
    }

    private void offer(int number) {
      for (int i = 0; i < FRAMES; i++) {
        var _ = outbox.offer(new Numbered(number), Outbox.Kind.MESSAGE);
      }
    }

    @Override
    byte @Nullable [] pin() {
      return packet.pin();
    }

    @Override
    void unpin() {
      packet.unpin();
    }

    @Override
    void arrived() {
      packet.arrived();
    }

    @Override
    void fill() {
      offer(2);
    }

    @Override
    byte[] filled() {
      return Objects.requireNonNull(outbox.next(PACKET)).bytes();
    }
  }

  /// The same under a lock.
  private static class OfArray extends Reuse {
    private final byte[] array = bytes(1);
    private byte[] filled = array;
    private int readers;
    private boolean arrived;

    private static byte[] bytes(int number) {
      byte[] bytes = new byte[PACKET];
      write(number, bytes);
      return bytes;
    }

    private static void write(int number, byte[] bytes) {
      for (int i = 0; i < FRAMES; i++) {
        int at = Packet.HEADER_BYTES + i * SIZE;
        bytes[at] = new Numbered(number).writeTo(bytes, at);
      }
    }

    boolean isUnread(int readers) {
      return readers == 0;
    }

    @Override
    synchronized byte @Nullable [] pin() {
      if (arrived) {
        return null;
      }
      readers++;
      return array;
    }

    @Override
    synchronized void unpin() {
      readers--;
    }

    @Override
    synchronized void arrived() {
      arrived = isUnread(readers);
    }

    @Override
    void fill() {
      boolean isFree;
      synchronized (this) {
        isFree = arrived;
      }
      filled = isFree ? array : new byte[PACKET];
      Arrays.fill(filled, (byte) 0);
      write(2, filled);
    }

    @Override
    byte[] filled() {
      return filled;
    }
  }

  private static final class Unpinned extends OfArray {
    @Override
    boolean isUnread(int readers) {
      return true;
    }
  }

  /// **Real class.** The transport may send again when the acknowledgement has come.
  @JCStressTest
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "as it was")
  @Outcome(id = "arrived, 2", expect = ACCEPTABLE, desc = "nobody needs it")
  @Outcome(expect = FORBIDDEN, desc = "frames of another packet")
  @State
  public static class Real {
    private final Reuse reuse = new OfOutbox();

    @Actor
    public void transport(LL_Result r) {
      r.r1 = reuse.read();
    }

    @Actor
    public void writer() {
      reuse.reuse();
    }

    @Arbiter
    public void end(LL_Result r) {
      r.r2 = Reuse.numbers(reuse.filled());
    }
  }

  /// **Real class.** The acknowledgement comes when the packet was sent.
  @JCStressTest
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "as it was")
  @Outcome(expect = FORBIDDEN, desc = "the packet was lost, or another one was sent")
  @State
  public static class RealAcknowledged {
    private final Reuse reuse = new OfOutbox();

    @Actor
    public void transport(LL_Result r) {
      r.r1 = reuse.read();
    }

    @Actor
    public void writer() {
      reuse.reuseWhenAcknowledged();
    }

    @Arbiter
    public void end(LL_Result r) {
      r.r2 = Reuse.numbers(reuse.filled());
    }
  }

  /// **Model.** What [Real] promises.
  @JCStressTest
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "as it was")
  @Outcome(id = "arrived, 2", expect = ACCEPTABLE, desc = "nobody needs it")
  @Outcome(expect = FORBIDDEN, desc = "frames of another packet")
  @State
  public static class Model {
    private final Reuse reuse = new OfArray();

    @Actor
    public void transport(LL_Result r) {
      r.r1 = reuse.read();
    }

    @Actor
    public void writer() {
      reuse.reuse();
    }

    @Arbiter
    public void end(LL_Result r) {
      r.r2 = Reuse.numbers(reuse.filled());
    }
  }

  /// **Mutant.** The array is free although the transport reads it.
  @JCStressTest
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "as it was")
  @Outcome(id = "arrived, 2", expect = ACCEPTABLE, desc = "nobody needs it")
  @Outcome(expect = FORBIDDEN, desc = "frames of another packet")
  @State
  public static class FreedWhileRead {
    private final Reuse reuse = new Unpinned();

    @Actor
    public void transport(LL_Result r) {
      r.r1 = reuse.read();
    }

    @Actor
    public void writer() {
      reuse.reuse();
    }

    @Arbiter
    public void end(LL_Result r) {
      r.r2 = Reuse.numbers(reuse.filled());
    }
  }

  /// **Mutant.** The array is free before the packet was sent and acknowledged.
  @JCStressTest
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "as it was")
  @Outcome(expect = FORBIDDEN, desc = "the packet was lost, or another one was sent")
  @State
  public static class FreedBeforeAcknowledged {
    private final Reuse reuse = new OfArray();

    @Actor
    public void transport(LL_Result r) {
      r.r1 = reuse.read();
    }

    @Actor
    public void writer() {
      reuse.reuse();
    }

    @Arbiter
    public void end(LL_Result r) {
      r.r2 = Reuse.numbers(reuse.filled());
    }
  }
}
