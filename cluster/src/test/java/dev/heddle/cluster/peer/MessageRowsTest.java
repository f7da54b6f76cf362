// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.StartOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Messages of one packet to one process.
@Timeout(300)
class MessageRowsTest {
  /// Whose constructor may wait.
  record Slow(int number) {
    static volatile Runnable constructed = () -> {};

    Slow {
      constructed.run();
    }
  }

  private static final MessageTypes TYPES = MessageTypes.of(List.of(Slow.class), List.of());

  private final TwoNodes nodes = new TwoNodes(TYPES, TYPES, PeerOptions.ForeignOrders.CARRIED_OUT);
  private final TwoNodes.Node a = nodes.a;
  private final TwoNodes.Node b = nodes.b;
  private final CountDownLatch gate = new CountDownLatch(1);

  @AfterEach
  void end() {
    Slow.constructed = () -> {};
    gate.countDown();
    nodes.close();
  }

  private Frame message(Pid to, Object message) {
    return new Frame.Message(to, Content.of(new MessageWriter(TYPES, a.life()).encode(message)));
  }

  private List<Frame> row(Pid to, int messages) {
    List<Frame> row = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      row.add(message(to, i));
    }
    return row;
  }

  /// As a packet is delivered.
  private void deliver(List<Frame> packet) {
    nodes.settle();
    b.remote().handle(packet);
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

  private void assertCome(int messages) throws InterruptedException {
    for (int i = 0; i < messages; i++) {
      assertThat(b.take()).isEqualTo(i);
    }
  }

  @Test
  @Tag("C2")
  void row_isDeliveredInOrder_asOne() throws Exception {
    Pid to = b.obedient();
    nodes.settle();
    assertThat(b.remote().carryOut(row(to, 200), 0)).isEqualTo(200);
    assertCome(200);
  }

  @Test
  @Tag("C2")
  void row_endsWhereSomethingElseFollows() throws Exception {
    Pid to = b.obedient();
    Pid other = b.obedient();
    List<Frame> packet = new ArrayList<>(row(to, 3));
    packet.add(message(other, 3));
    packet.add(message(to, 4));
    packet.add(new Frame.GiveUp(1));
    packet.add(message(to, 5));
    List<Integer> ends = new ArrayList<>();
    nodes.settle();
    for (int next = 0; next < packet.size(); ends.add(next)) {
      next = b.remote().carryOut(packet, next);
    }
    assertThat(ends).containsExactly(3, 4, 5, 6, 7);
  }

  @Test
  @Tag("C3")
  @Tag("C9")
  void row_longerThanTheMailbox_waitsInOrderBehindIt() throws Exception {
    Pid to = busy(4, MailboxPolicy.SUSPEND);
    deliver(row(to, 20));
    assertThat(b.remote().heldBytes()).isPositive();
    gate.countDown();
    assertCome(20);
    nodes.settle();
    TwoNodes.get(a.remote().room(to)); // until then the receiver counts
    assertThat(b.remote().heldBytes()).isZero();
    assertThat(b.sent.stream().filter(Frame.Pause.class::isInstance)).hasSize(1);
  }

  @Test
  @Tag("C3")
  void row_longerThanAMailboxThatRejects_isRefusedMessageByMessage() throws Exception {
    Pid to = busy(4, MailboxPolicy.REJECT);
    deliver(row(to, 9));
    nodes.settle();
    assertThat(a.remote().counters().refusedThere()).isEqualTo(5);
    assertThat(b.remote().counters().refusedHere()).isEqualTo(5);
    gate.countDown();
    assertCome(4);
  }

  @Test
  @Tag("C9")
  void row_thatFillsThreeQuarters_pausesSenders() {
    Pid to = busy(8, MailboxPolicy.SUSPEND);
    deliver(row(to, 6));
    nodes.settle();
    assertThat(a.remote().room(to)).isNotDone();
  }

  @Test
  @Tag("C3")
  void messageThatCannotBeDecoded_isRefused_andTheRestOfItsRowComes() throws Exception {
    Pid to = b.obedient();
    List<Frame> packet = row(to, 4);
    packet.add(2, new Frame.Message(to, Content.of(new byte[] {99, 99})));
    deliver(packet);
    assertCome(4);
    nodes.settle();
    assertThat(a.remote().counters().refusedThere()).isEqualTo(1);
  }

  @Test
  @Tag("C3")
  void row_toAProcessThatHasEnded_isRefusedMessageByMessage() {
    Pid to = b.obedient();
    b.runtime.send(to, "done");
    b.exit(to);
    deliver(row(to, 3));
    nodes.settle();
    assertThat(a.remote().counters().refusedThere()).isEqualTo(3);
  }

  @Test
  @Tag("C4")
  void row_whoseSessionEndsWhileItIsDecoded_isNotDelivered() throws Exception {
    Pid to = b.obedient();
    List<Frame> packet = List.of(message(to, 1), message(to, new Slow(2)), message(to, 3));
    CountDownLatch reached = new CountDownLatch(1);
    Slow.constructed =
        () -> {
          reached.countDown();
          await(gate);
        };
    CompletableFuture<Void> delivered = CompletableFuture.runAsync(() -> deliver(packet));
    await(reached);
    b.loseSession();
    gate.countDown();
    TwoNodes.get(delivered);
    b.runtime.send(to, "later");
    assertThat(b.take()).isEqualTo("later");
  }

  @Test
  @Tag("C1")
  void packet_whoseSessionEndsWhileAFrameIsDelivered_isNotDeliveredFurther() throws Exception {
    Pid first = b.obedient();
    Pid second = b.obedient();
    List<Frame> packet = List.of(message(first, new Slow(1)), message(second, 2));
    Slow.constructed = () -> CompletableFuture.runAsync(b::loseSession).join(); // waits for nothing
    deliver(packet);
    b.runtime.send(first, "later");
    assertThat(b.take()).isEqualTo("later");
    b.runtime.send(second, "later, too");
    assertThat(b.take()).isEqualTo("later, too");
  }

  @Test
  @Tag("C1")
  void request_whoseSessionEndsWhileItIsDecoded_isNotDelivered() throws Exception {
    Pid to =
        b.runtime.spawn(
            CoroutineProcess.ofAction(self -> {
              while (true) {
                b.got.add(Objects.requireNonNull(self.receive()));
              }
            }));
    byte[] content = new MessageWriter(TYPES, a.life()).encode(new Slow(1));
    Slow.constructed = () -> CompletableFuture.runAsync(b::loseSession).join();
    deliver(List.of(new Frame.Ask(1, to, content)));
    b.runtime.send(to, "later");
    assertThat(b.take()).isEqualTo("later");
  }

  /// A thread that waited for the lock got it after each frame, which took a packet of hundreds of
  /// frames too long.
  @Test
  @Tag("C9")
  void packet_isDeliveredAsAWhole_whileAnotherThreadWaitsForTheLock() throws Exception {
    Pid first = b.obedient();
    Pid second = b.obedient();
    List<Frame> packet = List.of(message(first, new Slow(1)), message(second, new Slow(2)));
    Frame next = message(first, new Slow(3));
    Thread other = Thread.ofPlatform().daemon().unstarted(() -> b.remote().handle(List.of(next)));
    List<Boolean> isOfOther = Collections.synchronizedList(new ArrayList<>());
    Slow.constructed =
        () -> {
          if (isOfOther.isEmpty()) {
            other.start();
            while (other.getState() != Thread.State.WAITING) {
              Thread.onSpinWait();
            }
          }
          isOfOther.add(Thread.currentThread() == other);
        };
    deliver(packet);
    other.join();
    assertThat(isOfOther).containsExactly(false, false, true);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted by the guard", e);
    }
  }
}
