// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.remote.LocalProcesses;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Messages and requests to a node whose connection says more than a plain peer.
@Timeout(300)
@Tag("P10")
class NodeSendTest {
  private final ProcessRuntime here =
      ProcessRuntime.builder().workers(2).node("n1").host("a").incarnation(1).start();
  private final ProcessRuntime there =
      ProcessRuntime.builder().workers(2).node("n2").host("b").incarnation(7).start();
  private final Way way = new Way(here);
  private final BlockingQueue<Object> got = Kit.queue();

  /// A connection that refuses what the test says.
  private static final class Way extends TestNode {
    private static final Object LOCK = new Object();

    final BlockingQueue<CompletableFuture<@Nullable Void>> waits = Kit.queue();
    volatile boolean full;
    volatile boolean waiting = true;

    Way(ProcessRuntime here) {
      super(here, LOCK);
    }

    @Override
    public SendResult send(Pid to, @Nullable Object message) {
      Object content = message instanceof Request request ? request.message() : message;
      if (content instanceof Thread) {
        throw new NotSendableException("Thread is not registered");
      }
      return full ? SendResult.FULL : super.send(to, message);
    }

    @Override
    public @Nullable CompletableFuture<@Nullable Void> room(Pid to) {
      if (!waiting) {
        return null;
      }
      CompletableFuture<@Nullable Void> room = new CompletableFuture<>();
      waits.add(room);
      return room;
    }
  }

  NodeSendTest() {
    TestNode.join(way, new TestNode(there, Way.LOCK));
  }

  @AfterEach
  void end() {
    here.close();
    there.close();
  }

  private Pid collector() {
    return there.spawn((events, _) -> events.forEach(event -> got.add(event.data())));
  }

  // ---- FULL ----

  @Test
  void body_waitsForRoomOnTheWay_asOftenAsItIsFull() throws Exception {
    Pid far = collector();
    way.full = true;
    Pid sender = here.spawn(CoroutineProcess.ofAction(self -> self.context().send(far, "late")));
    Kit.take(way.waits).complete(null); // still full
    CompletableFuture<@Nullable Void> second = Kit.take(way.waits);
    assertThat(got).isEmpty();
    way.full = false;
    second.complete(null);
    assertThat(Kit.take(got)).isEqualTo("late");
    assertThat(Kit.exit(here, sender).reason()).isEqualTo(Exit.Reason.NORMAL);
  }

  @Test
  void bodyThatWaits_isEnded_andSendsNothing() throws Exception {
    Pid far = collector();
    way.full = true;
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Pid sender =
        here.spawn(
            CoroutineProcess.ofAction(self -> {
              try {
                self.context().send(far, "never");
              } catch (Cancellation e) {
                thrown.complete(e);
                throw e;
              }
            }));
    CompletableFuture<@Nullable Void> room = Kit.take(way.waits);
    here.terminate(sender);
    assertThat(Kit.get(thrown)).hasMessageContaining("space in the mailbox of " + far);
    way.full = false;
    room.complete(null);
    here.send(far, "next");
    assertThat(Kit.take(got)).isEqualTo("next");
  }

  @Test
  void coroutine_waitsForRoomOnTheWay() throws Exception {
    Pid far = collector();
    way.full = true;
    Heddle.run(() -> {
      Coroutine<?> sender =
          Heddle.spawn(() -> {
            here.send(far, "late");
            return null;
          });
      while (way.waits.isEmpty()) {
        Heddle.yieldNow();
      }
      way.full = false;
      Kit.take(way.waits).complete(null);
      sender.await();
      return null;
    });
    assertThat(Kit.take(got)).isEqualTo("late");
  }

  @Test
  void body_isRefused_whereThePeerSaysThatSendersDoNotWait() {
    Pid far = collector();
    way.full = true;
    way.waiting = false;
    Pid sender = here.spawn(CoroutineProcess.ofAction(self -> self.context().send(far, "x")));
    assertThat(Kit.exit(here, sender).cause())
        .isInstanceOf(SendFailedException.class)
        .hasMessageContaining("is full");
  }

