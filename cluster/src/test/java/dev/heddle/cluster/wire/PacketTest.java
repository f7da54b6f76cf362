// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Packets, and what is said outside the order of a session.
@Tag("wire-1")
class PacketTest {
  private static final SessionId SESSION = new SessionId(Long.MIN_VALUE, 3);
  private static final Urgent.Introduction NODE =
      new Urgent.Introduction(
          "shop",
          FrameCodecTest.A,
          -5,
          1,
          2,
          0b1001,
          Map.of("zone", "eu-1", "role", "cart"),
          List.of("cart", "worker"));

  private static Urgent sent(Urgent urgent) throws MalformedPacketException {
    return Packet.parse(Packet.write(1, SESSION, 8, 9, urgent)).content();
  }

  @Test
  void header_isReadAsWritten() throws Exception {
    byte[] bytes = TestPackets.write(2, SESSION, 77, 66, 55, List.of(new byte[] {2, 6, 5}));
    Packet packet = Packet.parse(bytes);
    assertThat(packet).isEqualTo(new Packet(2, false, SESSION, 77, 66, 55, bytes, 0, bytes.length));
    assertThat(bytes).hasSize(Packet.HEADER_BYTES + 3).startsWith('H', 'D');
  }

  @Test
  void packetInAPartOfAnArray_isReadAsAlone() throws Exception {
    FrameCodec codec = new FrameCodec(FrameCodecTest.A, FrameCodecTest.B);
    byte[] frame = codec.encode(new Frame.GiveUp(7));
    byte[] alone = TestPackets.write(1, SESSION, 1, 0, 0, List.of(frame, frame));
    Packet packet = Packet.parse(within(alone), 3, 3 + alone.length);
    assertThat(packet.length()).isEqualTo(alone.length);
    assertThat(codec.decode(packet)).isEqualTo(codec.decode(Packet.parse(alone)));

    byte[] urgent = Packet.write(1, SESSION, 8, 9, new Urgent.Ping(5));
    assertThat(Packet.parse(within(urgent), 3, 3 + urgent.length).content())
        .isEqualTo(new Urgent.Ping(5));
  }

  private static byte[] within(byte[] packet) {
    byte[] array = new byte[packet.length + 7];
    Arrays.fill(array, (byte) 1);
    System.arraycopy(packet, 0, array, 3, packet.length);
    return array;
  }

  @Test
  void urgent_ofAllKinds_areReadAsWritten() throws Exception {
    for (long seed = 0; seed < 200; seed++) {
      RandomValues values = new RandomValues(seed);
      for (Urgent it :
          List.of(
              new Urgent.Hello(NODE),
              new Urgent.Welcome(NODE, values.random().nextLong(), 2),
              values.of(Urgent.HelloRefused.class),
              values.of(Urgent.Ping.class),
              values.of(Urgent.Pong.class),
              values.of(Urgent.Ack.class),
              values.of(Urgent.Ended.class),
              values.of(Urgent.Goodbye.class))) {
        assertThat(sent(it)).as("seed %d", seed).isEqualTo(it);
      }
    }
  }

  @Test
  void urgent_hasTheHeaderOfItsSession() throws Exception {
    Packet packet = Packet.parse(Packet.write(1, SESSION, 8, 9, new Urgent.Ack()));
    assertThat(packet.urgent()).isTrue();
    assertThat(List.of(packet.number(), packet.ack())).containsExactly(0L, 8L);
    assertThat(packet.window()).isEqualTo(9);
    assertThat(packet.session()).isEqualTo(SESSION);
  }

  @ParameterizedTest
  @EnumSource(Urgent.Refusal.class)
  void refusals_haveACode(Urgent.Refusal it) throws Exception {
    Urgent refused = new Urgent.HelloRefused("b", 1, it, "why");
    assertThat(sent(refused)).isEqualTo(refused);
  }

  @ParameterizedTest
  @EnumSource(Urgent.Farewell.class)
  void farewells_haveACode(Urgent.Farewell it) throws Exception {
    assertThat(sent(new Urgent.Goodbye(it, ""))).isEqualTo(new Urgent.Goodbye(it, ""));
  }

  @Test
  void hello_ofALaterRelease_mayHaveMore() throws Exception {
    byte[] hello = Packet.write(9, SessionId.NONE, 0, 0, new Urgent.Hello(NODE));
    byte[] longer = Arrays.copyOf(hello, hello.length + 5);
    longer[Packet.HEADER_BYTES] =
        (byte) (longer[Packet.HEADER_BYTES] + 5); // the length, which has one octet
    assertThat(Packet.parse(longer).version()).isEqualTo(9);
    assertThat(Packet.parse(longer).content()).isEqualTo(new Urgent.Hello(NODE));
  }

  @Test
  void refusal_ofALaterRelease_isOther() throws Exception {
    byte[] bytes =
        Packet.write(1, SESSION, 0, 0, new Urgent.Goodbye(Urgent.Farewell.LEAVING, "text"));
    bytes[Packet.HEADER_BYTES + 2] = 99;
    assertThat(Packet.parse(bytes).content())
        .isEqualTo(new Urgent.Goodbye(Urgent.Farewell.OTHER, "text"));
  }

  @Test
  void packet_hasALimit() {
    byte[] longest = new byte[Limits.PACKET_BYTES];
    Packet.writeHeader(longest, 1, SESSION, 1, 0, 0);
    byte[] longer = new byte[Limits.PACKET_BYTES + 1];
    assertThatThrownBy(() -> Packet.writeHeader(longer, 1, SESSION, 1, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void hello_withTooManyEntries_isRefusedAtTheSender() {
    Urgent.Introduction many =
        new Urgent.Introduction(
            "shop",
            FrameCodecTest.A,
            1,
            1,
            1,
            0,
            Map.of(),
            Collections.nCopies(70, "e".repeat(1000)));
    assertThatThrownBy(() -> Packet.write(1, SESSION, 0, 0, new Urgent.Hello(many)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65536")
        .hasMessageContaining("entries");
  }
}
