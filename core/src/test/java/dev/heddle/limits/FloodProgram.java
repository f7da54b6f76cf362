// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// An echo server and ten thousand clients at once, in a process that may not have as many
/// descriptors.
final class FloodProgram {
  private static final int CLIENTS = 10_000;

  // long enough for those who are served, short enough for a test
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Map<String, Integer> ends = new TreeMap<>();
  private int refusedAccepts;

  private FloodProgram() {}

  public static void main(String[] args) throws Exception {
    FloodProgram program = new FloodProgram();
    program.run(1); // what opens class files, once
    program.ends.clear();
    List<String> before = Descriptors.targets();
    program.run(CLIENTS);
    Descriptors.awaitNoMoreThan(before, Descriptors::isOfALoop, Thread::onSpinWait);
    System.out.println("descriptors left over: none");
  }

  private void run(int clients) {
    Heddle.run(() -> {
      Listener listener = Tcp.listen(Connections.ANY_PORT);
      Heddle.background("server", () -> serve(listener));
      Heddle.scope(s -> {
        for (int i = 0; i < clients; i++) {
          s.launch("client", () -> count(endOfOne(listener.localAddress())));
        }
        return null;
      });
      System.out.println(ends.values().stream().mapToInt(i -> i).sum() + " connections ended");
      ends.forEach((end, times) -> System.out.println(times + " x " + end));
      System.out.println("accepts refused " + refusedAccepts);
      System.out.println("unclear: " + ends.getOrDefault("unclear", 0));
      // without a limit: those who have given up are accepted first
      System.out.println("afterwards: " + echoed(listener.localAddress()));
    });
  }

  private void count(String end) {
    ends.merge(end, 1, Integer::sum);
  }

  private static String endOfOne(SocketAddress server) {
    try {
      return Heddle.withTimeout(PATIENCE, () -> echoed(server));
    } catch (DeadlineException e) {
      return "not served in time";
    } catch (RuntimeException e) {
      return e.getCause() instanceof IOException cause ? "refused: " + cause : "unclear";
    }
  }

  private static String echoed(SocketAddress server) throws IOException {
    try (AsyncIo connection = Tcp.connect(server)) {
      connection.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      ByteBuffer answer = ByteBuffer.allocate(3);
      while (answer.hasRemaining() && connection.read(answer) >= 0) {
        Heddle.checkCancelled();
      }
      return answer.hasRemaining() ? "cut" : "echoed";
    }
  }

  @SuppressWarnings("InfiniteLoopStatement") // cancelled when everything else is done
  private void serve(Listener listener) {
    while (true) {
      try {
        AsyncIo client = listener.accept();
        Heddle.background("connection", () -> echo(client));
      } catch (IOException e) {
        refusedAccepts++;
        Heddle.delay(Duration.ofMillis(10));
      }
    }
  }

  private static void echo(AsyncIo client) {
    ByteBuffer buffer = ByteBuffer.allocate(16);
    try (client) {
      while (client.read(buffer) >= 0) {
        client.write(buffer.flip());
        buffer.clear();
      }
    } catch (IOException _) {
      // the client has given up
    }
  }
}
