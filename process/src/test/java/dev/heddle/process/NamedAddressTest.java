// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Names as addresses, and references that survive restarts.
@Timeout(300)
class NamedAddressTest extends CoroutineFixture {
  private static final StartOptions ORACLE = StartOptions.defaults().withName("oracle");

  sealed interface Question {}

  record WhichLife(Reply<Integer> reply) implements Question {}

  record Die() implements Question {}

  /// Puts what it gets into a queue, and answers requests with their message.
  private static Process echo(BlockingQueue<Object> seen) {
    return (events, _) -> {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request request) {
          request.reply().complete(request.message());
        } else {
          seen.add(event.data());
        }
      }
    };
  }

  private static Process failingOn(String word) {
    return (events, _) -> {
      for (ProcessEvent event : events) {
        if (word.equals(event.data())) {
          throw new IllegalStateException("on purpose");
        }
      }
    };
  }

  // ---- names ----

  @Test
  @Tag("proc-270")
  void sendToAName_reachesItsOwner_fromProgramsBodiesAndSteps() throws Exception {
    BlockingQueue<Object> seen = Kit.queue();
    runtime.spawn(echo(seen), ORACLE);
    runtime.send("oracle", 1);
    assertThat(runtime.offer("oracle", 2)).isEqualTo(SendResult.ACCEPTED);
    var _ =
        result(self -> {
          self.context().send("oracle", 3);
          assertThat(self.context().offer("oracle", 4)).isEqualTo(SendResult.ACCEPTED);
          assertThat(self.execute(Commands.send("oracle", 5))).isEqualTo(SendResult.ACCEPTED);
          return null;
        });
    for (int i = 1; i <= 5; i++) {
      assertThat(Kit.take(seen)).isEqualTo(i);
    }
  }

  @Test
  @Tag("proc-270")
  void askOfAName_isAnsweredByItsOwner() throws Exception {
    runtime.spawn(echo(Kit.queue()), ORACLE);
    int answer = runtime.ask("oracle", 42, DAY);
    assertThat(answer).isEqualTo(42);
    assertThat(result(self -> self.execute(Commands.ask("oracle", "why?", DAY)))).isEqualTo("why?");
  }

  @Test
  @Tag("proc-270")
  void nameThatIsNotRegistered_isNotFound_andTheErrorNamesIt() {
    assertThat(runtime.offer("oracle", 1)).isEqualTo(SendResult.NOT_FOUND);
    assertThatThrownBy(() -> runtime.send("oracle", 1))
        .isInstanceOf(SendFailedException.class)
        .hasMessageContaining("'oracle'")
        .satisfies(t -> assertThat(((SendFailedException) t).name()).isEqualTo("oracle"))
        .satisfies(
            t -> assertThat(((SendFailedException) t).result()).isEqualTo(SendResult.NOT_FOUND));
    assertThatThrownBy(() -> runtime.ask("oracle", 1, DAY)).hasMessageContaining("'oracle'");
    assertThat(failure(self -> self.execute(Commands.ask("oracle", 1, DAY))))
        .isInstanceOf(SendFailedException.class);
    assertThat(result(self -> self.execute(Commands.send("oracle", 1))))
        .isEqualTo(SendResult.NOT_FOUND);
    assertThat(result(self -> self.context().offer("oracle", 1))).isEqualTo(SendResult.NOT_FOUND);
    assertThat(
            failure(self -> {
              self.context().send("oracle", 1);
              return null;
            }))
        .isInstanceOf(SendFailedException.class);
  }

  @Test
  @Tag("proc-270")
  void monitorOfAName_reportsTheEndOfItsOwner_andAtOnceWhenItIsNotRegistered() {
    Pid oracle = runtime.spawn(Kit.resting(), ORACLE);
    assertThat(
            result(self -> {
              long monitor = self.context().monitor("oracle");
              runtime.terminate(oracle);
              ProcessSignal.Down down = self.receive(ProcessSignal.Down.class);
              assertThat(down.monitor()).isEqualTo(monitor);
              return down.exit();
            }))
        .isEqualTo(Kit.exit(runtime, oracle));
    assertThat(
            result(self -> {
              self.context().monitor("nobody");
              return self.receive(ProcessSignal.Down.class).exit().reason();
            }))
        .isEqualTo(Exit.Reason.NOT_FOUND);
  }

  @Test
  @Tag("proc-270")
  void bodyThatSendsToItsOwnFullMailboxByName_isRefused_andDoesNotWait() {
    StartOptions small = ORACLE.withMailbox(1, MailboxPolicy.SUSPEND);
    Pid oracle =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              self.context().send("oracle", 1);
              self.context().send("oracle", 2);
              return null;
            }),
            small);
    assertThat(Kit.exit(runtime, oracle).cause()).isInstanceOf(SendFailedException.class);
  }

  @Test
  @Tag("proc-270")
  void bodyThatSendsToItself_throughItsRuntimeAndItsRef_isRefusedToo() {
    StartOptions small = StartOptions.defaults().withMailbox(1, MailboxPolicy.SUSPEND);
    Pid self =
        runtime.spawn(
            CoroutineProcess.of(body -> {
              Pid own = body.context().self();
              runtime.send(own, 1);
              try {
                runtime.send(own, 2);
              } catch (SendFailedException _) {
                runtime.ref(own, Integer.class).send(3);
              }
              return null;
            }),
            small);
    assertThat(Kit.exit(runtime, self).cause()).isInstanceOf(SendFailedException.class);
  }

  // ---- waiting for a name ----

  @Test
  @Tag("proc-271")
  void waitForAName_isOverWhenAProcessTakesIt() throws Exception {
    CompletableFuture<Pid> early = runtime.whenRegistered("oracle");
    Pid waiting = spawn(self -> self.execute(Commands.awaitRegistered("oracle", DAY)));
    while (runtime.process(waiting).state() != ProcessSnapshot.State.BLOCKED) {
      Thread.onSpinWait();
    }
    assertThat(early).isNotDone();
    Pid oracle = runtime.spawn(Kit.resting(), ORACLE);
    assertThat(Kit.get(early)).isEqualTo(oracle);
    assertThat(Kit.exit(runtime, waiting).result()).isEqualTo(oracle);
    assertThat(runtime.awaitRegistered("oracle", Duration.ZERO)).isEqualTo(oracle);
  }

  @Test
  @Tag("proc-271")
  void waitForAName_thatIsNotRegistered_endsWithItsLimit() {
    assertThatThrownBy(() -> runtime.awaitRegistered("oracle", Duration.ofMillis(1)))
        .isInstanceOf(DeadlineException.class)
        .hasMessageContaining("'oracle'");
    assertThat(
            failure(self -> self.execute(Commands.awaitRegistered("oracle", Duration.ofMillis(1)))))
        .isInstanceOf(DeadlineException.class);
  }

  @Test
  @Tag("proc-271")
  void waitForAName_inAStep_isRefused() {
    Pid pid =
        runtime.spawn(
            Kit.process((self, _, _) -> {
              var _ = self.runtime().awaitRegistered("oracle", DAY);
            }));
    assertThat(Kit.exit(runtime, pid).cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("awaitRegistered");
  }

  // ---- references ----

  private Ref<Question> supervisedOracle() throws InterruptedException {
    AtomicInteger lives = new AtomicInteger();
    runtime.spawn(
        Supervisor.builder()
            .backoff(Backoff.constant(Duration.ofMillis(1)))
            .child(
                ChildSpec.of(
                        "oracle",
                        () -> {
                          int life = lives.incrementAndGet();
                          return TypedCoroutineProcess.of(
                              Question.class,
                              self -> {
                                while (true) {
                                  switch (self.next()) {
                                    case WhichLife(Reply<Integer> reply) -> reply.complete(life);
                                    case Die _ -> throw new IllegalStateException("as you wish");
                                  }
                                }
                              });
                        })
                    .withOptions(ORACLE))
            .build());
    runtime.awaitRegistered("oracle", DAY);
    return runtime.ref("oracle", Question.class);
  }

  @Test
  @Tag("proc-271")
  void refByName_leadsToTheNextLife_afterARestart() throws Exception {
    Ref<Question> oracle = supervisedOracle();
    Pid first = oracle.awaitRegistered(DAY);
    assertThat(oracle.ask(WhichLife::new, DAY)).isEqualTo(1);
    var exit = runtime.whenExited(first);
    oracle.send(new Die());
    Kit.get(exit);
    assertThat(oracle.awaitRegistered(DAY)).isNotEqualTo(first);
    assertThat(oracle.ask(WhichLife::new, DAY)).isEqualTo(2);
  }

  @Test
  @Tag("proc-271")
  void refByName_whileItIsNotRegistered_isNotFound() {
    Ref<Question> oracle = runtime.ref("oracle", Question.class);
    assertThat(oracle.pid()).isNull();
    assertThat(oracle.offer(new Die())).isEqualTo(SendResult.NOT_FOUND);
    assertThatThrownBy(() -> oracle.send(new Die())).hasMessageContaining("'oracle'");
    assertThatThrownBy(() -> oracle.ask(WhichLife::new, DAY)).hasMessageContaining("'oracle'");
    assertThat(failure(self -> self.execute(Commands.ask(oracle, WhichLife::new, DAY))))
        .isInstanceOf(SendFailedException.class);
    assertThat(
            result(self -> {
              var _ = oracle.monitor(self.context());
              return self.receive(ProcessSignal.Down.class).exit().reason();
            }))
        .isEqualTo(Exit.Reason.NOT_FOUND);
  }

  @Test
  @Tag("proc-271")
  void refOfAStart_leadsToThatProcessOnly() throws Exception {
    Ref<Question> first =
        runtime.spawn(
            TypedCoroutineProcess.of(Question.class, TypedCoroutineProcess::next), ORACLE);
    Pid pid = java.util.Objects.requireNonNull(first.pid());
    assertThat(first.awaitRegistered(Duration.ZERO)).isEqualTo(pid);
    var exit = runtime.whenExited(pid);
    first.send(new Die());
    Kit.get(exit);
    runtime.spawn(TypedCoroutineProcess.of(Question.class, TypedCoroutineProcess::next), ORACLE);
    assertThat(first.offer(new Die())).isEqualTo(SendResult.NOT_FOUND);
    assertThatThrownBy(() -> first.awaitRegistered(DAY)).isInstanceOf(SendFailedException.class);
  }

  @Test
  @Tag("proc-271")
  void ownerWhoseEndIsDecided_isNotWaitedFor() throws Exception {
    CompletableFuture<@Nullable Void> held = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> closing = new CompletableFuture<>();
    Pid first =
        runtime.spawn(
            new Process() {
              @Override
              public void step(java.util.List<ProcessEvent> events, StepOutput out) {
                out.done();
              }

              @Override
              public void close() {
                closing.complete(null);
                held.join(); // it has its name until it is closed
              }
            },
            ORACLE);
    Kit.get(closing);
    assertThat(runtime.whereIs("oracle")).isEqualTo(first);
    CompletableFuture<Pid> next = runtime.whenRegistered("oracle");
    assertThat(next).isNotDone();
    held.complete(null);
    Kit.exit(runtime, first);
    Pid second = runtime.spawn(failingOn("never"), ORACLE);
    assertThat(Kit.get(next)).isEqualTo(second);
  }

  @Test
  @Tag("proc-271")
  void refs_areEqual_whenTheyLeadTheSameWay() {
    assertThat(runtime.ref("oracle", Question.class))
        .isEqualTo(runtime.ref("oracle", Question.class))
        .hasSameHashCodeAs(runtime.ref("oracle", Question.class))
        .isNotEqualTo(runtime.ref("other", Question.class))
        .isNotEqualTo(runtime.ref("oracle", Object.class))
        .hasToString("Ref<Question>(oracle)");
  }

  @Test
  @Tag("proc-271")
  void requestByRef_failsWhenItsProcessEnds() {
    Ref<Question> mute =
        runtime.spawn(TypedCoroutineProcess.of(Question.class, TypedCoroutineProcess::next));
    CompletableFuture<Integer> answer = mute.request(WhichLife::new);
    assertThatThrownBy(() -> Kit.get(answer))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(NoReplyException.class);
  }

  // ---- references of another runtime ----

  @Test
  @Tag("proc-329")
  void refByName_ofAnotherRuntime_isNoSubscriber_andHasNoMonitorHere() {
    runtime.spawn(Kit.resting(), ORACLE); // its namesake is not meant
    try (ProcessRuntime far = ProcessRuntime.builder().workers(1).start()) {
      Ref<Question> oracle = far.ref("oracle", Question.class);
      assertThatThrownBy(() -> runtime.events().subscribe(Die.class, oracle))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("another runtime", "ref(\"oracle\", Question.class)");
      assertThat(runtime.events().hasSubscribers(Die.class)).isFalse();
      runtime.events().subscribe(Die.class, runtime.ref("oracle", Question.class));
      assertThatThrownBy(() -> runtime.events().unsubscribe(Die.class, oracle))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(runtime.events().hasSubscribers(Die.class)).isTrue();
      assertThat(failure(self -> oracle.monitor(self.context())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another runtime");
    }
  }

  @Test
  @Tag("proc-329")
  void refOfAStart_ofAnotherRuntime_isNoSubscriber_andHasNoMonitorHere() {
    try (ProcessRuntime far = ProcessRuntime.builder().host("far").workers(1).start()) {
      Ref<Question> mute =
          far.spawn(TypedCoroutineProcess.of(Question.class, TypedCoroutineProcess::next));
      assertThatThrownBy(() -> runtime.events().subscribe(Die.class, mute))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(failure(self -> mute.monitor(self.context())))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  @Tag("proc-329")
  void refByName_ofAnotherRuntime_sendsAndAsksThere() throws Exception {
    try (ProcessRuntime far = ProcessRuntime.builder().workers(1).start()) {
      Ref<Question> oracle = far.ref("oracle", Question.class);
      BlockingQueue<Object> letters = Kit.queue();
      Pid reader = far.spawn((all, _) -> all.forEach(event -> letters.add(event.data())));
      far.events().subscribe(DeadLetter.class, reader);
      assertThat(failure(self -> self.execute(Commands.ask(oracle, WhichLife::new, DAY))))
          .isInstanceOf(SendFailedException.class);
      assertThat(((DeadLetter) Kit.take(letters)).name()).isEqualTo("oracle");
      far.spawn(
          TypedCoroutineProcess.of(
              Question.class,
              self -> {
                ((WhichLife) self.next()).reply().complete(42);
                return null;
              }),
          ORACLE);
      assertThat(result(self -> self.execute(Commands.ask(oracle, WhichLife::new, DAY))))
          .isEqualTo(42);
    }
  }

  @Test
  @Tag("proc-283")
  void pollingForThePresenceOfAProcess_leavesNoListener() throws Exception {
    Ref<Question> mute =
        runtime.spawn(TypedCoroutineProcess.of(Question.class, TypedCoroutineProcess::next));
    Pid pid = mute.awaitRegistered(DAY);
    for (int i = 0; i < 100; i++) {
      assertThat(mute.awaitRegistered(DAY)).isEqualTo(pid);
    }
    assertThat(DeclaredFailureTest.waiting(pid)).isZero();
  }
}
