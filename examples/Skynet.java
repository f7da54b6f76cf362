// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.Heddle;
import dev.heddle.process.Exit;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StepOutput;

/// The Skynet benchmark: a tree of processes in which each starts ten others, down to a million
/// leaves. A leaf tells its parent its number, a parent the sum of what it was told.
final class Skynet {
  private static final String USAGE =
      """
      usage: ./heddle run examples/Skynet.java [OPTIONS] [LEAVES]
        LEAVES             how many leaves the tree has (1000000)
        -w, --workers N    threads that step processes (one for each processor)
        -h, --help         this text
      exit code: 0 the sum is right, 1 it is not, 2 wrong usage\
      """;

  private int leaves = 1_000_000;
  private int workers = Runtime.getRuntime().availableProcessors();

  static void main(String[] args) {
    if (Stream.of(args).anyMatch(Set.of("-h", "--help")::contains)) {
      System.out.println(USAGE);
      return;
    }
    var skynet = new Skynet();
    try {
      skynet.parse(new ArrayDeque<>(List.of(args)));
    } catch (IllegalArgumentException e) {
      System.err.println("Skynet: " + e.getMessage() + "\n" + USAGE);
      Heddle.exit(2);
    }
    if (!skynet.run()) {
      Heddle.exit(1);
    }
  }

  private void parse(Deque<String> words) {
    for (String word = words.poll(); word != null; word = words.poll()) {
      switch (word) {
        case "-w", "--workers" -> workers = number(word, words.poll());
        default -> leaves = number("LEAVES", word);
      }
    }
  }

  private static int number(String name, String value) {
    if (value == null || !value.matches("[1-9][0-9]{0,7}")) {
      throw new IllegalArgumentException(name + " is a number from 1 to 99999999, not " + value);
    }
    return Integer.parseInt(value);
  }

  private boolean run() {
    try (var runtime = ProcessRuntime.builder().workers(workers).start()) {
      long began = System.nanoTime();
      Exit root = Heddle.await(runtime.whenExited(runtime.spawn(new Node(0, leaves))));
      double seconds = (System.nanoTime() - began) / 1e9;

      long expected = leaves * (leaves - 1L) / 2;
      System.out.printf(
          "%,d leaves, %,d processes on %d workers, in %.2f s: %,.0f processes a second%n",
          leaves,
          runtime.counters().started(),
          workers,
          seconds,
          runtime.counters().started() / seconds);
      boolean right = Objects.equals(root.result(), expected);
      System.out.println(
          right
              ? "The sum is " + expected + ", as it should be."
              : "The sum should be " + expected + ", but the root ended with " + root);
      return right;
    }
  }

  /// The root of a tree over the numbers from `first` on.
  private static final class Node implements Process {
    private static final int CHILDREN = 10;

    private final long first;
    private final long leaves;
    private ProcessContext self;
    private int awaited; // children that have not told their sum
    private long sum;

    Node(long first, long leaves) {
      this.first = first;
      this.leaves = leaves;
    }

    @Override
    public void init(ProcessContext context, String method, Object input) {
      self = context;
      if (leaves == 1) {
        sum = first;
      } else {
        awaited = (int) Math.min(CHILDREN, leaves);
        for (int i = 0; i < awaited; i++) {
          long from = leaves * i / awaited;
          long to = leaves * (i + 1) / awaited;
          self.spawn(new Node(first + from, to - from));
        }
      }
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        sum += (long) event.data();
        awaited--;
      }
      if (awaited == 0) {
        if (self.parent() != null) {
          self.send(self.parent(), sum);
        }
        out.done(sum);
      }
    }
  }
}
