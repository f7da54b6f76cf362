// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Deadline;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.os.Child;
import dev.heddle.os.Command;
import java.lang.management.ManagementFactory;

/// Clients and child processes that are killed at random, for minutes, and what is left of them.
///
/// In each round of ten seconds, workers connect to an echo and to an HTTP server of the same loop,
/// or run a child; some finish, some are cancelled in the middle, some reset their connection, some
/// children are killed. After each round, with nobody connected, the heap after a collection, the
/// resident memory, the descriptors and the threads are counted. They must be flat: nowhere in the
/// second half more than in the first, beyond the tolerance given below. Exits with 1 otherwise.
final class Soak {
  private static final Duration ROUND = Duration.ofSeconds(10);
  private static final int WORKERS = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(10); // with the JDK's own threads
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final Random random = new Random(5);
  private final Map<String, Integer> ends = new TreeMap<>();
  private int served; // connections that the servers have not closed yet
  private final SocketAddress echo;
  private final SocketAddress http;
  private final long pipes; // of the JVM's own

  private Soak(SocketAddress echo, SocketAddress http, long pipes) {
    this.echo = echo;
    this.http = http;
    this.pipes = pipes;
  }

  /// What there is between two rounds.
  ///
  /// @param files what the descriptors are for
  private record Rest(long heap, long resident, List<String> files, long threads) {
    static final String HEAD = "| s | heap, KiB | resident, KiB | descriptors | threads |";

    static Rest now() throws IOException {
      System.gc();
      return new Rest(
          ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 10,
          residentNow(),
          open(),
          Thread.getAllStackTraces().keySet().stream().filter(Rest::counts).count());
    }

    private static long residentNow() throws IOException {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .sum();
    }

    /// Those of pools come with the load, up to the pool's size, and go when they are idle.
    private static boolean counts(Thread thread) {
      return !thread.getName().matches(".*-offload-\\d+|process reaper.*|ForkJoinPool.*");
    }

    static List<String> open() throws IOException {
      List<String> files = new ArrayList<>();
      try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
        for (Path link : links) {
          try {
            files.add(Files.readSymbolicLink(link).toString());
          } catch (NoSuchFileException _) {
            // closed meanwhile
          }
        }
      }
      return files;
    }

    long descriptors() {
      return files.size();
    }

    static long pipes(List<String> files) {
      return files.stream().filter(file -> file.startsWith("pipe:")).count();
    }

