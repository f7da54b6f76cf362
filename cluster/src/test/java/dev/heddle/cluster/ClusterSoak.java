// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.engine.TestPorts;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Five nodes in JVMs of their own, which are cut off, paused, killed and started again at random,
/// and what must hold of them: see [SoakTraffic] and [SoakWatches].
///
/// With the log of voters, three of them vote, processes of all race for names, and all send to
/// entities of shards: see [SoakNames] and [SoakShards].
///
/// In each round one thing happens after the other, at least each 10 s. Then the cluster comes to
/// rest: all cuts are healed, nobody sends anything new, and the counts are taken. `n0` and `n1`
/// are never killed, so their heap, threads and descriptors can be compared between rests.
///
/// All children end with the run: by their process, also when the run is interrupted. A child that
/// outlives its parent ends because its input does.
final class ClusterSoak implements AutoCloseable {
  private static final int NODES = 5;
  private static final int STEADY = 2; // never killed, nor do they leave
  private static final int SLOWEST_MILLIS = 9_000; // of one thing that happens
  private static final int GAP_MILLIS = 1_000;
  private static final long LEADER_MILLIS = 9_000; // longer than a lease
  private static final long LEASE_SETTLES_MILLIS = 3_000; // two renewals
  private static final long GUARD_SECONDS = 120; // for something that must happen
  private static final long MESSAGE_MILLIS = 5_000; // for one each way after the end
  private static final int MOST_LOGGED = 40; // last lines of the log of each node that is shown
  private static final long BASELINE_SECONDS = 120; // when the heap is measured first

  /// What is left at a rest, of each steady node.
  private record Rest(long second, List<String> measures) {}

  private final Random random;
  private final PrintStream out;
  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> ports = new TreeMap<>();
  private final Map<String, NodeJvm> nodes = new TreeMap<>();
  private final List<NodeJvm> everStarted = new ArrayList<>();
  private final Map<String, Integer> done = new TreeMap<>(); // what happened, how often
  private final List<String> problems = new ArrayList<>();
  private final List<Rest> rests = new ArrayList<>();
  private final Path folder; // of voters; null without names
  private final SoakOwners owners; // null without names
  private final SoakGrowth growth;
  private final Thread hook = new Thread(this::killAll);
  private long begin = System.nanoTime(); // of the run, once all nodes are in touch
  private long longestHealMillis;
  private long lastMarkMillis;
  private String totals = "";

  /// @param folder of voters and what owners of names change; null for a soak without names
  ClusterSoak(long seed, PrintStream out, Path folder) throws IOException {
    this.random = new Random(seed);
    this.out = out;
    this.folder = folder;
    this.owners = folder == null ? null : new SoakOwners(folder);
    Runtime.getRuntime().addShutdownHook(hook);
    for (int i = 0; i < NODES; i++) {
      names.add("n" + i);
      ports.put("n" + i, TestPorts.next());
    }
    growth = new SoakGrowth(names.subList(0, STEADY), new Steady());
  }

  private final class Steady implements SoakGrowth.Nodes {
    @Override
    public String measure(String name) throws Exception {
      return ask(name, "measure");
    }

    @Override
    public String parts(String name) throws Exception {
      return ask(name, "parts");
    }
  }

  // ---- a run ----

