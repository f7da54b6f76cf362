// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakEvents.Kind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
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
/// In each round one thing happens after the other, at least each 10 s: see [SoakEvents]. Then the
/// cluster comes to rest: all cuts are healed, nobody sends anything new, and the counts are taken.
/// `n0` and `n1` are never killed, so their heap, threads and descriptors can be compared between
/// rests.
///
/// A long run in which a kind of thing has never happened has not proved what it is for.
final class ClusterSoak implements AutoCloseable {
  private static final int NODES = 5;
  private static final int STEADY = 2; // never killed, nor do they leave
  private static final int SLOWEST_MILLIS = 9_000; // of one thing that happens
  private static final int GAP_MILLIS = 1_000;
  private static final long LEADER_MILLIS = 9_000; // longer than a lease
  private static final long LOST_MILLIS = 14_000; // longer than others wait for a lease
  private static final long SHORT_MILLIS = 3_000; // of what happens meanwhile
  private static final long LONG_SECONDS = 300; // a pack of things takes 100 s
  private static final int MOST_LEADERS = 4; // until one of them may be killed
  private static final long LEASE_SETTLES_MILLIS = 3_000; // two renewals
  private static final long MESSAGE_MILLIS = 5_000; // for one each way after the end
  private static final long BASELINE_SECONDS = 120; // when the heap is measured first

  /// What is left at a rest, of each steady node.
  private record Rest(long second, List<String> measures) {}

  private final Random random;
  private final PrintStream out;
  private final SoakJvms nodes;
  private final List<String> names;
  private final List<String> problems = new ArrayList<>();
  private final List<Rest> rests = new ArrayList<>();
  private final Path folder; // of voters, and of what the nodes write down
  private final SoakDeeds deeds;
  private final SoakEvents events;
  private final SoakOwners owners; // null without names
  private final SoakGrowth growth;
  private final SoakRest rest;
  private long begin = System.nanoTime(); // of the run, once all nodes are in touch
  private long longestHealMillis;
  private long lastMarkMillis;
  private String totals = "";
  private final Map<String, Integer> left = new TreeMap<>(); // nodes, by how
  private boolean isLong;
  private long refused; // writes of former owners of names
  private long refusedToEntities; // the same of shards

  /// @param folder of voters, what owners of names change, and what the nodes write down
  ClusterSoak(long seed, PrintStream out, Path folder, boolean hasNames) throws IOException {
    this.random = new Random(seed);
    this.out = out;
    this.folder = folder;
    this.deeds = new SoakDeeds(folder, "soak");
    this.events = new SoakEvents(random, hasNames);
    this.owners = hasNames ? new SoakOwners(folder) : null;
    this.nodes = new SoakJvms(NODES, folder, hasNames);
    this.names = nodes.names();
    this.rest = new SoakRest(nodes, problems::add);
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
    isLong = seconds >= LONG_SECONDS;
    if (!isLong && owners != null) {
      owners.tolerateASlowMachine();
    }
    nodes.startAll();
    rest.awaitSessions();
    rest(); // before anything has happened
    begin = System.nanoTime();
    while (seconds() < seconds) {
      long end = Math.min(seconds, seconds() + roundSeconds);
      nodes.all("run on");
      events.begin(System.nanoTime());
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
    judgeDeeds();
    judgeEvents();
    problems.addAll(nodes.violations());
    return problems;
  }

  private long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
  }

  // ---- what happens ----

  private void happen() throws Exception {
    int millis = 300 + random.nextInt(SLOWEST_MILLIS - 300);
    switch (events.next()) {
      case CUT_PAIR -> cutPair(some(2, names), millis);
      case CUT_ONE_WAY -> cutOneWay(millis);
      case CUT_GROUPS -> cutGroups(Set.copyOf(some(1 + random.nextInt(2), names)), millis);
      case FLAP -> flap(millis);
      case PAUSE -> pause(millis);
      case KILL -> kill(millis);
      case LEAVE -> leave(millis);
      case LEADER_KILLED, LEADER_STOPPED -> leaderDies();
      case OWNER_STOPPED -> stopAnOwner();
      case OWNER_CUT_OFF -> cutAnOwnerOff();
      case RESTART -> throw new IllegalStateException("it follows a kill or a leave");
    }
  }

  private List<String> some(int count, List<String> of) {
    List<String> shuffled = new ArrayList<>(of);
    java.util.Collections.shuffle(shuffled, random);
    return shuffled.subList(0, count);
  }

  private void log(Kind kind, String what, long millis) {
    events.happened(kind, System.nanoTime());
    out.printf("%4d s  %-14s %s, %d ms%n", seconds(), kind, what, millis);
  }

