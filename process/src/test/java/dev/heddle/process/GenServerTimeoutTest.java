// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.GenServerTest.Do;
import dev.heddle.process.GenServerTest.Message;
import dev.heddle.process.GenServerTest.Probe;
import dev.heddle.process.GenServerTest.Say;
import dev.heddle.process.GenServerTest.Words;
import dev.heddle.process.behavior.StateMachine;
import dev.heddle.process.behavior.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Timers and timeouts of behaviors, where messages have come in time.
@Timeout(300)
@Tag("proc-307")
class GenServerTimeoutTest extends CoroutineFixture {
  /// Sends while the receiver stands in a handler, which asks for timers of no time behind that: in
  /// its next step both have come, the message first.
  private static void sendInTime(Consumer<Runnable> handler, Runnable sends) throws Exception {
    CompletableFuture<@Nullable Void> isInside = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
    handler.accept(() -> {
      isInside.complete(null);
      gate.join();
    });
    Kit.get(isInside);
    sends.run();
    gate.complete(null);
  }

  @Test
  void timerThatAMessageStops_whichCameBeforeItsProcessLooked_tellsNothing() throws Exception {
    Ref<Message> server = runtime.spawn(new Probe());
    sendInTime(
        wait ->
            server.send(
                new Do(it -> {
                  it.timer("limit", Duration.ZERO, "too late");
                  wait.run();
                })),
        () -> server.send(new Do(it -> it.words.add("stopped " + it.noTimer("limit")))));
    assertThat(server.ask(Words::new, DAY)).containsExactly("stopped true");
  }

  @Test
  void timer_comesBehindTheMessagesBeforeIt_andBeforeThoseBehindIt() throws Exception {
    Ref<Message> server = runtime.spawn(new Probe());
    sendInTime(
        wait ->
            server.send(
                new Do(it -> {
                  it.timer("key", Duration.ZERO, "timer");
                  wait.run();
                })),
        () -> {
          for (int i = 0; i < 300; i++) { // more than a step is given
            server.send(new Say("before"));
          }
          server.send(
              new Do(it -> {
                it.words.add("last before");
                it.ref().send(new Say("behind"));
              }));
        });
    List<String> words = server.ask(Words::new, DAY);
    while (!words.contains("behind")) {
      words = server.ask(Words::new, DAY);
    }
    assertThat(words.subList(0, 300)).containsOnly("before");
    assertThat(words.subList(300, 303)).containsExactly("last before", "timer", "behind");
  }

  @Test
  void resultInOrder_ofAStep_comesBehindMessages_andAnyOtherBeforeThem() throws Exception {
    List<Object> seen = new ArrayList<>();
    CompletableFuture<List<Object>> all = new CompletableFuture<>();
    sendInTime(
        wait -> {
          Pid step =
              runtime.spawn((events, out) -> {
                for (ProcessEvent event : events) {
                  seen.add(event.isMessage() ? Objects.requireNonNull(event.data()) : event.tag());
                }
                if (events.isEmpty()) {
                  out.execute(1, Commands.inOrder(Commands.inOrder(Commands.sleep(Duration.ZERO))));
                  out.execute(2, Commands.sleep(Duration.ZERO));
                  wait.run();
                } else if (seen.size() == 3) {
                  all.complete(seen);
                }
              });
          receiver = step;
        },
        () -> runtime.send(Objects.requireNonNull(receiver), "message"));
    assertThat(Kit.get(all)).containsExactly(2L, "message", 1L);
  }

  private @Nullable Pid receiver;

  // ---- the idle timeout ----

  @Test
  void idleTimeout_whereAMessageLiesInTheMailbox_letsItGoFirst() throws Exception {
    Ref<Message> server = runtime.spawn(new Probe());
    CompletableFuture<Boolean> isFirst = new CompletableFuture<>();
    sendInTime(
        wait ->
            server.send(
                new Do(it -> {
                  it.idle(Duration.ofNanos(1), _ -> isFirst.complete(false));
                  wait.run();
                })),
        () ->
            server.send(
                new Do(it -> {
                  it.noIdle();
                  isFirst.complete(true);
                })));
    assertThat(Kit.get(isFirst)).isTrue();
  }

  @Test
  @Tag("proc-308")
  void idleTime_beginsWhenTheLastMessageWasHandled() throws Exception {
    long time = Duration.ofMillis(20).toNanos();
    Ref<Message> server = runtime.spawn(new Probe());
    BlockingQueue<Long> idles = Kit.queue();
    long[] handled = new long[1];
    server.send(
        new Do(it ->
            it.idle(
                Duration.ofNanos(time),
                _ -> {
                  if (handled[0] != 0) {
                    idles.add(System.nanoTime() - handled[0]);
                  }
                })));
    assertThat(server.ask(Words::new, DAY)).isEmpty(); // the time is running
    server.send(
        new Do(_ -> {
          long begun = System.nanoTime();
          while (System.nanoTime() - begun < 2 * time) {
            Thread.onSpinWait(); // for longer than that time
          }
          handled[0] = System.nanoTime();
        }));
    assertThat(Kit.take(idles)).isGreaterThanOrEqualTo(time);
  }

  // ---- state machines ----

  sealed interface Event {}

  record Run(Consumer<Machine> what) implements Event {}

  record Answer() implements Event {}

  record TooLate() implements Event {}

  record Log(Reply<List<String>> reply) implements Event {}

  /// Waits for an answer, with a timeout of the state or of the event.
  static final class Machine extends StateMachine<Boolean, Event> {
    private final boolean ofTheState;
    private final List<String> log = new ArrayList<>();

    Machine(boolean ofTheState) {
      super(Event.class, false);
      this.ofTheState = ofTheState;
    }

    @Override
    protected Transition<Boolean, Event> on(Boolean isDone, Event event) {
      return switch (event) {
        case Run(Consumer<Machine> what) -> {
          what.accept(this);
          Transition<Boolean, Event> stay = Transition.stay();
          yield ofTheState
              ? stay.withStateTimeout(Duration.ZERO, new TooLate())
              : stay.withEventTimeout(Duration.ZERO, new TooLate());
        }
        case Answer _ -> {
          log.add("answer");
          yield Transition.to(true);
        }
        case TooLate _ -> {
          log.add("too late");
          yield Transition.stay();
        }
        case Log(Reply<List<String>> reply) -> {
          reply.complete(List.copyOf(log));
          yield Transition.stay();
        }
      };
    }
  }

  private List<String> answeredInTime(boolean ofTheState) throws Exception {
    Ref<Event> machine = runtime.spawn(new Machine(ofTheState));
    sendInTime(wait -> machine.send(new Run(_ -> wait.run())), () -> machine.send(new Answer()));
    return machine.ask(Log::new, DAY);
  }

  @Test
  void eventTimeout_whereAnEventHasCome_tellsNothing() throws Exception {
    assertThat(answeredInTime(false)).containsExactly("answer");
  }

  @Test
  void stateTimeout_whereAnEventHasComeThatChangesTheState_tellsNothing() throws Exception {
    assertThat(answeredInTime(true)).containsExactly("answer");
  }
}
