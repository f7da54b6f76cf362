// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import static dev.heddle.cluster.engine.EngineProbe.next;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Bytes at the port that no node sends: their connection ends, and nothing else.
@Timeout(600)
class HostileBytesTest {
  @Test
  void randomBytes_endTheirConnection_othersGoOn() throws Exception {
    attack(HostileBytes.random());
  }

  @Test
  void greetingThenRandomBytes_endTheirConnection_othersGoOn() throws Exception {
    attack(HostileBytes.randomAfterTheGreeting());
  }

  @Test
  void framesOfImpossibleLengths_endTheirConnection_othersGoOn() throws Exception {
    attack(HostileBytes.impossibleLengths());
  }

  @Test
  void truncatedFrame_endsItsConnection_othersGoOn() throws Exception {
    attack(HostileBytes.truncated());
  }

  /// Sends each, and closes; then two nodes still talk over their first connection.
  private static void attack(List<byte[]> all) throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    // only b knows where the other one is: a would be refused there before b listens
    try (var one = EngineProbe.open("a", a, null, a);
        var two = EngineProbe.open("b", b, null, a)) {
      Engine.Address to = one.waitFor(two);
      one.engine.send(to, new byte[] {1}, Engine.Urgency.IN_ORDER);
      next(two.packets);
      HostileBytes.send(b, all);
      one.engine.send(to, new byte[] {2}, Engine.Urgency.IN_ORDER);
      assertThat(next(two.packets).content()).containsExactly(2);
      assertThat(one.suspected).isEmpty();
      assertThat(two.suspected).isEmpty();
    }
  }

  @Test
  void silentClients_doNotKeepANodeOut() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    List<Socket> silent = new ArrayList<>();
    try (var one = EngineProbe.open("a", a, null)) {
      for (int i = 0; i < 100; i++) {
        silent.add(new Socket(InetAddress.getLoopbackAddress(), a));
      }
      try (var two = EngineProbe.open("b", b, null, a)) {
        assertThat(two.waitFor(one)).isEqualTo(one.engine.address());
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void messageWithALengthAboveItsFrame_isRefusedBeforeAnythingIsAllocated() throws Exception {
    var out = new ByteArrayDataOutputStream();
    out.writeShort(Message.BYTES_MSG);
    new BytesMessage(UUID.randomUUID(), new byte[0]).setSrc(UUID.randomUUID()).writeTo(out);
    byte[] bytes = java.util.Arrays.copyOf(out.buffer(), out.position());
    java.nio.ByteBuffer.wrap(bytes).putInt(bytes.length - 4, HostileBytes.GIGABYTE);
    assertThatThrownBy(() -> ReceivedMessages.readMessage(new ByteArrayDataInputStream(bytes)))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("" + HostileBytes.GIGABYTE, "0 are left");
  }

  @Test
  void serializedObject_isRefusedWithoutReadingIt() throws Exception {
    var out = new ByteArrayDataOutputStream();
    out.writeShort(Message.OBJ_MSG);
    new ObjectMessage(UUID.randomUUID(), new ArrayList<>(List.of("a")))
        .setSrc(UUID.randomUUID())
        .writeTo(out);
    byte[] bytes = java.util.Arrays.copyOf(out.buffer(), out.position());
    assertThatThrownBy(() -> ReceivedMessages.readMessage(new ByteArrayDataInputStream(bytes)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not accepted");
  }

  @Test
  void otherTypesOfMessages_areRefused() {
    for (short type :
        new short[] {
          Message.NIO_MSG,
          Message.LONG_MSG,
          Message.COMPOSITE_MSG,
          Message.FRAG_MSG,
          Message.EARLYBATCH_MSG,
          40,
          -1
        }) {
      byte[] bytes = {(byte) (type >> 8), (byte) type};
      assertThatThrownBy(() -> ReceivedMessages.readMessage(new ByteArrayDataInputStream(bytes)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("type " + type);
    }
  }
}
