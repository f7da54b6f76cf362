// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.ProcessDeadlock.Kind;
import dev.heddle.process.ProcessDeadlockTest.Blocks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Rings of waits of all kinds are reported, each of them. All stand in one runtime: a report takes
/// two looks, a second apart, and so all of them together take no longer than one.
@Timeout(300)
class DeadlockRingsTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final StartOptions SENDERS_WAIT =
      StartOptions.defaults().withMailbox(2, MailboxPolicy.SUSPEND); // the next one, and a request

  private static final BlockingQueue<ProcessDeadlock> FOUND = Kit.queue();
  private static final Map<Pid, ProcessDeadlock> REPORTS = new ConcurrentHashMap<>(); // by members

  private static @Nullable ProcessRuntime started;
  private static List<Pid> asksByCommandsAndBodies = List.of();
  private static List<Pid> askOfItself = List.of();
  private static List<Pid> askAndEnd = List.of();
  private static List<Pid> stepAndBody = List.of();
  private static List<Pid> fullMailboxes = List.of();
  private static List<Pid> askAndFullMailbox = List.of();
  private static List<Pid> roomOfAStep = List.of();

  @BeforeAll
  static void start() {
    started =
        ProcessRuntime.builder().workers(2).deadlock(Duration.ofMillis(1), FOUND::add).start();
    asksByCommandsAndBodies =
        ring(
            DeadlockRingsTest::ask,
            DeadlockRingsTest::call,
            DeadlockRingsTest::call,
            DeadlockRingsTest::ask);
    askOfItself = ring(DeadlockRingsTest::ask);
    askAndEnd = ring(DeadlockRingsTest::ask, DeadlockRingsTest::awaitEnd);
    stepAndBody = ringOfStepAndBody();
    fullMailboxes =
        ProcessDeadlockTest.ring(
            runtime(),
            List.of(DeadlockRingsTest::fill, DeadlockRingsTest::fill, DeadlockRingsTest::fill),
            SENDERS_WAIT);
    askAndFullMailbox =
        ProcessDeadlockTest.ring(
            runtime(), List.of(DeadlockRingsTest::ask, DeadlockRingsTest::fill), SENDERS_WAIT);
    roomOfAStep = ringOfStepAndRoom();
  }

  @AfterAll
  static void end() {
    runtime().shutdown(Duration.ZERO);
    FOUND.clear();
    REPORTS.clear();
  }

  private static ProcessRuntime runtime() {
    return Objects.requireNonNull(started);
  }

  private static List<Pid> ring(Blocks... members) {
    return ProcessDeadlockTest.ring(runtime(), List.of(members), StartOptions.defaults());
  }

  private static void ask(CoroutineProcess self, Pid next) throws InterruptedException {
    runtime().ask(next, "question", DAY);
  }

  private static void call(CoroutineProcess self, Pid next) {
    self.execute(Commands.ask(next, "question", DAY));
  }

  private static void awaitEnd(CoroutineProcess self, Pid next) throws InterruptedException {
    runtime().awaitExit(next, DAY);
  }

  private static void fill(CoroutineProcess self, Pid next) {
    while (true) {
      runtime().send(next, "more");
    }
  }

  private static List<Pid> ringOfStepAndBody() {
    Pid step =
        runtime()
            .spawn((events, out) -> {
              if (!events.isEmpty() && events.getFirst().data() instanceof Pid next) {
                out.execute(1, Commands.ask(next, "question", DAY));
                out.awaitCommands();
              }
            });
    Pid body =
        runtime()
            .spawn(
                CoroutineProcess.of(self -> {
                  ask(self, self.receive(Pid.class));
                  return null;
                }));
    runtime().send(step, body);
    runtime().send(body, step);
    return List.of(body, step);
  }

  /// The step waits for an answer of the body, which waits for room in the mailbox of the step.
  private static List<Pid> ringOfStepAndRoom() {
    CountDownLatch asked = new CountDownLatch(1);
    Pid body =
        runtime()
            .spawn(
                CoroutineProcess.of(self -> {
                  Pid step = self.receive(Pid.class);
                  asked.await(); // from now on the step takes nothing
                  fill(self, step);
                  return null;
                }));
    Pid step =
        runtime()
            .spawn(
                (events, out) -> {
                  if (!events.isEmpty()) {
                    out.execute(1, Commands.ask(body, "question", DAY));
                    out.awaitCommands();
                    asked.countDown();
                  }
                },
                SENDERS_WAIT);
    runtime().send(step, "go");
    runtime().send(body, step);
    return List.of(body, step);
  }

  /// What was reported of the ring that has this member.
  private static ProcessDeadlock reportOf(Pid member) throws InterruptedException {
    while (!REPORTS.containsKey(member)) {
      ProcessDeadlock deadlock = Kit.take(FOUND);
      assertThat(deadlock.kind()).isEqualTo(Kind.CYCLE);
      deadlock.waits().forEach(wait -> assertThat(REPORTS.put(wait.pid(), deadlock)).isNull());
    }
    return REPORTS.get(member);
  }

  private static ProcessDeadlock assertThatItIsReported(List<Pid> ring)
      throws InterruptedException {
    ProcessDeadlock deadlock = reportOf(ring.getFirst());
    ProcessDeadlockTest.assertIsTheRing(deadlock, ring);
    return deadlock;
  }

  @Test
  @Tag("proc-265")
  void ring_ofAsksByCommandsAndBodies_isReported() throws Exception {
    assertThatItIsReported(asksByCommandsAndBodies);
  }

  @Test
  @Tag("proc-265")
  void body_thatAsksItself_isReported() throws Exception {
    assertThatItIsReported(askOfItself);
  }

  @Test
  @Tag("proc-265")
  void ring_ofAskAndEnd_isReported() throws Exception {
    assertThatItIsReported(askAndEnd);
  }

  @Test
  @Tag("proc-265")
  void step_thatWaitsForAnAnswerOnly_ofABodyThatAsksIt_isReported() throws Exception {
    assertThatItIsReported(stepAndBody);
  }

  @Test
  @Tag("proc-266")
  void ring_ofFullMailboxes_isReported() throws Exception {
    assertThatItIsReported(fullMailboxes);
  }

  @Test
  @Tag("proc-266")
  void ring_ofAsksAndFullMailboxes_isReported() throws Exception {
    assertThat(assertThatItIsReported(askAndFullMailbox).text())
        .contains("space in the mailbox of", "a reply from");
  }

  @Test
  @Tag("proc-266")
  void bodyThatWaitsForRoom_ofAStepThatWaitsForItsAnswer_isReported() throws Exception {
    assertThatItIsReported(roomOfAStep);
  }
}
