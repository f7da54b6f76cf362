// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.Reply;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Requests that contain their reply, forwarded to a process of another node.
@Tag("C5")
@Timeout(300)
class ForwardTest {
  private static final Duration SOON = Duration.ofSeconds(TwoNodes.GUARD_SECONDS);

  record Question(String text, Reply<String> reply) {}

  private final MessageTypes types = MessageTypes.of(List.of(Question.class), List.of());
  private final TwoNodes nodes = new TwoNodes(types, types, PeerOptions.ForeignOrders.CARRIED_OUT);
  private final TwoNodes.Node a = nodes.a;
  private final TwoNodes.Node b = nodes.b;
  private final CompletableFuture<Object> forwarded = new CompletableFuture<>();

  @AfterEach
  void end() {
    nodes.close();
  }

  private Process forwarding(TwoNodes.Node node, Pid to) {
    return (events, _) ->
        events.forEach(event -> {
          if (event.data() instanceof Request request) {
            var _ =
                node.runtime
                    .forward(to, request)
                    .whenComplete((result, failure) -> {
                      var _ =
                          failure == null
                              ? forwarded.complete(result)
                              : forwarded.completeExceptionally(failure);
                    });
          }
        });
  }

  private static final Process ANSWERING =
      (events, _) ->
          events.forEach(event -> {
            if (event.data() instanceof Request(Question(String text, var reply), var _)) {
              var _ =
                  text.equals("fail")
                      ? reply.fail(new IllegalStateException("boom"))
                      : reply.complete("got " + text);
            }
          });

  private String ask(TwoNodes.Node asker, Pid to, String text) throws InterruptedException {
    return asker
        .runtime
        .ref(to, Question.class)
        .ask((Reply<String> reply) -> new Question(text, reply), SOON);
  }

  private CompletableFuture<String> request(TwoNodes.Node asker, Pid to, String text) {
    return asker
        .runtime
        .ref(to, Question.class)
        .request((Reply<String> reply) -> new Question(text, reply));
  }

  @Test
  void typedRequest_forwardedToTheOtherNode_isAnsweredToItsAsker() throws Exception {
    Pid front = a.runtime.spawn(forwarding(a, b.runtime.spawn(ANSWERING)));
    assertThat(ask(a, front, "one")).isEqualTo("got one");
    assertThat(TwoNodes.get(forwarded)).isEqualTo("got one");
    assertThat(ask(b, front, "two")).isEqualTo("got two");
  }

  @Test
  void typedRequest_forwardedTwice_isAnsweredToItsAsker() throws Exception {
    Pid second = a.runtime.spawn(forwarding(a, b.runtime.spawn(ANSWERING)));
    Pid first = a.runtime.spawn(forwarding(a, second));
    assertThat(ask(a, first, "one")).isEqualTo("got one");
  }

  @Test
  void typedRequest_forwardedToTheOtherNode_failsItsAsker_asTheProcessSays() {
    Pid front = a.runtime.spawn(forwarding(a, b.runtime.spawn(ANSWERING)));
    assertThatThrownBy(() -> ask(a, front, "fail")).cause().hasMessageContaining("boom");
    assertThatThrownBy(() -> TwoNodes.get(forwarded)).hasMessageContaining("boom");
  }

  @Test
  void askerThatGivesUp_isSeenThroughAForwardOfATypedRequest() throws Exception {
    Pid silent = b.runtime.spawn((events, _) -> events.forEach(it -> b.got.add(it.data())));
    Pid front = a.runtime.spawn(forwarding(a, silent));
    CompletableFuture<String> answer = request(a, front, "x");
    Request received = (Request) b.take();
    assertThat(received.reply().isOpen()).isTrue();
    answer.cancel(false);
    // the worker that has sent the request may learn only now that nobody waits for the answer
    while (received.reply().isOpen() || a.remote().counters().outgoingCalls() != 0) {
      assertThat(Thread.interrupted()).as("open until the limit").isFalse();
    }
  }

  @Test
  void typedRequest_thatIsNotReceived_failsTheForwardOnly_asOneToAProcessHereDoes() {
    Pid dead = b.obedient();
    b.runtime.send(dead, "done");
    b.exit(dead);
    Pid front = a.runtime.spawn(forwarding(a, dead.address()));
    CompletableFuture<String> answer = request(a, front, "late");
    assertThatThrownBy(() -> TwoNodes.get(forwarded))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(SendFailedException.class);
    assertThat(answer).isNotDone();
  }

  @Test
  void typedRequest_whenTheSessionEnds_failsTheForwardOnly() throws Exception {
    Pid silent = b.runtime.spawn((events, _) -> events.forEach(it -> b.got.add("received")));
    Pid front = a.runtime.spawn(forwarding(a, silent));
    CompletableFuture<String> answer = request(a, front, "x");
    assertThat(b.take()).isEqualTo("received");
    nodes.loseSession();
    assertThatThrownBy(() -> TwoNodes.get(forwarded)).hasCauseInstanceOf(NoReplyException.class);
    assertThat(answer).isNotDone();
  }
}
