// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.process.dispatch.TimeCommands.Pause;
import dev.heddle.process.pool.PoolRefusedException;
import dev.heddle.process.pool.PoolStatus;
import dev.heddle.process.pool.ProcessPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Pools of processes behind one function.
@Timeout(300)
class ProcessPoolTest {
  private final BlockingQueue<Invocation<@Nullable Object>> pauses = Kit.queue();
  private final BlockingQueue<Request> held = Kit.queue();
  private final BlockingQueue<Pid> holders = Kit.queue();
  private final AtomicInteger made = new AtomicInteger();
  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(2)
          .handler(Pause.class, CommandHandler.inline((_, invocation) -> pauses.add(invocation)))
          .start();

  @AfterEach
  void end() {
    runtime.close();
  }

  /// Answers at once, but for "hold", which the test answers, and "die".
  private Process member() {
    made.incrementAndGet();
    return (events, _) -> {
      for (ProcessEvent event : events) {
        Request request = (Request) Objects.requireNonNull(event.data());
        switch (String.valueOf(request.message())) {
          case "hold" -> held.add(request);
          case "die" -> throw new IllegalStateException("died");
          case "fail" -> request.reply().fail(new IllegalArgumentException("no such thing"));
          default -> request.reply().complete(request.message() + "!");
        }
      }
    };
  }

  private Pid pool(int min, int max, int queue) {
    return runtime.spawn(
        ProcessPool.of(this::member).members(min, max).queueCapacity(queue).build());
  }

  private CompletableFuture<Object> call(Pid pool, String what) {
    return runtime.request(pool, what);
  }

  private PoolStatus status(Pid pool) {
    CompletableFuture<PoolStatus> status = runtime.request(pool, new ProcessPool.GetStatus());
    return Kit.get(status);
  }

  @Test
  void memberWhoseAskerGivesUp_seesThat_andGetsTheNextCall() throws Exception {
    Pid pool = pool(1, 1, 10);
    CompletableFuture<Object> impatient = call(pool, "hold");
    Request given = Kit.take(held);
    CompletableFuture<Object> next = call(pool, "next");
    assertThat(given.reply().isOpen()).isTrue();
    assertThat(status(pool).busy()).isEqualTo(1);
    impatient.cancel(false);
    assertThat(next).isNotDone(); // the member works on, as far as anybody knows
    assertThat(given.reply().isOpen()).isFalse();
    assertThat(Kit.get(next)).isEqualTo("next!");
    assertThat(given.reply().complete("late")).isFalse();
    assertThat(given.reply().fail(new IllegalStateException("late"))).isFalse();
  }

