// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Messages between runtimes, and to mailboxes of coroutines.
@Timeout(300)
@Tag("P10")
class RelayTest {
  private final ProcessRuntime here =
      ProcessRuntime.builder().workers(2).node("n1").host("a").incarnation(1).start();
  private final ProcessRuntime there =
      ProcessRuntime.builder()
          .workers(2)
          .node("n2")
          .host("b")
          .incarnation(7)
          .peer("n1", here.asPeer())
          .start();

  RelayTest() {
    here.connect("n2", there.asPeer());
  }

  @AfterEach
  void end() {
    here.close();
    there.close();
  }

  private static Pid collector(ProcessRuntime in, BlockingQueue<Object> got) {
    return in.spawn((events, _) -> events.forEach(e -> got.add(e.data())));
  }

  @Test
  @Tag("proc-128")
  void message_reachesAnotherNode_alsoByAnAddressThatWasText() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid far = collector(there, got);
    assertThat(far.toString()).startsWith("{n2@b|").endsWith(".7}");
    here.send(far, "straight");
    here.send(Pid.parse(far.toString()), "by text");
    assertThat(List.of(Kit.take(got), Kit.take(got))).containsExactly("straight", "by text");
  }

  @Test
  @Tag("proc-128")
  void localAddress_withOrWithoutNode_staysHere() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid near = collector(here, got);
    assertThat(near.node()).isEqualTo("n1");
    assertThat(here.offer(new Pid("n1", "a", near.id(), 1), 1)).isEqualTo(SendResult.ACCEPTED);
    assertThat(here.offer(new Pid("", "a", near.id(), 1), 2)).isEqualTo(SendResult.ACCEPTED);
    assertThat(here.offer(new Pid("", "a", near.id(), 2), 3)).isEqualTo(SendResult.NOT_FOUND);
    assertThat(List.of(Kit.take(got), Kit.take(got))).containsExactly(1, 2);
    assertThat(got).isEmpty();
  }

  @Test
  @Tag("proc-130")
  @Tag("proc-134")
  void aSend_withoutAWay_orWithoutAReceiver_failsVisibly() {
    Pid gone = there.spawn((_, out) -> out.done());
    Kit.exit(there, gone);
    assertThatThrownBy(() -> here.send(new Pid("n3", "b", 1, 7), "x"))
        .isInstanceOf(SendFailedException.class)
        .hasMessageContaining("{n3@b|")
        .hasMessageContaining("connect its node by connect() of the runtime")
        .hasMessageContaining("Cluster.join()");
    assertThat(here.offer(new Pid("", "b", 1, 7), "x")).isEqualTo(SendResult.UNREACHABLE);
    assertThat(here.offer(new Pid("n2", "x", 1, 7), "x")).isEqualTo(SendResult.UNREACHABLE);
    assertThat(here.offer(new Pid("n2", "b", 999, 7), "x")).isEqualTo(SendResult.NOT_FOUND);
    assertThat(here.offer(new Pid("n2", "b", gone.id(), 6), "x")).isEqualTo(SendResult.NOT_FOUND);
    assertThat(there.disconnect("n1")).isTrue();
    assertThat(there.offer(new Pid("n1", "a", 1, 1), "x")).isEqualTo(SendResult.UNREACHABLE);
  }

  @Test
  @Tag("proc-130")
  void hosts_ofOneNode_reachEachOther_eachNameOnce() throws Exception {
    try (ProcessRuntime other = ProcessRuntime.builder().workers(1).node("n1").host("c").start()) {
      here.connectHost("c", other.asPeer());
      BlockingQueue<Object> got = Kit.queue();
      here.send(collector(other, got), "hello");
      assertThat(Kit.take(got)).isEqualTo("hello");
      assertThatThrownBy(() -> here.connectHost("c", other.asPeer()))
          .hasMessageContaining("'c' has a peer already");
      assertThatThrownBy(() -> here.connectHost("a", other.asPeer()))
          .hasMessageContaining("is this one");
      assertThatThrownBy(() -> here.connect("n1", other.asPeer()))
          .hasMessageContaining("is this one");
      assertThatThrownBy(() -> here.connect("n2", there.asPeer()))
          .hasMessageContaining("'n2' has a peer already");
      assertThat(here.disconnectHost("c")).isTrue();
      assertThat(here.disconnectHost("c")).isFalse();
    }
  }

  @Test
  @Tag("proc-128")
  void aPeerThatThrows_failsTheSend_notTheSender() {
    here.connect(
        "n4",
        (_, _) -> {
          throw new IllegalStateException("the wire is cut");
        });
    assertThat(here.offer(new Pid("n4", "x", 1, 1), "x")).isEqualTo(SendResult.UNREACHABLE);
  }

  @Test
  void messagesOfOneSender_keepTheirOrder_alsoFromAProcessThatMoves() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid far = collector(there, got);
    int count = 500;
    here.spawn(
        new Process() {
          private ProcessContext self;
          private int next;

          @Override
          public void init(ProcessContext context, String method, Object input) {
            self = context;
          }

          @Override
          public void step(List<ProcessEvent> events, StepOutput out) {
            self.send(far, next++);
            if (next < count) {
              out.continueNow();
            } else {
              out.done();
            }
          }
        });
    for (int i = 0; i < count; i++) {
      assertThat(Kit.take(got)).isEqualTo(i);
    }
  }

  @Test
  void ask_reachesAnotherNode_andIsNotifiedOfAnEndWithoutAnswer() throws Exception {
    Pid far =
        there.spawn((events, _) -> {
          for (ProcessEvent event : events) {
            Request request = (Request) java.util.Objects.requireNonNull(event.data());
            if ("die".equals(request.message())) {
              throw new IllegalStateException("died");
            }
            request.reply().complete(request.message() + "!");
          }
        });
    String answer = here.ask(far, "hello", Kit.SOON);
    assertThat(answer).isEqualTo("hello!");
    assertThatThrownBy(() -> here.ask(far, "die", Kit.SOON))
        .isInstanceOf(AskFailedException.class)
        .hasCauseInstanceOf(NoReplyException.class);
    assertThatThrownBy(() -> here.ask(new Pid("n9", "b", 1, 1), "x", Kit.SOON))
        .isInstanceOf(SendFailedException.class);
  }

  @Test
  void orders_forProcessesOfOthers_areRefused_insteadOfSayingTheyAreDead() {
    Pid far = there.spawn(Kit.resting());
    assertThatThrownBy(() -> here.whenExited(far))
        .hasMessageContaining("belongs to another runtime")
        .hasMessageContaining("only through a connection of a cluster")
        .hasMessageContaining("by Cluster.join(runtime, options)");
    assertThatThrownBy(() -> here.whenStarted(far))
        .hasMessageContaining("belongs to another runtime");
    assertThatThrownBy(() -> here.cancel(far, "enough", Kit.SOON))
        .hasMessageContaining("belongs to another runtime");
    assertThatThrownBy(() -> here.terminate(far))
        .hasMessageContaining("belongs to another runtime");
    CompletableFuture<Exit> exit =
        here.whenExited(here.spawn(Kit.process((self, _, _) -> self.monitor(far))));
    assertThat(Kit.get(exit).reason()).isIn(Exit.Reason.FAILED, Exit.Reason.NOT_FOUND);
  }

  @Test
  @Tag("proc-135")
  void parcel_isOneEvent_withAllItsMessages() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid far = collector(there, got);
    here.send(far, Parcel.of("orders", 1, null, 3));
    Parcel parcel = (Parcel) Kit.take(got);
    assertThat(parcel.topic()).isEqualTo("orders");
    assertThat(parcel.messages()).containsExactly(1, null, 3);
    assertThat(got).isEmpty();
    assertThatThrownBy(() -> new Parcel("orders", null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  @Tag("proc-131")
  void coroutine_receives_whatIsSentToItsMailbox_alsoFromElsewhere() {
    Heddle.run(() -> {
      try (CoroutineMailbox box = here.mailbox(10)) {
        Pid echo =
            there.spawn(
                Kit.process((self, events, _) -> {
                  for (ProcessEvent event : events) {
                    self.send((Pid) java.util.Objects.requireNonNull(event.data()), "echo");
                  }
                }));
        here.send(echo, box.pid());
        assertThat(box.receive()).isEqualTo("echo");
        here.send(box.pid(), "near");
        assertThat(box.receive()).isEqualTo("near");
      }
    });
  }

  @Test
  @Tag("proc-131")
  void mailbox_answersRequests_andLeavesOtherCoroutinesTheirTurn() {
    Heddle.run(() -> {
      try (CoroutineMailbox box = here.mailbox(10)) {
        var server =
            Heddle.spawn(() -> {
              Request request = (Request) java.util.Objects.requireNonNull(box.receive());
              request.reply().complete("answer to " + request.message());
            });
        CompletableFuture<String> answer = there.request(box.pid(), "question");
        assertThat(Heddle.await(answer)).isEqualTo("answer to question");
        Heddle.await(server);
      }
    });
  }

  @Test
  @Tag("proc-132")
  @Tag("proc-134")
  void mailbox_fullOrClosed_refuses_andTellsThoseWhoAsked() {
    CoroutineMailbox box = here.mailbox(1);
    CompletableFuture<Object> answer = here.request(box.pid(), "question");
    assertThat(here.offer(box.pid(), "x")).isEqualTo(SendResult.FULL);
    assertThatThrownBy(() -> here.whenExited(box.pid())).hasMessageContaining("not a process");
    box.close();
    assertThat(here.offer(box.pid(), "x")).isEqualTo(SendResult.NOT_FOUND);
    assertThat(answer).isCompletedExceptionally();
    assertThatThrownBy(box::receive).hasMessageContaining("is closed");
    assertThatThrownBy(() -> here.mailbox(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Tag("proc-124")
  @Tag("proc-132")
  void shutdown_closesMailboxes_andTellsThoseWhoWait() {
    CoroutineMailbox full = here.mailbox(1);
    CompletableFuture<Object> answer = here.request(full.pid(), "question");
    CoroutineMailbox box = here.mailbox(1);
    Throwable thrown =
        Heddle.run(() -> {
          var waiting =
              Heddle.spawn(() -> {
                try {
                  return new AssertionError("it has received " + box.receive());
                } catch (IllegalStateException e) {
                  return e;
                }
              });
          Heddle.yieldNow();
          Thread.ofPlatform().start(here::close);
          return waiting.await();
        });
    assertThat(thrown).hasMessageContaining("shutdown of its runtime");
    assertThatThrownBy(() -> Kit.get(answer)).hasMessageContaining("has shut down");
    assertThat(here.offer(box.pid(), "x")).isEqualTo(SendResult.CLOSED);
    assertThatThrownBy(() -> here.mailbox(1)).hasMessageContaining("has shut down");
    box.close(); // again: nothing
  }

  @Test
  @Tag("proc-132")
  void cancelledReceive_losesNothing() {
    Heddle.run(() -> {
      try (CoroutineMailbox box = here.mailbox(10)) {
        var waiting = Heddle.spawn(() -> box.receive());
        Heddle.yieldNow();
        waiting.cancel("enough");
        here.send(box.pid(), "later");
        assertThat(box.receive()).isEqualTo("later");
      }
    });
  }
}
