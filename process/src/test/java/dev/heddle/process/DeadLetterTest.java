// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.behavior.GenServer;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.event.DeadLetter.Reason;
import dev.heddle.process.event.EventBus;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Dead letters breed none, whatever becomes of them.
@Timeout(300)
class DeadLetterTest extends CoroutineFixture {
  private final BlockingQueue<Object> seen = Kit.queue();
  private final EventBus events = runtime.events();
  private final CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
  private final CompletableFuture<@Nullable Void> held = new CompletableFuture<>();

  @BeforeEach
  void readLetters() {
    Pid reader = runtime.spawn((all, _) -> all.forEach(event -> seen.add(event.data())));
    events.subscribe(DeadLetter.class, reader);
  }

  /// A subscriber whose first step lasts until the test lets it go, and is its last one.
  private Pid heldSubscriber(StartOptions options) {
    Pid slow =
        runtime.spawn(
            (_, out) -> {
              begun.complete(null);
              held.join();
              out.done();
            },
            options);
    Kit.get(begun);
    events.subscribe(DeadLetter.class, slow);
    return slow;
  }

  private void makeLetter(String message) {
    assertThat(runtime.offer("nobody", message)).isEqualTo(SendResult.NOT_FOUND);
  }

  private static DeadLetter toNobody(String message) {
    return new DeadLetter(message, null, "nobody", null, Reason.NOT_FOUND);
  }

  private void assertNextIs(String message) throws InterruptedException {
    assertThat(Kit.take(seen)).isEqualTo(toNobody(message));
  }

  @Test
  @Tag("proc-331")
  void letter_thatItsSubscriberLeavesUnreadAtItsEnd_breedsNone() throws Exception {
    Pid slow = heldSubscriber(StartOptions.defaults());
    makeLetter("left");
    held.complete(null);
    Kit.exit(runtime, slow);
    assertThat(runtime.undelivered()).isEqualTo(1);
    makeLetter("last");
    assertNextIs("left");
    assertNextIs("last");
  }

  /// Ends with the first letter.
  private final class Ends extends GenServer<DeadLetter> {
    Ends() {
      super(DeadLetter.class);
    }

    @Override
    protected void init(@Nullable Object input) {
      begun.complete(null);
      held.join();
    }

    @Override
    protected void receive(DeadLetter letter) {
      stop();
    }
  }

  @Test
  @Tag("proc-331")
  void letter_thatAServerHasNotHandledAtItsEnd_breedsNone() throws Exception {
    Ref<DeadLetter> server = runtime.spawn(new Ends());
    Kit.get(begun);
    events.subscribe(DeadLetter.class, server);
    makeLetter("handled");
    makeLetter("left");
    held.complete(null);
    Kit.exit(runtime, Objects.requireNonNull(server.pid()));
    makeLetter("last");
    assertNextIs("handled");
    assertNextIs("left");
    assertNextIs("last");
  }

  @Test
  @Tag("proc-331")
  void letter_thatIsDroppedInTheMailboxOfItsSubscriber_breedsNone() throws Exception {
    Pid slow = heldSubscriber(StartOptions.defaults().withMailbox(1, MailboxPolicy.DROP_OLDEST));
    makeLetter("gives way to a letter");
    makeLetter("gives way to a message");
    runtime.send(slow, "message");
    assertThat(runtime.undelivered()).isEqualTo(2);
    makeLetter("last");
    assertNextIs("gives way to a letter");
    assertNextIs("gives way to a message");
    assertNextIs("last");
    held.complete(null);
  }

  private record Ping(Reply<String> reply) {}

  private static final class Pinged extends GenServer<Ping> {
    Pinged() {
      super(Ping.class);
    }

    @Override
    protected void receive(Ping message) {
      message.reply().complete("here");
    }
  }

  @Test
  @Tag("proc-331")
  void letter_thatItsSubscriberDoesNotUnderstand_breedsNone() throws Exception {
    Ref<Ping> server = runtime.spawn(new Pinged());
    events.subscribe(DeadLetter.class, Objects.requireNonNull(server.pid()));
    makeLetter("not understood");
    assertThat(server.ask(Ping::new, DAY)).isEqualTo("here");
    makeLetter("last");
    assertNextIs("not understood");
    assertNextIs("last");
  }

  @Test
  @Tag("proc-331")
  void letter_thatIsSentOnWithoutAReceiver_breedsNone() throws Exception {
    runtime.offer("nobody", toNobody("sent on"));
    Pid ended = runtime.spawn((_, out) -> out.done());
    Kit.exit(runtime, ended);
    assertThat(runtime.request(ended, toNobody("asked with"))).isCompletedExceptionally();
    makeLetter("last");
    assertNextIs("last");
  }

  @Test
  @Tag("proc-332")
  void messages_thatGiveWayToALetter_areCounted_andOneLetterEmptiesNoMailbox() throws Exception {
    Pid slow = heldSubscriber(StartOptions.defaults().withMailbox(3, MailboxPolicy.DROP_OLDEST));
    for (int i = 1; i <= 3; i++) {
      runtime.send(slow, "message " + i);
    }
    makeLetter("first");
    assertThat(runtime.undelivered()).isEqualTo(1);
    runtime.send(slow, "message 4");
    assertNextIs("first");
    assertThat(Kit.take(seen))
        .isEqualTo(new DeadLetter("message 2", slow, null, null, Reason.DISPLACED));
    held.complete(null);
  }
}
