// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.behavior.StateMachine;
import dev.heddle.process.behavior.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The state machine template.
@Timeout(300)
@Tag("proc-276")
class StateMachineTest extends CoroutineFixture {
  enum State {
    RED,
    GREEN,
    BLUE
  }

  sealed interface Message {}

  /// Says where to go.
  record Go(Function<Lights, Transition<State, Message>> where) implements Message {}

  /// Is postponed, but in GREEN.
  record Job(String name) implements Message {}

  record Log(Reply<List<String>> reply) implements Message {}

  /// A state machine that goes where its messages say, and writes down what happens.
  static class Lights extends StateMachine<State, Message> {
    final List<String> log = new ArrayList<>();

    Lights() {
      super(Message.class, State.RED);
    }

    @Override
    protected Transition<State, Message> on(State current, Message message) {
      assertThat(state()).isEqualTo(current);
      return switch (message) {
        case Go(Function<Lights, Transition<State, Message>> where) -> where.apply(this);
        case Job _ when current != State.GREEN -> Transition.postpone();
        case Job(String name) -> {
          log.add(name);
          yield Transition.stay();
        }
        case Log(Reply<List<String>> reply) -> {
          reply.complete(List.copyOf(log));
          yield Transition.stay();
        }
      };
    }

    @Override
    protected void onEnter(@Nullable State from, State now) {
      log.add(from + " > " + now);
    }

    void then(Message message) {
      continueWith(message);
    }

    void timer(Object key, Message message) {
      startTimer(key, Duration.ZERO, message);
    }

    void limit(Duration after, Message message) {
      setStateTimeout(after, message);
    }

    ProcessContext own() {
      return context();
    }
  }

  private static Transition<State, Message> to(State state) {
    return Transition.to(state);
  }

  private static Transition<State, Message> stay() {
    return Transition.stay();
  }

  private final Lights lights = new Lights();
  private final Ref<Message> machine = runtime.spawn(lights);
  private final Pid pid = Objects.requireNonNull(machine.pid());

  private void go(Function<Lights, Transition<State, Message>> where) {
    machine.send(new Go(where));
  }

  private List<String> log() throws InterruptedException {
    return machine.ask(Log::new, DAY);
  }

  private int outstanding() {
    CompletableFuture<Integer> count = new CompletableFuture<>();
    go(it -> {
      count.complete(it.own().pendingCommands());
      return stay();
    });
    return Kit.get(count);
  }

  @Test
  void states_areEntered_theFirstToo_andNotWithoutAChange() throws Exception {
    go(_ -> to(State.GREEN));
    go(_ -> to(State.GREEN));
    go(_ -> stay());
    go(_ -> Transition.repeat());
    go(_ -> to(State.RED));
    assertThat(log()).containsExactly("null > RED", "RED > GREEN", "GREEN > GREEN", "GREEN > RED");
  }

  @Test
  void postponedMessages_areHandledInOrder_behindTheNextChange_beforeOthers() throws Exception {
    CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
    machine.send(new Job("a"));
    machine.send(new Job("b"));
    go(_ -> {
      gate.join();
      return to(State.BLUE); // where they are postponed again
    });
    go(it -> {
      it.then(
          new Go(_ -> {
            it.log.add("continued");
            return stay();
          }));
      return to(State.GREEN);
    });
    machine.send(new Job("c"));
    gate.complete(null);
    assertThat(log())
        .containsExactly("null > RED", "RED > BLUE", "BLUE > GREEN", "continued", "a", "b", "c");
  }

  @Test
  void stateTimeout_comes_whenTheStateHasNotChanged() throws Exception {
    CompletableFuture<State> late = new CompletableFuture<>();
    go(_ ->
        to(State.GREEN)
            .withStateTimeout(
                Duration.ofMillis(1),
                new Go(it -> {
                  late.complete(State.GREEN);
                  return to(State.RED);
                })));
    assertThat(Kit.get(late)).isEqualTo(State.GREEN);
    assertThat(log()).endsWith("GREEN > RED");
  }

  @Test
  void stateTimeout_endsWithAChange_alsoWhenItHadFired() throws Exception {
    CompletableFuture<@Nullable Void> second = new CompletableFuture<>();
    Message tooLate =
        new Go(it -> {
          it.log.add("too late");
          return stay();
        });
    go(it -> {
      // both times are over when the step ends: the first that is handled changes the state
      it.timer(
          "first",
          new Go(_ ->
              to(State.BLUE)
                  .withEventTimeout(
                      Duration.ZERO,
                      new Go(_ -> {
                        second.complete(null);
                        return to(State.RED);
                      }))
                  .withStateTimeout(Duration.ofDays(1), tooLate)));
      return to(State.GREEN).withStateTimeout(Duration.ZERO, tooLate);
    });
    Kit.get(second);
    assertThat(log()).doesNotContain("too late").endsWith("GREEN > BLUE", "BLUE > RED");
    assertThat(outstanding()).isZero();
  }

  @Test
  void stateTimeout_staysWithoutAChange_andIsReplacedByAnother() throws Exception {
    go(it -> {
      it.limit(Duration.ofDays(1), new Job("never"));
      return stay();
    });
    go(_ -> to(State.RED)); // no change
    assertThat(log()).hasSize(1);
    assertThat(outstanding()).isEqualTo(1);
    go(_ -> stay().withStateTimeout(Duration.ofDays(2), new Job("never")));
    assertThat(log()).hasSize(1);
    while (outstanding() != 1) {
      Thread.onSpinWait(); // the one that was replaced is called off
    }
  }

  @Test
  @Tag("proc-277")
  void eventTimeout_comesWhenNothingElseHasCome() throws Exception {
    CompletableFuture<@Nullable Void> quiet = new CompletableFuture<>();
    go(_ ->
        stay()
            .withEventTimeout(
                Duration.ofMillis(1),
                new Go(_ -> {
                  quiet.complete(null);
                  return stay();
                })));
    Kit.get(quiet);
    assertThat(outstanding()).isZero();
  }

  @Test
  @Tag("proc-277")
  void eventTimeout_isEndedByTheNextEvent() throws Exception {
    go(_ -> stay().withEventTimeout(Duration.ofDays(1), new Job("never")));
    assertThat(log()).hasSize(1);
    while (outstanding() != 0) {
      Thread.onSpinWait(); // its cancellation is on its way
    }
  }

  @Test
  void stop_endsWithAResult() {
    var exit = runtime.whenExited(pid);
    go(_ -> Transition.stop("result"));
    assertThat(Kit.get(exit).result()).isEqualTo("result");
  }

  @Test
  void stop_withoutAResult_endsNormally() {
    var exit = runtime.whenExited(pid);
    go(_ -> Transition.stop());
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.NORMAL);
  }

  @Test
  void shutdown_endsOnPurpose_withAReasonOfItsOwn() {
    var exit = runtime.whenExited(pid);
    go(_ -> Transition.shutdown("worn out"));
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(Kit.get(exit).detail()).isEqualTo("worn out");
  }

  @Test
  void transition_saysWhatItIs() {
    assertThat(to(State.BLUE)).hasToString("to BLUE");
    assertThat(stay()).hasToString("STAY");
  }
}
