// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Server;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.observe.PlatformReport;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/// Echo by a coroutine for each connection.
public final class HeddleEcho implements Server {
  @Override
  public void serve(PrintStream output) {
    output.println("driver " + PlatformReport.probe().activeDriver());
    Heddle.run(() -> {
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      try (Listener listener = Tcp.listen(address)) {
        output.println("at 127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort());
        accept(listener);
      }
    });
  }

  private static void accept(Listener listener) {
    Heddle.supervise(clients -> {
      while (true) {
        AsyncIo client = listener.accept();
        clients.launch("client", () -> echo(client));
      }
    });
  }

  private static void echo(AsyncIo client) {
    try (client) {
      var buffer = ByteBuffer.allocateDirect(4096);
      while (client.read(buffer.clear()) >= 0) {
        client.write(buffer.flip());
      }
    } catch (IOException _) {
      // safe: a connection that breaks is its client's business
    }
  }
}
