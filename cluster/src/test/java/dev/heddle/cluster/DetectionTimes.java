// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Measures how long two nodes take to see what happened to a third: `./heddle soak cluster
/// --detection`. It asserts durations, so it is no test of the default run, which its name keeps it
/// out of; [DetectionTimesTest] asserts there that it works. A run has met its bar when both nodes
/// have.
///
/// `-Dheddle.detection.kinds=PAUSE,BUSY` runs those alone, `-Dheddle.detection.runs=N` as often,
/// and `-Dheddle.detection.busy.seconds=N` is how long the one run of [Kind#BUSY] takes.
@Timeout(value = 1, unit = TimeUnit.DAYS) // each step of it has a guard
@EnabledOnOs(OS.LINUX) // for signals
class DetectionTimes implements AutoCloseable {
  private static final int RUNS = Integer.getInteger("heddle.detection.runs", 20);
  private static final String KINDS = System.getProperty("heddle.detection.kinds", "");
  private static final int BUSY_SECONDS = Integer.getInteger("heddle.detection.busy.seconds", 600);
  private static final int PAUSE_MILLIS = 3_000;
  private static final int LEAST_PAUSE_MILLIS = 100;
  private static final int PORT = 7600; // in a network of its own
  private static final long LOSS_MILLIS = 8_000;
  private static final long HEAL_MILLIS = 5_000;
  private static final long ANY = Long.MAX_VALUE; // for what a kind does not measure

  /// A session treats a closed connection otherwise in its first 5 s.
  private static final int YOUNG_MILLIS = 6_000;

  /// By then the nodes greet each other only each 15 s.
  private static final int LONG_CUT_MILLIS = 30_000;

  /// What happens in a run, and how long both nodes may take to see it, and to be in touch again.
  enum Kind {
    KILL("kill -9 of a node in a new session", 2_000, ANY),
    KILL_LATER("kill -9 of a node in a session of 6 s", 2_000, ANY),
    STOP("SIGSTOP", LOSS_MILLIS, ANY),
    HEAL("all packets dropped by the receivers", LOSS_MILLIS, HEAL_MILLIS),
    HEAL_LATER("the same for 30 s more", LOSS_MILLIS, HEAL_MILLIS),
    BLACKHOLE("all frames dropped by the network", LOSS_MILLIS, HEAL_MILLIS),
    PAUSE("pauses of 3 s; ends of sessions and watches", 0, ANY),
    BUSY("pauses of up to 3 s with all processors busy; the same", 0, ANY);

    final String text;
    final long mostDown;
    final long mostUp;

    Kind(String text, long mostDown, long mostUp) {
      this.text = text;
      this.mostDown = mostDown;
      this.mostUp = mostUp;
    }
  }

  /// Of one run: the DOWN after what happened, the session after it was over.
  record Times(long down, long up) {}

  private static final List<String> NAMES = List.of("a", "b", "c");

  private final List<String> addresses = new ArrayList<>();
  private final List<NodeJvm> nodes = new ArrayList<>(); // a and b, which see, and c
  private final Thread hook = new Thread(() -> nodes.forEach(NodeJvm::close));
  private int part = 1; // of the usual pauses and cuts, as a divisor
  private @Nullable Namespaces network; // of a blackhole

  /// One whose pauses and cuts are a part of the usual ones.
  ///
  /// @param part as a divisor
  static DetectionTimes withPart(int part) {
    DetectionTimes made = new DetectionTimes(); // the only constructor, as JUnit wants it
    made.part = part;
    return made;
  }

  @ParameterizedTest
  @EnumSource
  void detection(Kind kind) throws Exception {
    assumeTrue(KINDS.isEmpty() || List.of(KINDS.split(",")).contains(kind.name()));
    int runs = kind == Kind.BUSY ? 1 : RUNS;
    assertThat(measure(kind, runs)).as(kind.text).isGreaterThanOrEqualTo(runs - runs / 20);
  }

  private void connect() throws InterruptedException {
    try {
      network = new Namespaces(NAMES);
    } catch (IOException e) {
      String why = "SKIPPED: no network namespaces here: " + e.getMessage();
      System.out.println(why);
      abort(why);
    }
  }

  /// @return how many runs have met the bars
  private int measure(Kind kind, int runs) throws Exception {
    List<Times> times = new ArrayList<>();
    try {
      start(kind);
      for (int i = 0; i < runs; i++) {
        times.add(run(kind));
        System.out.printf("%s, run %d: %s%n", kind, i + 1, times.getLast());
      }
    } finally {
      close();
    }
    report(kind, "seen", kind.mostDown, times.stream().map(Times::down).sorted().toList());
    report(kind, "in touch again", kind.mostUp, times.stream().map(Times::up).sorted().toList());
    return (int)
        times.stream().filter(it -> it.down <= kind.mostDown && it.up <= kind.mostUp).count();
  }

