// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Messages to mailboxes that are full, or nearly so.
@Timeout(300)
class FlowTest {
  private final TwoNodes nodes = new TwoNodes();
  private final TwoNodes.Node a = nodes.a;
  private final TwoNodes.Node b = nodes.b;
  private final CountDownLatch gate = new CountDownLatch(1);

  @AfterEach
  void end() {
    gate.countDown();
    nodes.close();
  }

  /// A process in a step that lasts until the gate opens.
  private Pid busy(int mailbox, MailboxPolicy policy) {
    Pid pid = b.obedient(StartOptions.defaults().withMailbox(mailbox, policy));
    CompletableFuture<Void> begun = new CompletableFuture<>();
    b.runtime.send(
        pid,
        (TwoNodes.Deed)
            _ -> {
              begun.complete(null);
              gate.await();
            });
    TwoNodes.get(begun);
    return pid;
  }

  /// Sends although the receiver may be paused: as if that news were on its way.
  private void sendBlind(Pid to, int message) {
    byte[] content = MessageContents.of(a.life(), message);
    a.line.execute(() -> b.remote().handle(List.of(new Frame.Message(to, Content.of(content)))));
  }

  @Test
  @Tag("C9")
  void nearlyFullMailbox_pausesItsSendersAtTheOtherNode_untilItIsHalfEmpty() throws Exception {
    Pid to = busy(8, MailboxPolicy.SUSPEND);
    Pid other = b.obedient();
    for (int i = 0; i < 6; i++) {
      assertThat(a.runtime.offer(to, i)).isEqualTo(SendResult.ACCEPTED);
    }
    nodes.settle();
    assertThat(a.runtime.offer(to, 6)).isEqualTo(SendResult.FULL);
    assertThatThrownBy(() -> a.runtime.ask(to, "hello", Duration.ofSeconds(1)))
        .isInstanceOfSatisfying(
            SendFailedException.class, e -> assertThat(e.result()).isEqualTo(SendResult.FULL));
    a.runtime.send(other, "passes");
    assertThat(b.take()).isEqualTo("passes");
    CompletableFuture<?> room = a.remote().room(to);
    assertThat(room).isNotDone();
    gate.countDown();
    TwoNodes.get(room);
    assertThat(a.runtime.offer(to, 6)).isEqualTo(SendResult.ACCEPTED);
    for (int i = 0; i <= 6; i++) {
      assertThat(b.take()).isEqualTo(i);
    }
  }

  @Test
  @Tag("C9")
  void body_thatSendsToAPausedProcess_waits_andLosesNothing() throws Exception {
    Pid to = busy(4, MailboxPolicy.SUSPEND);
    Pid sender =
        a.runtime.spawn(
            CoroutineProcess.ofAction(self -> {
              for (int i = 0; i < 100; i++) {
                self.context().send(to, i);
              }
            }));
    var _ = a.runtime.whenStarted(sender);
    gate.countDown();
    for (int i = 0; i < 100; i++) {
      assertThat(b.take()).isEqualTo(i);
    }
    a.exit(sender);
  }

  @Test
  void pausedMailboxThatRejects_makesNobodyWait() {
    Pid to = busy(4, MailboxPolicy.REJECT);
    for (int i = 0; i < 3; i++) {
      a.runtime.send(to, i);
    }
    nodes.settle();
    assertThat(a.remote().room(to)).isNull();
    assertThat(a.runtime.offer(to, 3)).isEqualTo(SendResult.FULL);
  }

  @Test
  @Tag("C3")
  @Tag("C9")
  void messagesOnTheirWay_waitInOrderBehindAMailboxThatSuspends() throws Exception {
    Pid to = busy(4, MailboxPolicy.SUSPEND);
    Pid other = b.obedient();
    for (int i = 0; i < 20; i++) {
      sendBlind(to, i);
    }
    nodes.settle();
    assertThat(b.remote().heldBytes()).isPositive();
    a.runtime.send(other, "passes");
    assertThat(b.take()).isEqualTo("passes");
    gate.countDown();
    for (int i = 0; i < 20; i++) {
      assertThat(b.take()).isEqualTo(i);
    }
    TwoNodes.get(a.remote().room(to));
    assertThat(b.remote().heldBytes()).isZero();
    assertThat(b.sent.stream().filter(Frame.Pause.class::isInstance)).hasSize(1);
  }

