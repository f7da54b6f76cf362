// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.GenServerTest.Do;
import dev.heddle.process.GenServerTest.Message;
import dev.heddle.process.GenServerTest.Probe;
import dev.heddle.process.GenServerTest.Say;
import dev.heddle.process.GenServerTest.Words;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Servers in whose place another one goes on.
@Timeout(300)
@Tag("proc-312")
class GenServerUpgradeTest {
  private final BlockingQueue<Invocation<Object>> asked = Kit.queue();
  private final Probe next =
      new Probe() {
        @Override
        @SuppressWarnings("unchecked") // the old one gives its words
        protected void init(@Nullable Object input) {
          words.addAll((List<String>) Objects.requireNonNull(input));
        }
      };
  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(2)
          .factory(_ -> next)
          .handler(Kit.Call.class, CommandHandler.inline((_, call) -> asked.add(call)))
          .start();
  private final Probe old = new Probe();
  private final Ref<Message> server = runtime.spawn(old);

  @AfterEach
  void end() {
    runtime.close();
  }

  private static Do becomesNext() {
    return new Do(it -> it.becomes("next", List.copyOf(it.words)));
  }

  @Test
  void state_andWhatTheOldOneHasKept_andWhatItHasNotSeen_areTheNewOnes_inOrder() throws Exception {
    CompletableFuture<@Nullable Void> isInside = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
    server.send(new Say("state"));
    server.send(
        new Do(_ -> {
          isInside.complete(null);
          gate.join();
        }));
    Kit.get(isInside);
    server.send(new Do(it -> it.keep("stashed")));
    server.send(
        new Do(it -> {
          becomesNext().what().accept(it);
          it.then("continued");
        }));
    server.send(new Say("unseen"));
    CompletableFuture<List<String>> answer = server.request(Words::new);
    gate.complete(null);
    assertThat(Kit.get(answer)).containsExactly("state", "continued", "stashed", "unseen");
    assertThat(old.words).containsExactly("state");
  }

  @Test
  void terminate_isCalledOfTheNewOneOnly_once() throws Exception {
    server.send(becomesNext());
    assertThat(server.ask(Words::new, CoroutineFixture.DAY)).isEmpty();
    var exit = runtime.whenExited(Objects.requireNonNull(server.pid()));
    server.send(new Do(it -> it.end("result")));
    assertThat(Kit.get(exit).result()).isEqualTo("result");
    assertThat(Kit.take(next.ends)).isEqualTo(Kit.get(exit));
    runtime.close();
    assertThat(next.ends).isEmpty();
    assertThat(old.ends).isEmpty();
  }

  @Test
  void timersAndResultsOfTheOldOne_tellTheNewOneNothing() throws Exception {
    server.send(
        new Do(it -> {
          it.run(new Kit.Call("of the old one"));
          it.timer("key", CoroutineFixture.DAY, "never");
          it.idle(CoroutineFixture.DAY, _ -> {});
        }));
    Invocation<Object> before = Kit.take(asked);
    server.send(becomesNext());
    server.send(new Do(it -> it.run(new Kit.Call("of the new one"))));
    Invocation<Object> now = Kit.take(asked);
    before.complete("old");
    now.complete("new");
    List<String> words = server.ask(Words::new, CoroutineFixture.DAY);
    while (words.isEmpty()) {
      words = server.ask(Words::new, CoroutineFixture.DAY);
    }
    assertThat(words).containsExactly("result new");
    CompletableFuture<Integer> outstanding = new CompletableFuture<>();
    server.send(new Do(it -> outstanding.complete(it.own().pendingCommands())));
    assertThat(Kit.get(outstanding)).isZero();
  }
}
