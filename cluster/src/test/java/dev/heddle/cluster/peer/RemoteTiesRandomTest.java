// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.links.ProcessLinks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Links and monitors of two nodes in random histories: any of them is made and removed at any
/// time, processes end, frames are under way, and the session ends for one node before the other.
class RemoteTiesRandomTest {
  private static final int SEEDS = 5_000;
  private static final int STEPS = 60;
  private static final int PROCESSES = 2;

  /// One history.
  @SuppressWarnings("CollectionUndefinedEquality") // a future is equal to itself
  private static final class History {
    private record MonitorOf(FakeProcess watcher, Pid target, long reference) {}

    private final long seed;
    private final Random random;
    private final FakeNode a = new FakeNode("a", "b", PROCESSES);
    private final FakeNode b = new FakeNode("b", "a", PROCESSES);
    private final List<Supplier<String>> story = new ArrayList<>();
    private final List<MonitorOf> monitors = new ArrayList<>();
    private final Map<CompletableFuture<Exit>, Pid> waits = new LinkedHashMap<>();
    private boolean lost;

    History(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    private FakeNode other(FakeNode of) {
      return of == a ? b : a;
    }

    void step() {
      FakeNode here = random.nextBoolean() ? a : b;
      FakeProcess one = here.processes.get(random.nextInt(PROCESSES));
      FakeProcess target = other(here).processes.get(random.nextInt(PROCESSES));
      switch (random.nextInt(16)) {
        case 0, 1, 2 -> link(here, one, target.self());
        case 3, 4 -> unlink(here, one, target.self());
        case 5, 6 -> monitor(here, one, target.self());
        case 7 -> demonitor();
        case 8 -> await(here, target.self());
        case 9 -> giveUp();
        case 10 -> end(here, one);
        default -> deliver(here);
      }
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library of its own
    private void tell(String what, Object... values) {
      story.add(() -> what.formatted(values)); // most stories are read by nobody
    }

    private void link(FakeNode here, FakeProcess one, Pid target) {
      if (one.isAlive()) {
        tell("%s links to %s", one.self(), target);
        here.remote.link(one, target);
      }
    }

    private void unlink(FakeNode here, FakeProcess one, Pid target) {
      if (one.isAlive()) {
        tell("%s unlinks from %s", one.self(), target);
        here.remote.unlink(one, target);
        assertThat(one.processLinks().links()).as(this::toString).doesNotContain(target);
      }
    }

    private void monitor(FakeNode here, FakeProcess one, Pid target) {
      if (one.isAlive()) {
        tell("%s monitors %s", one.self(), target);
        monitors.add(new MonitorOf(one, target, here.remote.monitor(one, target, _ -> {})));
      }
    }

    private void demonitor() {
      if (monitors.isEmpty()) {
        return;
      }
      MonitorOf monitor = monitors.get(random.nextInt(monitors.size()));
      if (ProcessLinks.demonitor(monitor.watcher(), monitor.reference())) {
        tell("%s does not monitor %s", monitor.watcher().self(), monitor.target());
        monitors.remove(monitor);
      }
    }

    private void await(FakeNode here, Pid target) {
      tell("%s waits for the end of %s", here.life.node(), target);
      waits.put(here.remote.whenExited(target), target);
    }

    private void giveUp() {
      waits.keySet().stream()
          .filter(wait -> !wait.isDone())
          .findFirst()
          .ifPresent(wait -> {
            tell("the wait for %s is given up", waits.remove(wait));
            wait.cancel(false);
          });
    }

    private void end(FakeNode here, FakeProcess one) {
      if (one.isAlive() && random.nextInt(3) == 0) {
        Exit.Reason reason = random.nextBoolean() ? Exit.Reason.NORMAL : Exit.Reason.FAILED;
        tell("%s ends: %s", one.self(), reason);
        here.end(one, reason);
      }
    }

    private void deliver(FakeNode from) {
      if (from.outbox.peek() != null) {
        tell("%s -> %s", from.life.node(), from.outbox.peek());
        from.deliver(other(from));
      }
    }

    void drain() {
      while (!a.outbox.isEmpty() || !b.outbox.isEmpty()) {
        deliver(a);
        deliver(b);
      }
    }

    void loseSession(FakeNode first) {
      tell("%s loses the session", first.life.node());
      lost = true;
      first.endSession();
    }

    // ---- what must hold ----

    void checkNoFaults() {
      for (FakeNode node : List.of(a, b)) {
        for (FakeProcess process : node.processes) {
          assertThat(process.faults).as(this::toString).isEmpty();
        }
      }
    }

    /// With nothing on its way, both processes of a link have it, or none.
    void checkLinksAgree() {
      for (FakeProcess one : a.processes) {
        for (FakeProcess two : b.processes) {
          boolean has = one.isAlive() && one.processLinks().links().contains(two.self());
          boolean had = two.isAlive() && two.processLinks().links().contains(one.self());
          assertThat(has).as(this::toString).isEqualTo(had);
        }
      }
    }

    /// Each monitor that was not removed has reported once; with a true exit.
    void checkMonitorsFired() {
      for (MonitorOf monitor : monitors) {
        if (monitor.watcher().isAlive()) {
          Exit exit = monitor.watcher().downs.get(monitor.reference());
          assertThat(exit).as(this::toString).isNotNull();
          checkTrue(exit, monitor.target());
        }
      }
      waits.forEach((wait, target) -> {
        assertThat(wait).as(this::toString).isDone();
        checkTrue(wait.join(), target);
      });
    }

    private void checkTrue(Exit exit, Pid target) {
      FakeNode home = target.node().equals("a") ? a : b;
      FakeProcess process = home.processes.get((int) target.id() - 1);
      assertThat(exit.pid()).isEqualTo(target);
      switch (exit.reason()) {
        case NO_CONNECTION -> assertThat(lost).as(this::toString).isTrue();
        case NOT_FOUND -> assertThat(process.isAlive()).as(this::toString).isFalse();
        default -> assertThat(exit).as(this::toString).isEqualTo(process.exit);
      }
    }

    void checkNoRemoteTies(FakeNode node) {
      assertThat(node.remote.counters().standIns()).as(this::toString).isZero();
      assertThat(node.remote.counters().watches()).as(this::toString).isZero();
      for (FakeProcess process : node.processes) {
        if (process.isAlive()) {
          assertThat(process.processLinks().links()).as(this::toString).isEmpty();
        }
      }
    }

    @Override
    public String toString() {
      return "seed "
          + seed
          + ":\n"
          + story.stream().map(Supplier::get).collect(Collectors.joining("\n"));
    }
  }

  private static History history(long seed, int steps) {
    History history = new History(seed);
    for (int i = 0; i < steps; i++) {
      history.step();
    }
    return history;
  }

  @Test
  @Tag("C4")
  @Tag("proc-162")
  @Tag("proc-163")
  void ties_whenTheSessionEndsForOneNodeAndThenTheOther_reportOneExitEach() {
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = history(seed, STEPS);
      FakeNode first = history.random.nextBoolean() ? history.a : history.b;
      history.loseSession(first);
      for (int i = 0; i < STEPS / 2; i++) {
        history.step();
      }
      history.loseSession(history.other(first));
      history.drain(); // frames that come too late
      history.loseSession(first); // and a second end
      history.checkNoFaults();
      history.checkMonitorsFired();
      history.checkNoRemoteTies(history.a);
      history.checkNoRemoteTies(history.b);
    }
  }

