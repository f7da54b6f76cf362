// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.behavior.GenServer;
import dev.heddle.process.behavior.StashFullException;
import dev.heddle.process.event.DeadLetter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The server template.
@Timeout(300)
class GenServerTest extends CoroutineFixture {
  sealed interface Message {}

  /// Has a piece of the test run in the handler.
  record Do(Consumer<Probe> what) implements Message {}

  record Say(String word) implements Message {}

  record Words(Reply<List<String>> reply) implements Message {}

  /// A server that does what its messages say, and keeps the words that it was told.
  static class Probe extends GenServer<Message> {
    final List<String> words = new ArrayList<>();
    final BlockingQueue<Exit> ends = Kit.queue();

    Probe() {
      super(Message.class);
    }

    @Override
    protected void receive(Message message) {
      switch (message) {
        case Do(Consumer<Probe> what) -> what.accept(this);
        case Say(String word) -> words.add(word);
        case Words(Reply<List<String>> reply) -> reply.complete(List.copyOf(words));
      }
    }

    @Override
    protected void terminate(Exit exit) {
      ends.add(exit);
    }

    // for what tests do in a handler: the methods are protected

    ProcessContext own() {
      return context();
    }

    Ref<Message> ref() {
      return self();
    }

    void then(String word) {
      continueWith(new Say(word));
    }

    void thenDo(Consumer<Probe> what) {
      continueWith(new Do(what));
    }

    void end(@Nullable Object result) {
      stop(result);
    }

    void becomes(String source, Object input) {
      upgrade(source, Process.RUN, input);
    }

    void endOnPurpose(Object why) {
      shutdown(why);
    }

    void keep(String word) {
      stash(new Say(word));
    }

    void keepDo(Consumer<Probe> what) {
      stash(new Do(what));
    }

    void release() {
      unstashAll();
    }

    void timer(Object key, Duration after, String word) {
      startTimer(key, after, new Say(word));
    }

    void timerDo(Object key, Duration after, Consumer<Probe> what) {
      startTimer(key, after, new Do(what));
    }

    void ticks(Object key, Duration period, Consumer<Probe> what) {
      startTicks(key, period, new Do(what));
    }

    boolean noTimer(Object key) {
      return stopTimer(key);
    }

    void idle(Duration time, Consumer<Probe> what) {
      setIdleTimeout(time, new Do(what));
    }

    void noIdle() {
      cancelIdleTimeout();
    }

    long run(ProcessCommand<?> processCommand) {
      return execute(processCommand, result -> new Say("result " + result));
    }

    long tryTo(ProcessCommand<?> processCommand) {
      return execute(
          processCommand,
          result -> new Say("result " + result),
          failure -> new Say("failed " + failure));
    }

    boolean callOff(long command) {
      return cancelCommand(command);
    }
  }

  private final Probe probe = new Probe();
  private final Ref<Message> server = runtime.spawn(probe);
  private final Pid pid = Objects.requireNonNull(server.pid());

  private void inServer(Consumer<Probe> what) {
    server.send(new Do(what));
  }

  private List<String> words() throws InterruptedException {
    return server.ask(Words::new, DAY);
  }

  // ---- messages ----

  @Test
  @Tag("proc-273")
  void reply_mayBeKept_andGivenLater() {
    List<Reply<List<String>>> kept = new ArrayList<>();
    GenServer<Words> keeps =
        new GenServer<>(Words.class) {
          @Override
          protected void receive(Words message) {
            kept.add(message.reply());
            if (kept.size() == 2) {
              kept.forEach(reply -> reply.complete(List.of("late")));
            }
          }
        };
    Ref<Words> late = runtime.spawn(keeps);
    CompletableFuture<List<String>> first = late.request(Words::new);
    CompletableFuture<List<String>> second = late.request(Words::new);
    assertThat(Kit.get(first)).containsExactly("late");
    assertThat(Kit.get(second)).containsExactly("late");
  }

