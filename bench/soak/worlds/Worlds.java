// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.Heddle;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import rest.Rest;

/// Twelve worlds of processes on one runtime, round after round, for minutes; and what is left of
/// them.
///
/// Each [World] states what holds in it. A round does an amount of things, however long that takes;
/// its decisions are those of its seed, their order in time is not. What does not hold is printed
/// with the seeds.
///
/// Between two rounds there is no runtime: what is there then must be flat ([Rest]). Exits with 1
/// when it is not, or when something did not hold.
final class Worlds {
  private static final Duration PAGE = Duration.ofSeconds(10); // between two looks at what is left
  private static final List<Integer> WORKERS = List.of(2, 1, 8); // in turn
  private static final String USAGE =
      "usage: ./heddle soak worlds --minutes N [--workers N] [--seed N]";

  private final Violations violations = new Violations();
  private final Random seeds;
  private final int workers; // 0: in turn
  private int rounds;

  private Worlds(long seed, int workers) {
    this.seeds = new Random(seed);
    this.workers = workers;
    violations.watchTheLog();
  }

  static void main(String[] args) {
    long minutes = 0;
    int most = 0;
    int workers = 0;
    long seed = System.nanoTime();
    try {
      for (int i = 0; i < args.length; i += 2) {
        switch (args[i]) {
          case "--minutes" -> minutes = positive(args[i + 1]);
          case "--rounds" -> most = positive(args[i + 1]);
          case "--workers" -> workers = positive(args[i + 1]);
          case "--seed" -> seed = Long.parseLong(args[i + 1]);
          default -> throw new IllegalArgumentException(args[i]);
        }
      }
      if ((minutes > 0) == (most > 0)) {
        throw new IllegalArgumentException("how long?");
      }
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException _) {
      System.err.println(USAGE);
      Heddle.exit(2);
    }
    System.out.println("Seed " + seed + ".");
    Worlds worlds = new Worlds(seed, workers);
    long length = minutes;
    int count = most;
    boolean good =
        Heddle.offload(() -> length > 0 ? worlds.run(Duration.ofMinutes(length)) : worlds.run(count));
    Heddle.exit(good ? 0 : 1);
  }

  private static int positive(String text) {
    int number = Integer.parseInt(text);
    if (number < 1) {
      throw new IllegalArgumentException(text);
    }
    return number;
  }

  /// Some rounds: too few to see what grows.
  private boolean run(int count) throws InterruptedException {
    boolean goesOn = true;
    while (goesOn && rounds < count) {
      Round round = next();
      System.out.println("Begins: " + round + ".");
      goesOn = round.run();
    }
    return tell();
  }

  private boolean run(Duration length) throws InterruptedException, IOException {
    System.out.println(Rest.HEAD + "\n|---|---|---|---|---|---|");
    List<Rest> rests = new ArrayList<>();
    long begin = System.nanoTime();
    long looked = begin;
    boolean goesOn = true;
    while (goesOn && System.nanoTime() - begin < length.toNanos()) {
      goesOn = next().run();
      if (System.nanoTime() - looked > PAGE.toNanos()) {
        looked = System.nanoTime();
        Rest rest = Rest.now();
        rests.add(rest);
        System.out.println(rest.row(Duration.ofNanos(looked - begin)));
      }
    }
    boolean good = tell();
    List<String> grown = Rest.grown(rests.stream().skip(1).toList()); // the first is for practice
    System.out.println(grown.isEmpty() ? "Flat." : "Grown: " + grown);
    if (!grown.isEmpty() && !rests.isEmpty()) {
      Rest most = Collections.max(rests, Comparator.comparing(r -> r.descriptors() + r.threads()));
      System.out.println("At most: " + most.files() + "\nand the threads " + most.names());
    }
    return good && grown.isEmpty();
  }

  private Round next() {
    int turn = workers > 0 ? workers : WORKERS.get(rounds % WORKERS.size());
    return new Round(++rounds, seeds.nextLong(), turn, violations);
  }

  private boolean tell() {
    System.out.println("Done: " + violations.done());
    System.out.printf("%d rounds, %d violations.%n", rounds, violations.count());
    return violations.count() == 0;
  }
}