  /// Runs for so long.
  ///
  /// @param roundSeconds between two rests
  /// @return what did not hold
  List<String> run(long seconds, long roundSeconds) throws Exception {
    for (String name : names) {
      start(name);
    }
    for (String name : names) {
      waitFor(name, "READY");
    }
    awaitSessions();
    rest(); // before anything has happened
    begin = System.nanoTime();
    while (seconds() < seconds) {
      long end = Math.min(seconds, seconds() + roundSeconds);
      all("run on");
      do {
        happen();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(GAP_MILLIS)));
      } while (seconds() < end);
      rest();
      if (!growth.hasBaseline() && seconds() >= BASELINE_SECONDS && seconds() < seconds) {
        growth.measureBaseline();
      }
    }
    judgeGrowth();
    judgeNames();
    for (NodeJvm each : everStarted) {
      each.all().stream().filter(it -> it.contains(" VIOLATION ")).forEach(problems::add);
    }
    return problems;
  }

  private long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
  }

  private void start(String name) throws IOException {
    List<Object> arguments =
        new ArrayList<>(
            List.of(name, ports.get(name), folder == null ? SoakNode.NO_FOLDER : folder));
    ports.forEach((each, port) -> arguments.add(each + ":" + port));
    NodeJvm jvm = NodeJvm.start(SoakNode.class, List.of("-XX:+UseSerialGC"), arguments.toArray());
    synchronized (everStarted) {
      everStarted.add(jvm);
    }
    nodes.put(name, jvm);
  }

  // ---- what happens ----

  private void happen() throws Exception {
    int millis = 300 + random.nextInt(SLOWEST_MILLIS - 300);
    int which = random.nextInt(owners == null ? 10 : 11);
    switch (which) {
      case 0, 1 -> cutPair(millis);
      case 2 -> cutOneWay(millis);
      case 3 -> cutGroups(Set.copyOf(some(1, names)), millis);
      case 4 -> cutGroups(Set.copyOf(some(2, names)), millis);
      case 5 -> flap(millis);
      case 6, 7 -> pause(millis);
      case 8 -> kill(millis);
      case 10 -> leaderDies();
      default -> leave(millis);
    }
  }

  private List<String> some(int count, List<String> of) {
    List<String> shuffled = new ArrayList<>(of);
    java.util.Collections.shuffle(shuffled, random);
    return shuffled.subList(0, count);
  }

  private void log(String kind, String what, long millis) {
    done.merge(kind, 1, Integer::sum);
    out.printf("%4d s  %-12s %s, %d ms%n", seconds(), kind, what, millis);
  }

  private static void hold(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private void cutPair(int millis) throws Exception {
    List<String> pair = some(2, names);
    log("cut pair", "" + pair, millis);
    ask(pair.get(0), "cut " + pair.get(1));
    ask(pair.get(1), "cut " + pair.get(0));
    hold(millis);
    heal();
  }

  private void cutOneWay(int millis) throws Exception {
    List<String> pair = some(2, names);
    log("cut one way", pair.get(0) + " hears not " + pair.get(1), millis);
    ask(pair.get(0), "cut " + pair.get(1));
    hold(millis);
    heal();
  }

  private void cutGroups(Set<String> one, int millis) throws Exception {
    log("cut groups", one + " from the others", millis);
    List<String> rest = new ArrayList<>(names);
    rest.removeAll(one);
    for (String name : names) {
      ask(name, "cut " + String.join(" ", one.contains(name) ? rest : one));
    }
    hold(millis);
    heal();
  }

  private void flap(int millis) throws Exception {
    List<String> pair = some(2, names);
    log("flap", "" + pair, millis);
    int times = 2 + random.nextInt(5);
    for (int i = 0; i < times; i++) {
      ask(pair.get(0), "cut " + pair.get(1));
      hold(millis / times / 2);
      heal();
      hold(millis / times / 2);
    }
  }

  private void heal() throws Exception {
    all("cut");
  }

  /// By a shell, which resumes the node also when this program was killed meanwhile.
  private void pause(int millis) throws Exception {
    String name = some(1, names).getFirst();
    log("pause", name, millis);
    pause(name, millis);
  }

  private void pause(String name, long millis) throws Exception {
    long from = System.nanoTime();
    long pid = nodes.get(name).pid();
    String script =
        "kill -STOP %d && sleep %d.%03d; kill -CONT %d"
            .formatted(pid, millis / 1_000, millis % 1_000, pid);
    var shell = new ProcessBuilder("sh", "-c", script).inheritIO().start();
    if (shell.waitFor() != 0) {
      problems.add("'" + script + "' failed");
    }
    if (owners != null) {
      owners.paused(name, from, System.nanoTime());
    }
  }

  private void kill(int millis) throws Exception {
    String name = some(1, names.subList(STEADY, NODES)).getFirst();
    log("kill", name, millis);
    killNode(name);
    hold(random.nextInt(millis)); // often before the others have noticed
    start(name);
    waitFor(name, "READY");
  }

  private void leave(int millis) throws Exception {
    String name = some(1, names.subList(STEADY, NODES)).getFirst();
    log("leave", name, millis);
    ask(name, "leave");
    killNode(name);
    hold(random.nextInt(millis));
    start(name);
    waitFor(name, "READY");
  }

  private void killNode(String name) {
    nodes.get(name).kill();
    readOwners(name);
  }

  // ---- the leader of the voters ----

  /// The leader is killed, or stands still where it is never killed: no other node may lose its
  /// lease by that.
  private void leaderDies() throws Exception {
    awaitLeases();
    hold(LEASE_SETTLES_MILLIS); // renewals that were late are over
    String leader = leader();
    Map<String, String> before = leases(leader);
    if (leader == null || before.values().stream().anyMatch(it -> it.startsWith("false"))) {
      return; // none of them leads now
    }
    log("leader dies", leader, LEADER_MILLIS);
    boolean isKilled = names.indexOf(leader) >= STEADY;
    if (isKilled) {
      killNode(leader);
      hold(LEADER_MILLIS);
    } else {
      pause(leader, LEADER_MILLIS);
    }
    leases(leader)
        .forEach((name, lease) -> {
          if (!lost(lease).equals(lost(before.get(name)))) {
            problems.add(
                "lease: %s lost its lease by the death of leader %s".formatted(name, leader));
          }
        });
    if (isKilled) {
      start(leader);
      waitFor(leader, "READY");
    }
  }

  private String leader() throws Exception {
    String leader = null;
    for (String name : SoakNode.VOTERS) {
      if (ask(name, "lease").endsWith("true")) {
        leader = name;
      }
    }
    return leader;
  }

  private Map<String, String> leases(String butOf) throws Exception {
    Map<String, String> leases = new TreeMap<>();
    for (String name : names) {
      if (!name.equals(butOf)) {
        leases.put(name, ask(name, "lease"));
      }
    }
    return leases;
  }

  private static String lost(String lease) {
    return lease.split(" ")[1];
  }

  private void awaitLeases() throws Exception {
    awaitSessions();
    await(
        "not all have a lease",
        () -> {
          for (String name : names) {
            if (ask(name, "lease").startsWith("false")) {
              return name + " has none";
            }
          }
          return null;
        });
  }

  private void awaitSameOwners() throws Exception {
    awaitLeases();
    await(
        "names diverge",
        () -> {
          Map<String, Set<String>> views = new TreeMap<>();
          for (String name : names) {
            views.computeIfAbsent(ask(name, "owners"), _ -> new HashSet<>()).add(name);
          }
          views.computeIfAbsent(ask(names.getFirst(), "majority"), _ -> new HashSet<>()).add("log");
          return views.size() == 1 ? null : views.toString();
        });
  }

  private void readOwners(String name) {
    if (owners != null) {
      owners.read(name, nodes.get(name));
    }
  }

  private void judgeNames() throws Exception {
    if (owners == null) {
      return;
    }
    StringBuilder counts = new StringBuilder();
    for (String name : names) {
      readOwners(name);
      counts.append(name).append(' ').append(ask(name, "races")).append("; ");
    }
    SoakCalls calls = new SoakCalls(SoakDeeds.read(folder), owners);
    problems.addAll(calls.judge());
    problems.addAll(owners.judge());
    totals +=
        "%nOwners of names that have acted: %d. Owned since the start of each, writes refused: %s%n%s"
            .formatted(owners.ownerships(SoakNames.PREFIX), counts, calls.counts());
  }

  // ---- rest ----

  /// All cuts are healed: waits until the nodes are in touch and nothing is on its way, and counts.
  private void rest() throws Exception {
    long healed = System.nanoTime();
    awaitSessions();
    longestHealMillis = Math.max(longestHealMillis, millisSince(healed));
    all("run off");
    awaitSettled();
    lastMarkMillis = awaitMarks();
    awaitSameGroups();
    if (owners != null) {
      awaitSameOwners();
      awaitEach("entities do not reply", "calls");
    }
    StringBuilder counts = new StringBuilder();
    for (String name : names) {
      counts.append(name).append(' ').append(ask(name, "judge")).append("; ");
    }
    totals = counts.toString();
    List<String> measures = new ArrayList<>();
    for (String name : names.subList(0, STEADY)) {
      measures.add(ask(name, "measure"));
    }
    names.forEach(this::readOwners);
    rests.add(new Rest(seconds(), measures));
    out.printf(
        "%4d s  rest: a message each way in %d ms; heap KiB, threads, descriptors %s; received,"
            + " DOWNs: %s%n",
        seconds(), lastMarkMillis, measures, totals);
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }

  private interface Question {
    /// Null when it is so, else what is not.
    String isMissing() throws Exception;
  }

  /// Asks until it is so, or reports a problem.
  private void await(String what, Question question) throws Exception {
    long from = System.nanoTime();
    String missing = question.isMissing();
    while (missing != null && millisSince(from) < GUARD_SECONDS * 1_000) {
      LockSupport.parkNanos(20_000_000);
      missing = question.isMissing();
    }
    if (missing != null) {
      problems.add("%s after %d s: %s".formatted(what, GUARD_SECONDS, missing));
    }
  }

  private void awaitSessions() throws Exception {
    await(
        "not all sessions open",
        () -> {
          for (String name : names) {
            Set<String> missing = new HashSet<>(names);
            missing.remove(name);
            missing.removeAll(List.of(ask(name, "up").split(",")));
            if (!missing.isEmpty()) {
              return name + " is not in touch with " + missing;
            }
          }
          return null;
        });
  }

  private void awaitSettled() throws Exception {
    awaitEach("watches without DOWN, or watched processes left", "settle");
  }

  /// Until each node answers 0.
  private void awaitEach(String what, String command) throws Exception {
    await(
        what,
        () -> {
          StringBuilder left = new StringBuilder();
          for (String name : names) {
            String answer = ask(name, command);
            if (!answer.equals("0")) {
              left.append(name).append(" has ").append(answer).append("; ");
            }
          }
          return left.isEmpty() ? null : left.toString();
        });
  }

  private long awaitMarks() throws Exception {
    long[] longest = new long[1];
    await(
        "a message each way",
        () -> {
          longest[0] = 0;
          for (String name : names) {
            String millis = ask(name, "mark");
            if (!millis.matches("\\d+")) {
              return millis;
            }
            longest[0] = Math.max(longest[0], Long.parseLong(millis));
          }
          return null;
        });
    return longest[0];
  }

  private void awaitSameGroups() throws Exception {
    await(
        "groups differ",
        () -> {
          Map<String, Set<String>> views = new TreeMap<>();
          for (String name : names) {
            // members of its own come first in the product's list: SoakNode sorts them
            views.computeIfAbsent(ask(name, "members"), _ -> new HashSet<>()).add(name);
          }
          return views.size() == 1 ? null : views.toString();
        });
  }

  // ---- the judgement ----

  private void judgeGrowth() throws Exception {
    if (lastMarkMillis > MESSAGE_MILLIS) {
      problems.add("a message each way took %d ms".formatted(lastMarkMillis));
    }
    if (!growth.hasBaseline()) {
      out.println("The run was too short to judge what has grown.");
      return;
    }
    problems.addAll(growth.judge());
    totals += "\n" + growth.report();
  }

  /// One page.
  String report() {
    StringBuilder page = new StringBuilder("What happened: " + done + "\n");
    page.append("All sessions open after the last heal of a round, at most: ")
        .append(longestHealMillis)
        .append(" ms\nReceived messages, DOWNs: ")
        .append(totals)
        .append("\n\n| s | heap KiB, threads, descriptors of n0 and n1 |\n|---|---|\n");
    rests.forEach(
        it -> page.append("| %d | %s |%n".formatted(it.second, String.join(" · ", it.measures))));
    page.append(problems.isEmpty() ? "\nAll held.\n" : "\nDid not hold:\n");
    problems.stream().distinct().limit(40).forEach(it -> page.append("- ").append(it).append('\n'));
    if (!problems.isEmpty()) {
      everStarted.forEach(it -> page.append(it.logged(MOST_LOGGED)));
    }
    return page.toString();
  }

  // ---- the children ----

  private void all(String command) throws Exception {
    for (String name : names) {
      ask(name, command);
    }
  }

  private String ask(String name, String command) throws Exception {
    String begin = "ANSWER " + command.split(" ")[0];
    nodes.get(name).say(command);
    return waitFor(name, begin).substring(begin.length()).strip();
  }

  private String waitFor(String name, String begin) throws Exception {
    return nodes.get(name).waitFor(begin).text();
  }

  private void killAll() {
    synchronized (everStarted) {
      everStarted.forEach(NodeJvm::close);
    }
  }

  @Override
  public void close() {
    killAll();
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
