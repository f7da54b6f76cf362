// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.session.Outbox.Kind;
import dev.heddle.cluster.session.Outbox.Result;
import dev.heddle.cluster.wire.EncodedFrame;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.Packet;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class OutboxTest {
  private static final int MIB = 1024 * 1024;
  private static final long ANY = 100L * MIB;

  private static final int MOST = Limits.PACKED_PACKET_BYTES - Packet.HEADER_BYTES;

  private final Outbox outbox = new Outbox();

  /// A frame of so many bytes: its length, then a number again and again.
  private record Numbered(int size, int number) implements EncodedFrame {
    @Override
    public byte writeTo(byte[] packet, int at) {
      int prefix = size <= 1 << 7 ? 1 : size <= 1 << 14 ? 2 : 3;
      int length = size - prefix;
      for (int i = 1; i < prefix; i++) {
        packet[at + i] = (byte) (((length >>> (7 * i)) & 0x7f) | (i == prefix - 1 ? 0 : 0x80));
      }
      Arrays.fill(packet, at + prefix, at + size, (byte) number);
      return (byte) ((length & 0x7f) | (prefix == 1 ? 0 : 0x80));
    }
  }

  /// A frame whose sender stops half-way, until it is let go.
  private static final class Slow implements EncodedFrame {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch mayEnd = new CountDownLatch(1);
    private final EncodedFrame frame;

    Slow(int size) {
      frame = new Numbered(size, 7);
    }

    @Override
    public int size() {
      return frame.size();
    }

    @Override
    public byte writeTo(byte[] packet, int at) {
      begun.countDown();
      try {
        mayEnd.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return frame.writeTo(packet, at);
    }
  }

  /// A frame that says from whom it is, and which one of theirs.
  private record Told(int size, int sender, int number) implements EncodedFrame {
    private static final int WHO = 5; // bytes

    @Override
    public byte writeTo(byte[] packet, int at) {
      byte first = new Numbered(size, 1).writeTo(packet, at);
      ByteBuffer.wrap(packet, at + size - WHO, WHO).put((byte) sender).putInt(number);
      return first;
    }
  }

  private Result offer(int bytes, Kind kind) {
    return outbox.offer(new Numbered(bytes, 0), kind);
  }

  private void fill() {
    for (int i = 0; i < 4; i++) {
      offer(MIB, Kind.MESSAGE);
    }
  }

  private byte @Nullable [] frames() {
    Outbox.Packed packet = outbox.next(ANY);
    return packet == null
        ? null
        : Arrays.copyOfRange(packet.bytes(), Packet.HEADER_BYTES, packet.length());
  }

  @Test
  @Tag("C2")
  void frames_leaveInOrder_packedUpTo48KiB() {
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    for (int i = 0; i < 1_000; i++) {
      EncodedFrame frame = new Numbered(2 + i % 40, i);
      outbox.offer(frame, i % 7 == 0 ? Kind.CONTROL : Kind.MESSAGE);
      expected.writeBytes(EncodedFrame.toBytes(frame));
    }
    offer(48 * 1024, Kind.MESSAGE);
    offer(10, Kind.CONTROL);

    ByteArrayOutputStream found = new ByteArrayOutputStream();
    while (found.size() < expected.size()) {
      byte[] some = Objects.requireNonNull(frames());
      assertThat(some).hasSizeLessThanOrEqualTo(MOST);
      found.writeBytes(some);
    }
    assertThat(found.toByteArray()).isEqualTo(expected.toByteArray());
    assertThat(frames()).hasSize(48 * 1024);
    assertThat(frames()).hasSize(10);
    assertThat(frames()).isNull();
    assertThat(outbox.bytes()).isZero();
  }

  @Test
  @Tag("C2")
  void packet_ofSeveralFrames_hasAtMost48KiB_andAFrameIsNeverSplit() {
    offer(1_000, Kind.MESSAGE); // the writer is behind from here on
    for (int i = 0; i < 60; i++) {
      offer(1_000, Kind.MESSAGE);
    }
    assertThat(frames()).hasSize(1_000);
    assertThat(frames()).hasSize(MOST / 1_000 * 1_000);
    assertThat(frames()).hasSize(60_000 - MOST / 1_000 * 1_000);
  }

  @Test
  @Tag("C2")
  void frameThatFitsIntoAnEarlierPacket_doesNotOvertake() {
    offer(2, Kind.MESSAGE); // in an array of 512 bytes
    offer(4_000, Kind.MESSAGE);
    offer(3, Kind.MESSAGE);
    assertThat(frames()).hasSize(2);
    assertThat(frames()).hasSize(4_003);
  }

  /// Begins to write a frame on a thread of its own.
  private CompletableFuture<Result> begin(Slow slow) throws Exception {
    CompletableFuture<Result> end =
        CompletableFuture.supplyAsync(() -> outbox.offer(slow, Kind.MESSAGE), OutboxTest::start);
    slow.begun.await();
    return end;
  }

  @Test
  @Tag("C2")
  @Tag("C9")
  @Timeout(60)
  void packetIntoWhichASenderStillWrites_isLate_andHoldsUpNobody() throws Exception {
    Slow slow = new Slow(40);
    offer(20, Kind.MESSAGE);
    var end = begin(slow);
    offer(30, Kind.MESSAGE); // behind it

    assertThat(outbox.next(ANY)).isNull();
    assertThat(outbox.isLate()).isTrue();
    assertThat(offer(50, Kind.MESSAGE)).isEqualTo(Result.ACCEPTED);
    assertThat(outbox.next(ANY)).isNull(); // not the one behind
    assertThat(outbox.bytes()).isEqualTo(20 + 40 + 30 + 50);

    slow.mayEnd.countDown();
    assertThat(end.get()).isEqualTo(Result.ACCEPTED);
    assertThat(frames()).hasSize(20 + 40 + 30).contains((byte) 7);
    assertThat(outbox.isLate()).isFalse();
    assertThat(frames()).hasSize(50);
  }

  @Test
  @Tag("C9")
  @Timeout(60)
  void close_waitsForNoSender_andCountsTheFrameThatItWrites() throws Exception {
    Slow slow = new Slow(40);
    var end = begin(slow);
    offer(30, Kind.MESSAGE);

    assertThat(outbox.close()).isEqualTo(2);

    slow.mayEnd.countDown();
    assertThat(end.get()).isEqualTo(Result.ACCEPTED);
    assertThat(outbox.next(ANY)).isNull();
    assertThat(outbox.isLate()).isFalse();
  }

  @Test
  @Tag("C9")
  @Timeout(60)
  void latePacket_whenTheOutboxIsClosed_leavesNoMore() throws Exception {
    Slow slow = new Slow(40);
    var end = begin(slow);
    assertThat(outbox.next(ANY)).isNull();

    assertThat(outbox.close()).isEqualTo(1);
    slow.mayEnd.countDown();

    assertThat(end.get()).isEqualTo(Result.ACCEPTED);
    assertThat(outbox.next(ANY)).isNull();
    assertThat(outbox.bytes()).isZero();
  }

  @Test
  @Tag("C9")
  void largeFrames_haveArraysOfTheirSize() {
    int length = 25 * 1024;
    offer(length, Kind.MESSAGE);
    offer(length, Kind.MESSAGE);
    offer(10, Kind.MESSAGE);
    assertThat(frames()).hasSize(length);
    assertThat(frames()).hasSize(length);
    assertThat(frames()).hasSize(10);
  }

  @Test
  @Tag("C9")
  void array_ofAPacketThatWaitsForItsAck_isHalfUsedOrMore() {
    offer(400, Kind.MESSAGE); // in an array of 512 bytes
    offer(100, Kind.MESSAGE); // the writer is behind: in an array of 48 KiB
    for (int length : new int[] {400, 100}) {
      Outbox.Packed packet = Objects.requireNonNull(outbox.next(ANY));
      assertThat(packet.length()).isEqualTo(Packet.HEADER_BYTES + length);
      assertThat(packet.bytes().length).isLessThanOrEqualTo(2 * packet.length());
    }
  }

  /// So many packets that are on their way, all but the first of 48 KiB.
  private List<Outbox.Packed> flood(int packets) {
    for (int i = 0; i < 1 + 6 * (packets - 1); i++) {
      outbox.offer(new Numbered(7_900, 1), Kind.MESSAGE);
    }
    return Stream.generate(() -> Objects.requireNonNull(outbox.next(ANY))).limit(packets).toList();
  }

  private Outbox.Packed oneMore(int number) {
    for (int i = 0; i < 4; i++) {
      outbox.offer(new Numbered(7_000, number), Kind.MESSAGE);
    }
    return Objects.requireNonNull(outbox.next(ANY));
  }

  @Test
  @Tag("C9")
  void array_ofAPacketThatHasArrived_isUsedAgain_asIfItWereNew() {
    List<Outbox.Packed> packets = flood(3);
    byte[] array = packets.get(1).bytes();
    packets.get(1).arrived();

    Outbox.Packed next = oneMore(2);

    assertThat(next.bytes()).isSameAs(array);
    byte[] rest = Arrays.copyOfRange(array, next.length(), array.length);
    assertThat(rest).containsOnly(0); // else a frame would seem to be written
    assertThat(packets.get(1).pin()).isNull();
  }

  @Test
  @Tag("C2")
  void array_ofAPacketThatHasNotArrived_isNotUsedAgain() {
    List<Outbox.Packed> packets = flood(3);
    Outbox.Packed next = oneMore(2);
    assertThat(packets).noneMatch(it -> it.bytes() == next.bytes());
  }

  /// UNICAST3 sends a packet once more, whose acknowledgement comes meanwhile.
  @Test
  @Tag("C2")
  void array_thatIsReadWhenItsPacketArrives_isNotUsedAgain() {
    List<Outbox.Packed> packets = flood(3);
    byte[] array = Objects.requireNonNull(packets.get(1).pin());
    packets.get(1).arrived();

    Outbox.Packed next = oneMore(2);

    assertThat(next.bytes()).isNotSameAs(array);
    packets.get(1).unpin();
    assertThat(oneMore(3).bytes()).isNotSameAs(array);
  }

  @Test
  @Tag("C9")
  void arrays_areKept_aFew_whilePacketsAreOnTheirWay() {
    List<Outbox.Packed> packets = flood(Outbox.MOST_FREE + 5);
    packets.subList(0, packets.size() - 1).forEach(Outbox.Packed::arrived);
    assertThat(outbox.free()).isEqualTo(Outbox.MOST_FREE);

    packets.getLast().arrived();
    assertThat(outbox.free()).isZero();
  }

  @Test
  @Tag("C9")
  void arrays_areDropped_atTheEnd() {
    List<Outbox.Packed> packets = flood(21);
    packets.subList(0, 10).forEach(Outbox.Packed::arrived);
    outbox.close();
    packets.subList(10, 20).forEach(Outbox.Packed::arrived);
    assertThat(outbox.free()).isZero();
  }

  @Test
  @Tag("C9")
  void next_thatDoesNotFitTheWindow_waits() {
    offer(1_000, Kind.MESSAGE);
    offer(1_000, Kind.MESSAGE);

    assertThat(outbox.next(1_000)).isNull();
    assertThat(outbox.next(1_000 + Packet.HEADER_BYTES)).isNotNull();
    assertThat(outbox.bytes()).isEqualTo(1_000);
  }

  @Test
  @Tag("C2")
  void packetThatGrowsWhileItWaitsForTheWindow_leavesFirst() {
    offer(1_000, Kind.MESSAGE);
    assertThat(outbox.next(1_000)).isNull();
    offer(500, Kind.MESSAGE);
    offer(60, Kind.MESSAGE);
    assertThat(frames()).hasSize(1_000);
    assertThat(frames()).hasSize(560);
  }

  @Test
  @Tag("C9")
  void full_refusesMessages_takesControl() {
    fill();

    assertThat(offer(2, Kind.MESSAGE)).isEqualTo(Result.FULL);
    assertThat(offer(2, Kind.CONTROL)).isEqualTo(Result.ACCEPTED);
    assertThat(offer(2, Kind.MESSAGE)).isEqualTo(Result.FULL); // though the packet has space
    assertThat(outbox.bytes()).isEqualTo(4 * MIB + 2);
  }

  @Test
  @Tag("C9")
  void control_of64MiB_overflows() {
    for (int i = 0; i < 64; i++) {
      assertThat(offer(MIB, Kind.CONTROL)).isEqualTo(Result.ACCEPTED);
    }
    assertThat(offer(2, Kind.CONTROL)).isEqualTo(Result.OVERFLOW);
  }

  @Test
  void space_completesWhenHalfIsFree() {
    assertThat(outbox.space()).isCompleted();
    fill();
    var space = outbox.space();

    outbox.next(ANY);
    assertThat(space).isNotDone();
    outbox.next(ANY);
    assertThat(space).isCompleted();
  }

  @Test
  void close_completesSpace_dropsAndRefuses() {
    fill();
    var space = outbox.space();

    offer(2, Kind.CONTROL);
    offer(200, Kind.CONTROL);
    assertThat(outbox.close()).isEqualTo(6);
    assertThat(space).isCompleted();
    assertThat(outbox.bytes()).isZero();
    assertThat(offer(2, Kind.CONTROL)).isEqualTo(Result.CLOSED);
    assertThat(outbox.next(ANY)).isNull();
    assertThat(outbox.space()).isCompleted();
  }

  /// Packets that are full, frames with a packet of their own, waits for space, a window that is
  /// too small: all at once.
  @Test
  @Tag("C2")
  @Tag("C9")
  @Timeout(300)
  void senders_atOnce_loseNothing_andEachKeepsItsOrder() throws Exception {
    int senders = 4;
    int frames = 50_000;
    List<CompletableFuture<?>> ends = new ArrayList<>();
    for (int i = 0; i < senders; i++) {
      int sender = i;
      ends.add(CompletableFuture.runAsync(() -> send(sender, frames), OutboxTest::start));
    }
    int[] next = new int[senders];
    for (long taken = 0, turn = 0; taken < (long) senders * frames; turn++) {
      Outbox.Packed packet = outbox.next(turn % 7 == 0 ? 2_000 : ANY);
      int length = packet == null ? 0 : packet.length();
      for (int at = Packet.HEADER_BYTES; at < length; taken++) {
        byte[] bytes = Objects.requireNonNull(packet).bytes();
        at += EncodedFrame.sizeAt(bytes, at);
        ByteBuffer who = ByteBuffer.wrap(bytes, at - Told.WHO, Told.WHO);
        int sender = who.get();
        assertThat(who.getInt()).isEqualTo(next[sender]++);
      }
      if (packet == null) {
        Thread.onSpinWait();
      }
    }
    for (CompletableFuture<?> each : ends) {
      Object _ = each.get();
    }
    assertThat(outbox.bytes()).isZero();
    assertThat(outbox.next(ANY)).isNull();
  }

  /// The writer does nothing else, so it seals packets into which senders are just writing.
  @Test
  @Tag("C3")
  @Timeout(300)
  void packetsThatAreTakenWhileSendersClaim_haveAllTheirFrames() throws Exception {
    int senders = 2;
    int frames = 1_000_000;
    int size = 8;
    List<CompletableFuture<?>> ends = new ArrayList<>();
    for (int i = 0; i < senders; i++) {
      ends.add(CompletableFuture.runAsync(() -> sendSmall(size, frames), OutboxTest::start));
    }
    CompletableFuture<?> end = CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    long bytes = 0;
    boolean isLast = false;
    while (true) {
      Outbox.Packed packet = outbox.next(ANY);
      if (packet != null) {
        bytes += packet.length() - Packet.HEADER_BYTES;
      } else if (isLast) {
        break;
      }
      isLast = end.isDone(); // what it has not found until then is lost
    }
    assertThat(bytes).isEqualTo((long) senders * frames * size);
    Object _ = end.get();
  }

  private void sendSmall(int size, int frames) {
    EncodedFrame frame = new Numbered(size, 1);
    for (int i = 0; i < frames; i++) {
      while (outbox.offer(frame, Kind.MESSAGE) != Result.ACCEPTED) {
        outbox.space().join();
      }
    }
  }

  private static void start(Runnable task) {
    Thread.ofPlatform().daemon().start(task);
  }

  private void send(int sender, int frames) {
    for (int i = 0; i < frames; i++) {
      int size = i % 97 == 0 ? 10_000 : 8 + i % 1_000; // some have a packet of their own
      EncodedFrame frame = new Told(size, sender, i);
      while (outbox.offer(frame, Kind.MESSAGE) != Result.ACCEPTED) {
        outbox.space().join();
      }
    }
  }
}
