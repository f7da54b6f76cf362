// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Deadline;
import rest.Rest;

/// Clients and child processes that are killed at random, for minutes, and what is left of them.
///
/// In each round of ten seconds, workers connect to servers of the same loop, two on Heddle's own
/// handles and one of Netty's, or run a child; some finish, some are cancelled in the middle, some
/// reset their connection, some children are killed. Every byte that comes back is compared
/// ([Pattern]). Netty's handlers take locks that others hold ([SharedLock]).
///
/// After each round, with nobody connected, the heap after a collection, the resident memory, the
/// direct memory, the descriptors and the threads are counted. They must be flat ([Rest]): nowhere
/// in the second half more than in the first, beyond a tolerance. Exits with 1 when they are not,
/// or when a byte was wrong.
final class Soak {
  private static final Duration ROUND = Duration.ofSeconds(10);
  private static final int WORKERS = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(10); // with the JDK's own threads
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final Random random = new Random(5);
  private final Pattern pattern = new Pattern();
  private final SharedLock lock = new SharedLock();
  private final Map<String, Integer> ends = new TreeMap<>();
  private final long pipes; // of the JVM's own
  private final OwnHandles own;
  private final Optional<NettyChannels> netty;

  private Soak() throws IOException {
    this.pipes = Rest.pipes(Rest.open());
    this.own = new OwnHandles(ANY, random, pattern);
    this.netty = netty();
  }

  private Optional<NettyChannels> netty() {
    try {
      return Optional.of(new NettyChannels(ANY, lock, random, pattern));
    } catch (IllegalStateException e) {
      System.out.println("Without Netty: " + e.getMessage());
      return Optional.empty();
    }
  }

  static void main(String[] args) throws IOException, InterruptedException {
    if (args.length != 2 || !args[0].equals("--minutes") || !args[1].matches("[1-9]\\d{0,2}")) {
      System.err.println("usage: ./heddle soak --minutes N");
      Heddle.exit(2);
    }
    boolean good = new Soak().run(Duration.ofMinutes(Integer.parseInt(args[1])));
    Heddle.exit(good ? 0 : 1);
  }

  private boolean run(Duration length) throws IOException, InterruptedException {
    List<Rest> rests = new ArrayList<>();
    System.out.println(Rest.HEAD + "\n|---|---|---|---|---|---|");
    long begin = System.nanoTime();
    for (Duration since = Duration.ZERO;
        since.compareTo(length) < 0;
        since = Duration.ofNanos(System.nanoTime() - begin)) {
      round();
      awaitRest();
      Rest rest = Heddle.offload(Rest::now);
      rests.add(rest);
      System.out.println(rest.row(Duration.ofNanos(System.nanoTime() - begin)));
    }
    System.out.println(ends);
    long taken = lock.holders();
    lock.close();
    long wrong = pattern.wrongs() + lock.broken();
    System.out.printf(
        "%d bytes compared, %d wrong; the lock was taken %d times.%n",
        pattern.checked(), wrong, taken);
    pattern.shown().forEach(System.out::println);
    List<String> grown = Rest.grown(rests.stream().skip(1).toList()); // the first is for practice
    System.out.println(grown.isEmpty() ? "Flat." : "Grown: " + grown);
    if (!grown.isEmpty()) {
      Rest most = Collections.max(rests, Comparator.comparing(r -> r.descriptors() + r.threads()));
      System.out.println("At most: " + most.files() + "\nand the threads " + most.names());
    }
    return grown.isEmpty() && wrong == 0;
  }

  /// Workers begin one thing after the other, until the round is over and they are all cancelled.
  private void round() {
    Heddle.supervise(round -> {
      netty.ifPresent(channels -> channels.begin(round));
      for (int i = 0; i < WORKERS; i++) {
        round.launch("worker", () -> work(round));
      }
      round.cancelAfter(ROUND);
      return null;
    });
  }

  private void work(Scope round) {
    while (!round.isCancelled()) {
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
    return netty.isPresent() && random.nextBoolean()
        ? netty.get().something()
        : own.something();
  }

  /// Until nobody is connected. The pipes of a child are closed by threads of the JDK's and the
  /// loop's, soon after its end.
  private void awaitRest() throws IOException {
    own.awaitRest();
    if (netty.isPresent()) {
      netty.get().awaitRest();
    }
    Deadline patience = Deadline.after(PATIENCE);
    while (Heddle.offload(() -> Rest.pipes(Rest.open())) > pipes
        && patience.remaining().isPositive()) {
      Heddle.delay(Duration.ofMillis(10));
    }
  }
}
