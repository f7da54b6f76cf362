// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import static dev.heddle.cluster.engine.EngineProbe.next;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.Version;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Bytes at the port that no node sends: their connection ends, and nothing else.
@Timeout(600)
class HostileBytesTest {
  private static final int GIGABYTE = 1 << 30;

  @Test
  void randomBytes_endTheirConnection_othersGoOn() throws Exception {
    Random random = new Random(42);
    byte[] bytes = new byte[1000];
    random.nextBytes(bytes);
    attack(
        List.of(
            bytes,
            new byte[0],
            "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
            new byte[9]));
  }

  @Test
  void greetingThenRandomBytes_endTheirConnection_othersGoOn() throws Exception {
    byte[] bytes = new byte[1000];
    new Random(43).nextBytes(bytes);
    attack(List.of(join(NodeSocket.GREETING, bytes)));
  }

  @Test
  void framesOfImpossibleLengths_endTheirConnection_othersGoOn() throws Exception {
    List<byte[]> all = new ArrayList<>();
    for (int length : new int[] {GIGABYTE, Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 0, 2}) {
      all.add(join(hello(), ints(length), new byte[100]));
    }
    attack(all);
  }

  @Test
  void truncatedFrame_endsItsConnection_othersGoOn() throws Exception {
    attack(List.of(join(hello(), ints(1000), new byte[10]), hello(), NodeSocket.GREETING));
  }

  /// Sends each, and closes; then two nodes still talk over their first connection.
  private static void attack(List<byte[]> all) throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b);
        var two = EngineProbe.open("b", b, null, a)) {
      Engine.Address to = one.waitFor(two);
      one.engine.send(to, new byte[] {1}, Engine.Urgency.IN_ORDER);
      next(two.packets);
      for (byte[] bytes : all) {
        try (var hostile = new Socket(InetAddress.getLoopbackAddress(), b)) {
          hostile.getOutputStream().write(bytes);
          hostile.shutdownOutput();
          hostile.getInputStream().readAllBytes(); // until the node closes
        } catch (IOException e) {
          // safe: a reset is an end, too
        }
      }
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
    java.nio.ByteBuffer.wrap(bytes).putInt(bytes.length - 4, GIGABYTE);
    assertThatThrownBy(() -> ReceivedMessages.readMessage(new ByteArrayDataInputStream(bytes)))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("" + GIGABYTE, "0 are left");
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

  /// What a node of the same version of JGroups says first.
  private static byte[] hello() throws IOException {
    var bytes = new java.io.ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    out.write(NodeSocket.GREETING);
    out.write(new byte[] {'b', 'e', 'l', 'a'});
    out.writeShort(Version.version);
    IpAddress address = new IpAddress(InetAddress.getLoopbackAddress(), 9);
    out.writeShort(address.serializedSize());
    address.writeTo(out);
    return bytes.toByteArray();
  }

  private static byte[] ints(int value) {
    return java.nio.ByteBuffer.allocate(4).putInt(value).array();
  }

  private static byte[] join(byte[]... parts) throws IOException {
    var out = new java.io.ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.write(part);
    }
    return out.toByteArray();
  }
}
