// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Stands between the nodes of this JVM and one port of loopback, and records what is sent there.
///
/// Nodes tell each other where they listen, so a proxy at another port would be passed by. This one
/// speaks SOCKS 5, and the JDK leads all connections to the port through it.
final class RecordingProxy extends ProxySelector implements AutoCloseable {
  private static final byte[] NO_AUTHENTICATION = {5, 0};
  private static final byte[] CONNECTED = {5, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  private static final int REQUEST_BYTES = 10; // with an address of version 4

  private final int port;
  private final ProxySelector before = ProxySelector.getDefault();
  private final ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
  private final List<ByteArrayOutputStream> recorded = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /// @param port to which connections are recorded
  RecordingProxy(int port) throws IOException {
    this.port = port;
    thread(this::accept);
    ProxySelector.setDefault(this);
  }

  private interface Body {
    void run() throws IOException;
  }

  private static void thread(Body body) {
    var _ =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                body.run();
              } catch (IOException _) {
                // safe: a connection has ended
              }
            });
  }

  private void accept() throws IOException {
    while (!server.isClosed()) {
      Socket client = server.accept();
      sockets.add(client);
      thread(() -> serve(client));
    }
  }

  private void serve(Socket client) throws IOException {
    var in = new DataInputStream(client.getInputStream());
    in.readByte(); // the version
    in.skipNBytes(in.readUnsignedByte()); // how the client can show who it is
    client.getOutputStream().write(NO_AUTHENTICATION);
    in.skipNBytes(REQUEST_BYTES);
    Socket node = new Socket(Proxy.NO_PROXY);
    sockets.add(node);
    node.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    client.getOutputStream().write(CONNECTED);
    var record = new ByteArrayOutputStream();
    recorded.add(record);
    thread(() -> copy(node.getInputStream(), client.getOutputStream(), client));
    copy(
        in,
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            record.write(one);
            node.getOutputStream().write(one);
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            record.write(bytes, from, length);
            node.getOutputStream().write(bytes, from, length);
          }
        },
        node);
  }

  private static void copy(InputStream in, OutputStream out, Socket to) throws IOException {
    try (to) {
      in.transferTo(out);
    }
  }

  /// What each connection has sent to the port so far.
  List<byte[]> recorded() {
    return recorded.stream().map(ByteArrayOutputStream::toByteArray).toList();
  }

  /// Sends bytes to the port over a connection of their own, past this proxy; returns when the
  /// other side has read all of them and has closed it.
  ///
  /// @return what the other side has said
  byte[] replay(byte[] bytes) throws IOException {
    try (var hostile = new Socket(Proxy.NO_PROXY)) {
      hostile.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      hostile.getOutputStream().write(bytes);
      hostile.shutdownOutput();
      return hostile.getInputStream().readAllBytes();
    }
  }

  @Override
  public List<Proxy> select(URI uri) {
    boolean isRecorded = uri.getScheme().equals("socket") && uri.getPort() == port;
    return isRecorded
        ? List.of(new Proxy(Proxy.Type.SOCKS, server.getLocalSocketAddress()))
        : before.select(uri);
  }

  @Override
  public void connectFailed(URI uri, SocketAddress to, IOException why) {}

  @Override
  public void close() throws IOException {
    ProxySelector.setDefault(before);
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