  @Test
  @Tag("C3")
  void messagesOnTheirWay_toAMailboxThatRejects_areReportedToTheirSender() throws Exception {
    Pid to = busy(4, MailboxPolicy.REJECT);
    Pid sender = a.obedient();
    a.in(
        sender,
        self -> {
          self.trapUndelivered();
          return self.offer(to, 0);
        });
    for (int i = 1; i < 7; i++) {
      sendBlind(to, i);
    }
    nodes.settle();
    for (int i = 0; i < 3; i++) {
      assertThat(a.take()).isEqualTo(new ProcessSignal.Undelivered(to, 1, SendResult.FULL));
    }
    assertThat(a.remote().counters().refusedThere()).isEqualTo(3);
  }

  @Test
  @Tag("C9")
  void heldMessages_whenTheSessionEnds_areDroppedAndCounted() throws Exception {
    Pid to = busy(4, MailboxPolicy.SUSPEND);
    for (int i = 0; i < 10; i++) {
      sendBlind(to, i);
    }
    nodes.settle();
    CompletableFuture<?> room = a.remote().room(to);
    nodes.loseSession();
    assertThat(b.remote().counters().dropped()).isEqualTo(6);
    assertThat(b.remote().heldBytes()).isZero();
    assertThat(room).isCompleted();
    gate.countDown();
    for (int i = 0; i < 4; i++) {
      assertThat(b.take()).isEqualTo(i);
    }
  }

  /// Holds messages behind each mailbox of a node without threads, and gives all of them space.
  ///
  /// @param messages to each
  private static void hold(FakeNode node, int mailboxes, int messages) {
    node.nearlyFull = MailboxPolicy.SUSPEND;
    node.offered = SendResult.FULL;
    node.room = new CompletableFuture<>();
    byte[] content = MessageContents.of(new FakeNode("a", "b", 1).life, "held");
    for (int i = 0; i < mailboxes * messages; i++) {
      Pid to = node.pid(i % mailboxes);
      node.remote.handle(List.of(new Frame.Message(to, Content.of(content))));
    }
    node.nearlyFull = null;
    node.offered = SendResult.ACCEPTED;
  }

  private static void giveSpace(FakeNode node) {
    CompletableFuture<?> space = node.room;
    node.room = CompletableFuture.completedFuture(null);
    space.complete(null);
  }

  /// Else the thread that reads from the other node waits for the lock while millions are put.
  @Test
  @Tag("C9")
  void heldMessages_areMovedInPortions_andTheLockIsFreeInBetween() throws Exception {
    FakeNode node = new FakeNode("b", "a", 2);
    hold(node, 1, 3_000);
    List<Pid> offered = offered(node, node.pid(1), () -> giveSpace(node));
    assertThat(offered).hasSize(3_001);
    assertThat(offered.indexOf(node.pid(1))).isEqualTo(1_024);
    assertThat(node.remote.heldBytes()).isZero();
  }

  /// To whom messages are offered, in order, while mailboxes are served, and another message comes
  /// as soon as the first one is offered.
  private static List<Pid> offered(FakeNode node, Pid next, Runnable serving)
      throws InterruptedException {
    byte[] content = MessageContents.of(new FakeNode("a", "b", 1).life, "next");
    Frame message = new Frame.Message(next, Content.of(content));
    Thread reader = Thread.ofPlatform().unstarted(() -> node.remote.handle(List.of(message)));
    List<Pid> offered = Collections.synchronizedList(new ArrayList<>());
    node.offering =
        to -> {
          if (offered.isEmpty()) {
            startToWait(reader);
          }
          offered.add(to);
        };
    serving.run();
    reader.join();
    return offered;
  }

