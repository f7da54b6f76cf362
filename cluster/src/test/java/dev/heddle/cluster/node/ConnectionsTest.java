// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.LoopbackNetwork.Place;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.session.GreetingLimit;
import dev.heddle.cluster.session.Session;
import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.FrameCodec;
import dev.heddle.cluster.wire.MalformedPacketException;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.TestPackets;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ConnectionsTest {
  private static final NodeLife SELF = new NodeLife("a", "main", 1);
  private static final NodeLife OTHER = new NodeLife("b", "main", 2);
  private static final Place THERE = new Place("there");
  private static final SessionId ID = new SessionId(3, 4);

  private final List<Frame> delivered = new ArrayList<>();
  private final List<String> logged = new ArrayList<>();
  private final List<Engine.Urgency> urgencies = new ArrayList<>();
  private final List<byte[]> sent = new ArrayList<>();
  private CompletableFuture<@Nullable Void> credit = CompletableFuture.completedFuture(null);
  private @Nullable Error failure; // of the receiver
  private Callable<Boolean> delivery = () -> true;
  private int ends;
  private int opened; // sessions
  private int writerWakes;
  private int agentWakes;
  private final List<Long> dues = new ArrayList<>(); // when the agent was asked to look

  private final Link link = link();

  private Link link() {
    Link made =
        new Link(
            THERE,
            introduction(OTHER),
            SELF,
            new Session(ID, 1, 0),
            () -> writerWakes++,
            () -> agentWakes++,
            dues::add);
    made.deliverTo(receiver());
    return made;
  }

  private Link.Receiver receiver() {
    return new Link.Receiver() {
      @Override
      public void handle(List<Frame> packet) {
        for (int i = 0; i < packet.size() && ends == 0; i++) {
          handle(packet.get(i));
        }
      }

      private void handle(Frame frame) {
        if (failure != null) {
          throw failure;
        }
        try {
          var _ = delivery.call();
        } catch (Exception e) {
          throw new AssertionError(e);
        }
        delivered.add(frame);
      }

      @Override
      public void ended() {
        ends++;
      }

      @Override
      public CompletableFuture<@Nullable Void> creditReturn() {
        return credit;
      }
    };
  }

  private static Introduction introduction(NodeLife life) {
    return new Introduction("shop", life, 5, 1, 1, 0, Map.of(), List.of());
  }

  private static Frame message() {
    return new Frame.Message(new Pid("a", "main", 1, 1), Content.of(new byte[4]));
  }

  private static Packet packet(long number, byte[]... frames) {
    return parse(TestPackets.write(1, ID, number, 0, Session.WINDOW_BYTES, List.of(frames)));
  }

  private static Packet parse(byte[] bytes) {
    try {
      return Packet.parse(bytes);
    } catch (MalformedPacketException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] encoded(Frame frame) {
    return new FrameCodec(/* self= */ OTHER, /* other= */ SELF).encode(frame);
  }

  // ---- a link ----

  @Test
  @Tag("C1")
  void packet_afterTheEnd_isNotDelivered() {
    link.received(packet(1, encoded(message())), 0);
    assertThat(link.end(new Ending(Cause.CLOSED, "test"))).isZero();

    link.received(packet(2, encoded(message())), 0);

    assertThat(delivered).hasSize(1);
    assertThat(ends).isEqualTo(1);
    assertThat(link.end(new Ending(Cause.CLOSED, "again"))).isNegative();
    assertThat(ends).isEqualTo(1);
    assertThat(link.send(message())).isEqualTo(SendResult.UNREACHABLE);
  }

  /// Each wake costs both nodes a switch between threads.
  @Test
  void packetThatComes_wakesTheWriter_onlyForFramesThatWait() {
    link.send(message());
    assertThat(writerWakes).isEqualTo(1);
    takePacket();

    link.received(acknowledgement(1, 1), 0);
    assertThat(writerWakes).isEqualTo(1);

    link.send(message());
    takePacket();
    link.send(message());
    link.received(acknowledgement(2, 2), 0);
    assertThat(writerWakes).isEqualTo(4);
  }

  private void takePacket() {
    assertThat(link.nextPacket(0)).isNotNull();
    link.handedOver();
  }

  /// As when the engine throws an error: the next packet would have its number.
  @Test
  @Tag("C2")
  @Tag("C3")
  void packet_thatTheEngineHasNotGot_endsTheSession() {
    link.send(message());
    takePacket();
    link.send(message());
    assertThat(link.nextPacket(0)).isNotNull();
    link.send(message());
    assertThat(link.due(0).ending()).isNull();

    assertThat(link.nextPacket(0)).isNull();

    assertThat(link.due(0).ending())
        .isNotNull()
        .satisfies(it -> assertThat(it.cause()).isEqualTo(Cause.FAILED));
  }

  @Test
  void packetThatComes_asksTheAgent_forTheTimeOfItsAcknowledgement() {
    var _ = link.due(0); // the first PING
    link.received(packet(1, encoded(message())), 0);
    link.received(packet(2, encoded(message())), 1);

    assertThat(dues).containsExactly(link.dueAt()).allMatch(at -> at > 0);
  }

  private static Packet acknowledgement(long number, long acknowledged) {
    return parse(
        TestPackets.write(
            1, ID, number, acknowledged, Session.WINDOW_BYTES, List.of(encoded(message()))));
  }

  @Test
  @Tag("C2")
  @Tag("C3")
  void packet_whoseDeliveryFails_isTheLastOne() {
    failure = new StackOverflowError("of a frame");
    Link.Result result = link.received(packet(1, encoded(message()), encoded(message())), 0);
    failure = null;
    assertThat(result.ending())
        .isNotNull()
        .satisfies(it -> assertThat(it.cause()).isEqualTo(Cause.FAILED));

    Link.Result next = link.received(packet(2, encoded(message())), 0);

    assertThat(delivered).isEmpty();
    assertThat(next.ending()).isEqualTo(result.ending());
    assertThat(link.end(new Ending(Cause.FAILED, "test"))).isNotNegative();
  }

  @Test
  @Timeout(240)
  void end_whileAFrameIsDelivered_doesNotWaitForIt() throws Exception {
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch returns = new CountDownLatch(1);
    delivery =
        () -> {
          called.countDown();
          returns.await();
          return true;
        };
    CompletableFuture<Link.Result> result =
        CompletableFuture.supplyAsync(() -> link.received(packet(1, encoded(message())), 0));
    called.await();

    assertThat(link.end(new Ending(Cause.CLOSED, "test"))).isZero();

    returns.countDown();
    var _ = result.get();
    assertThat(delivered).hasSize(1);
  }

  @Test
  void sessionWhoseHeldMessagesFail_ends_andTheAgentIsWoken() {
    link.fail(new StackOverflowError("of a constructor"));

    assertThat(agentWakes).isEqualTo(1);
    assertThat(link.due(0).ending())
        .isNotNull()
        .satisfies(it -> assertThat(it.cause()).isEqualTo(Cause.FAILED));
  }

  @Test
  void packet_thatIsMalformedLater_deliversNothing() {
    Link.Result result = link.received(packet(1, encoded(message()), new byte[] {1, 0x7f}), 0);

    assertThat(delivered).isEmpty();
    assertThat(result.ending())
        .isNotNull()
        .satisfies(it -> assertThat(it.cause()).isEqualTo(Cause.MALFORMED));
  }

  @Test
  @Tag("C9")
  void receiver_withoutSpace_keepsCreditUntilItHasSome() {
    credit = new CompletableFuture<>();
    link.received(packet(1, encoded(message())), 0);
    assertThat(parse(link.packet(new Urgent.Ack())).window()).isZero();

    credit.complete(null);
    link.due(0);
    assertThat(parse(link.packet(new Urgent.Ack())).window()).isEqualTo(Session.WINDOW_BYTES);
  }

  @Test
  @Tag("C9")
  void outbox_thatOverflows_endsTheSession() {
    SendResult result = SendResult.ACCEPTED;
    for (int i = 0; i < 100 && result == SendResult.ACCEPTED; i++) {
      result = link.send(new Frame.Answer(i, new byte[1024 * 1024]));
    }
    assertThat(result).isEqualTo(SendResult.UNREACHABLE);
    assertThat(link.due(0).ending())
        .isNotNull()
        .satisfies(it -> assertThat(it.cause()).isEqualTo(Cause.OVERFLOW));
  }

  /// What is accepted behind it would wait for ever. Only a JVM without memory leaves such a frame.
  @Test
  @Tag("C3")
  void frameThatIsBegunAndNeverWritten_endsTheSession() {
    Pid to = new Pid("b", "main", 1, 2);
    Frame unwritable = new Frame.Message(to, TestPackets.unwritable());
    assertThatThrownBy(() -> link.send(unwritable)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(link.send(message())).isEqualTo(SendResult.ACCEPTED);

    assertThat(link.nextPacket(0)).isNull();
    assertThat(link.isLate()).isTrue();
    assertThat(dues).contains(6_000_000_000L);
    assertThat(link.nextPacket(5_000_000_000L)).isNull();
    assertThat(link.received(packet(1), 5_000_000_000L).ending()).isNull(); // it is heard
    assertThat(link.due(5_999_999_999L).ending()).isNull();

    assertThat(link.due(6_000_000_000L).ending())
        .isNotNull()
        .satisfies(it -> assertThat(it.cause()).isEqualTo(Cause.FAILED));
    assertThat(link.end(new Ending(Cause.FAILED, "test"))).isEqualTo(2);
  }

  // ---- connections ----

  private Connections connections() {
    Engine engine =
        new Engine() {
          @Override
          public void open(Listener listener) {}

          @Override
          public Address address() {
            return new Place("here");
          }

          @Override
          public void send(Address to, byte[] packet, Urgency urgency) {
            sent.add(packet);
            urgencies.add(urgency);
          }

          @Override
          public void forget(Address address) {}

          @Override
          public void close() {}
        };
    Connections.Sessions sessions =
        new Connections.Sessions() {
          @Override
          public Link.Receiver opened(Introduction other, dev.heddle.cluster.peer.FrameSink sink) {
            opened++;
            return receiver();
          }

          @Override
          public void ended(Introduction other, Ending why) {}

          @Override
          public void log(System.Logger.Level level, String line) {
            logged.add(line);
          }
        };
    return new Connections(
        engine,
        introduction(SELF),
        new SplittableRandom(1),
        () -> 0,
        sessions,
        () -> {},
        _ -> {},
        () -> {});
  }

  @Test
  @Tag("C1")
  void packet_ofNoSession_isAnsweredEnded() throws MalformedPacketException {
    connections().received(THERE, packet(1, encoded(message())).bytes());

    Packet answer = parse(sent.getFirst());
    assertThat(answer.session()).isEqualTo(ID);
    assertThat(answer.content()).isInstanceOf(Urgent.Ended.class);
  }

  @Test
  void ended_rubbish_areNotAnswered() {
    Connections connections = connections();
    connections.received(THERE, Packet.write(1, ID, 0, 0, new Urgent.Ended("no")));
    connections.received(THERE, new byte[100]);

    assertThat(sent).isEmpty();
  }

  /// To one that closes then: what is kept for it would be sent again and again.
  @Test
  void goodbye_isAnsweredOnce() throws MalformedPacketException {
    Connections connections = connections();
    Urgent hello = new Urgent.Hello(introduction(OTHER));
    connections.received(THERE, Packet.write(1, SessionId.NONE, 0, 0, hello));
    SessionId session = parse(sent.getLast()).session();
    byte[] first =
        TestPackets.write(1, session, 1, 0, Session.WINDOW_BYTES, List.of(encoded(message())));
    connections.received(THERE, first);
    assertThat(opened).isEqualTo(1);
    Urgent goodbye = new Urgent.Goodbye(Urgent.Farewell.LEAVING, "bye");
    connections.received(THERE, Packet.write(1, session, 0, 0, goodbye));

    assertThat(ends).isEqualTo(1);
    assertThat(parse(sent.getLast()).content()).isInstanceOf(Urgent.Ended.class);
    assertThat(urgencies.getLast()).isEqualTo(Engine.Urgency.ONCE);
  }

  /// Its sender says it again until then.
  @Test
  void goodbye_ofNoSession_isAnsweredEnded_alsoAfterTheEnd() throws MalformedPacketException {
    Connections connections = connections();
    byte[] goodbye = Packet.write(1, ID, 0, 0, new Urgent.Goodbye(Urgent.Farewell.LEAVING, "bye"));
    connections.received(THERE, goodbye);
    connections.close();
    connections.received(THERE, goodbye);

    assertThat(sent).hasSize(2);
    for (byte[] answer : sent) {
      assertThat(parse(answer).session()).isEqualTo(ID);
      assertThat(parse(answer).content()).isInstanceOf(Urgent.Ended.class);
    }
  }

  @Test
  void rubbish_isLoggedOnceAMinute() {
    Connections connections = connections();
    for (int i = 0; i < 1_000; i++) {
      connections.received(THERE, new byte[100]);
    }
    assertThat(logged).hasSize(1);
  }

  @Test
  void floodOfGreetings_isDroppedBeyondTheLimit() {
    Connections connections = connections();
    byte[] hello =
        Packet.write(
            1,
            SessionId.NONE,
            0,
            0,
            new Urgent.Hello(
                new Introduction("bank", OTHER, 5, 1, 1, 0, Map.of(), List.of()))); // refused
    for (int i = 0; i < 1_000; i++) {
      connections.received(THERE, hello);
    }
    assertThat(sent).hasSizeBetween(GreetingLimit.OF_ADDRESS, GreetingLimit.OF_ADDRESS + 1);
    assertThat(urgencies).containsOnly(Engine.Urgency.ONCE); // nothing is kept for it
    assertThat(logged).hasSize(2); // the refusal, the flood
  }

  @Test
  void floodOfPackets_ofNoSession_isNotAnsweredBeyondTheLimit() {
    Connections connections = connections();
    byte[] packet = packet(1, encoded(message())).bytes();
    for (int i = 0; i < 1_000; i++) {
      connections.received(THERE, packet);
    }
    assertThat(sent).hasSize(GreetingLimit.OF_ADDRESS);
  }
}
