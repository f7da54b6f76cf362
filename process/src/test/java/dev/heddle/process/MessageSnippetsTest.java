// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.process.behavior.GenServer;
import dev.heddle.process.behavior.Stash;
import dev.heddle.process.behavior.StashFullException;
import dev.heddle.process.behavior.StateMachine;
import dev.heddle.process.behavior.Transition;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.event.ProcessExited;
import dev.heddle.process.event.ProcessStarted;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The code that the documentation of messages and of what handles them shows, compiled and run.
@Tag("once")
@Timeout(300)
@SuppressWarnings("SameNameButDifferent") // each example has a protocol of that name
class MessageSnippetsTest {
  private static final Duration LIMIT = Kit.SOON;

  private final List<Object> log = new CopyOnWriteArrayList<>();
  private final ProcessRuntime runtime = ProcessRuntime.start();

  @AfterEach
  void end() {
    runtime.close();
  }

  @Test
  void send() throws Exception {
    Pid printer = runtime.spawn((_, out) -> out.done());
    runtime.awaitExit(printer, LIMIT);
    // @start region=send
    SendResult result = runtime.offer(printer, "page 1"); // never throws, never waits
    if (!result.isAccepted()) {
      log.add("not printed: " + result); // the printer has ended, or its mailbox is full
    }
    try {
      runtime.send(printer, "page 2"); // for those who rely on it
    } catch (SendFailedException e) {
      log.add("not printed: " + e.result());
    }
    // @end
    assertThat(log).hasSize(2);
  }

  @Test
  void pid() throws Exception {
    Pid greeter = runtime.spawn(Kit.untilMessage());
    // @start region=pid
    String text = greeter.toString(); // for a log, a file, another node
    runtime.send(Pid.parse(text), "hello");
    // @end
    assertThat(runtime.awaitExit(greeter, LIMIT).result()).isEqualTo("hello");
  }

  @Test
  void ask() throws Exception {
    // @start region=ask
    Pid doubler =
        runtime.spawn(
            CoroutineProcess.ofAction(self -> {
              while (true) {
                Request request = self.receive(Request.class);
                if (request.message() instanceof Integer number) {
                  request.reply().complete(2 * number);
                } else {
                  request.reply().fail(new IllegalArgumentException("no number"));
                }
              }
            }));
    int twice = runtime.ask(doubler, 21, LIMIT);
    try {
      runtime.ask(doubler, "a word", LIMIT);
    } catch (AskFailedException e) {
      log.add(e.getCause().getMessage());
    }
    // @end
    assertThat(twice).isEqualTo(42);
    assertThat(log).containsExactly("no number");
  }

  @Test
  void noReply() throws Exception {
    Pid clerk = runtime.spawn(Kit.untilMessage());
    // @start region=noReply
    try {
      runtime.ask(clerk, "a question", LIMIT);
    } catch (AskFailedException e) {
      if (e.getCause() instanceof NoReplyException ended) {
        log.add("it ended instead: " + ended.exit().reason());
      }
    }
    // @end
    assertThat(log).containsExactly("it ended instead: NORMAL");
  }

  @Test
  void mailbox() {
    Pid echo =
        runtime.spawn(
            CoroutineProcess.ofAction(
                self -> self.context().send(self.receive(Pid.class), "echo")));
    Heddle.run(() -> {
      // @start region=mailbox
      try (CoroutineMailbox box = runtime.mailbox(16)) { // in a coroutine of a loop
        runtime.send(echo, box.pid()); // where to reply
        log.add(box.receive());
      }
      // @end
    });
    assertThat(log).containsExactly("echo");
  }

