// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Bytes from anywhere lead to frames, or to a [MalformedPacketException].
@Tag("wire-2")
class PacketHostilityTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final FrameCodec codec = new FrameCodec(FrameCodecTest.B, FrameCodecTest.A);
  private int read;
  private int refused;

  private void receive(byte[] bytes) {
    try {
      Packet packet = Packet.parse(bytes);
      if (packet.urgent()) {
        var _ = packet.content();
      } else {
        var _ = codec.decode(packet);
      }
      read++;
    } catch (MalformedPacketException e) {
      assertThat(e).hasMessageContaining(", at byte ");
      refused++;
    }
  }

  /// What the receiver allocates, with a part that does not depend on the packet.
  private long allocated(byte[] bytes) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    receive(bytes);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private static List<byte[]> packets(long seed) {
    RandomValues values = new RandomValues(seed);
    FrameCodec sender = new FrameCodec(FrameCodecTest.A, FrameCodecTest.B);
    List<byte[]> packets = new ArrayList<>();
    for (Class<?> kind : Frame.class.getPermittedSubclasses()) {
      byte[] frame = sender.encode((Frame) values.of(kind));
      packets.add(TestPackets.write(1, FrameCodecTest.SESSION, 5, 4, 3, List.of(frame, frame)));
    }
    Urgent.Introduction node =
        new Urgent.Introduction(
            "shop", FrameCodecTest.A, 1, 1, 1, 7, Map.of("k", "v"), List.of("cart"));
    for (Urgent it :
        List.of(
            new Urgent.Hello(node),
            new Urgent.Welcome(node, 3, 1),
            values.of(Urgent.HelloRefused.class),
            values.of(Urgent.Ping.class),
            values.of(Urgent.Goodbye.class))) {
      packets.add(Packet.write(1, FrameCodecTest.SESSION, 4, 3, it));
    }
    return packets;
  }

  @Test
  void randomBytes_areRefused() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      receive(bytes);
    }
    assertThat(read).isZero();
  }

  @Test
  void randomBytes_afterAHeader_areReadOrRefused() {
    Random random = new Random(2);
    for (int i = 0; i < 300_000; i++) {
      byte[] bytes = new byte[Packet.HEADER_BYTES + random.nextInt(60)];
      random.nextBytes(bytes);
      byte[] header = TestPackets.write(1, FrameCodecTest.SESSION, 5, 4, 3, List.of());
      System.arraycopy(header, 0, bytes, 0, header.length);
      if (bytes.length > header.length + 1) {
        bytes[header.length] = (byte) (bytes.length - header.length - 1);
        bytes[header.length + 1] = (byte) random.nextInt(28);
      }
      receive(bytes);
    }
    assertThat(read).isPositive();
    assertThat(refused).isPositive();
  }

  @Test
  void packets_cutAnywhere_areRefused() {
    for (byte[] packet : packets(3)) {
      for (int length = 0; length < packet.length; length++) {
        receive(Arrays.copyOf(packet, length));
      }
    }
    // what is cut after the header, or after the first of two frames, is whole
    assertThat(read).isLessThanOrEqualTo(2 * packets(3).size());
    assertThat(refused).isPositive();
  }

  @Test
  void packets_withOneWrongByte_areReadOrRefused() {
    for (byte[] packet : packets(4)) {
      for (int at = 0; at < packet.length; at++) {
        for (int change : new int[] {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
          byte[] wrong = packet.clone();
          wrong[at] ^= (byte) change;
          receive(wrong);
        }
      }
    }
    assertThat(refused).isPositive();
  }

  /// Each number of a packet as a length of a GiB, and as the largest one.
  @Test
  void hugeLengths_areRefused_beforeAnythingIsAllocated() {
    byte[] gib = {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 4};
    byte[] most = new byte[10];
    Arrays.fill(most, (byte) 0xff);
    most[9] = 1;
    for (byte[] packet : packets(5)) {
      receive(packet); // loads the classes that this takes
      for (int at = Packet.HEADER_BYTES; at < packet.length; at++) {
        for (byte[] length : List.of(gib, most)) {
          byte[] wrong = Arrays.copyOf(packet, Math.max(packet.length, at + length.length));
          System.arraycopy(length, 0, wrong, at, length.length);
          assertThat(allocated(wrong)).isLessThan(64 * 1024 + 64L * packet.length);
        }
      }
    }
  }

  @Test
  void packet_aboveTheLimit_isRefused() {
    assertThatThrownBy(() -> Packet.parse(new byte[Limits.PACKET_BYTES + 1]))
        .isInstanceOf(MalformedPacketException.class)
        .hasMessageContaining(String.valueOf(Limits.PACKET_BYTES));
  }

  @Test
  void urgentPacket_aboveItsLimit_isRefused() {
    byte[] packet = Packet.write(1, FrameCodecTest.SESSION, 0, 0, new Urgent.Ack());
    assertThatThrownBy(() -> Packet.parse(Arrays.copyOf(packet, Limits.URGENT_PACKET_BYTES + 1)))
        .isInstanceOf(MalformedPacketException.class)
        .hasMessageContaining("urgent");
  }

  @Test
  void longPacket_ofManyFrames_isRefused() {
    byte[] frame = new FrameCodec(FrameCodecTest.A, FrameCodecTest.B).encode(new Frame.GiveUp(1));
    byte[] all = new byte[Limits.PACKED_PACKET_BYTES];
    for (int at = 0; at + frame.length <= all.length; at += frame.length) {
      System.arraycopy(frame, 0, all, at, frame.length);
    }
    byte[] packet = TestPackets.write(1, FrameCodecTest.SESSION, 1, 0, 0, List.of(all));
    receive(packet);
    assertThat(refused).isOne();
  }

  @Test
  void text_thatIsNotUtf8_isRefused() throws Exception {
    byte[] frame = {5, 24, 2, (byte) 0xc3, 'x', 0}; // SERVICE
    byte[] packet = TestPackets.write(1, FrameCodecTest.SESSION, 1, 0, 0, List.of(frame));
    assertThatThrownBy(() -> codec.decode(Packet.parse(packet)))
        .isInstanceOf(MalformedPacketException.class)
        .hasMessageContaining("UTF-8");
  }

  @Test
  void codes_thatAreNotDefined_areRefused() throws Exception {
    byte[] frame = {4, 8, 0, 1, 4}; // PAUSE of the sender's 1, policy 4
    byte[] packet = TestPackets.write(1, FrameCodecTest.SESSION, 1, 0, 0, List.of(frame));
    assertThatThrownBy(() -> codec.decode(Packet.parse(packet)))
        .isInstanceOf(MalformedPacketException.class)
        .hasMessageContaining("unknown code 4; at most 3");
  }
}
