// SPDX-License-Identifier: Apache-2.0

import dev.heddle.Heddle;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Server;
import dev.heddle.io.Tcp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/// Sends back what it gets, to any number of clients, until Ctrl-C. Try it with `nc 127.0.0.1
/// PORT`.
///
/// A client that resets its connection ends its own coroutine and nothing else.
final class Echo {
  static void main(String[] args) throws IOException {
    String port = args.length == 0 ? "0" : args[0]; // 0: the system chooses
    if (args.length > 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
      System.err.println("usage: ./heddle run examples/Echo.java [PORT]");
      Heddle.exit(2);
    }
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    try (Server server = Tcp.serve(address, Echo::echo)) {
      System.out.println("Echo on " + server.address());
      server.join();
    }
  }

  private static void echo(AsyncIo client) {
    long count = 0;
    String end = "was cut off";
    try {
      var buffer = ByteBuffer.allocate(4096);
      while (client.read(buffer.clear()) >= 0) {
        count += buffer.position();
        client.write(buffer.flip());
      }
      end = "left";
    } catch (IOException e) {
      end = "broke: " + e.getMessage();
    } finally {
      System.out.println("A client " + end + " after " + count + " bytes");
    }
  }
}