    String row(Duration since) {
      return "| %d | %d | %d | %d | %d |"
          .formatted(since.toSeconds(), heap, resident, descriptors(), threads);
    }
  }

  static void main(String[] args) throws IOException {
    if (args.length != 2 || !args[0].equals("--minutes") || !args[1].matches("[1-9]\\d{0,2}")) {
      System.err.println("usage: ./heddle soak --minutes N");
      Heddle.exit(2);
    }
    Duration length = Duration.ofMinutes(Integer.parseInt(args[1]));
    List<Rest> rests = new ArrayList<>();
    try (Listener echo = Tcp.listen(ANY);
        Listener http = Tcp.listen(ANY)) {
      Soak soak = new Soak(echo.localAddress(), http.localAddress(), Rest.pipes(Rest.open()));
      Heddle.background("echo", () -> soak.serve(echo, Soak::echo));
      Heddle.background("http", () -> soak.serve(http, Soak::greet));
      System.out.println(Rest.HEAD + "\n|---|---|---|---|---|");
      long begin = System.nanoTime();
      for (Duration since = Duration.ZERO;
          since.compareTo(length) < 0;
          since = Duration.ofNanos(System.nanoTime() - begin)) {
        soak.round();
        soak.awaitRest();
        Rest rest = Heddle.offload(Rest::now);
        rests.add(rest);
        System.out.println(rest.row(Duration.ofNanos(System.nanoTime() - begin)));
      }
      System.out.println(soak.ends);
      List<String> grown = grown(rests.subList(1, rests.size())); // the first round is for practice
      System.out.println(
          grown.isEmpty() ? "Flat." : "Grown: " + grown + "\nOpen: " + rests.getLast().files());
      Heddle.exit(grown.isEmpty() ? 0 : 1);
    }
  }

  private static List<String> grown(List<Rest> rests) {
    return Stream.of(
            grown("heap", rests, Rest::heap, 1.1, 1 << 10),
            grown("resident", rests, Rest::resident, 1.1, 16 << 10),
            grown("descriptors", rests, Rest::descriptors, 1, 0),
            grown("threads", rests, Rest::threads, 1, 0))
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<String> grown(
      String what, List<Rest> rests, ToLongFunction<Rest> value, double factor, long more) {
    int half = rests.size() / 2;
    long before = rests.subList(0, half).stream().mapToLong(value).max().orElseThrow();
    long after = rests.subList(half, rests.size()).stream().mapToLong(value).max().orElseThrow();
    return after <= before * factor + more
        ? Optional.empty()
        : Optional.of(what + " from " + before + " to " + after);
  }

  // --- servers ------------------------------------------------------------------------------

  private interface Service {
    void talk(StreamSocket client) throws IOException;
  }

  private void serve(Listener listener, Service service) {
    Heddle.supervise(clients -> {
      try {
        while (true) {
          StreamSocket client = listener.accept();
          served++;
          clients.launch("client", () -> talk(service, client));
        }
      } catch (AsynchronousCloseException _) {
        return null; // the soak is over
      }
    });
  }

  private void talk(Service service, StreamSocket client) {
    try (client) {
      service.talk(client);
    } catch (IOException _) {
      // it was killed: that is what this is about
    } finally {
      served--;
    }
  }

  private static void echo(StreamSocket client) throws IOException {
    client.transferTo(client);
  }

  private static void greet(StreamSocket client) throws IOException {
    for (String line = client.readLine(); line != null; line = client.readLine()) {
      if (line.isEmpty()) {
        client.write(UTF_8.encode("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n"));
      }
    }
  }

  // --- who is killed ------------------------------------------------------------------------

  /// Workers begin one thing after the other, until the round is over and they are all cancelled.
  private void round() {
    Heddle.supervise(workers -> {
      for (int i = 0; i < WORKERS; i++) {
        workers.launch("worker", () -> work(workers));
      }
      workers.cancelAfter(ROUND);
      return null;
    });
  }

  /// A client that was killed may still stand in a listener's queue: so one more comes behind it,
  /// and whoever was before that one has been accepted when it is served. And the pipes of a child
  /// are closed by threads of the JDK's and the loop's, soon after its end.
  private void awaitRest() throws IOException {
    for (SocketAddress server : List.of(echo, http)) {
      try (StreamSocket last = Tcp.connect(server)) {
        last.write(UTF_8.encode("\r\n\r\n"));
        last.readFully(ByteBuffer.allocate(1));
      }
    }
    while (served > 0) {
      Heddle.delay(Duration.ofMillis(10));
    }
    Deadline patience = Deadline.after(PATIENCE);
    while (Heddle.offload(() -> Rest.pipes(Rest.open())) > pipes
        && patience.remaining().isPositive()) {
      Heddle.delay(Duration.ofMillis(10));
    }
  }

  private void work(Scope workers) {
    while (!workers.isCancelled()) {
      Coroutine<String> victim = Heddle.spawn(this::something);
      if (random.nextInt(3) == 0) {
        Heddle.delay(Duration.ofNanos(random.nextInt(3_000_000)));
        victim.cancel("killed");
      }
      try {
        ends.merge(victim.await(), 1, Integer::sum);
      } catch (Cancellation _) {
        ends.merge("cancelled", 1, Integer::sum);
      }
    }
  }

  private String something() throws IOException {
    if (random.nextInt(40) == 0) {
      return child();
    }
    return random.nextBoolean() ? echoed() : greeted();
  }

  private String echoed() throws IOException {
    try (StreamSocket socket = Tcp.connect(echo)) {
      var sent = ByteBuffer.allocate(1 + random.nextInt(10_000));
      socket.write(sent);
      if (random.nextInt(4) == 0) {
        socket.setOption(StandardSocketOptions.SO_LINGER, 0); // closing resets
        return "reset";
      }
      socket.readFully(sent.clear());
      return "echoed";
    }
  }

  private String greeted() throws IOException {
    try (StreamSocket socket = Tcp.connect(http)) {
      socket.write(UTF_8.encode("GET / HTTP/1.1\r\nHost: soak\r\n\r\n"));
      socket.readFully(ByteBuffer.allocate(10 + random.nextInt(30)));
      return "greeted";
    }
  }

  private String child() throws IOException {
    if (random.nextBoolean()) {
      Command.of("cat").withInput("a child\n").run().orThrow();
      return "child ended";
    }
    try (Child child = Command.of("sleep", "60").start()) {
      child.kill();
      child.await();
      return "child killed";
    }
  }
}
