// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.behavior.GenServer;
import dev.heddle.process.behavior.Stash;
import dev.heddle.process.behavior.StateMachine;
import dev.heddle.process.behavior.Transition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The examples in the documentation of servers, state machines and stashes: each stands here too,
/// as code that is compiled and run.
@Timeout(300)
@SuppressWarnings("SameNameButDifferent") // each example has a protocol of that name
class BehaviorExamplesTest extends CoroutineFixture {
  // @start GenServer
  static final class Counter extends GenServer<Counter.Message> {
    sealed interface Message {}

    record Add(int amount) implements Message {} // a cast: no reply

    record Total(Reply<Integer> reply) implements Message {} // a call: the asker waits

    private int total;

    Counter() {
      super(Message.class);
    }

    @Override
    protected void receive(Message message) {
      switch (message) { // exhaustive
        case Add(int amount) -> total += amount;
        case Total(Reply<Integer> reply) -> reply.complete(total);
      }
    }
  }

  // @end

  // @start StateMachine
  static final class Door extends StateMachine<Door.State, Door.Message> {
    enum State {
      OPEN,
      CLOSED
    }

    sealed interface Message {}

    record Push(Reply<State> reply) implements Message {}

    record Close() implements Message {}

    Door() {
      super(Message.class, State.CLOSED);
    }

    @Override
    protected Transition<State, Message> on(State state, Message message) {
      return switch (message) {
        case Push(Reply<State> reply) -> {
          reply.complete(state);
          yield Transition.<State, Message>to(State.OPEN)
              .withStateTimeout(Duration.ofSeconds(5), new Close());
        }
        case Close _ -> Transition.to(State.CLOSED);
      };
    }
  }

  // @end

  sealed interface Message {}

  record Connected() implements Message {}

  record Job(int number) implements Message {}

  private final BlockingQueue<Integer> worked = Kit.queue();

  private void work(Job job) {
    worked.add(job.number());
  }

  @Test
  void server_counts() throws Exception {
    // @start GenServer
    Ref<Counter.Message> counter = runtime.spawn(new Counter());
    counter.send(new Counter.Add(2));
    int total = counter.ask(Counter.Total::new, Duration.ofSeconds(30));
    // @end
    assertThat(total).isEqualTo(2);
  }

  @Test
  void stateMachine_opensAndCloses() throws Exception {
    Ref<Door.Message> door = runtime.spawn(new Door());
    assertThat(door.ask(Door.Push::new, DAY)).isEqualTo(Door.State.CLOSED);
    assertThat(door.ask(Door.Push::new, DAY)).isEqualTo(Door.State.OPEN);
    door.send(new Door.Close());
    assertThat(door.ask(Door.Push::new, DAY)).isEqualTo(Door.State.CLOSED);
  }

  @Test
  void stash_keepsJobs_untilTheBodyIsConnected() throws Exception {
    Ref<Message> body = runtime.spawn(TypedCoroutineProcess.of(Message.class, this::works));
    body.send(new Job(1));
    body.send(new Job(2));
    body.send(new Connected());
    body.send(new Job(3));
    assertThat(List.of(Kit.take(worked), Kit.take(worked), Kit.take(worked)))
        .containsExactly(1, 2, 3);
  }

  private Object works(TypedCoroutineProcess<Message> self) {
    // @start Stash
    Stash<Message> stash = new Stash<>(100);
    boolean isConnected = false;
    while (true) {
      Message next = stash.hasNext() ? stash.next() : self.next();
      switch (next) {
        case Connected _ -> {
          isConnected = true;
          stash.unstashAll(); // the jobs that came before are next, in order
        }
        case Job job -> {
          if (isConnected) {
            work(job);
          } else {
            stash.add(job);
          }
        }
      }
    }
    // @end
  }

  @ParameterizedTest
  @ValueSource(strings = {"GenServer", "StateMachine", "Stash"})
  void example_inTheDocumentation_isTheOneHere(String type) throws IOException {
    Path root = Path.of(System.getProperty("heddle.root"), "process/src");
    String here = "test/java/dev/heddle/process/BehaviorExamplesTest.java";
    String there = "main/java/dev/heddle/process/behavior/" + type + ".java";
    String documented =
        String.join("\n", found("(?s)/// ```java\n(.*?)/// ```\n", root.resolve(there)))
            .replaceAll("(?m)^/// ?", "");
    String compiled =
        String.join("\n", found("(?s)// @start " + type + "\n(.*?)// @end\n", root.resolve(here)));
    assertThat(compiled).isNotEmpty();
    assertThat(words(documented)).isEqualTo(words(compiled.replace("static final", "final")));
  }

  private static List<String> found(String pattern, Path file) throws IOException {
    Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
    List<String> all = new ArrayList<>();
    while (matcher.find()) {
      all.add(matcher.group(1));
    }
    return all;
  }

  /// What is left when the lay-out of the formatter counts for nothing.
  private static String words(String code) {
    return code.lines().map(line -> line.replace(" ", "")).collect(Collectors.joining());
  }
}
