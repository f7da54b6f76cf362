// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.Heddle;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventStream;
import dev.heddle.io.Server;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.os.Signal;
import dev.heddle.os.Signals;

/// Forwards a TCP port to an address elsewhere, byte for byte, and says how much went through.
///
/// Each direction ends by itself: who has sent all may still read the answer. A side that breaks
/// takes the other with it. On Ctrl-C nobody new is let in, and who is connected gets ten seconds
/// to finish; a second Ctrl-C ends it at once.
final class PortForward {
  private static final String USAGE =
      """
      usage: ./heddle run examples/PortForward.java PORT HOST:PORT [SECONDS]
        PORT     where to listen on this machine; 0: the system chooses
        SECONDS  between two lines of statistics (10)\
      """;

  private static final Duration CONNECTING = Duration.ofSeconds(10);
  private static final Duration FINISHING = Duration.ofSeconds(10);
  private static final int BUFFER = 64 << 10; // bytes; a direction has one

  private final InetSocketAddress target;
  private final Traffic total = new Traffic();
  private int open;
  private int served;
  private int failed;

  private PortForward(InetSocketAddress target) {
    this.target = target;
  }

  /// Bytes that went through.
  private static final class Traffic {
    private long there;
    private long back;

    @Override
    public String toString() {
      return there + " bytes there, " + back + " back";
    }
  }

  static void main(String[] args) throws IOException {
    if (args.length < 2
        || args.length > 3
        || !isPort(args[0])
        || !args[1].matches(".+:\\d+")
        || !isPort(args[1].substring(args[1].lastIndexOf(':') + 1))
        || (args.length == 3 && !args[2].matches("[1-9]\\d{0,4}"))) {
      System.err.println(USAGE);
      Heddle.exit(2);
    }
    int colon = args[1].lastIndexOf(':');
    String host = args[1].substring(0, colon).replaceAll("[\\[\\]]", ""); // of an IPv6 address
    var target = new InetSocketAddress(host, Integer.parseInt(args[1].substring(colon + 1)));
    if (target.isUnresolved()) {
      System.err.println("There is no host " + host);
      Heddle.exit(1);
    }
    var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
    Duration period = Duration.ofSeconds(args.length == 3 ? Long.parseLong(args[2]) : 10);
    new PortForward(target).run(here, period);
  }

  private static boolean isPort(String text) {
    return text.matches("\\d{1,5}") && Integer.parseInt(text) <= 65_535;
  }

  @SuppressWarnings("try") // the signals are closed on the first one, before the end
  private void run(InetSocketAddress here, Duration period) throws IOException {
    // from here on, so that a signal in between is not missed
    try (EventStream<Signal> signals = Signals.stream(1, "INT", "TERM");
        Server server = Tcp.serve(here, this::serve)) {
      System.out.println("Forwarding " + server.address() + " to " + target);
      Heddle.background("statistics", () -> report(period));
      signals.next();
      signals.close(); // the next signal is not for us
      Heddle.launch("last word", this::sayGoodbye); // while the drain waits: nobody is let in now
      server.drain(Deadline.after(FINISHING));
    } finally {
      System.out.println("In all: " + this);
    }
  }

  private void sayGoodbye() {
    System.out.println("Stopping; " + open + " open, they have " + FINISHING.toSeconds() + " s");
  }

  private void report(Duration period) {
    String last = "";
    try (EventStream<Long> ticks = Heddle.ticks(period)) {
      while (true) {
        ticks.next();
        String now = toString();
        if (!now.equals(last)) {
          System.out.println(now);
          last = now;
        }
      }
    }
  }

  @Override
  public String toString() {
    return "%d open, %d served, %d failed; %s".formatted(open, served, failed, total);
  }

  private void serve(StreamSocket client) {
    SocketAddress name = client.remoteAddress();
    var traffic = new Traffic();
    String end = "was cut off";
    open++;
    try (StreamSocket server = Heddle.withTimeout(CONNECTING, () -> Tcp.connect(target))) {
      Heddle.scope(directions -> {
        directions.launch("there", () -> pump(client, server, n -> count(traffic, n, 0)));
        directions.launch("back", () -> pump(server, client, n -> count(traffic, 0, n)));
        return null;
      });
      served++;
      end = "ended";
    } catch (Exception e) { // whatever it is: it is this tunnel's end, and no other's
      failed++;
      Throwable why = e.getCause() instanceof IOException broken ? broken : e;
      end = "broke: " + why.getMessage();
    } finally {
      open--;
      System.out.println("The tunnel of " + name + " " + end + "; " + traffic);
    }
  }

  private void count(Traffic traffic, int there, int back) {
    for (Traffic each : List.of(traffic, total)) {
      each.there += there;
      each.back += back;
    }
  }

  /// One direction, until its source has said all.
  private static void pump(StreamSocket from, StreamSocket to, IntConsumer counter)
      throws IOException {
    var buffer = ByteBuffer.allocate(BUFFER);
    while (from.read(buffer.clear()) >= 0) {
      int count = buffer.position();
      to.write(buffer.flip());
      counter.accept(count);
    }
    to.shutdownOutput();
  }
}
