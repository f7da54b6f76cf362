// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.shard.ShardMessageCodec.Answer;
import dev.heddle.cluster.shard.ShardMessageCodec.GiveUp;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.SendResult;
import dev.heddle.process.remote.LocalProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What waits for the connection to node `b`.
class ShardPeersTest {
  /// Has space, or none.
  private static final class Outbox implements FrameSink {
    final List<Integer> sent = new ArrayList<>(); // bytes of messages about shards
    boolean isFull;
    Runnable onRoom = () -> {};
    CompletableFuture<@Nullable Void> room = new CompletableFuture<>();

    @Override
    public SendResult send(Frame frame) {
      if (frame instanceof Frame.Service service) {
        if (isFull) {
          return SendResult.FULL;
        }
        sent.add(service.content().length);
      }
      return SendResult.ACCEPTED;
    }

    @Override
    public CompletableFuture<@Nullable Void> room() {
      onRoom.run();
      return room;
    }

    @Override
    public void fail(Throwable why) {
      throw new AssertionError("the session would end", why);
    }
  }

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(1).node("a").start();
  private final LocalProcesses local = LocalProcesses.of(runtime);
  private final MessageTypes types = MessageTypes.of(List.of(), List.of());
  private final Outbox outbox = new Outbox();
  private Runnable peersOnSpace = () -> {};
  private final AtomicInteger spaces = new AtomicInteger();
  private final ShardPeers peers =
      new ShardPeers(
          new MessageWriter(types, new NodeLife("a", "main", 7)),
          (node, of) -> {
            throw new IllegalStateException(of + " for " + node);
          },
          this::onSpace);

  private void onSpace() {
    spaces.incrementAndGet();
    peersOnSpace.run();
  }

  private ShardPeers peersOf() {
    return peers;
  }

  private void open() {
    open(ShardMessageCodec.VERSION);
  }

  private void open(int known) {
    PeerOptions offers = new PeerOptions(Map.of(), PeerOptions.ForeignOrders.REFUSED);
    NodeLife b = new NodeLife("b", "main", 5);
    RemoteNode remote = new RemoteNode(b, local, outbox, types, offers, new Groups(local), _ -> {});
    peers.open("b", remote, known);
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  @Test
  @Tag("C9")
  void answersToANodeThatTakesNothing_leaveNoRoom_untilTheyHaveLeft() {
    open();
    outbox.isFull = true;
    int posted = 0;
    while (peers.hasRoom("b")) {
      peers.post("b", new Answer(1, new byte[100_000]));
      peers.drain();
      posted++;
    }
    assertThat(posted).isEqualTo(11); // 1 MiB
    assertThat(outbox.sent).isEmpty();

    outbox.isFull = false;
    outbox.room.complete(null);
    assertThat(spaces).hasValue(1);
    peers.drain();

    assertThat(outbox.sent).hasSize(posted);
    assertThat(peers.hasRoom("b")).isTrue();
  }

  @Test
  @Tag("C8")
  void whatWaits_leavesInOrder_andEndsWithItsSession() {
    open();
    outbox.isFull = true;
    peers.post("b", new Answer(1, new byte[10]));
    peers.post("b", new GiveUp(2));
    peers.drain();
    outbox.isFull = false;
    outbox.room.complete(null);
    peers.drain();
    assertThat(outbox.sent).isEqualTo(List.of(1 + 8 + 10, 1 + 8));

    outbox.isFull = true;
    outbox.room = new CompletableFuture<>();
    peers.post("b", new GiveUp(3));
    open(); // the next session
    outbox.isFull = false;
    peers.drain();
    assertThat(outbox.sent).hasSize(2);
    peers.close("b");
    assertThat(peers.hasRoom("b")).isTrue();
    assertThat(peers.send("b", new GiveUp(4))).isEqualTo(SendResult.UNREACHABLE);
  }

  /// Else it is ignored there, and a request waits until its time is over.
  @Test
  @Tag("C5")
  void whatTheOtherNodeDoesNotKnow_isRefusedHere_andSaysWhatToDo() {
    open(ShardMessageCodec.VERSION - 1);

    assertThatThrownBy(() -> peers.send("b", new GiveUp(1)))
        .isInstanceOf(NotSendableException.class)
        .hasMessageContaining("knows version 0 of messages about shards")
        .hasMessageEndingWith("of version 1: upgrade that node");
    peers.say("b", new GiveUp(2));
    assertThat(outbox.sent).isEmpty();
    assertThat(peers.hasRoom("b")).isTrue();
  }

  @Test
  @Tag("C8")
  void whatWasPosted_leaves_alsoWhenThereIsSpaceAtOnce_andAnotherComesMeanwhile() {
    peersOnSpace =
        () -> { // another thread, which finds the connection in use
          Thread other = Thread.ofPlatform().start(() -> peersOf().drain());
          try {
            other.join();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    open();
    outbox.isFull = true;
    outbox.onRoom = () -> outbox.isFull = false;
    outbox.room.complete(null);

    peers.post("b", new GiveUp(1));
    peers.drain();

    assertThat(outbox.sent).hasSize(1);
  }

  @Test
  @Tag("C8")
  void whatWasPosted_isLookedAtAgain_withoutAWord() {
    open();
    outbox.isFull = true;
    peers.post("b", new GiveUp(1));
    peers.drain();
    outbox.isFull = false; // and nobody is told

    peers.lookAgain();
    peers.drain();

    assertThat(outbox.sent).hasSize(1);
  }
}
