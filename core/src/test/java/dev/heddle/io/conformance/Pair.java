// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.Adopt;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Pipe;
import dev.heddle.io.ReceivedDescriptors;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.TcpOptions;
import dev.heddle.io.Tls;
import dev.heddle.io.TlsSocket;
import dev.heddle.io.Unix;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/// Two ends: what is written to one is read from the other.
record Pair(AsyncIo sink, AsyncIo source) implements AutoCloseable {
  // else the system lets the buffer grow to megabytes, the more the slower the machine is
  private static final TcpOptions BOUNDED =
      TcpOptions.defaults().with(StandardSocketOptions.SO_SNDBUF, 64 << 10);

  /// What lies between them.
  enum Kind {
    TCP {
      @Override
      Pair open() throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Listener listener = Tcp.listen(any, BOUNDED)) {
          StreamSocket client = Tcp.connect(listener.localAddress(), BOUNDED);
          return new Pair(client, listener.accept());
        }
      }
    },
    UNIX {
      @Override
      Pair open() throws IOException {
        Path folder = Files.createTempDirectory("pair");
        Path path = folder.resolve("socket");
        try (Listener listener = Unix.listen(path)) {
          StreamSocket client = Unix.connect(path);
          return new Pair(client, listener.accept());
        } finally {
          Files.deleteIfExists(path);
          Files.delete(folder);
        }
      }
    },
    ADOPTED_CHANNEL {
      @Override
      Pair open() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.SO_SNDBUF, 64 << 10);
        channel.connect(server.getLocalAddress());
        try (Listener listener = Adopt.listener(server)) {
          return new Pair(Adopt.socket(channel), listener.accept());
        }
      }

      @Override
      boolean isServedBy(String driver) {
        return !Cell.isSimulated(driver);
      }
    },
    /// Each end was sent through a UNIX socket, to ourselves.
    ADOPTED_DESCRIPTOR {
      @Override
      Pair open() throws IOException {
        try (Pair tcp = TCP.open();
            Pair by = UNIX.open()) {
          StreamSocket to = (StreamSocket) by.sink();
          ByteBuffer one = ByteBuffer.allocate(1);
          Unix.sendDescriptors(to, one, tcp.sink(), tcp.source());
          try (ReceivedDescriptors received =
              Unix.receiveDescriptors((StreamSocket) by.source(), one.flip(), 2)) {
            return new Pair(received.takeSocket(0), received.takeSocket(1));
          }
        }
      }

      @Override
      boolean isServedBy(String driver) {
        return Cell.showsNumbers(driver);
      }
    },
    PIPE {
      @Override
      Pair open() throws IOException {
        Pipe pipe = Pipe.open();
        return new Pair(pipe.sink(), pipe.source());
      }

      @Override
      boolean isSocket() {
        return false;
      }
    },
    TLS {
      @Override
      Pair open() throws IOException {
        Pair tcp = TCP.open();
        Coroutine<TlsSocket> server =
            Heddle.spawn(() -> Tls.server(tcp.source(), Certificates.SERVER));
        TlsSocket client = Tls.client(tcp.sink(), "localhost", 443, Certificates.CLIENT);
        return new Pair(client, server.await());
      }
    };

    abstract Pair open() throws IOException;

    /// Whether the driver has it.
    boolean isServedBy(String driver) {
      return true;
    }

    /// Whether bytes go both ways.
    boolean isSocket() {
      return true;
    }
  }

  @Override
  public void close() {
    sink.close();
    source.close();
  }
}
