// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.TestPorts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Measures how long two nodes take to see what happened to a third: `./heddle soak cluster
/// --detection`. It asserts durations, so it is no test of the default run, which its name keeps it
/// out of. A run has met its bar when both nodes have.
@Timeout(value = 1, unit = TimeUnit.DAYS) // each step of it has a guard
@EnabledOnOs(OS.LINUX) // for signals
class DetectionTimes {
  private static final int RUNS = Integer.getInteger("heddle.detection.runs", 20);
  private static final int PAUSE_MILLIS = 3_000;

  /// What happens in a run.
  private enum Kind {
    KILL("DOWN after kill -9", 2_000),
    STOP("DOWN after SIGSTOP", 8_000),
    HEAL("sessions after a heal", 5_000),
    PAUSE("pauses of 3 s, an alarm counts 1", 0);

    final String text;
    final long mostMillis;

    Kind(String text, long mostMillis) {
      this.text = text;
      this.mostMillis = mostMillis;
    }
  }

  private final List<Integer> ports = new ArrayList<>();
  private final List<NodeJvm> nodes = new ArrayList<>(); // a and b, which see, and c

  /// `DetectionTimes KIND RUNS`, for one kind alone.
  public static void main(String[] args) throws Exception {
    new DetectionTimes().measure(Kind.valueOf(args[0]), Integer.parseInt(args[1]));
    System.exit(0);
  }

  @Test
  void downAfterAKill() throws Exception {
    assertThat(measure(Kind.KILL, RUNS)).isGreaterThanOrEqualTo(needed());
  }

  @Test
  void downAfterAStop() throws Exception {
    assertThat(measure(Kind.STOP, RUNS)).isGreaterThanOrEqualTo(needed());
  }

  @Test
  void sessionsAfterAHeal() throws Exception {
    assertThat(measure(Kind.HEAL, RUNS)).isGreaterThanOrEqualTo(needed());
  }

  @Test
  void noAlarmAfterAPause() throws Exception {
    assertThat(measure(Kind.PAUSE, RUNS)).isGreaterThanOrEqualTo(needed());
  }

  private static int needed() {
    return RUNS - RUNS / 20;
  }

  /// @return how many runs have met the bar
  private int measure(Kind kind, int runs) throws Exception {
    Thread hook = new Thread(() -> nodes.forEach(NodeJvm::close));
    Runtime.getRuntime().addShutdownHook(hook);
    List<Long> times = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        ports.add(TestPorts.next());
      }
      nodes.addAll(List.of(start("a", 0), start("b", 1), start("c", 2)));
      awaitUp();
      for (int i = 0; i < runs; i++) {
        times.add(run(kind));
        System.out.printf("%s, run %d: %d%n", kind.text, i + 1, times.getLast());
      }
    } finally {
      nodes.forEach(NodeJvm::close);
      Runtime.getRuntime().removeShutdownHook(hook);
    }
    long met = times.stream().filter(time -> time <= kind.mostMillis).count();
    System.out.printf(
        "%s: %d of %d runs within %d, the longest %d; %s%n",
        kind.text,
        met,
        runs,
        kind.mostMillis,
        times.stream().mapToLong(it -> it).max().orElse(0),
        times.stream().sorted().toList());
    return (int) met;
  }

  private NodeJvm start(String name, int index) throws Exception {
    List<Object> arguments = new ArrayList<>(List.of(name, ports.get(index)));
    arguments.addAll(ports);
    return NodeJvm.start(List.of(), arguments.toArray());
  }

  private void awaitUp() throws Exception {
    for (NodeJvm one : nodes.subList(0, 2)) {
      one.waitFor("UP c");
    }
  }

  private long run(Kind kind) throws Exception {
    NodeJvm c = nodes.get(2);
    for (NodeJvm one : nodes.subList(0, 2)) {
      one.say("watch c");
      one.waitFor("WATCHES c");
    }
    if (kind == Kind.PAUSE) {
      return pause(c);
    }
    long from = System.currentTimeMillis();
    switch (kind) {
      case KILL -> c.kill();
      case STOP -> c.signal("STOP");
      default -> cut("a b");
    }
    long down = longest("DOWN c NO_CONNECTION", from);
    long healed = System.currentTimeMillis();
    switch (kind) {
      case KILL -> nodes.set(2, start("c", 2));
      case STOP -> c.signal("CONT");
      default -> cut("");
    }
    long up = longest("UP c", healed);
    return kind == Kind.HEAL ? up : down;
  }

  /// Cuts c off: it does not hear the others, nor do they hear it.
  private void cut(String others) throws Exception {
    nodes.get(2).say("cut " + others);
    nodes.get(2).waitFor("CUT");
    for (NodeJvm one : nodes.subList(0, 2)) {
      one.say(others.isEmpty() ? "cut" : "cut c");
      one.waitFor("CUT");
    }
  }

  private long longest(String line, long from) throws Exception {
    long longest = 0;
    for (NodeJvm one : nodes.subList(0, 2)) {
      longest = Math.max(longest, one.waitFor(line).millis() - from);
    }
    return longest;
  }

  /// @return how many nodes have taken the pause for a loss
  private long pause(NodeJvm c) throws Exception {
    long before = lost();
    c.signal("STOP");
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
    c.signal("CONT");
    for (NodeJvm one : nodes.subList(0, 2)) {
      one.say("ask c");
      one.waitFor("REPLY c");
    }
    return lost() - before;
  }

  private long lost() {
    return nodes.stream()
        .flatMap(node -> node.all().stream())
        .filter(line -> line.contains(" LOST ") || line.contains(" DOWN "))
        .count();
  }
}
