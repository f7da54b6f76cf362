// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.ProcessDeadlock.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Processes that wait for each other are reported; of which kinds such rings are,
/// [DeadlockRingsTest] has.
@Timeout(300)
class ProcessDeadlockTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final BlockingQueue<ProcessDeadlock> found = Kit.queue();
  private final ProcessRuntime runtime =
      ProcessRuntime.builder().workers(2).deadlock(Duration.ofMillis(1), found::add).start();
  private final List<Pid> stuck = new ArrayList<>();

  @AfterEach
  void end() {
    runtime.shutdown(Duration.ZERO);
  }

  private Pid body(CoroutineProcess.Code code) {
    Pid pid = runtime.spawn(CoroutineProcess.of(code));
    stuck.add(pid);
    return pid;
  }

  /// What the members of a ring do to the next one, when all are there: they are told of it.
  interface Blocks {
    void block(CoroutineProcess self, Pid next) throws Exception;
  }

  static List<Pid> ring(ProcessRuntime runtime, List<Blocks> members, StartOptions options) {
    CountDownLatch allAreTold = new CountDownLatch(1); // before that, one could fill a mailbox
    List<Pid> ring = new ArrayList<>();
    for (Blocks member : members) {
      ring.add(
          runtime.spawn(
              CoroutineProcess.of(self -> {
                Pid next = self.receive(Pid.class);
                allAreTold.await();
                member.block(self, next);
                return null;
              }),
              options));
    }
    for (int i = 0; i < members.size(); i++) {
      runtime.send(ring.get(i), ring.get((i + 1) % ring.size()));
    }
    allAreTold.countDown();
    return ring;
  }

  private void ring() {
    stuck.addAll(ring(runtime, List.of(this::ask, this::ask), StartOptions.defaults()));
  }

  private void ask(CoroutineProcess self, Pid next) throws InterruptedException {
    runtime.ask(next, "question", DAY);
  }

  private ProcessDeadlock reported() throws InterruptedException {
    ProcessDeadlock deadlock = Kit.take(found);
    assertThat(deadlock.kind()).isEqualTo(Kind.CYCLE);
    return deadlock;
  }

  static void assertIsTheRing(ProcessDeadlock deadlock, List<Pid> stuck) {
    List<ProcessDeadlock.Wait> waits = deadlock.waits();
    assertThat(waits).extracting(ProcessDeadlock.Wait::pid).hasSameElementsAs(stuck);
    for (int i = 0; i < waits.size(); i++) {
      Pid next = stuck.get((stuck.indexOf(waits.get(i).pid()) + 1) % stuck.size());
      assertThat(waits.get(i).awaited()).isEqualTo(next);
      assertThat(waits.get((i + 1) % waits.size()).pid()).isEqualTo(next);
      assertThat(deadlock.text()).contains(waits.get(i).pid() + " waits for ");
    }
  }

  @Test
  @Tag("proc-265")
  void bodies_thatAskEachOther_areReportedOnce_withSites_andStandInDumpsWhileItLasts()
      throws Exception {
    ring();
    ProcessDeadlock deadlock = reported();
    assertIsTheRing(deadlock, stuck);
    assertThat(deadlock.text()).contains("a reply from", "within PT24H", "ProcessDeadlockTest.ask");
    awaitDump("deadlock of 2 processes", true);
    assertThat(runtime.counters().deadlocks()).isEqualTo(1);
    runtime.terminate(stuck.getFirst());
    awaitDump("deadlock of 2 processes", false);
    assertThat(runtime.counters().deadlocks()).isEqualTo(1);
    assertThat(found).isEmpty();
  }

  private void awaitDump(String words, boolean there) {
    while (runtime.dump().contains(words) != there) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
  }

  @Test
  @Tag("proc-267")
  void steps_thatHoldAllWorkersAndWait_areReported() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    List<Pid> all = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      all.add(
          runtime.spawn((_, out) -> {
            never.await();
            out.done();
          }));
    }
    ProcessDeadlock deadlock = Kit.take(found);
    never.countDown();
    assertThat(deadlock.kind()).isEqualTo(Kind.WORKERS);
    assertThat(deadlock.waits()).extracting(ProcessDeadlock.Wait::pid).contains(all.getLast());
    assertThat(deadlock.text()).contains("CountDownLatch", "ProcessDeadlockTest");
  }

  /// Chains, waits that end, waits for one that receives, and requests that were handed on: beside
  /// a deadlock that is found later than each of them would have been.
  @Test
  @Tag("proc-265")
  void waits_thatCanEnd_areNotReported() throws Exception {
    Pid idle = body(CoroutineProcess::receive);
    for (int i = 0; i < 3; i++) { // a tail that leads to one who receives
      Pid next = idle;
      idle =
          body(self -> {
            ask(self, next);
            return null;
          });
    }
    Pid handsOn =
        body(self -> {
          Request request = self.receive(Request.class);
          Pid asker = self.receive(Pid.class);
          var _ = runtime.forward(stuck.getFirst(), request);
          ask(self, asker);
          return null;
        });
    Pid asks =
        body(self -> {
          ask(self, handsOn);
          return null;
        });
    runtime.send(handsOn, asks);
    Pid echo =
        body(self -> {
          while (true) {
            self.receive(Request.class).reply().complete("answer");
          }
        });
    body(self -> {
      while (true) { // each wait is another one
        ask(self, echo);
      }
    });
    awaitDump("a reply from " + asks, true); // all stand
    for (int i = 0; i < 3; i++) { // deadlocks one after the other: so there were looks between
      stuck.clear();
      ring();
      assertIsTheRing(reported(), stuck);
    }
    assertThat(runtime.counters().deadlocks()).isEqualTo(3);
  }
}