  @Test
  void stepAndThread_andOfferAndAsk_doNotWait() {
    Pid far = collector();
    way.full = true;
    assertThat(here.offer(far, "x")).isEqualTo(SendResult.FULL);
    assertThatThrownBy(() -> here.send(far, "x"))
        .isInstanceOf(SendFailedException.class)
        .hasMessageContaining("is full");
    assertThatThrownBy(() -> here.ask(far, "x", Kit.SOON)).isInstanceOf(SendFailedException.class);
    CompletableFuture<SendResult> inStep = new CompletableFuture<>();
    here.spawn(
        Kit.process((self, _, out) -> {
          try {
            self.send(far, "x");
          } catch (SendFailedException e) {
            inStep.complete(e.result());
          }
          out.done();
        }));
    assertThat(Kit.get(inStep)).isEqualTo(SendResult.FULL);
    assertThat(way.waits).isEmpty();
  }

  // ---- not sendable ----

  @Test
  void messageThatCannotBeEncoded_isRefusedAtTheCall_withTheReason() {
    Pid far = collector();
    Object unsendable = Thread.currentThread();
    assertThatThrownBy(() -> here.send(far, unsendable))
        .isInstanceOf(NotSendableException.class)
        .hasMessage("Thread is not registered");
    assertThat(here.offer(far, unsendable)).isEqualTo(SendResult.NOT_SENDABLE);
    assertThatThrownBy(() -> here.ask(far, unsendable, Kit.SOON))
        .isInstanceOf(NotSendableException.class);
    assertThat(here.request(far, unsendable))
        .isCompletedExceptionally()
        .failsWithin(Kit.SOON)
        .withThrowableThat()
        .withCauseInstanceOf(NotSendableException.class);
  }

  @Test
  void messageOfAProcessThatCannotBeEncoded_endsIt_orFailsItsCommand() {
    Pid far = collector();
    Object unsendable = Thread.currentThread();
    Pid sending = here.spawn(Kit.process((self, _, _) -> self.send(far, unsendable)));
    assertThat(Kit.exit(here, sending).cause()).isInstanceOf(NotSendableException.class);
    Pid asking =
        here.spawn(
            CoroutineProcess.of(self -> self.execute(Commands.ask(far, unsendable, Kit.SOON))));
    assertThat(Kit.exit(here, asking).cause()).isInstanceOf(NotSendableException.class);
  }

  @Test
  void messageThatCannotBeEncoded_isADeadLetter() throws Exception {
    BlockingQueue<Object> letters = Kit.queue();
    Pid reader = here.spawn((events, _) -> events.forEach(event -> letters.add(event.data())));
    here.events().subscribe(DeadLetter.class, reader);
    assertThatThrownBy(() -> here.send(collector(), Thread.currentThread()))
        .isInstanceOf(NotSendableException.class);
    assertThat(((DeadLetter) Kit.take(letters)).reason())
        .isEqualTo(DeadLetter.Reason.of(SendResult.NOT_SENDABLE));
  }

  // ---- requests ----

  private record CountItems(int factor, Reply<Integer> reply) implements TestNode.Carrier {
    @Override
    @SuppressWarnings("unchecked") // safe: as a decoder does, which knows the type of the reply
    public Object with(Reply<@Nullable Object> other) {
      return new CountItems(factor, (Reply<Integer>) (Reply<?>) other);
    }
  }

  @Test
  void typedRequest_isRebuiltWithAReplyOfTheOtherNode() throws Exception {
    TypedProcess<CountItems> cart =
        TypedCoroutineProcess.of(
            CountItems.class,
            self -> {
              while (true) {
                CountItems count = self.next();
                got.add(count.reply());
                count.reply().complete(21 * count.factor());
              }
            });
    Pid far = Objects.requireNonNull(there.spawn(cart).pid());
    CompletableFuture<Reply<Integer>> sent = new CompletableFuture<>();
    int answer =
        here.ref(far, CountItems.class)
            .ask(
                (Reply<Integer> reply) -> {
                  sent.complete(reply);
                  return new CountItems(2, reply);
                },
                Kit.SOON);
    assertThat(answer).isEqualTo(42);
    assertThat(Kit.take(got)).isNotSameAs(Kit.get(sent));
  }

