// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.GenServerTest.Do;
import dev.heddle.process.GenServerTest.Message;
import dev.heddle.process.GenServerTest.Probe;
import dev.heddle.process.GenServerTest.Say;
import dev.heddle.process.GenServerTest.Words;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Servers that continue again and again.
@Timeout(300)
@Tag("proc-310")
class GenServerTurnsTest extends CoroutineFixture {
  private final AtomicInteger turns = new AtomicInteger();
  private volatile boolean isEnough;

  /// A message with which a server continues until it is enough.
  private Do again() {
    Consumer<Probe> turn =
        it -> {
          turns.incrementAndGet();
          if (!isEnough) {
            it.thenDo(again().what());
          }
        };
    return new Do(turn);
  }

  /// Waits until the server has continued some hundred times more.
  private void awaitTurns() {
    int seen = turns.get();
    while (turns.get() - seen < 1_000) {
      Thread.onSpinWait();
    }
  }

  private Ref<Message> continuing(StartOptions options) {
    Ref<Message> server = runtime.spawn(new Probe(), options);
    server.send(again());
    awaitTurns();
    return server;
  }

  private static Pid pidOf(Ref<Message> server) {
    return Objects.requireNonNull(server.pid());
  }

  @Test
  void others_haveTheirTurn() throws Exception {
    restart(1);
    var _ = continuing(StartOptions.defaults());
    assertThat(runtime.spawn(new Probe()).ask(Words::new, DAY)).isEmpty();
  }

  @Test
  void terminate_andARequestToEnd_endIt() throws Exception {
    Ref<Message> first = continuing(StartOptions.defaults());
    runtime.terminate(pidOf(first));
    assertThat(Kit.exit(runtime, pidOf(first)).reason()).isEqualTo(Exit.Reason.TERMINATED);
    Ref<Message> second = continuing(StartOptions.defaults());
    runtime.requestExit(pidOf(second), "stock-taking");
    assertThat(Kit.exit(runtime, pidOf(second)).detail()).isEqualTo("stock-taking");
  }

  @Test
  void shutdownOfItsSupervisor_endsIt_atTheDeadlineWhereItTrapsExits() throws Exception {
    restart(1);
    CompletableFuture<Pid> child = new CompletableFuture<>();
    Probe traps =
        new Probe() {
          @Override
          protected void init(@Nullable Object input) {
            own().trapExits();
            thenDo(again().what());
            child.complete(own().self());
          }
        };
    Pid supervisor =
        runtime.spawn(
            Supervisor.builder()
                .child(ChildSpec.of("child", () -> traps).withShutdown(Duration.ofMillis(1)))
                .build());
    Pid pid = Kit.get(child);
    var exit = runtime.whenExited(pid);
    awaitTurns();
    runtime.cancel(supervisor, "closing time", DAY);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
    assertThat(Kit.exit(runtime, supervisor).isFailure()).isFalse();
    assertThat(Kit.take(traps.ends)).isEqualTo(Kit.get(exit));
    assertThat(traps.ends).isEmpty();
  }

  @Test
  void mailbox_keepsItsBound_andItsMessagesComeInOrder_whenItIsEnough() throws Exception {
    Ref<Message> server = continuing(StartOptions.defaults().withMailbox(4, MailboxPolicy.REJECT));
    List<SendResult> results = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      results.add(server.offer(new Say("m" + i)));
      awaitTurns();
    }
    assertThat(results.subList(0, 4)).containsOnly(SendResult.ACCEPTED);
    assertThat(results.subList(4, 6)).containsOnly(SendResult.FULL);
    isEnough = true;
    SendResult last = SendResult.FULL;
    while (last != SendResult.ACCEPTED) {
      last = server.offer(new Say("last"));
    }
    assertThat(server.ask(Words::new, DAY)).containsExactly("m0", "m1", "m2", "m3", "last");
  }

  /// Sends messages that are handled in one step: the first continues with many.
  private Ref<Message> continuesWithMany(Probe probe, int many, Message... rest) {
    CompletableFuture<@Nullable Void> isInside = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
    Ref<Message> server = runtime.spawn(probe);
    server.send(
        new Do(_ -> {
          isInside.complete(null);
          gate.join();
        }));
    Kit.get(isInside);
    server.send(
        new Do(it -> {
          for (int i = 0; i < many; i++) {
            it.then("own");
          }
        }));
    for (Message message : rest) {
      server.send(message);
    }
    gate.complete(null);
    return server;
  }

  @Test
  void whatTheStepWasGivenToo_comesBehindAllThatItContinuesWith_once() throws Exception {
    int many = 1_000; // more than a step handles
    Ref<Message> server =
        continuesWithMany(new Probe(), many, new Say("a"), new Say("b"), new Say("c"));
    List<String> words = server.ask(Words::new, DAY);
    assertThat(words.subList(0, many)).containsOnly("own");
    assertThat(words.subList(many, words.size())).containsExactly("a", "b", "c");
  }

  @Test
  void whatTheStepWasGivenToo_isADeadLetter_whereTheServerEndsBefore() throws Exception {
    BlockingQueue<Object> letters = Kit.queue();
    Process reads = (events, _) -> events.forEach(event -> letters.add(event.data()));
    runtime.events().subscribe(DeadLetter.class, runtime.spawn(reads));
    Ref<Message> server = continuesWithMany(new Probe(), 0, again(), new Say("unseen"));
    awaitTurns();
    runtime.terminate(pidOf(server));
    List<Object> left = new ArrayList<>();
    while (!left.contains(new Say("unseen"))) {
      left.add(((DeadLetter) Kit.take(letters)).message());
    }
    assertThat(left).hasSizeLessThanOrEqualTo(2); // and what it would have continued with
  }

  @Test
  void goOn_ofAStep_givesItTheRestOfItsEvents_andNothingElse() throws Exception {
    CompletableFuture<@Nullable Void> isInside = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> more = new CompletableFuture<>();
    CompletableFuture<List<List<Object>>> given = new CompletableFuture<>();
    List<List<Object>> all = new ArrayList<>();
    Pid step =
        runtime.spawn((events, out) -> {
          if (events.isEmpty() && all.isEmpty()) {
            isInside.complete(null);
            gate.join();
            return;
          }
          List<Object> data = new ArrayList<>();
          all.add(data);
          if (all.size() == 1) {
            data.add(Objects.requireNonNull(events.get(0).data()));
            more.join(); // the fourth is in the mailbox
            out.continueBeforeMessages();
            return;
          }
          events.forEach(event -> data.add(Objects.requireNonNull(event.data())));
          if (all.size() == 2) {
            out.continueBeforeMessages();
          }
          if (data.contains(4)) {
            given.complete(all);
          }
        });
    Kit.get(isInside);
    for (int i = 1; i <= 3; i++) {
      runtime.send(step, i);
    }
    gate.complete(null);
    while (Objects.requireNonNull(runtime.process(step)).mailbox() != 0) {
      Thread.onSpinWait(); // until the three are in its hands
    }
    runtime.send(step, 4);
    more.complete(null);
    assertThat(Kit.get(given)).containsExactly(List.of(1), List.of(2, 3), List.of(), List.of(4));
  }
}