  private static void hold(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private void cutPair(List<String> pair, long millis) throws Exception {
    log(Kind.CUT_PAIR, "" + pair, millis);
    ask(pair.get(0), "cut " + pair.get(1));
    ask(pair.get(1), "cut " + pair.get(0));
    hold(millis);
    heal();
  }

  private void cutOneWay(int millis) throws Exception {
    List<String> pair = some(2, names);
    log(Kind.CUT_ONE_WAY, pair.get(0) + " hears not " + pair.get(1), millis);
    ask(pair.get(0), "cut " + pair.get(1));
    hold(millis);
    heal();
  }

  private void cutGroups(Set<String> one, int millis) throws Exception {
    log(Kind.CUT_GROUPS, one + " from the others", millis);
    cutOff(one);
    hold(millis);
    heal();
  }

  private void cutOff(Set<String> one) throws Exception {
    List<String> rest = new ArrayList<>(names);
    rest.removeAll(one);
    for (String name : names) {
      ask(name, "cut " + String.join(" ", one.contains(name) ? rest : one));
    }
  }

  private void flap(int millis) throws Exception {
    List<String> pair = some(2, names);
    log(Kind.FLAP, "" + pair, millis);
    int times = 2 + random.nextInt(5);
    for (int i = 0; i < times; i++) {
      ask(pair.get(0), "cut " + pair.get(1));
      hold(millis / times / 2);
      heal();
      hold(millis / times / 2);
    }
  }

  private void heal() throws Exception {
    nodes.all("cut");
  }

  private void pause(int millis) throws Exception {
    String name = some(1, names).getFirst();
    log(Kind.PAUSE, name, millis);
    pause(name, millis);
  }

  private void pause(String name, long millis) throws Exception {
    long from = System.nanoTime();
    awaitEnd(name, from, nodes.stop(name, millis));
  }

  private void awaitEnd(String name, long from, java.lang.Process shell) throws Exception {
    if (shell.waitFor() != 0) {
      problems.add("a pause of " + name + " failed");
    }
    if (owners != null) {
      owners.paused(name, from, System.nanoTime());
    }
  }

  private void kill(int millis) throws Exception {
    String name = some(1, names.subList(STEADY, NODES)).getFirst();
    log(Kind.KILL, name, millis);
    killNode(name);
    hold(random.nextInt(millis)); // often before the others have noticed
    startAgain(name);
  }

  private void leave(int millis) throws Exception {
    String name = some(1, names.subList(STEADY, NODES)).getFirst();
    log(Kind.LEAVE, name, millis);
    left.merge(ask(name, "leave"), 1, Integer::sum);
    killNode(name);
    hold(random.nextInt(millis));
    startAgain(name);
  }

  private void startAgain(String name) throws Exception {
    events.happened(Kind.RESTART, System.nanoTime());
    nodes.start(name);
  }

  private void killNode(String name) {
    nodes.jvm(name).kill();
    deeds.happened(SoakDeeds.Kind.DIED, name, 0, 0);
    readOwners(name);
  }

  // ---- an owner of a name, for longer than others wait for its lease ----

  /// Its owners keep their names until they lose them, or are told to [#letGo].
  private String anOwner() throws Exception {
    List<String> shuffled = some(NODES, names);
    for (String name : shuffled) {
      if (!ask(name, "cling on").equals("0")) {
        return name;
      }
      letGo(name);
    }
    return shuffled.getFirst();
  }

  private void letGo(String owner) throws Exception {
    ask(owner, "cling off");
  }

  private void stopAnOwner() throws Exception {
    String owner = anOwner();
    log(Kind.OWNER_STOPPED, owner, LOST_MILLIS);
    long from = System.nanoTime();
    var shell = nodes.stop(owner, LOST_MILLIS);
    hold(LOST_MILLIS / 2);
    List<String> pair = List.of(anotherWithoutAVote(owner), owner.equals("n1") ? "n2" : "n1");
    log(Kind.CUT_PAIR, "" + pair, SHORT_MILLIS);
    ask(pair.get(0), "cut " + pair.get(1));
    ask(pair.get(1), "cut " + pair.get(0));
    hold(SHORT_MILLIS);
    ask(pair.get(0), "cut");
    ask(pair.get(1), "cut");
    awaitEnd(owner, from, shell);
    letGo(owner);
  }

  /// What happens to it costs nobody a majority.
  private String anotherWithoutAVote(String name) {
    List<String> others = new ArrayList<>(names);
    others.remove(name);
    others.removeAll(SoakNode.VOTERS);
    return some(1, others).getFirst();
  }

  private void cutAnOwnerOff() throws Exception {
    String owner = anOwner();
    log(Kind.OWNER_CUT_OFF, owner, LOST_MILLIS);
    cutOff(Set.of(owner));
    hold(LOST_MILLIS / 2);
    String other = anotherWithoutAVote(owner);
    log(Kind.PAUSE, other, SHORT_MILLIS);
    pause(other, SHORT_MILLIS);
    hold(LOST_MILLIS / 2 - SHORT_MILLIS);
    heal();
    letGo(owner);
  }

  // ---- the leader of the voters ----

  /// The leader is killed. One that is never killed stands still first, so that another one leads:
  /// a short run leaves it at that. No other node may lose its lease by either.
  private void leaderDies() throws Exception {
    for (int i = 0; i < MOST_LEADERS; i++) {
      rest.awaitLeases();
      hold(LEASE_SETTLES_MILLIS); // renewals that were late are over
      String leader = leader();
      Map<String, String> before = leases(leader);
      boolean areHeld = before.values().stream().noneMatch(it -> it.startsWith("false"));
      boolean isKilled = leader != null && names.indexOf(leader) >= STEADY;
      if (leader != null && areHeld) {
        leaderDies(leader, isKilled, before);
        if (isKilled || !isLong) {
          return;
        }
      }
    }
  }

  private void leaderDies(String leader, boolean isKilled, Map<String, String> before)
      throws Exception {
    log(isKilled ? Kind.LEADER_KILLED : Kind.LEADER_STOPPED, leader, LEADER_MILLIS);
    if (isKilled) {
      killNode(leader);
      hold(LEADER_MILLIS);
    } else {
      pause(leader, LEADER_MILLIS);
    }
    leases(leader)
        .forEach((name, lease) -> {
          if (!lost(lease).equals(lost(before.get(name)))) {
            judgeOfTime(
                "lease: %s lost its lease by the death of leader %s".formatted(name, leader));
          }
        });
    if (isKilled) {
      startAgain(leader);
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

  private void readOwners(String name) {
    if (owners != null) {
      owners.read(name, nodes.jvm(name));
    }
  }

  /// By what the nodes have written down.
  private void judgeDeeds() throws Exception {
    List<SoakDeeds.Deed> all = SoakDeeds.read(folder);
    SoakGaps gaps = new SoakGaps(all);
    problems.addAll(gaps.judge());
    totals += "%n%s%nNodes that left: %s".formatted(gaps.counts(), left);
    if (owners == null) {
      return;
    }
    names.forEach(this::readOwners);
    SoakCalls calls = new SoakCalls(all, owners);
    problems.addAll(calls.judge());
    problems.addAll(owners.judge());
    refused = all.stream().filter(it -> it.kind() == SoakDeeds.Kind.STALE_REFUSED).count();
    SoakWrites writes = new SoakWrites(all);
    for (int shard = 0; shard < SoakShards.SHARDS; shard++) {
      writes.judge(shard, SoakShardWriter.all(folder, shard));
    }
    problems.addAll(writes.problems());
    refusedToEntities = writes.refused();
    totals +=
        "%nOwners of names that have acted: %d. Writes of former owners that were refused: %d%n%s%n%s"
            .formatted(
                owners.ownerships(SoakNames.PREFIX), refused, calls.counts(), writes.counts());
  }

  /// Whether all has happened that a long run is for.
  private void judgeEvents() {
    List<String> missing = events.missing();
    if (owners != null && refused == 0) {
      missing.add("a write of a former owner");
    }
    if (owners != null && refusedToEntities == 0) {
      missing.add("a write of an entity of a former owner");
    }
    if (!left.containsKey(SoakNode.IN_TIME)) {
      missing.add("a node that left in time");
    }
    if (isLong) {
      missing.forEach(it -> problems.add("not proved: there was no " + it));
    } else if (!missing.isEmpty()) {
      totals += "\nNot tried in this short run: " + missing;
    }
  }

  // ---- rest ----

  /// All cuts are healed: waits until the nodes are in touch and nothing is on its way, and counts.
  private void rest() throws Exception {
    long healed = System.nanoTime();
    rest.awaitSessions();
    longestHealMillis = Math.max(longestHealMillis, millisSince(healed));
    nodes.all("run off");
    rest.awaitSettled();
    lastMarkMillis = rest.awaitMarks();
    rest.awaitSameGroups();
    if (owners != null) {
      rest.awaitSameOwners();
      rest.awaitEntities();
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

  // ---- the judgement ----

  /// What depends on the speed of the machine is a problem of a long run only.
  private void judgeOfTime(String problem) {
    if (isLong) {
      problems.add(problem);
    } else {
      out.println("Not judged in so short a run: " + problem);
    }
  }

  private void judgeGrowth() throws Exception {
    if (lastMarkMillis > MESSAGE_MILLIS) {
      judgeOfTime("a message each way took %d ms".formatted(lastMarkMillis));
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
    StringBuilder page = new StringBuilder("What happened: " + events + "\n");
    page.append("Longest time in which nothing happened, in a round: ")
        .append(events.longestGapMillis())
        .append(" ms\n");
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
      page.append(nodes.logged());
    }
    return page.toString();
  }

  private String ask(String name, String command) throws Exception {
    return nodes.ask(name, command);
  }

  @Override
  public void close() {
    nodes.close();
  }
}
