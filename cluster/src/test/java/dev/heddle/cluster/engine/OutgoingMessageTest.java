// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What JGroups does with a message: it writes it, once more when UNICAST3 sends it again, and
/// copies it when the other node asks for the first one that it misses.
final class OutgoingMessageTest {
  private final OutgoingArray packet = new OutgoingArray((byte) 1, (byte) 2, (byte) 3);
  private final Message message = new OutgoingMessage(org.jgroups.util.UUID.randomUUID(), packet);

  /// The content as the other node reads it.
  private static byte @Nullable [] sent(Message message)
      throws IOException, ClassNotFoundException {
    ByteArrayDataOutputStream out = new ByteArrayDataOutputStream();
    out.writeShort(message.getType());
    message.writeTo(out);
    assertThat(out.position()).isLessThanOrEqualTo(Short.BYTES + message.size());
    ByteArrayDataInputStream in = new ByteArrayDataInputStream(out.buffer(), 0, out.position());
    Message read = ReceivedMessages.readMessage(in);
    assertThat(in.available()).isZero();
    return ((BytesMessage) read).getBytes();
  }

  @Test
  @Tag("C2")
  void message_isThePacket_onEachTransmission() throws Exception {
    assertThat(sent(message)).containsExactly(1, 2, 3);
    assertThat(sent(message)).containsExactly(1, 2, 3);
    assertThat(sent(message.copy(true, true))).containsExactly(1, 2, 3);
    assertThat(packet.pins).hasValue(0);
  }

  @Test
  @Tag("C2")
  void message_thatIsSentAgain_afterItsPacketHasArrived_hasNoContent() throws Exception {
    Message copy = message.copy(true, true);
    packet.reuse();
    assertThat(sent(message)).isNull();
    assertThat(sent(message.copy(true, true))).isNull();
    assertThat(sent(copy)).containsExactly(1, 2, 3);
    assertThat(packet.pins).hasValue(0);
  }

  @Test
  @Tag("C2")
  void array_isGivenToNobody() {
    assertThat(message.getLength()).isEqualTo(3);
    assertThat(message.hasArray()).isFalse();
    assertThat(message.getArray()).isNull();
    assertThat(((BytesMessage) message).getBytes())
        .isNotSameAs(packet.array)
        .containsExactly(1, 2, 3);
  }
}
