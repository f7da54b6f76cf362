// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// A node of [ClusterSoak] in a JVM of its own: `SoakNode NAME PORT ALL:PORT…`. It obeys the lines
/// of its input, answers each with one line, and says each violation at once. It ends when its
/// input ends.
///
/// Names and shards are not here yet: a part of their own beside [SoakTraffic] and [SoakWatches],
/// with `run`, `settle` and `judge`.
final class SoakNode {
  private final Cluster cluster;
  private final SoakCut cut;
  private final SoakTraffic traffic;
  private final SoakWatches watches;
  private final Set<String> up = new TreeSet<>(); // under its monitor

  private SoakNode(Cluster cluster, List<String> others) throws Exception {
    this.cluster = cluster;
    this.cut = SoakCut.into(cluster);
    this.traffic = new SoakTraffic(cluster, others);
    this.watches = new SoakWatches(cluster, others);
    var _ = cluster.onChange(this::onChange);
  }

  public static void main(String[] args) throws Exception {
    List<String> all = Stream.of(args).skip(2).toList();
    List<String> others = new ArrayList<>();
    List<String> seeds = new ArrayList<>();
    for (String one : all) {
      String[] parts = one.split(":");
      seeds.add("127.0.0.1:" + parts[1]);
      if (!parts[0].equals(args[0])) {
        others.add(parts[0]);
      }
    }
    Cluster joined =
        Cluster.join(
            ClusterOptions.named(args[0])
                .cluster("soak")
                .bind("127.0.0.1", Integer.parseInt(args[1]))
                .seeds(seeds.toArray(String[]::new))
                .messages(SoakTraffic.Numbered.class, SoakTraffic.Mark.class)
                .messages(SoakTraffic.Marked.class)
                .entry("target", SoakWatches.Target::new));
    SoakNode node = new SoakNode(joined, others);
    NodeProgram.say("READY");
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        node.obey(line.split(" "));
      } catch (RuntimeException e) {
        NodeProgram.say("ANSWER " + line + " FAILED " + e);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  static void violation(String what) {
    NodeProgram.say("VIOLATION " + what);
  }

  private void onChange(ClusterChange change) {
    synchronized (up) {
      if (change instanceof ClusterChange.Up) {
        up.add(change.node());
      } else {
        up.remove(change.node());
        traffic.ended(change.node(), change.life());
      }
    }
  }

  private void obey(String[] words) throws InterruptedException {
    String answer =
        switch (words[0]) {
          case "cut" -> {
            cut.from(Set.copyOf(Stream.of(words).skip(1).toList()));
            yield "";
          }
          case "run" -> {
            traffic.run(words[1].equals("on"));
            watches.run(words[1].equals("on"));
            yield "";
          }
          case "up" -> upNow();
          case "mark" -> "" + traffic.mark();
          case "settle" -> "" + watches.settle();
          case "members" -> watches.members();
          case "judge" -> {
            traffic.judge();
            yield traffic.delivered() + " " + watches.downs();
          }
          case "measure" -> measure();
          case "leave" -> {
            cluster.leave(Duration.ofSeconds(10));
            yield "";
          }
          default -> throw new IllegalArgumentException(words[0]);
        };
    NodeProgram.say("ANSWER " + words[0] + " " + answer);
  }

  private String upNow() {
    synchronized (up) {
      return String.join(",", up);
    }
  }

  /// Heap in KiB after a collection, threads, descriptors.
  private static String measure() {
    System.gc();
    System.gc();
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024;
    int threads = ManagementFactory.getThreadMXBean().getThreadCount();
    String[] descriptors = new File("/proc/self/fd").list();
    return heap + " " + threads + " " + (descriptors == null ? 0 : descriptors.length);
  }
}
