// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Measures how soon another node gets the name of an owner that is killed, leaves or starts again,
/// how soon the log answers after the loss of its leader, and whether that costs a lease: `./heddle
/// soak cluster --detection`. The lease is the default one, of 8 s. As of [DetectionTimes]: it
/// asserts durations, and its name keeps it out of the default run.
@Timeout(value = 1, unit = TimeUnit.DAYS) // each step of it has a guard
@EnabledOnOs(OS.LINUX) // where nodes in JVMs of their own are tested
class OwnerTimes {
  private static final int RUNS = Integer.getInteger("heddle.detection.runs", 20);
  private static final int LEASE = 8_000;
  private static final long LOG_MILLIS = 5_000;

  @TempDir Path folder;

  /// What happens to the owner of a name.
  enum Kind {
    KILL("kill -9 of the owner of a name", 12_000),
    KILL_LEADER("kill -9 of an owner that leads the voters", 15_000),
    LEAVE("the owner leaves, from its end on", 1_000),
    RESTART("the owner is killed and starts again in its directory, from its start on", 1_000);

    final String text;
    final long most;

    Kind(String text, long most) {
      this.text = text;
      this.most = most;
    }
  }

  /// Of one run, in ms: until another node has the name; until the log answers; leases that others
  /// have lost.
  private record Times(long free, long answers, int lost) {
    boolean areGood(Kind kind) {
      return free <= kind.most && answers <= LOG_MILLIS && lost == 0;
    }
  }

  @ParameterizedTest
  @EnumSource
  void owner(Kind kind) throws Exception {
    List<Times> all = new ArrayList<>();
    try (NodeJvms nodes = new NodeJvms("a", "b", "c")) {
      nodes.startVoters(folder, LEASE);
      for (int i = 0; i < RUNS; i++) {
        all.add(run(kind, nodes, i));
        System.out.printf("%s, run %d: %s%n", kind, i + 1, all.getLast());
      }
    }
    report(kind, all);
    assertThat(all.stream().filter(it -> it.areGood(kind)).count())
        .as(kind.text)
        .isGreaterThanOrEqualTo(RUNS - RUNS / 20);
  }

  private static void report(Kind kind, List<Times> all) {
    System.out.printf(
        "%s: %d of %d runs within %d: %s%n",
        kind.text,
        all.stream().filter(it -> it.free <= kind.most).count(),
        all.size(),
        kind.most,
        all.stream().map(Times::free).sorted().toList());
    System.out.printf(
        "  the log answers: %d of %d within %d: %s; leases lost by others: %d%n",
        all.stream().filter(it -> it.answers <= LOG_MILLIS).count(),
        all.size(),
        LOG_MILLIS,
        all.stream().map(Times::answers).sorted().toList(),
        all.stream().mapToInt(Times::lost).sum());
  }

  private Times run(Kind kind, NodeJvms nodes, int number) throws Exception {
    String leader = nodes.awaitLeader();
    List<String> others = new ArrayList<>(NodeJvms.VOTERS);
    others.remove(leader);
    String owner = kind == Kind.KILL_LEADER ? leader : others.get(number % 2);
    others = new ArrayList<>(NodeJvms.VOTERS);
    others.remove(owner);
    String name = kind + "-" + number;
    List<String> tokens = new ArrayList<>();
    for (String other : others) {
      tokens.add("" + nodes.awaitRegistered(other, name + "-of-" + other));
    }
    nodes.awaitRegistered(owner, name);
    long from = happen(kind, nodes, owner);
    nodes.node(others.get(1)).say("whereis " + name); // the log answers when it can
    nodes.awaitRegistered(others.get(0), name);
    long free = System.currentTimeMillis() - from;
    long answers = nodes.node(others.get(1)).waitFor("OWNER ", "FAILED ").millis() - from;
    int lost = 0;
    for (int i = 0; i < 2; i++) {
      String now = nodes.token(others.get(i), name + "-of-" + others.get(i));
      lost += now.equals(tokens.get(i)) ? 0 : 1;
    }
    if (!kind.equals(Kind.RESTART)) {
      nodes.startVoter(owner, folder.resolve(owner), LEASE).waitFor("READY");
    }
    return new Times(Math.max(0, free), Math.max(0, answers), lost);
  }

  /// @return when the time begins
  private long happen(Kind kind, NodeJvms nodes, String owner) throws Exception {
    if (kind == Kind.LEAVE) {
      nodes.node(owner).say("leave");
      long left = nodes.node(owner).waitFor("HAS LEFT").millis();
      nodes.node(owner).close();
      return left;
    }
    long killed = System.currentTimeMillis();
    nodes.node(owner).kill();
    if (kind == Kind.RESTART) {
      NodeJvm again = nodes.startVoter(owner, folder.resolve(owner), LEASE);
      return again.waitFor("READY").millis();
    }
    return killed;
  }
}