  @Test
  @Tag("proc-273")
  void whatAHandlerContinuesWith_isHandledInOrder_beforeTheMailbox() throws Exception {
    CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
    inServer(it -> gate.join()); // the next ones come in one step
    inServer(it -> {
      it.thenDo(self -> {
        self.words.add("b");
        self.then("c"); // what a handler continues with comes before what waits
      });
      it.then("d");
      it.words.add("a");
    });
    server.send(new Say("e"));
    gate.complete(null);
    assertThat(words()).containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  @Tag("proc-273")
  void init_mayContinue_startTimersAndCommands_beforeTheFirstMessage() throws Exception {
    Probe begins =
        new Probe() {
          @Override
          protected void init(@Nullable Object input) {
            words.add("init with " + input);
            then("continued");
            run(Commands.send(own().self(), new Say("sent by the command of init")));
          }
        };
    Ref<Message> started = runtime.spawn(begins, StartOptions.defaults().withInput(1));
    started.send(new Say("message"));
    Pid own = Objects.requireNonNull(started.pid());
    List<String> seen = started.ask(Words::new, DAY);
    while (seen.size() < 5) {
      seen = started.ask(Words::new, DAY);
    }
    assertThat(seen.subList(0, 2)).containsExactly("init with 1", "continued");
    assertThat(seen).contains("message", "sent by the command of init", "result ACCEPTED");
    assertThat(own).isEqualTo(begins.ref().pid());
  }

  @Test
  @Tag("proc-273")
  void serverThatIsSpawnedTwice_isRefused() {
    Ref<Message> second = runtime.spawn(probe);
    assertThat(Kit.exit(runtime, Objects.requireNonNull(second.pid())).cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("runs once");
  }

  @Test
  @Tag("proc-273")
  void contextBeforeTheStart_isRefused() {
    assertThatThrownBy(() -> new Probe().own())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not spawned yet");
  }

  // ---- commands ----

  @Test
  @Tag("proc-273")
  void resultOfACommand_comesAsAMessage_alsoAFailure() throws Exception {
    inServer(it -> it.run(new Kit.Call("well")));
    Kit.take(asked).complete("done");
    inServer(it -> it.tryTo(new Kit.Call("badly")));
    Kit.take(asked).fail(new IllegalStateException("on purpose"));
    while (words().size() < 2) {
      Thread.onSpinWait();
    }
    assertThat(words())
        .containsExactly("result done", "failed java.lang.IllegalStateException: on purpose");
  }

  @Test
  @Tag("proc-273")
  void failureThatIsNotMadeAMessage_endsTheServer() throws Exception {
    inServer(it -> it.run(new Kit.Call("badly")));
    var exit = runtime.whenExited(pid);
    RuntimeException failure = new IllegalStateException("on purpose");
    Kit.take(asked).fail(failure);
    assertThat(Kit.get(exit).cause()).isSameAs(failure);
  }

  @Test
  @Tag("proc-273")
  void commandThatIsCalledOff_tellsNothing() throws Exception {
    long[] tag = new long[1];
    inServer(it -> tag[0] = it.run(new Kit.Call("long")));
    var invocation = Kit.take(asked);
    CompletableFuture<Boolean> calledOff = new CompletableFuture<>();
    CompletableFuture<Boolean> again = new CompletableFuture<>();
    inServer(it -> {
      calledOff.complete(it.callOff(tag[0]));
      again.complete(it.callOff(tag[0]));
      it.callOff(it.run(new Kit.Call("never handed out")));
    });
    assertThat(Kit.get(calledOff)).isTrue();
    assertThat(Kit.get(again)).isFalse();
    assertThat(invocation.isOpen()).isFalse();
    assertThat(words()).isEmpty();
    assertThat(asked).isEmpty();
  }

  // ---- timers ----

  @Test
  @Tag("proc-274")
  void timer_comes_andOneOfTheSameKeyReplacesIt() throws Exception {
    CompletableFuture<@Nullable Void> fired = new CompletableFuture<>();
    inServer(it -> {
      it.timer("key", Duration.ZERO, "replaced");
      it.timerDo("key", Duration.ofMillis(1), _ -> fired.complete(null));
    });
    Kit.get(fired);
    assertThat(words()).isEmpty();
  }

  @Test
  @Tag("proc-274")
  void timerThatHasFired_butWasNotHandled_canBeStopped() throws Exception {
    List<Boolean> stopped = new ArrayList<>();
    CompletableFuture<@Nullable Void> handled = new CompletableFuture<>();
    inServer(it -> {
      // both are over when the step ends: their events come in one step
      it.timerDo(
          "first",
          Duration.ZERO,
          self -> {
            stopped.add(self.noTimer("second"));
            stopped.add(self.noTimer("first"));
            handled.complete(null);
          });
      it.timer("second", Duration.ZERO, "too late");
    });
    Kit.get(handled);
    assertThat(words()).isEmpty();
    assertThat(stopped).containsExactly(true, false);
  }

  @Test
  @Tag("proc-274")
  void timersStartedAnewInOneStep_leaveOneBehind() throws Exception {
    CompletableFuture<Integer> outstanding = new CompletableFuture<>();
    inServer(it -> {
      for (int i = 0; i < 1_000; i++) {
        it.timer("key", DAY, "never");
      }
    });
    inServer(it -> outstanding.complete(it.own().pendingCommands()));
    assertThat(Kit.get(outstanding)).isLessThanOrEqualTo(1); // none, when both came in one step
    CompletableFuture<Integer> later = new CompletableFuture<>();
    assertThat(words()).isEmpty();
    inServer(it -> later.complete(it.own().pendingCommands()));
    assertThat(Kit.get(later)).isEqualTo(1);
  }

  @Test
  @Tag("proc-274")
  void ticks_goOn_untilTheyAreStopped() throws Exception {
    CompletableFuture<@Nullable Void> third = new CompletableFuture<>();
    inServer(it ->
        it.ticks(
            "tick",
            Duration.ofMillis(1),
            self -> {
              self.words.add("tick");
              if (self.words.size() == 3) {
                assertThat(self.noTimer("tick")).isTrue();
                third.complete(null);
              }
            }));
    Kit.get(third);
    CompletableFuture<Integer> outstanding = new CompletableFuture<>();
    inServer(it -> outstanding.complete(it.own().pendingCommands()));
    assertThat(Kit.get(outstanding)).isZero();
    assertThat(words()).hasSize(3);
  }

  @Test
  @Tag("proc-274")
  void idleTimeout_comesWhenNothingWasSentFor_thatLong_andAgain() throws Exception {
    Duration time = Duration.ofMillis(30);
    BlockingQueue<Long> idles = Kit.queue();
    long[] last = new long[1];
    inServer(it -> {
      last[0] = System.nanoTime();
      it.idle(time, _ -> idles.add(System.nanoTime() - last[0]));
    });
    for (int i = 0; i < 40; i++) {
      long sent = System.nanoTime(); // not later than it comes
      inServer(_ -> last[0] = sent);
      while (System.nanoTime() - sent < time.toNanos() / 6) {
        Thread.onSpinWait();
      }
    }
    long idle;
    do {
      idle = Kit.take(idles);
      assertThat(idle).isGreaterThanOrEqualTo(time.toNanos());
    } while (idle < 2 * time.toNanos()); // the second one without a message between
    inServer(Probe::noIdle);
    CompletableFuture<Integer> outstanding = new CompletableFuture<>();
    assertThat(words()).isEmpty();
    inServer(it -> outstanding.complete(it.own().pendingCommands()));
    assertThat(Kit.get(outstanding)).isZero();
  }

  // ---- the end ----

  @Test
  @Tag("proc-275")
  void stop_endsBehindTheHandler_withAResult_andTerminateIsNotified() throws Exception {
    var exit = runtime.whenExited(pid);
    inServer(it -> {
      it.timer("key", DAY, "never");
      it.end("result");
      it.words.add("still here");
    });
    assertThat(Kit.get(exit).result()).isEqualTo("result");
    assertThat(Kit.take(probe.ends)).isEqualTo(Kit.get(exit));
    assertThat(probe.words).containsExactly("still here");
    assertThat(probe.ends).isEmpty();
  }

  @Test
  @Tag("proc-275")
  void failureOfAHandler_andATermination_areReportedToTerminate() throws Exception {
    RuntimeException failure = new IllegalStateException("on purpose");
    inServer(_ -> {
      throw failure;
    });
    assertThat(Kit.take(probe.ends).cause()).isSameAs(failure);
    Probe other = new Probe();
    runtime.terminate(Objects.requireNonNull(runtime.spawn(other).pid()));
    // it may have ended before it had begun: then there is nothing to clean up
    Probe begun = new Probe();
    Ref<Message> ref = runtime.spawn(begun);
    var _ = ref.ask(Words::new, DAY);
    runtime.terminate(Objects.requireNonNull(ref.pid()));
    assertThat(Kit.take(begun.ends).reason()).isEqualTo(Exit.Reason.TERMINATED);
  }

  @Test
  @Tag("proc-275")
  void whatWasNotHandledAtTheEnd_isADeadLetter_andFailsItsAsker() throws Exception {
    BlockingQueue<Object> letters = Kit.queue();
    runtime
        .events()
        .subscribe(
            DeadLetter.class,
            runtime.spawn((events, _) -> events.forEach(event -> letters.add(event.data()))));
    CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
    inServer(_ -> gate.join());
    inServer(it -> {
      it.keep("stashed");
      it.then("continued");
      it.end(null);
    });
    server.send(new Say("sent"));
    CompletableFuture<List<String>> unanswered = server.request(Words::new);
    gate.complete(null);
    assertThatThrownBy(() -> Kit.get(unanswered))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(NoReplyException.class);
    List<Object> dead = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      DeadLetter letter = (DeadLetter) Kit.take(letters);
      assertThat(letter.reason()).isEqualTo(DeadLetter.Reason.RECEIVER_ENDED);
      assertThat(letter.to()).isEqualTo(pid);
      dead.add(letter.message() instanceof Request request ? request.message() : letter.message());
    }
    assertThat(dead)
        .contains(new Say("sent"), new Say("continued"), new Say("stashed"))
        .anySatisfy(message -> assertThat(message).isInstanceOf(Words.class));
  }

  @Test
  @Tag("proc-275")
  void signals_whereNothingElseIsSaid_stopOrFailTheServer() throws Exception {
    CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();
    inServer(it -> {
      it.own().trapExits();
      ready.complete(null);
    });
    Kit.get(ready);
    runtime.cancel(pid, "closing time", DAY);
    assertThat(Kit.take(probe.ends).reason()).isEqualTo(Exit.Reason.SHUTDOWN);

    Probe linked = new Probe();
    Ref<Message> second = runtime.spawn(linked);
    RuntimeException failure = new IllegalStateException("on purpose");
    second.send(
        new Do(it -> {
          it.own().trapExits();
          it.own()
              .spawn(
                  (_, _) -> {
                    throw failure;
                  },
                  StartOptions.defaults().linked().monitored());
        }));
    assertThat(Kit.take(linked.ends).cause()).hasRootCause(failure);
  }

  @Test
  @Tag("proc-275")
  void shutdown_endsOnPurpose_withAReasonOfItsOwn() throws Exception {
    inServer(it -> it.endOnPurpose("sold out"));
    Exit exit = Kit.take(probe.ends);
    assertThat(exit.reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(exit.detail()).isEqualTo("sold out");
  }

  @Test
  @Tag("proc-275")
  void requestToExit_endsAServerThatTrapsExits_onPurpose() throws Exception {
    CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();
    inServer(it -> {
      it.own().trapExits();
      ready.complete(null);
    });
    Kit.get(ready);
    runtime.requestExit(pid, "stock-taking");
    Exit exit = Kit.take(probe.ends);
    assertThat(exit.reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(exit.detail()).isEqualTo("stock-taking");
  }

  // ---- the stash ----

  @Test
  @Tag("proc-278")
  void stashedMessages_areHandledInOrder_beforeOthers_andWhatIsStashedAgainWaits()
      throws Exception {
    CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
    inServer(it -> {
      it.keep("a");
      it.keepDo(self -> self.keep("again"));
      it.keep("b");
      gate.join();
    });
    inServer(Probe::release);
    server.send(new Say("c"));
    gate.complete(null);
    assertThat(words()).containsExactly("a", "b", "c");
    inServer(Probe::release);
    assertThat(words()).containsExactly("a", "b", "c", "again");
  }

  @Test
  @Tag("proc-278")
  void fullStash_refuses() throws Exception {
    Probe small =
        new Probe() {
          @Override
          protected int stashCapacity() {
            return 2;
          }
        };
    Ref<Message> ref = runtime.spawn(small);
    ref.send(
        new Do(it -> {
          it.keep("a");
          it.keep("b");
          it.keep("c");
        }));
    assertThat(Kit.take(small.ends).cause())
        .isInstanceOf(StashFullException.class)
        .hasMessageContaining("2 messages");
  }
}
