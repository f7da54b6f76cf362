// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.dns.DnsRecordType;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which datagrams count as answers; the others would each be a warning of Netty's.
@Tag("T13.5.1")
class AnswerValidatorTest {
  private static final InetSocketAddress HERE = Literals.server("127.0.0.1");

  private final EmbeddedChannel channel =
      new EmbeddedChannel(new AnswerValidator(new Question("good.test", DnsRecordType.A)));

  @Test
  void messageThatRepeatsTheQuestion_passesWhole() {
    ByteBuf message = message(1, "good.test", Zone.A);
    int length = message.readableBytes();
    assertThat(passes(message)).isTrue();
    DatagramPacket passed = channel.readInbound();
    assertThat(passed.content().readableBytes()).isEqualTo(length);
    passed.release();
  }

  @Test
  void messageOfAnotherQuestion_isDroppedBeforeNettyLogsIt() {
    assertDropped(message(1, "evil.test", Zone.A));
    assertDropped(message(1, "good.test", Zone.AAAA));
    assertDropped(message(0, "good.test", Zone.A));
    assertDropped(message(2, "good.test", Zone.A));
  }

  @Test
  void messageThatCannotBeRead_isDroppedBeforeNettyLogsIt() {
    for (int length = 0; length < 27; length++) { // 27: header and question
      assertDropped(message(1, "good.test", Zone.A).writerIndex(length));
    }
    assertDropped(Unpooled.buffer().writeBytes(new byte[] {-1, -1, -1, -1, 0, 1}).writeZero(6));
    ByteBuf circle = message(1, "", Zone.A);
    assertDropped(circle.setShort(12, 0xc00c)); // a name that points to itself
  }

  private void assertDropped(ByteBuf message) {
    assertThat(passes(message)).isFalse();
    assertThat(message.refCnt()).isZero();
  }

  private boolean passes(ByteBuf message) {
    return channel.writeInbound(new DatagramPacket(message, HERE, HERE));
  }

  private static ByteBuf message(int questions, String name, int type) {
    ByteBuf message = Unpooled.buffer();
    message.writeShort(7).writeShort(0x8180).writeShort(questions).writeZero(6);
    for (String label : name.split("\\.")) {
      message.writeByte(label.length());
      message.writeCharSequence(label, StandardCharsets.US_ASCII);
    }
    return message.writeByte(0).writeShort(type).writeShort(1);
  }
}