  @Test
  void typedRequest_forwardedToAnotherNode_isAnsweredThere() throws Exception {
    TypedProcess<CountItems> cart =
        TypedCoroutineProcess.of(
            CountItems.class,
            self -> {
              while (true) {
                self.next().reply().complete(7);
              }
            });
    Pid far = Objects.requireNonNull(there.spawn(cart).pid());
    CompletableFuture<Object> forwarded = new CompletableFuture<>();
    Pid front =
        here.spawn((events, _) -> {
          for (ProcessEvent event : events) {
            Request request = (Request) Objects.requireNonNull(event.data());
            var _ = here.forward(far, request).thenAccept(forwarded::complete);
          }
        });
    int answer =
        here.ref(front, CountItems.class)
            .ask((Reply<Integer> reply) -> new CountItems(1, reply), Kit.SOON);
    assertThat(answer).isEqualTo(7);
    assertThat(Kit.get(forwarded)).isEqualTo(7);
  }

  @Test
  void request_failsWithTheEndOfTheFarProcess() {
    Pid far =
        there.spawn((events, _) -> {
          if (!events.isEmpty()) {
            throw new IllegalStateException("died");
          }
        });
    assertThatThrownBy(() -> here.ask(far, "question", Kit.SOON))
        .isInstanceOf(AskFailedException.class)
        .hasCauseInstanceOf(NoReplyException.class);
    assertThatThrownBy(() -> here.ask(new Pid("n2", "b", 9_999, 7), "question", Kit.SOON))
        .isInstanceOf(SendFailedException.class)
        .hasMessageContaining("not found");
  }

  @Test
  void askerThatGivesUp_isSeenOnTheOtherNode() throws Exception {
    BlockingQueue<Request> requests = Kit.queue();
    Pid far = there.spawn((events, _) -> events.forEach(e -> requests.add((Request) e.data())));
    CompletableFuture<Object> answer = here.request(far, "question");
    Request seen = Kit.take(requests);
    assertThat(seen.reply().isOpen()).isTrue();
    answer.cancel(false);
    assertThat(seen.reply().isOpen()).isFalse();
    assertThat(seen.reply().complete("late")).isFalse();
  }

  @Test
  void firstAskerThatGivesUp_isSeenThroughAForward() throws Exception {
    BlockingQueue<CompletableFuture<?>> passedOn = Kit.queue();
    BlockingQueue<Request> requests = Kit.queue();
    Pid far = there.spawn((events, _) -> events.forEach(e -> requests.add((Request) e.data())));
    Pid front =
        here.spawn((events, _) -> {
          for (ProcessEvent event : events) {
            passedOn.add(here.forward(far, (Request) Objects.requireNonNull(event.data())));
          }
        });
    CompletableFuture<Object> answer = here.request(front, "question");
    Request seen = Kit.take(requests);
    Kit.take(passedOn); // the far process may have it before the connection watches the reply
    answer.cancel(false);
    assertThat(seen.reply().isOpen()).isFalse();
  }

  @Test
  void closedReply_isToldOnce_whicheverWayItIsClosed() {
    LocalProcesses local = LocalProcesses.of(here);
    BlockingQueue<String> told = Kit.queue();
    for (String how : List.of("completed", "failed", "given up")) {
      CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
      Request request = new Request("question", Reply.untyped(answer));
      local.onClosed(request, () -> told.add(how));
      switch (how) {
        case "completed" -> assertThat(local.complete(request, 1)).isTrue();
        case "failed" -> assertThat(local.fail(request, new IllegalStateException("no"))).isTrue();
        default -> answer.cancel(false);
      }
      assertThat(local.complete(request, 2)).isFalse();
      assertThat(local.fail(request, new IllegalStateException("no"))).isFalse();
      local.onClosed(request, () -> told.add("at once"));
    }
    assertThat(told)
        .containsExactly("completed", "at once", "failed", "at once", "given up", "at once");
  }

  // ---- what another node asks ----

