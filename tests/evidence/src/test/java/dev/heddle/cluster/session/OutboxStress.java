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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/// Two senders put frames into packets that the writer takes: each frame leaves once, whole, and
/// those of one sender in their order. Whoever is refused, or has written, is not left waiting.
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

    /// The numbers of the frames that were taken.
    List<String> taken() {
      return taken;
    }

    void take() {
      byte[] packet = next();
      for (int at = Packet.HEADER_BYTES; packet != null && at < length(packet); at += SIZE) {
        taken.add(Numbered.read(packet, at));
      }
    }

    void takeAll() {
      for (int packets = 0; packets < 5; packets++) { // more than frames
        take();
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
      takeAll();
      r.r1 = taken.contains("3");
      taken.remove("3");
      r.r2 = String.join(" ", taken);
    }
  }

  private static class OfOutbox extends Senders {
    static final int PACKET = Packet.HEADER_BYTES + 2 * SIZE; // bytes of a packet of two frames
    static final int ANY = 1 << 20;

    final Outbox outbox;
    private int length;
    int most = ANY;

    /// With a frame 0 in the open packet.
    static OfOutbox open(Outbox outbox) {
      OfOutbox open = new OfOutbox(outbox);
      open.offer(0);
      return open;
    }

    OfOutbox(Outbox outbox) {
      this.outbox = outbox;
    }

    @Override
    void offer(int number) {
      var _ = offered(number);
    }

    Outbox.Result offered(int number) {
      return outbox.offer(new Numbered(number), Outbox.Kind.MESSAGE);
    }

    /// The writer waits for a late packet: it has nothing else to do.
    @Override
    byte @Nullable [] next() {
      Outbox.Packed packet;
      do {
        packet = outbox.next(most);
      } while (packet == null && outbox.isLate());
      length = packet == null ? 0 : packet.length();
      return packet == null ? null : packet.bytes();
    }

    @Override
    int length(byte[] packet) {
      return length;
    }
  }

  /// With a window for one frame, until the end.
  private static final class InAWindow extends OfOutbox {
    InAWindow() {
      super(new Outbox());
      offer(0);
      most = Packet.HEADER_BYTES + SIZE;
    }

    @Override
    void end(LL_Result r) {
      most = ANY;
      super.end(r);
    }
  }

  /// One sender is refused, and asks when there is space.
  private static final class Full extends OfOutbox {
    private final List<String> accepted = new ArrayList<>(List.of("0"));
    private @Nullable CompletableFuture<@Nullable Void> space;

    Full() {
      super(new Outbox(2 * SIZE, PACKET));
      offer(0);
    }

    @Override
    void one() {
      for (int number = 1; number <= 3 && space == null; number++) {
        if (offered(number) == Outbox.Result.ACCEPTED) {
          accepted.add(String.valueOf(number));
        } else {
          space = outbox.space();
        }
      }
    }

    @Override
    void other() {
      take();
    }

    @Override
    void end(LL_Result r) {
      takeAll();
      r.r1 = space == null || space.isDone();
      r.r2 = taken().equals(accepted);
    }
  }

  /// A sender wakes the writer, as a [dev.heddle.cluster.node.Link] does.
  private static class Waking extends OfOutbox {
    private final AtomicBoolean woken = new AtomicBoolean(true);

    Waking() {
      super(new Outbox());
    }

    void wake() {
      if (!woken.get()) {
        woken.compareAndSet(false, true);
      }
    }

    @Override
    void one() {
      offer(1);
      wake();
    }

    @Override
    void other() {
      woken.set(false);
      if (outbox.next(ANY) != null) {
        taken().add("1");
      }
    }

    @Override
    void end(LL_Result r) {
      r.r1 = !taken().isEmpty() || woken.get() || outbox.isLate();
      r.r2 = outbox.bytes() == (taken().isEmpty() ? SIZE : 0);
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

  private static final class FirstByteIsFirst extends OfPackets {
    @Override
    void write(Packed packed, Numbered frame, int at) {
      packed.bytes[at] = SIZE - 1;
      VarHandle.releaseFence();
      var _ = frame.writeTo(packed.bytes, at);
    }
  }

  private static final class SealedByStore extends OfPackets {
    @Override
    void seal(Packed packed) {
      packed.claimed.set(~packed.claimed.get());
    }
  }

  private static final class WokenFirst extends Waking {
    @Override
    void one() {
      wake();
      offer(1);
    }
  }

  /// **Real class.** The first frame makes the packet.
  @JCStressTest
  @Outcome(id = "true, 1 2", expect = ACCEPTABLE, desc = "each once, whole, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, torn, or not in order")
  @State
  public static class Real {
    private final Senders senders = new OfOutbox(new Outbox());

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
    private final Senders senders = OfOutbox.open(new Outbox());

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

  /// **Real class.** Packets fill: two frames are one.
  @JCStressTest
  @Outcome(id = "true, 0 1 2", expect = ACCEPTABLE, desc = "each once, whole, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, torn, or not in order")
  @State
  public static class RealFills {
    private final Senders senders = OfOutbox.open(new Outbox(1 << 20, OfOutbox.PACKET));

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

  /// **Real class.** The packet grows beyond the window while the writer looks at it.
  @JCStressTest
  @Outcome(id = "true, 0 1 2", expect = ACCEPTABLE, desc = "each once, whole, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, torn, or not in order")
  @State
  public static class RealGrows {
    private final Senders senders = new InAWindow();

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

  /// **Real class.** The outbox is full, and the writer makes space.
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "is told of the space")
  @Outcome(expect = FORBIDDEN, desc = "is left waiting, or lost, twice, or not in order")
  @State
  public static class RealFull {
    private final Senders senders = new Full();

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

  /// **Real class.** The writer looks while a sender writes.
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "has it, or looks again")
  @Outcome(expect = FORBIDDEN, desc = "sleeps while a frame waits")
  @State
  public static class RealWakes {
    private final Senders senders = new Waking();

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
    private final Senders senders = new FirstByteIsFirst();

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
    private final Senders senders = new SealedByStore();

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

  /// **Mutant.** A sender wakes the writer before it has claimed its place.
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "has it, or looks again")
  @Outcome(expect = FORBIDDEN, desc = "sleeps while a frame waits")
  @State
  public static class WakesTooSoon {
    private final Senders senders = new WokenFirst();

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