  /// A member that looks, goes on and fails: what lies in its mailbox then is no call of its.
  @Test
  void memberThatFails_afterItHasSeenThatItsAskerGaveUp_failsNoOtherCall() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Callable<Process> inItsStep =
        () ->
            Kit.process((self, events, _) -> {
              for (ProcessEvent event : events) {
                if (isHeld((Request) Objects.requireNonNull(event.data()), self.self())) {
                  go.await();
                  throw new IllegalStateException("its asker has given up");
                }
              }
            });
    failsNoOtherCall(inItsStep, go);
  }

  /// The body of such a one may have been given a message that it has not received.
  @Test
  void bodyThatFails_afterItHasSeenThatItsAskerGaveUp_failsNoOtherCall() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Callable<Process> inItsBody =
        () ->
            CoroutineProcess.of(self -> {
              while (true) {
                if (isHeld(self.receive(Request.class), self.context().self())) {
                  self.execute(
                      Commands.call(() -> {
                        go.await();
                        return "over";
                      }));
                  throw new IllegalStateException("its asker has given up");
                }
              }
            });
    failsNoOtherCall(inItsBody, go);
  }

  private boolean isHeld(Request request, Pid by) {
    if ("hold".equals(request.message())) {
      holders.add(by);
      return held.add(request);
    }
    request.reply().complete(request.message() + "!");
    return false;
  }

  private void failsNoOtherCall(Callable<Process> member, CountDownLatch go) throws Exception {
    Pid pool = runtime.spawn(ProcessPool.of(member).members(1, 1).build());
    assertThat(Kit.get(call(pool, "first"))).isEqualTo("first!");
    CompletableFuture<Object> impatient = call(pool, "hold");
    Request given = Kit.take(held);
    Pid holder = Kit.take(holders);
    CompletableFuture<Exit> exit = runtime.whenExited(holder); // while it lives
    CompletableFuture<Object> next = call(pool, "next");
    impatient.cancel(false);
    assertThat(given.reply().isOpen()).isFalse();
    while (Objects.requireNonNull(runtime.process(holder)).mailbox() == 0) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
    }
    go.countDown();
    assertThat(Kit.get(next)).isEqualTo("next!");
    assertThat(Kit.get(exit).cause()).hasMessage("its asker has given up");
  }

  @Test
  @Tag("proc-172")
  void callsOneAfterTheOther_needOneMember() {
    Pid pool = pool(0, 4, 10);
    for (int i = 0; i < 10; i++) {
      assertThat(Kit.get(call(pool, "call " + i))).isEqualTo("call " + i + "!");
    }
    assertThat(made).hasValue(1);
    assertThat(status(pool)).isEqualTo(new PoolStatus(1, 0, 0, 1, 10, 0));
  }

  @Test
  @Tag("proc-172")
  @Tag("proc-174")
  void load_bringsMembers_upToTheMaximum_othersWait_moreAreRefused() throws Exception {
    Pid pool = pool(1, 3, 2);
    List<CompletableFuture<Object>> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      answers.add(call(pool, "hold"));
    }
    assertThat(status(pool)).isEqualTo(new PoolStatus(3, 3, 2, 3, 3, 0));
    assertThatThrownBy(() -> runtime.ask(pool, "hold", Kit.SOON))
        .hasCauseInstanceOf(PoolRefusedException.class)
        .hasMessageContaining("pool full: 3 members")
        .hasMessageContaining("2 calls wait");
    for (int i = 0; i < 5; i++) {
      Kit.take(held).reply().complete(i);
    }
    answers.forEach(Kit::get);
    assertThat(made).hasValue(3);
    assertThat(status(pool)).isEqualTo(new PoolStatus(3, 0, 0, 3, 5, 1));
  }

  @Test
  @Tag("proc-174")
  void quietTimes_endMembers_notBelowTheMinimum_withHeadroomForThoseThatWereBusy()
      throws Exception {
    Pid pool = pool(1, 4, 10);
    BlockingQueue<Object> answers = Kit.queue();
    for (int i = 0; i < 4; i++) {
      var _ = call(pool, "hold").thenAccept(answers::add);
    }
    Invocation<@Nullable Object> pause = Kit.take(pauses);
    List<Request> calls = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      calls.add(Kit.take(held));
    }
    for (int i = 0; i < 3; i++) {
      calls.removeLast().reply().complete("x");
      Kit.take(answers); // the pool knows that this member is done
    }
    pause.complete(null); // in this time all four were busy
    pause = Kit.take(pauses);
    assertThat(status(pool).members()).isEqualTo(4);
    pause.complete(null); // in this one only one was
    pause = Kit.take(pauses);
    assertThat(status(pool).members()).isEqualTo(2);
    calls.removeLast().reply().complete("x");
    Kit.take(answers);
    pause.complete(null); // the one was still busy
    pause = Kit.take(pauses);
    assertThat(status(pool).members()).isEqualTo(2);
    pause.complete(null);
    assertThat(status(pool).members()).isEqualTo(1);
    assertThat(pauses).isEmpty();
  }

  @Test
  @Tag("proc-167")
  void aFailure_isTheAnswer_andTheMemberGoesOn() {
    Pid pool = pool(1, 1, 10);
    assertThatThrownBy(() -> runtime.ask(pool, "fail", Kit.SOON))
        .isInstanceOf(AskFailedException.class)
        .hasMessageContaining("no such thing");
    assertThat(Kit.get(call(pool, "x"))).isEqualTo("x!");
    assertThat(made).hasValue(1);
  }

  @Test
  @Tag("proc-168")
  void aMemberThatDies_failsItsOwnCallOnly() throws Exception {
    Pid pool = pool(1, 1, 10);
    assertThat(Kit.get(call(pool, "x"))).isEqualTo("x!");
    CompletableFuture<Object> first = call(pool, "hold");
    CompletableFuture<Object> dying = call(pool, "die");
    CompletableFuture<Object> next = call(pool, "y");
    Kit.take(held).reply().complete("first");
    assertThat(Kit.get(first)).isEqualTo("first");
    assertThat(Kit.get(next)).isEqualTo("y!");
    assertThatThrownBy(() -> Kit.get(dying)).hasCauseInstanceOf(NoReplyException.class);
    assertThat(status(pool).members()).isEqualTo(1);
    assertThat(made).hasValue(2);
  }

  @Test
  void aFunctionThatCannotStart_failsEachCall_andDoesNotSpin() {
    AtomicInteger attempts = new AtomicInteger();
    Pid pool =
        runtime.spawn(
            ProcessPool.of(() ->
                    new Process() {
                      @Override
                      public void init(ProcessContext self, String method, @Nullable Object input) {
                        attempts.incrementAndGet();
                        throw new IllegalStateException("no data base");
                      }

                      @Override
                      public void step(List<ProcessEvent> events, StepOutput out) {}
                    })
                .members(0, 2)
                .build());
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> runtime.ask(pool, "x", Kit.SOON))
          .isInstanceOf(AskFailedException.class);
    }
    assertThat(attempts).hasValue(5);
  }

  @Test
  void aFactoryThatThrows_failsTheCall_andNotThePool() {
    Pid pool =
        runtime.spawn(
            ProcessPool.of(
                    () -> {
                      throw new NoClassDefFoundError("no factory");
                    })
                .members(0, 2)
                .build());
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> runtime.ask(pool, "x", Kit.SOON)).hasMessageContaining("no factory");
    }
  }

  @Test
  @Tag("proc-170")
  @Tag("proc-171")
  @Tag("proc-172")
  void cancel_finishesWhatRunsAndWaits_andRefusesTheRest() throws Exception {
    Pid pool = pool(1, 1, 10);
    var exit = runtime.whenExited(pool);
    CompletableFuture<Object> running = call(pool, "hold");
    CompletableFuture<Object> waiting = call(pool, "hold");
    Request first = Kit.take(held);
    assertThat(status(pool).waiting()).isEqualTo(1); // a signal would overtake the call
    runtime.cancel(pool, "enough", Kit.SOON);
    assertThatThrownBy(() -> runtime.ask(pool, "x", Kit.SOON)).hasMessageContaining("pool closed");
    assertThat(exit).isNotDone();
    first.reply().complete("first");
    Kit.take(held).reply().complete("second");
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(running.getNow(null)).isEqualTo("first");
    assertThat(waiting.getNow(null)).isEqualTo("second");
    assertThatThrownBy(() -> runtime.ask(pool, "x", Kit.SOON))
        .isInstanceOfAny(SendFailedException.class, AskFailedException.class);
  }

  @Test
  @Tag("proc-171")
  void shutdownOfTheRuntime_finishesWhatRunsAndWaits() throws Exception {
    Pid pool = pool(1, 1, 10);
    CompletableFuture<Object> running = call(pool, "hold");
    CompletableFuture<Object> waiting = call(pool, "hold");
    Request first = Kit.take(held);
    assertThat(status(pool).waiting()).isEqualTo(1); // a signal would overtake the call
    Thread closing = Thread.ofPlatform().start(() -> runtime.shutdown(Kit.SOON));
    while (!refuses(pool)) {
      Thread.onSpinWait();
    }
    first.reply().complete("first");
    Kit.take(held).reply().complete("second");
    closing.join();
    assertThat(Kit.get(running)).isEqualTo("first");
    assertThat(Kit.get(waiting)).isEqualTo("second");
  }

  private boolean refuses(Pid pool) throws InterruptedException {
    try {
      runtime.ask(pool, "x", Duration.ofMillis(1));
      return false;
    } catch (AskFailedException e) {
      return e.getCause() instanceof PoolRefusedException;
    } catch (DeadlineException _) {
      return false; // it waits in line, and was given up
    }
  }

  @Test
  @Tag("proc-166")
  void terminate_failsAllCalls_andEndsTheMembers() throws Exception {
    Pid pool = pool(1, 1, 10);
    CompletableFuture<Object> running = call(pool, "hold");
    CompletableFuture<Object> waiting = call(pool, "hold");
    Kit.take(held);
    List<CompletableFuture<Exit>> members =
        runtime.processes().stream()
            .filter(process -> pool.equals(process.parent()))
            .map(process -> runtime.whenExited(process.pid()))
            .toList();
    runtime.terminate(pool);
    for (CompletableFuture<Object> answer : List.of(running, waiting)) {
      assertThatThrownBy(() -> Kit.get(answer)).hasCauseInstanceOf(NoReplyException.class);
    }
    assertThat(members).hasSize(1);
    assertThat(Kit.get(members.getFirst()).reason()).isEqualTo(Exit.Reason.LINKED);
  }

  @Test
  void manyCalls_fromManyThreads_areAllAnswered() {
    Pid pool = pool(1, 4, 10_000);
    List<CompletableFuture<Object>> answers = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      answers.add(call(pool, "" + i));
    }
    for (int i = 0; i < 2000; i++) {
      assertThat(Kit.get(answers.get(i))).isEqualTo(i + "!");
    }
    assertThat(made.get()).isBetween(1, 4);
    assertThat(status(pool).calls()).isEqualTo(2000);
  }

  @Test
  @Tag("proc-167")
  void aMessageThatIsNoCall_isDropped_andThePoolGoesOn() throws Exception {
    Pid pool = pool(1, 1, 10);
    CompletableFuture<Object> running = call(pool, "hold");
    runtime.send(pool, "stray");
    Kit.take(held).reply().complete("first");
    assertThat(Kit.get(running)).isEqualTo("first");
    assertThat(Kit.get(call(pool, "x"))).isEqualTo("x!");
    assertThat(made).hasValue(1);
  }

  @Test
  void aNameForTheMembers_isRefused_sinceItMightBelongToAnotherProcess() {
    assertThatThrownBy(
            () -> ProcessPool.of(this::member).options(StartOptions.defaults().withName("n")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'n'");
  }

  @Test
  @Tag("proc-170")
  void aQueuedCallThatWasCancelled_isNotCarriedOut_andMakesSpace() throws Exception {
    Pid pool = pool(1, 1, 1);
    CompletableFuture<Object> running = call(pool, "hold");
    Request first = Kit.take(held);
    CompletableFuture<Object> givenUp = call(pool, "hold");
    assertThat(status(pool).waiting()).isEqualTo(1);
    givenUp.cancel(false);
    CompletableFuture<Object> next = call(pool, "next");
    first.reply().complete("first");
    assertThat(Kit.get(running)).isEqualTo("first");
    assertThat(Kit.get(next)).isEqualTo("next!");
    assertThat(held).isEmpty();
    assertThat(status(pool)).isEqualTo(new PoolStatus(1, 0, 0, 1, 2, 0));
  }

  @Test
  @Tag("proc-170")
  void aCallThatWasGivenUpBehindAnother_makesRoomForTheNext() throws Exception {
    Pid pool = pool(1, 1, 2);
    CompletableFuture<Object> running = call(pool, "hold");
    Request first = Kit.take(held);
    CompletableFuture<Object> patient = call(pool, "patient");
    CompletableFuture<Object> givenUp = call(pool, "hold");
    assertThat(status(pool).waiting()).isEqualTo(2);
    givenUp.cancel(false);
    CompletableFuture<Object> next = call(pool, "next");
    assertThat(status(pool)).isEqualTo(new PoolStatus(1, 1, 2, 1, 1, 0));
    first.reply().complete("first");
    assertThat(Kit.get(running)).isEqualTo("first");
    assertThat(Kit.get(patient)).isEqualTo("patient!");
    assertThat(Kit.get(next)).isEqualTo("next!");
  }

  @Test
  void aCallThatWasGivenUpBeforeThePoolSawIt_isNotCarriedOut() throws Exception {
    Pid pool = pool(0, 1, 1);
    CompletableFuture<Object> answer = new CompletableFuture<>();
    answer.cancel(false);
    runtime.send(pool, new Request("hold", Reply.untyped(answer)));
    assertThat(status(pool)).isEqualTo(new PoolStatus(0, 0, 0, 0, 0, 0));
  }
}