  @Test
  void parcel() throws Exception {
    // @start region=parcel
    Pid chart =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              Parcel parcel = self.receive(Parcel.class);
              return parcel.topic() + ": " + parcel.messages();
            }));
    runtime.send(chart, Parcel.of("prices", 101, 102, 99)); // one message in its mailbox
    // @end
    assertThat(runtime.awaitExit(chart, LIMIT).result()).isEqualTo("prices: [101, 102, 99]");
  }

  @Test
  void peer() throws Exception {
    try (ProcessRuntime here = ProcessRuntime.builder().node("n1").start();
        ProcessRuntime there = ProcessRuntime.builder().node("n2").start()) {
      Pid far = there.spawn(Kit.untilMessage());
      // @start region=peer
      Peer other = there.asPeer(); // between JVMs: your own, over a connection
      Peer traced =
          (to, message) -> {
            log.add(message + " to " + to.node());
            return other.send(to, message);
          };
      here.connect("n2", traced);
      here.send(far, "hello"); // a PID of n2
      // @end
      assertThat(there.awaitExit(far, LIMIT).result()).isEqualTo("hello");
    }
    assertThat(log).containsExactly("hello to n2");
  }

  @Test
  void notSendable() {
    // @start region=notSendable
    Peer encoding =
        (to, message) -> {
          if (!(message instanceof String)) {
            throw new NotSendableException("this peer sends strings, not " + message);
          }
          return SendResult.ACCEPTED; // here it would be sent
        };
    runtime.connect("n3", encoding);
    Pid far = new Pid("n3", "host", 1, 1);
    log.add(runtime.offer(far, 42).name());
    try {
      runtime.send(far, 42);
    } catch (NotSendableException e) {
      log.add(Objects.requireNonNull(e.getMessage())); // what to change, and where
    }
    // @end
    assertThat(log).containsExactly("NOT_SENDABLE", "this peer sends strings, not 42");
  }

  @Test
  void events() throws Exception {
    BlockingQueue<String> lines = Kit.queue();
    // @start region=events
    Pid observer =
        runtime.spawn((events, _) -> {
          for (ProcessEvent event : events) {
            switch (event.data()) {
              case ProcessStarted started -> lines.add("started " + started.options().name());
              case ProcessExited exited -> lines.add("exited " + exited.exit().reason());
              case DeadLetter letter -> lines.add(letter.message() + ": " + letter.reason());
              case null, default -> {}
            }
          }
        });
    runtime.events().subscribe(ProcessStarted.class, observer);
    runtime.events().subscribe(ProcessExited.class, observer);
    runtime.events().subscribe(DeadLetter.class, observer);
    // @end
    runtime.offer("nobody", "a letter");
    assertThat(Kit.take(lines)).isEqualTo("a letter: NOT_FOUND");
    runtime.spawn((_, out) -> out.done(), StartOptions.defaults().withName("short"));
    assertThat(List.of(Kit.take(lines), Kit.take(lines)))
        .containsExactly("started short", "exited NORMAL");
  }

  // ---- behaviors ----

  // @start region=behavior
  static final class Page extends GenServer<Page.Message> {
    sealed interface Message {}

    record GetSize(Reply<Integer> reply) implements Message {}

    record Loaded(int size) implements Message {}

    private final Path file;
    private @Nullable Integer size;

    Page(Path file) {
      super(Message.class);
      this.file = file;
    }

    @Override
    protected void init(@Nullable Object input) {
      context().trapExits();
      execute(Commands.readFile(file), bytes -> new Loaded(bytes.length)); // comes as a message
    }

    @Override
    protected void receive(Message message) {
      switch (message) {
        case Loaded(int bytes) -> {
          size = bytes;
          unstashAll();
        }
        case GetSize(Reply<Integer> reply) when size != null -> reply.complete(size);
        case GetSize early -> stash(early); // until it is loaded
      }
    }

    @Override
    protected void signal(ProcessSignal signal) {
      shutdown(); // whatever it is: there is nothing to clean up
    }
  }

  // @end

  @Test
  void behavior(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("page"), "text");
    Ref<Page.Message> page = runtime.spawn(new Page(file));
    int size = page.ask(Page.GetSize::new, LIMIT);
    assertThat(size).isEqualTo(4);
  }

  @Test
  void stashFull() {
    // @start region=stashFull
    Stash<String> jobs = new Stash<>(1);
    for (String job : List.of("first", "second")) {
      try {
        jobs.add(job);
      } catch (StashFullException e) {
        log.add("refused: " + job); // or leave it uncaught: the process ends
      }
    }
    // @end
    assertThat(log).containsExactly("refused: second");
  }

  // @start region=transition
  static final class Turnstile extends StateMachine<Turnstile.State, Turnstile.Message> {
    enum State {
      LOCKED,
      OPEN
    }

    sealed interface Message {}

    record Coin() implements Message {}

    record Push(Reply<String> reply) implements Message {}

    record Close() implements Message {}

    Turnstile() {
      super(Message.class, State.LOCKED);
    }

    @Override
    protected Transition<State, Message> on(State state, Message message) {
      return switch (message) {
        case Coin _ ->
            Transition.<State, Message>to(State.OPEN)
                .withStateTimeout(Duration.ofHours(1), new Close()); // if nobody comes
        case Push _ when state == State.LOCKED -> Transition.postpone(); // until it is open
        case Push(Reply<String> reply) -> {
          reply.complete("welcome");
          yield Transition.to(State.LOCKED);
        }
        case Close _ -> Transition.to(State.LOCKED);
      };
    }
  }

  // @end

  @Test
  void transition() {
    Ref<Turnstile.Message> turnstile = runtime.spawn(new Turnstile());
    var early = turnstile.request(Turnstile.Push::new);
    turnstile.send(new Turnstile.Coin());
    assertThat(Kit.get(early)).isEqualTo("welcome");
  }
}
