// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jgroups.Version;
import org.jgroups.stack.IpAddress;

/// Bytes that no node sends, for the port of one, and packets that no node sends, for its engine.
public final class HostileBytes {
  static final int GIGABYTE = 1 << 30;

  private static final int HEADER = 40; // bytes of that of a packet

  private HostileBytes() {}

  /// All kinds, each for a connection of its own.
  public static List<byte[]> all() throws IOException {
    List<byte[]> all = new ArrayList<>(random());
    all.addAll(randomAfterTheGreeting());
    all.addAll(impossibleLengths());
    all.addAll(truncated());
    return all;
  }

  static List<byte[]> random() {
    return List.of(
        random(42),
        new byte[0],
        "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
        new byte[9]);
  }

  static List<byte[]> randomAfterTheGreeting() throws IOException {
    return List.of(join(NodeSocket.GREETING, random(43)));
  }

  static List<byte[]> impossibleLengths() throws IOException {
    List<byte[]> all = new ArrayList<>();
    for (int length : new int[] {GIGABYTE, Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 0, 2}) {
      all.add(join(hello(), ints(length), new byte[100]));
    }
    return all;
  }

  static List<byte[]> truncated() throws IOException {
    return List.of(join(hello(), ints(1000), new byte[10]), hello(), NodeSocket.GREETING);
  }

  private static byte[] random(long seed) {
    byte[] bytes = new byte[1000];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /// Sends each over a connection of its own, and waits until the node has closed it.
  public static void send(int port, List<byte[]> all) throws IOException {
    for (byte[] bytes : all) {
      try (var hostile = new Socket(InetAddress.getLoopbackAddress(), port)) {
        write(hostile, bytes);
      }
    }
  }

  private static void write(Socket hostile, byte[] bytes) {
    try {
      hostile.getOutputStream().write(bytes);
      hostile.shutdownOutput();
      hostile.getInputStream().readAllBytes(); // until the node closes
    } catch (IOException e) {
      // safe: a reset is an end, too
    }
  }

  /// Joins the engines of nodes, as one that speaks their JGroups, and sends each of them packets
  /// that are random, begin as a packet and go on at random, are cut off, or come again.
  ///
  /// @param seeds ports of the nodes
  public static void sendPackets(int port, int rounds, int... seeds)
      throws IOException, InterruptedException {
    Random random = new Random(44);
    try (EngineProbe hostile = EngineProbe.open("hostile", port, null, seeds)) {
      for (int i = 0; i < seeds.length; i++) {
        Engine.Address to = EngineProbe.next(hostile.found);
        byte[] hello = EngineProbe.next(hostile.packets).content(); // what a node has sent
        for (int round = 0; round < rounds; round++) {
          send(hostile.engine, to, packets(random, hello));
        }
      }
    }
  }

  private static void send(Engine engine, Engine.Address to, List<byte[]> packets) {
    for (byte[] packet : packets) {
      engine.send(to, packet, Engine.Urgency.IN_ORDER);
      engine.send(to, packet, Engine.Urgency.ONCE);
    }
  }

  private static List<byte[]> packets(Random random, byte[] hello) {
    byte[] noise = new byte[1 + random.nextInt(2000)];
    random.nextBytes(noise);
    byte[] numbered = noise.clone();
    System.arraycopy(hello, 0, numbered, 0, Math.min(3, numbered.length)); // "HD" and version
    if (numbered.length > HEADER) {
      numbered[3] = 0; // no flags
      ByteBuffer.wrap(numbered).putLong(20, 1 + random.nextInt(9)).putLong(28, 0).putInt(36, 1);
    }
    byte[] changed = hello.clone();
    changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
    return List.of(
        noise,
        numbered,
        changed,
        hello, // it comes back to where it came from
        Arrays.copyOf(hello, random.nextInt(hello.length)));
  }

  /// What a node of the same version of JGroups says first.
  private static byte[] hello() throws IOException {
    var bytes = new ByteArrayOutputStream();
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
    return ByteBuffer.allocate(4).putInt(value).array();
  }

  private static byte[] join(byte[]... parts) throws IOException {
    var out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.write(part);
    }
    return out.toByteArray();
  }
}
