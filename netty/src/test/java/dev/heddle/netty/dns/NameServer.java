// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import dev.heddle.netty.dns.Zone.Asked;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A name server on loopback, by UDP and TCP, on threads of its own.
final class NameServer implements AutoCloseable {
  private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

  private final DatagramSocket datagrams;
  private final ServerSocket listener;
  private final Function<Asked, byte @Nullable []> answers;
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final List<Socket> connections = new CopyOnWriteArrayList<>();
  private final CountDownLatch hungUp = new CountDownLatch(1);

  private NameServer(
      DatagramSocket datagrams, ServerSocket listener, Function<Asked, byte @Nullable []> answers) {
    this.datagrams = datagrams;
    this.listener = listener;
    this.answers = answers;
  }

  /// A server that answers out of a zone.
  static NameServer of(Zone zone) throws IOException {
    return of(zone::answer);
  }

  /// A server.
  ///
  /// @param answers a whole message, or null: it keeps silent
  static NameServer of(Function<Asked, byte @Nullable []> answers) throws IOException {
    while (true) {
      DatagramSocket datagrams = new DatagramSocket(0, HERE);
      try {
        ServerSocket listener = new ServerSocket(datagrams.getLocalPort(), 50, HERE);
        NameServer server = new NameServer(datagrams, listener, answers);
        Thread.ofPlatform().daemon().name("name server, udp").start(server::serveDatagrams);
        Thread.ofPlatform().daemon().name("name server, tcp").start(server::serveConnections);
        return server;
      } catch (BindException e) {
        datagrams.close(); // somebody has that port for TCP: another one, then
      }
    }
  }

  /// As resolv.conf has it.
  String line() {
    return "nameserver 127.0.0.1:" + datagrams.getLocalPort() + "\n";
  }

  InetSocketAddress address() {
    return new InetSocketAddress(HERE, datagrams.getLocalPort());
  }

  /// Refuses connections from now on: it can be asked by UDP only.
  NameServer withoutTcp() throws IOException {
    listener.close();
    return this;
  }

  /// What has been asked so far.
  List<String> asked() {
    return asked.stream().map(Asked::toString).toList();
  }

  /// Is over when a client has hung up on a connection.
  CountDownLatch hungUp() {
    return hungUp;
  }

  private void serveDatagrams() {
    byte[] buffer = new byte[4_096];
    while (!datagrams.isClosed()) {
      try {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        datagrams.receive(packet);
        byte[] message = java.util.Arrays.copyOf(packet.getData(), packet.getLength());
        byte[] answer = answer(Zone.asked(message, false));
        if (answer != null) {
          datagrams.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
        }
      } catch (IOException e) {
        // closed, or the client has left
      }
    }
  }

  private void serveConnections() {
    while (!listener.isClosed()) {
      try {
        Socket connection = listener.accept();
        connections.add(connection);
        Thread.ofPlatform().daemon().start(() -> serve(connection));
      } catch (IOException e) {
        // closed
      }
    }
  }

  private void serve(Socket connection) {
    try (connection;
        DataInputStream in = new DataInputStream(connection.getInputStream());
        DataOutputStream out = new DataOutputStream(connection.getOutputStream())) {
      while (true) {
        byte[] answer = answer(Zone.asked(in.readNBytes(in.readUnsignedShort()), true));
        if (answer != null) {
          out.writeShort(answer.length);
          out.write(answer);
        }
      }
    } catch (IOException e) {
      hungUp.countDown();
    }
  }

  private byte @Nullable [] answer(Asked question) {
    asked.add(question);
    return answers.apply(question);
  }

  @Override
  public void close() throws IOException {
    datagrams.close();
    listener.close();
    for (Socket connection : connections) {
      connection.close();
    }
  }
}
