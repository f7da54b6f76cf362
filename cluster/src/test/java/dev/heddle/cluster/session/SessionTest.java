// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.MalformedPacketException;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.TestPackets;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Farewell;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class SessionTest {
  private static final SessionId ID = new SessionId(1, 2);
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final int KIB = 1_024;
  private static final int SMALL = 4 * KIB; // whose ack may wait for 50 ms only
  private static final int ROUNDS = 3; // until the whole window is open
  private static final int WINDOW = Session.WINDOW_BYTES;

  private final Session session = new Session(ID, 1, 0);
  private final Outbox outbox = new Outbox();

  private Outbox.Packed packet(int bytes) {
    return new Outbox.Packed(outbox, new byte[bytes], bytes);
  }

  private static Packet packet(long number, long ack, int window) {
    return parse(TestPackets.write(1, ID, number, ack, window, List.of(new byte[8])));
  }

  private static Packet acks(long ack, int window) {
    return parse(Packet.write(1, ID, ack, window, new Urgent.Ack()));
  }

  private static Packet parse(byte[] bytes) {
    try {
      return Packet.parse(bytes);
    } catch (MalformedPacketException e) {
      throw new AssertionError(e);
    }
  }

  private Cause cause() {
    Ending ending = session.ending();
    return ending == null ? null : ending.cause();
  }

  // ---- numbers ----

  @Test
  @Tag("C2")
  void packets_inOrder_areDelivered() {
    assertThat(session.received(packet(1, 0, WINDOW), 0)).isTrue();
    assertThat(session.received(packet(2, 0, WINDOW), 0)).isTrue();
    assertThat(session.ack()).isEqualTo(2);
  }

  @Test
  @Tag("C2")
  void packet_afterAGap_endsTheSession() {
    session.received(packet(1, 0, WINDOW), 0);

    assertThat(session.received(packet(3, 0, WINDOW), 0)).isFalse();
    assertThat(cause()).isEqualTo(Cause.OUT_OF_ORDER);
    assertThat(session.received(packet(2, 0, WINDOW), 0)).isFalse();
  }

  @Test
  @Tag("C1")
  void packet_repeated_endsTheSession() {
    session.received(packet(1, 0, WINDOW), 0);

    assertThat(session.received(packet(1, 0, WINDOW), 0)).isFalse();
    assertThat(cause()).isEqualTo(Cause.OUT_OF_ORDER);
  }

  @Test
  void ack_ofWhatWasNotSent_endsTheSession() {
    assertThat(session.received(packet(1, 1, WINDOW), 0)).isFalse();
    assertThat(cause()).isEqualTo(Cause.MALFORMED);
  }

  @Test
  void packet_ofAnotherVersion_endsTheSession() {
    Packet other = parse(TestPackets.write(2, ID, 1, 0, WINDOW, List.of(new byte[8])));

    assertThat(session.received(other, 0)).isFalse();
    assertThat(cause()).isEqualTo(Cause.MALFORMED);
  }

  @Test
  @Tag("C2")
  void packets_thatAreAcknowledged_haveArrived_andNoOthers() {
    List<Outbox.Packed> packets = IntStream.range(0, 3).mapToObj(_ -> packet(10)).toList();
    packets.forEach(it -> session.sent(it, 0));
    assertThat(packets).noneMatch(SessionTest::hasArrived);

    session.received(acks(2, WINDOW), 0);
    assertThat(packets).extracting(SessionTest::hasArrived).containsExactly(true, true, false);
  }

  private static boolean hasArrived(Outbox.Packed packet) {
    boolean isThere = packet.pin() != null;
    if (isThere) {
      packet.unpin();
    }
    return !isThere;
  }

  /// A node keeps what it knows of sessions that have ended.
  @Test
  @Tag("C9")
  void ended_keepsNoPacket() {
    session.sent(packet(10), 0);
    session.sent(packet(10), 0);
    assertThat(session.kept()).isEqualTo(2);

    session.end(new Ending(Cause.CLOSED, "test"));
    assertThat(session.kept()).isZero();
  }

  // ---- window ----

  @Test
  @Tag("C9")
  void window_whenUsedUp_waitsForAnAck() {
    widen();
    session.sent(packet(WINDOW - 100), 0);
    assertThat(session.space()).isEqualTo(100);
    session.sent(packet(100), 0);
    assertThat(session.space()).isZero();

    session.received(acks(2 * ROUNDS + 1, WINDOW), 0);
    assertThat(session.space()).isEqualTo(WINDOW - 100);
    assertThat(session.unacknowledgedBytes()).isEqualTo(100);
  }

  /// Packets are acknowledged at once, until the whole window is open.
  private void widen() {
    for (int i = 1; i <= ROUNDS; i++) {
      roundTrip(i, 0, 0);
    }
  }

  /// As many bytes as the window has leave, and are acknowledged.
  ///
  /// @return how many
  private long roundTrip(long number, long sentAt, long nanos) {
    session.sent(packet(SMALL), sentAt);
    long rest = session.space();
    session.sent(packet((int) rest), sentAt);
    assertThat(session.space()).isZero();
    session.received(acks(2 * number, WINDOW), sentAt + nanos);
    return SMALL + rest;
  }

  @Test
  @Tag("C9")
  void window_opensWithQuickAcks_andClosesWithSlowOnes() {
    assertThat(roundTrip(1, 0, 750 * MILLI)).isEqualTo(256 * KIB);
    assertThat(roundTrip(2, 10 * SECOND, 750 * MILLI)).isEqualTo(512 * KIB);
    assertThat(roundTrip(3, 20 * SECOND, 751 * MILLI)).isEqualTo(1_024 * KIB);
    assertThat(roundTrip(4, 30 * SECOND, 3 * SECOND)).isEqualTo(1_024 * KIB);
    assertThat(roundTrip(5, 40 * SECOND, 3 * SECOND + 1)).isEqualTo(1_024 * KIB);
    for (long i = 6; i < 20; i++) {
      assertThat(roundTrip(i, i * 10 * SECOND, 4 * SECOND))
          .isEqualTo(Math.max(128L, 1_024L >> (i - 5)) * KIB);
    }
    assertThat(session.sendWindow()).isEqualTo(128 * KIB);
  }

  /// Packets that leave together are one measure.
  @Test
  @Tag("C9")
  void window_closesOnce_forAWholeRoundTrip() {
    widen();
    for (int i = 0; i < 10; i++) {
      session.sent(packet(WINDOW / 10), i);
    }
    for (int i = 1; i <= 10; i++) {
      session.received(acks(2 * ROUNDS + i, WINDOW), 4 * SECOND + i);
    }
    session.sent(packet(SMALL), 5 * SECOND);
    assertThat(session.space()).isEqualTo(WINDOW / 2 - SMALL);
  }

  /// A connection that is quick with little may be slow with much.
  @Test
  @Tag("C9")
  void window_doesNotOpen_whileLessThanHalfOfItIsOnItsWay() {
    for (int i = 1; i <= 100; i++) {
      session.sent(packet(128 * KIB - 1), i);
      session.received(acks(i, WINDOW), i);
    }
    session.sent(packet(SMALL), 0);
    assertThat(session.space()).isEqualTo(256 * KIB - SMALL);
  }

  /// The ack of little may wait for a second.
  @Test
  @Tag("C9")
  void packetThatIsLongerThanTheWindow_leaves_whenNextToNothingElseIsOnItsWay() {
    assertThat(session.space()).isEqualTo(WINDOW);
    session.sent(packet(SMALL - 1), 0);
    assertThat(session.space()).isEqualTo(WINDOW - SMALL + 1);
    session.sent(packet(1_024 * KIB), 0);
    assertThat(session.space()).isZero();
    session.received(acks(2, WINDOW), 3 * SECOND);
    assertThat(session.space()).isEqualTo(WINDOW);
  }

  @Test
  @Tag("C9")
  void window_of512Packets_waitsForAnAck() {
    for (int i = 0; i < 512; i++) {
      assertThat(session.space()).isPositive();
      session.sent(packet(10), 0);
    }
    assertThat(session.space()).isZero();
  }

  @Test
  @Tag("C9")
  void credit_keptAndReturned_isTold() {
    session.due(0); // the first PING
    session.keepCredit();
    assertThat(session.window()).isZero();

    session.returnCredit(SECOND);
    assertThat(session.window()).isEqualTo(WINDOW);
    assertThat(session.dueAt()).isEqualTo(SECOND);
    assertThat(session.due(SECOND).send()).containsExactly(new Urgent.Ack());
  }

  @Test
  void windowZero_stalls_untilALaterAck() {
    session.received(acks(0, 0), 0);
    assertThat(session.isStalled()).isTrue();
    assertThat(session.space()).isZero();
    assertThat(session.sendWindow()).isZero();

    session.received(acks(0, WINDOW), 0);
    assertThat(session.space()).isEqualTo(WINDOW);
  }

  @Test
  void ack_ofALeavingNode_isAskedFor_untilItComes() {
    session.due(0);
    session.requestAck(10 * MILLI);
    assertThat(session.due(10 * MILLI).send()).isEmpty(); // nothing was sent
    session.sent(packet(100), 10 * MILLI);
    session.requestAck(10 * MILLI);
    assertThat(session.due(10 * MILLI).send()).isEmpty(); // the last PING was just before
    assertThat(session.dueAt()).isEqualTo(50 * MILLI);
    assertThat(session.due(50 * MILLI).send()).containsExactly(new Urgent.Ping(2));
    session.requestAck(60 * MILLI);
    assertThat(session.due(100 * MILLI).send()).containsExactly(new Urgent.Ping(3));

    session.received(acks(1, WINDOW), 100 * MILLI);
    session.requestAck(200 * MILLI);
    assertThat(session.due(200 * MILLI).send()).isEmpty();
  }

  @Test
  void ack_ofLittle_isDueWithinASecond_whenTheAgentLooksAnyway() {
    session.due(0);
    session.received(packet(1, 0, WINDOW), 0);
    assertThat(session.dueAt()).isEqualTo(SECOND);
    assertThat(session.due(SECOND).send()).containsExactly(new Urgent.Ack());
  }

  @Test
  void ack_isDueSoonAfterAPacket_andAtOnceAfterAQuarterOfTheWindow() {
    session.due(0);
    byte[] large = TestPackets.write(1, ID, 1, 0, WINDOW, List.of(new byte[4 * 1024]));
    session.received(parse(large), 0);
    assertThat(session.dueAt()).isEqualTo(50 * MILLI);

    for (int i = 2; i <= 128; i++) {
      session.received(packet(i, 0, WINDOW), 0);
    }
    assertThat(session.due(0).send()).containsExactly(new Urgent.Ack());
    assertThat(session.due(0).send()).isEmpty();
  }

  @Test
  @Tag("C3")
  void lastPacket_withoutAnAck_endsTheSession() {
    session.sent(packet(10), 0);
    for (long now = 0; now < 6 * SECOND; now += SECOND) {
      session.received(acks(0, WINDOW), now);
      assertThat(session.due(now).ending()).isNull();
    }
    session.received(acks(0, WINDOW), 6 * SECOND);

    assertThat(session.due(6 * SECOND).ending()).isNotNull();
    assertThat(cause()).isEqualTo(Cause.UNACKNOWLEDGED);
  }

  @Test
  void packets_whoseAcksCome_keepTheSession() {
    for (int i = 1; i <= 20; i++) {
      session.sent(packet(10), i * SECOND);
      session.sent(packet(10), i * SECOND);
      session.received(acks(2L * i - 1, WINDOW), i * SECOND); // one is always open
      assertThat(session.due(i * SECOND).ending()).isNull();
    }
  }

  // ---- the other node ----

  @Test
  void silence_of6s_endsTheSession() {
    assertThat(session.due(6 * SECOND - 1).ending()).isNull();
    assertThat(session.due(6 * SECOND).ending()).isNotNull();
    assertThat(cause()).isEqualTo(Cause.SILENCE);
  }

  @Test
  void ping_isDueEach2s_andMeasuresTheRoundTrip() {
    assertThat(session.due(0).send()).containsExactly(new Urgent.Ping(1));
    session.received(new Urgent.Pong(1), 3 * MILLI);
    assertThat(session.roundTripNanos()).isEqualTo(3 * MILLI);
    assertThat(session.due(2 * SECOND - 1).send()).isEmpty();
    assertThat(session.due(2 * SECOND).send()).containsExactly(new Urgent.Ping(2));
  }

  @Test
  void ping_isAnswered() {
    assertThat(session.received(new Urgent.Ping(7), 0)).isEqualTo(new Urgent.Pong(7));
  }

  @Test
  void closedConnection_ofAYoungSession_givesMoreTimeForTheAnswer() {
    session.due(0);
    session.connectionClosed(MILLI);
    assertThat(session.due(MILLI).send()).containsExactly(new Urgent.Ping(2));
    assertThat(session.due(SECOND + MILLI).ending()).isNull();
    session.received(acks(0, WINDOW), 5 * SECOND); // it is not silent
    assertThat(session.due(MILLI + Session.SILENCE_NANOS).ending()).isNotNull();
    assertThat(cause()).isEqualTo(Cause.NO_ANSWER);
  }

  @Test
  void closedConnection_ofAnOlderSession_givesOneSecond() {
    session.received(acks(0, WINDOW), Session.YOUNG_NANOS);
    session.connectionClosed(Session.YOUNG_NANOS);
    assertThat(session.due(Session.YOUNG_NANOS + SECOND).ending()).isNotNull();
    assertThat(cause()).isEqualTo(Cause.NO_ANSWER);
  }

  @Test
  void rumour_afterAClosedConnectionOfAYoungSession_givesOneSecond() {
    session.connectionClosed(MILLI);
    session.suspect(2 * MILLI); // where the probe was sent to, nobody listens
    assertThat(session.due(SECOND + MILLI).ending()).isNull();
    assertThat(session.due(SECOND + 2 * MILLI).ending()).isNotNull();
    assertThat(cause()).isEqualTo(Cause.NO_ANSWER);
  }

  @Test
  void rumour_withoutAnAnswer_endsTheSessionAfter1s() {
    session.due(0);
    session.suspect(MILLI);
    assertThat(session.due(MILLI).send()).containsExactly(new Urgent.Ping(2));
    session.received(new Urgent.Pong(1), 2 * MILLI); // of before: no answer to the probe
    session.received(packet(1, 0, WINDOW), 3 * MILLI); // may have been on its way

    assertThat(session.due(SECOND + MILLI).ending()).isNotNull();
    assertThat(cause()).isEqualTo(Cause.NO_ANSWER);
  }

  /// A connection that closes takes a question or its answer with it.
  @Test
  void rumour_isAskedAboutEach200ms_untilOneQuestionIsAnswered() {
    session.due(0);
    session.suspect(MILLI);
    assertThat(session.due(MILLI).send()).containsExactly(new Urgent.Ping(2));
    assertThat(session.due(200 * MILLI).send()).isEmpty();
    assertThat(session.dueAt()).isEqualTo(201 * MILLI);
    assertThat(session.due(201 * MILLI).send()).containsExactly(new Urgent.Ping(3));
    session.received(new Urgent.Pong(3), 205 * MILLI);

    assertThat(session.isProbed()).isFalse();
    assertThat(session.due(2 * SECOND + 200 * MILLI).send()).isEmpty();
    assertThat(session.due(2 * SECOND + 201 * MILLI).send()).containsExactly(new Urgent.Ping(4));
  }

  @Test
  void rumour_withAnAnswer_endsNothing() {
    session.suspect(0);
    session.due(0);
    session.received(acks(0, WINDOW), SECOND / 2);
    session.received(new Urgent.Pong(1), SECOND / 2);

    assertThat(session.isProbed()).isFalse();
    assertThat(session.due(SECOND).ending()).isNull();
  }

  @Test
  void goodbye_endedThere_endTheSession() {
    session.received(new Urgent.Goodbye(Farewell.LEAVING, "bye"), 0);
    assertThat(cause()).isEqualTo(Cause.LEFT);

    Session other = new Session(ID, 1, 0);
    other.received(new Urgent.Ended("no"), 0);
    assertThat(other.ending()).isEqualTo(new Ending(Cause.ENDED_THERE, "no"));
  }

  @Test
  @Tag("C1")
  void ended_takesAndSendsNothing() {
    assertThat(session.end(new Ending(Cause.CLOSED, "closed"))).isTrue();
    assertThat(session.end(new Ending(Cause.SILENCE, "again"))).isFalse();

    assertThat(session.received(packet(1, 0, WINDOW), 0)).isFalse();
    assertThat(session.received(new Urgent.Ping(1), 0)).isNull();
    assertThat(session.space()).isZero();
    assertThat(session.due(0).send()).isEmpty();
    assertThat(session.dueAt()).isEqualTo(Long.MAX_VALUE);
    assertThat(cause()).isEqualTo(Cause.CLOSED);
  }
}
