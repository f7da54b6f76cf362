// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/// A node of [ClusterSoak] in a JVM of its own: `SoakNode NAME PORT FOLDER WHAT ALL:PORT…`. It
/// obeys the lines of its input, answers each with one line, and says each violation at once. It
/// ends when its input ends.
///
/// The folder is for what the nodes write down, the logs of voters, and what owners of names
/// change. `WHAT` is [#WITH_NAMES]; else there are no names and no shards.
final class SoakNode {
  static final String WITH_NAMES = "names";
  static final String WITHOUT_NAMES = "-";
  static final String IN_TIME = "in time";

  /// Threads of a voter's role, and of the pool that carries out calls, which idle ones leave.
  private static final Pattern OF_VOTERS =
      Pattern.compile(
          "LogAppender|LeaderStateImpl|FollowerState|LeaderElection|^timer\\d+$|^heddle-raft-");

  private static final int ROLE_THREADS = 5; // a leader's state, timer, election, 2 appenders
  private static final int POOL_THREADS = 12; // six for each of two other voters
  private static final Duration LEAVE = Duration.ofSeconds(10);
  static final List<String> VOTERS = List.of("n1", "n2", "n3");
  private static final int COLLECTIONS = 3; // the first may leave what references keep

  private final Cluster cluster;
  private final SoakCut cut;
  private final SoakTraffic traffic;
  private final SoakWatches watches;

  private final SoakDeeds deeds;

  // null without names
  private final SoakNames names;
  private final SoakShards shards;

  private final Set<String> up = new TreeSet<>(); // under its monitor

  private SoakNode(
      Cluster cluster, List<String> others, Path folder, SoakDeeds deeds, boolean hasNames) {
    this.cluster = cluster;
    this.cut = SoakCut.into(cluster);
    this.traffic = new SoakTraffic(cluster, others, deeds);
    this.watches = new SoakWatches(cluster, others);
    this.deeds = deeds;
    SoakSessions.writeDown(cluster.node(), traffic, deeds);
    this.names = hasNames ? new SoakNames(cluster, folder, deeds) : null;
    this.shards = hasNames ? new SoakShards(cluster, deeds) : null;
    var _ = cluster.onChange(this::onChange);
  }

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[2]);
    boolean hasNames = args[3].equals(WITH_NAMES);
    List<String> all = Stream.of(args).skip(4).toList();
    List<String> others = new ArrayList<>();
    List<String> seeds = new ArrayList<>();
    for (String one : all) {
      String[] parts = one.split(":");
      seeds.add("127.0.0.1:" + parts[1]);
      if (!parts[0].equals(args[0])) {
        others.add(parts[0]);
      }
    }
    ClusterOptions options =
        ClusterOptions.named(args[0])
            .cluster("soak")
            .bind("127.0.0.1", Integer.parseInt(args[1]))
            .seeds(seeds.toArray(String[]::new))
            .messages(SoakTraffic.Numbered.class, SoakTraffic.Mark.class)
            .messages(SoakTraffic.Marked.class)
            .entry("target", SoakWatches.Target::new);
    SoakDeeds deeds = new SoakDeeds(folder, args[0]);
    if (hasNames) {
      SoakShardWriter writer = new SoakShardWriter(folder, deeds);
      options =
          options
              .messages(SoakShards.Add.class, SoakShards.Added.class)
              .entry(SoakShards.ENTRY, () -> new SoakShards.Counter(deeds, writer))
              .voters(VOTERS.toArray(String[]::new))
              .directory(folder.resolve("node-" + args[0]));
    }
    SoakNode node = new SoakNode(Cluster.join(options), others, folder, deeds, hasNames);
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
        if (change instanceof ClusterChange.Left) {
          deeds.happened(SoakDeeds.Kind.GOODBYE, change.node(), change.life(), 0);
        }
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
            if (names != null) {
              names.run(words[1].equals("on"));
              shards.run(words[1].equals("on"));
            }
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
          case "calls" -> shards.settle();
          case "lease" -> names.lease();
          case "owners" -> names.owners();
          case "majority" -> names.ownersByMajority();
          case "cling" -> "" + names.cling(words[1].equals("on"));
          case "measure" -> measure();
          case "parts" -> parts();
          case "leave" -> leave();
          default -> throw new IllegalArgumentException(words[0]);
        };
    NodeProgram.say("ANSWER " + words[0] + " " + answer);
  }

  /// [#IN_TIME], or what was not.
  private String leave() throws InterruptedException {
    traffic.leaves();
    long from = System.nanoTime();
    cluster.leave(LEAVE);
    long nanos = System.nanoTime() - from;
    int owned = shards == null ? 0 : shards.owned();
    if (nanos >= LEAVE.toNanos() || owned != 0) { // it had no lease, or no majority
      return "late, after %d ms, with %d shards".formatted(nanos / 1_000_000, owned);
    }
    deeds.happened(SoakDeeds.Kind.LEFT, cluster.name(), 0, cluster.node().self().life());
    return IN_TIME;
  }

  private String upNow() {
    synchronized (up) {
      return String.join(",", up);
    }
  }

  /// Heap in KiB after collections, threads but for those that come and go with the role of a
  /// voter, descriptors.
  static String measure() {
    long heap = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024;
      heap = Math.min(heap, used);
    }
    Set<Thread> all = Thread.getAllStackTraces().keySet();
    long changing =
        all.stream().filter(thread -> OF_VOTERS.matcher(thread.getName()).find()).count();
    if (changing > ROLE_THREADS + POOL_THREADS) {
      violation("its voter has %d threads".formatted(changing));
    }
    long threads = all.size() - changing;
    String[] descriptors = new File("/proc/self/fd").list();
    return heap + " " + threads + " " + (descriptors == null ? 0 : descriptors.length);
  }

  /// `BYTES PART` with commas between: of each class, and of threads by their names without
  /// numbers, a thread as 100 KB.
  private static String parts() {
    Map<String, Long> parts = new TreeMap<>();
    for (String line : histogram().split("\n")) {
      String[] words = line.strip().split("\\s+");
      if (words.length >= 4 && words[0].matches("\\d+:")) {
        parts.merge(words[3], Long.parseLong(words[2]), Long::sum);
      }
    }
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      parts.merge("thread " + thread.getName().replaceAll("\\d+", "#"), 100_000L, Long::sum);
    }
    return parts.entrySet().stream()
        .map(it -> it.getValue() + " " + it.getKey().replace(',', ';'))
        .collect(Collectors.joining(","));
  }

  private static String histogram() {
    try {
      return (String)
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "gcClassHistogram",
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()});
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }
}