  @Test
  @Tag("C4")
  @Tag("proc-159")
  void ties_whenAllArrives_agreeAtBothNodes() {
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = history(seed, STEPS);
      history.drain();
      history.checkNoFaults();
      history.checkLinksAgree();
    }
  }

  @Test
  @Tag("C4")
  @Tag("proc-164")
  @Tag("proc-219")
  void ties_whenTheProcessesOfOneNodeEnd_reportTheirExits() {
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = history(seed, STEPS);
      for (FakeProcess process : history.b.processes) {
        if (process.isAlive()) {
          history.tell("%s ends", process.self());
          history.b.end(process, Exit.Reason.FAILED);
        }
      }
      history.monitors.removeIf(monitor -> monitor.target().node().equals("a"));
      history.waits.values().removeIf(target -> target.node().equals("a"));
      history.drain();
      history.checkNoFaults();
      history.checkMonitorsFired();
      assertThat(history.a.processes)
          .as(history::toString)
          .allMatch(it -> !it.isAlive() || it.processLinks().links().isEmpty());
    }
  }

  private static void unlinkAll(History history, FakeNode node) {
    for (FakeProcess one : node.processes) {
      history.other(node).processes.forEach(other -> history.unlink(node, one, other.self()));
    }
  }

  @Test
  @Tag("C4")
  void ties_whenAllWereRemoved_leaveNothing() {
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = history(seed, STEPS);
      for (FakeNode node : List.of(history.a, history.b)) {
        unlinkAll(history, node);
      }
      history.monitors.forEach(it -> ProcessLinks.demonitor(it.watcher(), it.reference()));
      history.waits.keySet().forEach(wait -> wait.cancel(false));
      history.drain();
      history.checkNoFaults();
      history.checkNoRemoteTies(history.a);
      history.checkNoRemoteTies(history.b);
    }
  }
}
