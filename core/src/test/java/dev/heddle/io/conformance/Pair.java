// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Pipe;
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