  @Test
  void localProcesses_serveAddressesOfThisLifeOnly() {
    LocalProcesses local = LocalProcesses.of(there);
    Pid far = collector();
    assertThat(local.address(far.id())).isEqualTo(far);
    assertThat(local.find(far.address())).isNotNull();
    assertThat(local.find(new Pid("n2", "b", far.id(), 6))).isNull();
    assertThat(local.offer(new Pid("n1", "a", 1, 1), "x")).isEqualTo(SendResult.UNREACHABLE);
    assertThat(local.offer(new Pid("n2", "b", far.id(), 6), "x")).isEqualTo(SendResult.NOT_FOUND);
    assertThat(local.request(new Pid("n1", "a", 1, 1), "x")).isCompletedExceptionally();
    assertThat(local.whenStarted(new Pid("n2", "b", far.id(), 6))).isCompletedWithValue(false);
  }

  @Test
  void mailbox_isNearlyFullAtThreeQuarters_andHasRoomAtTheHalf() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Pid far =
        there.spawn(
            CoroutineProcess.ofAction(self -> {
              goOn.await();
              for (int i = 0; i < 2; i++) {
                self.receive();
              }
              self.receive("end"::equals);
            }),
            StartOptions.defaults().withMailbox(4, MailboxPolicy.REJECT));
    LocalProcesses local = LocalProcesses.of(there);
    local.offer(far, 1);
    local.offer(far, 2);
    assertThat(local.nearlyFull(far)).isNull();
    assertThat(local.room(far)).isCompleted();
    local.offer(far, 3);
    assertThat(local.nearlyFull(far)).isEqualTo(MailboxPolicy.REJECT);
    CompletableFuture<@Nullable Void> room = local.room(far);
    assertThat(room).isNotDone();
    goOn.countDown();
    assertThat(Kit.get(room)).isNull();
    assertThat(local.nearlyFull(far)).isNull();
  }

  @Test
  void room_ofAProcessThatEnds_orOfNone_isNotWaitedFor() {
    Pid far =
        there.spawn(
            CoroutineProcess.of(self -> self.receive("never"::equals)),
            StartOptions.defaults().withMailbox(1, MailboxPolicy.SUSPEND));
    LocalProcesses local = LocalProcesses.of(there);
    there.send(far, "fills it");
    CompletableFuture<@Nullable Void> room = local.room(far);
    there.terminate(far);
    assertThat(Kit.get(room)).isNull();
    assertThat(local.room(new Pid("n2", "b", 9_999, 7))).isCompleted();
  }

  @Test
  void mailbox_thatDropsOrHasNoBound_isNeverNearlyFull() {
    LocalProcesses local = LocalProcesses.of(there);
    Process waiting = CoroutineProcess.of(self -> self.receive("never"::equals));
    Pid drops =
        there.spawn(waiting, StartOptions.defaults().withMailbox(1, MailboxPolicy.DROP_OLDEST));
    there.send(drops, "fills it");
    assertThat(local.nearlyFull(drops)).isNull();
    assertThat(local.room(drops)).isCompleted();
    Pid unbounded =
        there.spawn(
            Kit.resting(),
            StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT));
    there.send(unbounded, "x");
    assertThat(local.nearlyFull(unbounded)).isNull();
  }

  // ---- undelivered messages ----

  @Test
  void undelivered_isToldToASenderThatWantsIt_andOnlyThen() throws Exception {
    LocalProcesses local = LocalProcesses.of(here);
    Pid far = collector();
    ProcessSignal.Undelivered lost = new ProcessSignal.Undelivered(far, 3, SendResult.FULL);
    Pid sender =
        here.spawn(
            Kit.process((self, events, _) -> {
              for (ProcessEvent event : events) {
                switch (event.data()) {
                  case String s when s.equals("trap") -> self.trapUndelivered();
                  case String s when s.equals("untrap") -> self.untrapUndelivered();
                  case null, default -> {}
                }
                Pid wants = local.senderToNotify();
                got.add(event.data() + " " + (wants == null ? "no" : wants.equals(self.self())));
              }
            }));
    local.undelivered(sender, lost); // nobody
    here.send(sender, "trap");
    assertThat(Kit.take(got)).isEqualTo("trap true");
    local.undelivered(sender, lost);
    assertThat(Kit.take(got)).isEqualTo(lost + " true");
    here.send(sender, "untrap");
    assertThat(Kit.take(got)).isEqualTo("untrap no");
    local.undelivered(sender, lost);
    here.send(sender, "last");
    assertThat(Kit.take(got)).isEqualTo("last no");
    assertThat(local.senderToNotify()).isNull();
  }
}