  /// Starts a thread, and returns when it waits.
  private static void startToWait(Thread thread) {
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  /// The thread that reads from the other node waited behind all those that had space to report.
  @Test
  @Tag("C9")
  void manyMailboxesWithSpace_areServedByOneThread_inPortionsTogether() throws Exception {
    FakeNode node = new FakeNode("b", "a", 1_000);
    Deque<Runnable> threads = new ArrayDeque<>();
    node.callbacks = threads::add;
    hold(node, 999, 2);
    giveSpace(node);
    assertThat(threads).hasSize(1);

    List<Pid> offered = offered(node, node.pid(999), threads.remove());
    assertThat(offered).hasSize(2 * 999 + 1);
    assertThat(offered.indexOf(node.pid(999))).isEqualTo(1_024);
    assertThat(threads).isEmpty();
    assertThat(node.remote.heldBytes()).isZero();
  }

  @Test
  @Tag("C9")
  void creditReturn_whileAnotherThreadDelivers_doesNotWait() {
    FakeNode node = new FakeNode("b", "a", 1);
    List<Boolean> returned = new ArrayList<>();
    node.offering =
        _ -> returned.add(CompletableFuture.supplyAsync(() -> isCreditGiven(node)).join());
    byte[] content = MessageContents.of(new FakeNode("a", "b", 1).life, "taken");
    node.remote.handle(List.of(new Frame.Message(node.pid(0), Content.of(content))));
    assertThat(returned).containsExactly(true);
  }

  private static boolean isCreditGiven(FakeNode node) {
    return node.remote.creditReturn().isDone();
  }

  /// Each counts, also when it has nothing to put.
  @Test
  @Tag("C9")
  void manyMailboxesThatAreOnlyResumed_areServedInPortions() throws Exception {
    FakeNode node = new FakeNode("b", "a", 2_001);
    Deque<Runnable> threads = new ArrayDeque<>();
    node.callbacks = threads::add;
    node.nearlyFull = MailboxPolicy.SUSPEND;
    node.room = new CompletableFuture<>();
    byte[] content = MessageContents.of(new FakeNode("a", "b", 1).life, "taken");
    for (int i = 1; i < 2_000; i++) {
      node.remote.handle(List.of(new Frame.Message(node.pid(i), Content.of(content))));
    }
    node.offered = SendResult.FULL; // held, and served first: the last wait is told first
    node.remote.handle(List.of(new Frame.Message(node.pid(0), Content.of(content))));
    node.offered = SendResult.ACCEPTED;
    node.nearlyFull = null;
    Frame next = new Frame.Message(node.pid(2_000), Content.of(content));
    Thread reader = Thread.ofPlatform().unstarted(() -> node.remote.handle(List.of(next)));
    List<Long> resumed = Collections.synchronizedList(new ArrayList<>());
    node.offering =
        to -> {
          if (to.equals(node.pid(0))) {
            startToWait(reader);
          } else {
            resumed.add(node.outbox.stream().filter(Frame.Resume.class::isInstance).count());
          }
        };
    giveSpace(node);
    threads.remove().run();
    reader.join();
    assertThat(resumed).containsExactly(1_024L);
  }

  /// What the next session brings would come before it.
  @Test
  @Tag("C1")
  void heldMessages_whoseSessionEndsWhileTheyArePut_areNotPutFurther() {
    FakeNode node = new FakeNode("b", "a", 1);
    hold(node, 1, 3);
    List<Pid> offered = new ArrayList<>();
    node.offering =
        to -> {
          offered.add(to);
          CompletableFuture.runAsync(node::endSession).join(); // waits for nothing
        };
    giveSpace(node);
    assertThat(offered).hasSize(1);
    assertThat(node.remote.counters().dropped()).isEqualTo(2);
    assertThat(node.remote.heldBytes()).isZero();
  }

  /// Else its mailbox, and those that were ready as well, would be paused for ever.
  @Test
  @Tag("C3")
  void heldMessage_thatCannotBePut_endsTheSession() {
    FakeNode node = holding();
    StackOverflowError thrown = new StackOverflowError("of its constructor");
    node.offering =
        _ -> {
          throw thrown;
        };
    giveSpace(node);
    assertThat(node.failures).containsExactly(thrown);
  }

  /// A message is held at a node without threads.
  private static FakeNode holding() {
    FakeNode node = new FakeNode("b", "a", 1);
    node.nearlyFull = MailboxPolicy.SUSPEND;
    node.offered = SendResult.FULL;
    node.room = new CompletableFuture<>();
    byte[] content = MessageContents.of(new FakeNode("a", "b", 1).life, "held");
    node.remote.handle(List.of(new Frame.Message(node.pid(0), Content.of(content))));
    assertThat(node.remote.heldBytes()).isPositive();
    return node;
  }

  @Test
  @Tag("C9")
  void waitForSpaceInAMailbox_whenTheSessionEnds_isGivenUp() {
    FakeNode node = holding();
    node.endSession();
    assertThat(node.room).isCancelled();
  }

  /// So the senders at the other node waited for ever.
  @Test
  @Tag("C9")
  void pausedReceiver_forWhoseSpaceNoThreadCanBeMade_isResumedWhenThereIsOne() {
    FakeNode node = holding();
    node.callbacks = FakeNode.NO_THREAD;
    CompletableFuture<?> room = node.room;
    node.room = CompletableFuture.completedFuture(null);
    node.offered = SendResult.ACCEPTED;
    room.complete(null);
    assertThat(node.remote.heldBytes()).isPositive();

    node.callbacks = Runnable::run;
    node.retry();

    assertThat(node.outbox).endsWith(new Frame.Resume(node.pid(0)));
    assertThat(node.remote.heldBytes()).isZero();
  }

  @Test
  @Tag("C9")
  void pausedReceiver_countsAsHeld_untilItIsResumed() {
    FakeNode node = new FakeNode("b", "a", 1);
    node.nearlyFull = MailboxPolicy.SUSPEND;
    node.room = new CompletableFuture<>();
    byte[] content = MessageContents.of(new FakeNode("a", "b", 1).life, "taken");
    node.remote.handle(List.of(new Frame.Message(node.pid(0), Content.of(content))));
    assertThat(node.remote.heldBytes()).isEqualTo(Deliveries.MAILBOX_COST);

    CompletableFuture<?> room = node.room;
    node.room = CompletableFuture.completedFuture(null);
    room.complete(null);
    assertThat(node.outbox).endsWith(new Frame.Resume(node.pid(0)));
    assertThat(node.remote.heldBytes()).isZero();
  }

  @Test
  @Tag("C9")
  void idsOfHeldRequests_count_untilTheyAreGivenUp() {
    FakeNode node = holding();
    long before = node.remote.heldBytes();
    node.remote.handle(List.of(new Frame.Ask(1, node.pid(0), new byte[1])));
    assertThat(node.remote.heldBytes()).isEqualTo(before + HeldAsks.ENTRY_COST);
    node.remote.handle(List.of(new Frame.GiveUp(1)));
    assertThat(node.remote.heldBytes()).isEqualTo(before);
    node.remote.handle(List.of(new Frame.GiveUp(2))); // of one that is not held
    assertThat(node.remote.heldBytes()).isEqualTo(before);
  }

  @Test
  @Tag("C9")
  void heldMessages_whenThereIsSpace_areDecodedOnAThreadOfTheirOwn() {
    FakeNode node = holding();
    List<Runnable> tasks = new ArrayList<>();
    node.callbacks = tasks::add;
    CompletableFuture<?> room = node.room;
    node.room = CompletableFuture.completedFuture(null);
    node.offered = SendResult.ACCEPTED;
    room.complete(null); // by the timers, which others wait for
    assertThat(node.remote.heldBytes()).isPositive();
    tasks.forEach(Runnable::run);
    assertThat(node.remote.heldBytes()).isZero();
  }

  @Test
  @Tag("C5")
  void requestsHeldBehindAMailbox_failWhenItsProcessEnds() {
    Pid to = busy(2, MailboxPolicy.SUSPEND);
    byte[] content = MessageContents.of(a.life(), "hello");
    for (long id = 1; id <= 5; id++) {
      Frame ask = new Frame.Ask(id, to, content);
      a.line.execute(() -> b.remote().handle(List.of(ask)));
    }
    nodes.settle();
    b.runtime.terminate(to);
    gate.countDown();
    b.exit(to);
    TwoNodes.get(CompletableFuture.runAsync(this::awaitFiveFailures));
  }

  @Test
  @Tag("C5")
  void requestsThatAreGivenUpWhileTheyAreHeld_areNotDelivered() throws Exception {
    Pid to = busy(1, MailboxPolicy.SUSPEND);
    byte[] content = MessageContents.of(a.life(), "silence");
    for (long id = 1; id <= 3; id++) { // the first one fills the mailbox
      b.remote().handle(List.of(new Frame.Ask(id, to, content)));
    }
    b.remote().handle(List.of(new Frame.GiveUp(1)));
    b.remote().handle(List.of(new Frame.GiveUp(2)));
    b.remote()
        .handle(List.of(new Frame.Message(to, Content.of(MessageContents.of(a.life(), "last")))));
    gate.countDown();
    assertThat(((Request) b.take()).reply().isOpen()).isFalse(); // 1: it was in the mailbox
    assertThat(((Request) b.take()).reply().isOpen()).isTrue(); // 3
    assertThat(b.take()).isEqualTo("last");
    nodes.settle();
    TwoNodes.get(a.remote().room(to)); // until then the receiver counts
    assertThat(b.remote().heldBytes()).isZero();
  }

  private void awaitFiveFailures() {
    while (b.sent.stream().filter(Frame.AskFailed.class::isInstance).count() < 5) {
      Thread.onSpinWait();
    }
  }

  @Test
  @Tag("C9")
  void credit_isKeptBackWhileTooMuchIsHeld() throws Exception {
    Pid to = busy(1, MailboxPolicy.SUSPEND);
    byte[] large = MessageContents.of(a.life(), new byte[1_000_000]);
    while (b.remote().heldBytes() <= Deliveries.HELD_BYTES) {
      assertThat(b.remote().creditReturn()).isDone();
      b.remote().handle(List.of(new Frame.Message(to, Content.of(large))));
    }
    assertThat(b.remote().heldBytes()).isLessThan(Deliveries.HELD_BYTES + 1_100_000);
    CompletableFuture<?> credit = b.remote().creditReturn();
    assertThat(credit).isNotDone();
    gate.countDown();
    TwoNodes.get(credit);
    assertThat(b.remote().creditReturn()).isDone();
  }

  // ---- messages of types that are not known ----

  record Known(int number) {}

  @Test
  @Tag("C3")
  @Tag("C5")
  void messageOfAnUnknownType_isRefused_andTheSessionGoesOn() throws Exception {
    MessageTypes known = MessageTypes.of(List.of(Known.class), List.of());
    try (TwoNodes mixed =
        new TwoNodes(known, FakeNode.NO_TYPES, PeerOptions.ForeignOrders.CARRIED_OUT)) {
      Pid to = mixed.b.obedient();
      mixed.a.runtime.send(to, new Known(1));
      CompletableFuture<Object> answer = mixed.a.runtime.request(to, new Known(2));
      assertThatThrownBy(() -> TwoNodes.get(answer)).hasMessageContaining("on node 'b'");
      mixed.a.runtime.send(to, "known");
      assertThat(mixed.b.take()).isEqualTo("known");
      assertThat(mixed.a.remote().counters().refusedThere()).isEqualTo(1);
    }
  }
}