  /// Starts the nodes, and waits until they are in touch.
  void start(Kind kind) throws Exception {
    if (kind == Kind.BLACKHOLE) {
      connect();
    }
    Runtime.getRuntime().addShutdownHook(hook);
    for (String name : NAMES) {
      addresses.add(
          network == null ? "127.0.0.1:" + TestPorts.next() : network.address(name) + ":" + PORT);
    }
    for (String name : NAMES) {
      nodes.add(start(name));
    }
    for (NodeJvm one : nodes.subList(0, 2)) {
      one.waitFor("UP c");
    }
  }

  @Override
  public void close() throws IOException {
    nodes.forEach(NodeJvm::close);
    Runtime.getRuntime().removeShutdownHook(hook);
    if (network != null) {
      try {
        network.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted; namespaces may be left", e);
      }
    }
  }

  private static void report(Kind kind, String what, long most, List<Long> sorted) {
    System.out.printf(
        "%s: %s: %s, %s%n",
        kind.text,
        what,
        most == ANY
            ? "no bar"
            : "%d of %d runs within %d"
                .formatted(sorted.stream().filter(it -> it <= most).count(), sorted.size(), most),
        sorted);
  }

  private NodeJvm start(String name) throws Exception {
    List<Object> arguments = new ArrayList<>(List.of(name, addresses.get(name.charAt(0) - 'a')));
    arguments.addAll(addresses);
    List<String> launcher = network == null ? List.of() : network.command(name);
    return NodeJvm.startBy(launcher, NodeProgram.class, List.of(), arguments.toArray());
  }

  /// Does it once.
  Times run(Kind kind) throws Exception {
    NodeJvm c = nodes.get(2);
    for (NodeJvm one : nodes.subList(0, 2)) {
      one.say("watch c");
      one.waitFor("WATCHES c");
    }
    if (kind == Kind.PAUSE || kind == Kind.BUSY) {
      List<String> before = lost();
      if (kind == Kind.PAUSE) {
        pause("c", PAUSE_MILLIS / part);
      } else {
        busy(BUSY_SECONDS / part);
      }
      return new Times(lostSince(before), 0);
    }
    if (kind == Kind.KILL_LATER) {
      hold(YOUNG_MILLIS);
    }
    long from = System.currentTimeMillis();
    switch (kind) {
      case KILL, KILL_LATER -> c.kill();
      case STOP -> c.signal("STOP");
      case BLACKHOLE -> network.cutOff("c");
      case HEAL, HEAL_LATER, PAUSE, BUSY -> cut("a b");
    }
    long down = longest("DOWN c NO_CONNECTION", from);
    if (kind == Kind.HEAL_LATER) {
      hold(LONG_CUT_MILLIS / part);
    }
    long healed = System.currentTimeMillis();
    switch (kind) {
      case KILL, KILL_LATER -> nodes.set(2, start("c"));
      case STOP -> c.signal("CONT");
      case BLACKHOLE -> network.heal("c");
      case HEAL, HEAL_LATER, PAUSE, BUSY -> cut("");
    }
    return new Times(down, longest("UP c", healed));
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

  /// A node stands still. It goes on, and has replied to the others, when this returns.
  ///
  /// @return how long it stood still at most, ms
  private long pause(String name, long millis) throws Exception {
    NodeJvm node = nodes.get(NAMES.indexOf(name));
    long from = System.nanoTime();
    node.signal("STOP");
    hold(millis);
    node.signal("CONT");
    long nanos = System.nanoTime() - from;
    for (NodeJvm one : nodes) {
      if (one != node) {
        one.say("ask " + name);
        one.waitFor("REPLY " + name);
      }
    }
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  /// All processors are busy, and one node after the other stands still: one at least.
  private void busy(long seconds) throws Exception {
    AtomicBoolean isBusy = new AtomicBoolean(true);
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread.ofPlatform().daemon().name("busy").start(() -> spinWhile(isBusy));
    }
    Random random = new Random();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    int pauses = 0;
    long longest = 0;
    try {
      do {
        long millis = random.nextInt(LEAST_PAUSE_MILLIS, PAUSE_MILLIS) / part;
        longest = Math.max(longest, pause(NAMES.get(random.nextInt(NAMES.size())), millis));
        pauses++;
      } while (System.nanoTime() < end);
    } finally {
      isBusy.set(false);
    }
    System.out.printf(
        "%d pauses in %d s, of %d ms at most, with %d threads that spin%n",
        pauses, seconds, longest, Runtime.getRuntime().availableProcessors());
  }

  private static void spinWhile(AtomicBoolean isBusy) {
    while (isBusy.get()) {
      Thread.onSpinWait();
    }
  }

  /// @return how many ends of sessions and of watches the nodes have told since
  private int lostSince(List<String> before) {
    List<String> after = new ArrayList<>(lost());
    before.forEach(after::remove);
    after.forEach(System.out::println);
    return after.size();
  }

  private static void hold(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  /// Ends of sessions and of watches that the nodes have told.
  List<String> lost() {
    return nodes.stream()
        .flatMap(node -> node.all().stream())
        .filter(line -> line.contains(" LOST ") || line.contains(" DOWN "))
        .toList();
  }
}
