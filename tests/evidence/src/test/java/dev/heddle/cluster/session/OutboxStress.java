// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.heddle.cluster.wire.EncodedFrame;
import dev.heddle.cluster.wire.Packet;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/// Two senders put frames into a packet that the writer takes: each frame leaves once, whole, and
/// those of one sender in their order.
public class OutboxStress {
  private OutboxStress() {}

  private static final int SIZE = 40;

  /// The same number in each byte behind the length.
  static final class Numbered implements EncodedFrame {
    private final int number;

    Numbered(int number) {
      this.number = number;
    }

    @Override
    public int size() {
      return SIZE;
    }

    @Override
    public byte writeTo(byte[] packet, int at) {
      for (int i = 1; i < SIZE; i++) {
        packet[at + i] = (byte) number;
      }
      return SIZE - 1;
    }

    /// The number of a frame; `torn` when not all of it was there.
    static String read(byte[] packet, int at) {
      for (int i = 2; i < SIZE; i++) {
        if (packet[at + i] != packet[at + 1]) {
          return "torn";
        }
      }
      return String.valueOf(packet[at + 1]);
    }
  }

  /// What two senders do, one of which is the writer as well.
  private abstract static class Senders {
    private final List<String> taken = new ArrayList<>();

    abstract void offer(int number);

    abstract byte @Nullable [] next();

    abstract int length(byte[] packet);

    private void take() {
      byte[] packet = next();
      for (int at = Packet.HEADER_BYTES; packet != null && at < length(packet); at += SIZE) {
        taken.add(Numbered.read(packet, at));
      }
    }

    void one() {
      offer(1);
      offer(2);
    }

    void other() {
      offer(3);
      take();
    }

    void end(LL_Result r) {
      take();
      take();
      take();
      r.r1 = taken.contains("3");
      taken.remove("3");
      r.r2 = String.join(" ", taken);
    }
  }

  private static class OfOutbox extends Senders {
    private final Outbox outbox = new Outbox();
    private int length;

    /// With frames in the open packet.
    OfOutbox(int... before) {
      for (int number : before) {
        offer(number);
      }
    }

    @Override
    void offer(int number) {
      outbox.offer(new Numbered(number), Outbox.Kind.MESSAGE);
    }

    @Override
    byte @Nullable [] next() {
      Outbox.Packed packet = outbox.next(1 << 20);
      length = packet == null ? 0 : packet.length();
      return packet == null ? null : packet.bytes();
    }

    @Override
    int length(byte[] packet) {
      return length;
    }
  }

  /// **Real class.** The first frame makes the packet.
  @JCStressTest
  @Outcome(id = "true, 1 2", expect = ACCEPTABLE, desc = "each once, whole, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, torn, or not in order")
  @State
  public static class Real {
    private final Senders senders = new OfOutbox();

    @Actor
    public void one() {
      senders.one();
    }

    @Actor
    public void other() {
      senders.other();
    }

    @Arbiter
    public void end(LL_Result r) {
      senders.end(r);
    }
  }

  /// **Real class.** There is an open packet.
  @JCStressTest
  @Outcome(id = "true, 0 1 2", expect = ACCEPTABLE, desc = "each once, whole, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, torn, or not in order")
  @State
  public static class RealOpen {
    private final Senders senders = new OfOutbox(0);

    @Actor
    public void one() {
      senders.one();
    }

    @Actor
    public void other() {
      senders.other();
    }

    @Arbiter
    public void end(LL_Result r) {
      senders.end(r);
    }
  }

  /// The outbox with one packet, which is open from the beginning, and with a second one behind it.
  private static class OfPackets extends Senders {
    static final class Packed {
      final byte[] bytes = new byte[Packet.HEADER_BYTES + 4 * SIZE];
      final AtomicInteger claimed = new AtomicInteger(Packet.HEADER_BYTES);
    }

    private static final VarHandle OCTET = MethodHandles.arrayElementVarHandle(byte[].class);

    final Packed first = new Packed();
    final Packed second = new Packed();
    private int taken;

    int claim(Packed packed) {
      int at;
      do {
        at = packed.claimed.get();
        if (at < 0) {
          return -1;
        }
      } while (!packed.claimed.compareAndSet(at, at + SIZE));
      return at;
    }

    void write(Packed packed, Numbered frame, int at) {
      byte head = frame.writeTo(packed.bytes, at);
      VarHandle.releaseFence();
      packed.bytes[at] = head;
    }

    void seal(Packed packed) {
      int end;
      do {
        end = packed.claimed.get();
      } while (!packed.claimed.compareAndSet(end, ~end));
    }

    void awaitFrames(Packed packed) {
      for (int at = Packet.HEADER_BYTES; at < ~packed.claimed.get(); at += SIZE) {
        while ((byte) OCTET.getOpaque(packed.bytes, at) == 0) {
          Thread.onSpinWait();
        }
      }
      VarHandle.acquireFence();
    }

    @Override
    void offer(int number) {
      Packed packed = first;
      int at = claim(packed);
      if (at < 0) {
        packed = second;
        at = claim(packed);
      }
      write(packed, new Numbered(number), at);
    }

    @Override
    byte @Nullable [] next() {
      if (taken == 2) {
        return null;
      }
      Packed packed = taken++ == 0 ? first : second;
      seal(packed);
      awaitFrames(packed);
      return packed.bytes;
    }

    @Override
    int length(byte[] packet) {
      return ~(packet == first.bytes ? first : second).claimed.get();
    }
  }

  /// **Model.** What the outbox promises, of two packets.
  @JCStressTest
  @Outcome(id = "true, 1 2", expect = ACCEPTABLE, desc = "each once, whole, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, torn, or not in order")
  @State
  public static class Model {
    private final Senders senders = new OfPackets();

    @Actor
    public void one() {
      senders.one();
    }

    @Actor
    public void other() {
      senders.other();
    }

    @Arbiter
    public void end(LL_Result r) {
      senders.end(r);
    }
  }

  /// **Mutant.** The first byte is written before the others.
  @JCStressTest
  @Outcome(id = "true, 1 2", expect = ACCEPTABLE, desc = "each once, whole, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, torn, or not in order")
  @State
  public static class FirstByteFirst {
    private final Senders senders =
        new OfPackets() {
          @Override
          void write(Packed packed, Numbered frame, int at) {
            packed.bytes[at] = SIZE - 1;
            VarHandle.releaseFence();
            var _ = frame.writeTo(packed.bytes, at);
          }
        };

    @Actor
    public void one() {
      senders.one();
    }

    @Actor
    public void other() {
      senders.other();
    }

    @Arbiter
    public void end(LL_Result r) {
      senders.end(r);
    }
  }

  /// **Mutant.** A packet is sealed by a store: a frame that is claimed meanwhile is forgotten.
  @JCStressTest
  @Outcome(id = "true, 1 2", expect = ACCEPTABLE, desc = "each once, whole, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, torn, or not in order")
  @State
  public static class SealsByStore {
    private final Senders senders =
        new OfPackets() {
          @Override
          void seal(Packed packed) {
            packed.claimed.set(~packed.claimed.get());
          }
        };

    @Actor
    public void one() {
      senders.one();
    }

    @Actor
    public void other() {
      senders.other();
    }

    @Arbiter
    public void end(LL_Result r) {
      senders.end(r);
    }
  }
}
