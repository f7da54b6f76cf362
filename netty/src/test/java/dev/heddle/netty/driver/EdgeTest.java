// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.netty.driver.HandDriven.Pair;
import dev.heddle.netty.driver.HandDriven.Wait;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReactorDriver;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Readiness by edge: none is lost, whoever waits or does not; and the end of what is watched.
@Tag("T14")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EdgeTest {
  private static final String DRIVERS = "dev.heddle.netty.driver.HandDriven#byEdge";

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  /// Has the driver watch it, with nothing to be read.
  private static void watch(HandDriven hand, Pair pair) {
    hand.await(hand.wait(pair.ours(), Direction.WRITE));
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void edge_thatFindsNoWaiter_answersTheNextWaitAtOnce(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      watch(hand, pair);
      Wait other = hand.wait(hand.pair().ours(), Direction.READ);
      pair.peer().write(text("late"));
      do {
        hand.driver().poll(ReactorDriver.NO_DEADLINE);
      } while (hand.wait(pair.ours(), Direction.READ).answers == 0);
      other.cancel();
      assertThat(pair.ours().read(ByteBuffer.allocate(8))).isEqualTo(4);
      pair.peer().close();
    }
  }

  /// A reader whose deadline came with the edge left the next reader waiting for an edge that had
  /// been told.
  @ParameterizedTest
  @MethodSource(DRIVERS)
  void answer_thatWasNotUsed_isGivenToTheNextWait(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      Wait first = hand.wait(pair.ours(), Direction.READ);
      pair.peer().write(text("once"));
      hand.await(first);
      assertThat(hand.wait(pair.ours(), Direction.READ).answers).isEqualTo(1);
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void read_thatFoundLessThanItAskedFor_makesTheNextWaitWaitForMore(String driver)
      throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      pair.peer().write(text("some"));
      hand.await(hand.wait(pair.ours(), Direction.READ));
      assertThat(pair.ours().read(ByteBuffer.allocateDirect(8))).isEqualTo(4);
      Wait more = hand.wait(pair.ours(), Direction.READ);
      hand.driver().poll(ReactorDriver.NO_WAIT);
      assertThat(more.answers).isZero();
      pair.peer().write(text("more"));
      hand.await(more);
      assertThat(pair.ours().read(ByteBuffer.allocate(8))).isEqualTo(4);
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void read_intoALargeBufferOfTheHeap_leavesNothingWaitedForInVain(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      int size = 300_000;
      Thread sender = Thread.ofPlatform().start(() -> send(pair, size));
      ByteBuffer into = ByteBuffer.allocate(size);
      while (into.hasRemaining()) {
        if (pair.ours().read(into) >= 0 && into.hasRemaining()) {
          hand.await(hand.wait(pair.ours(), Direction.READ));
        }
      }
      sender.join();
      pair.peer().close();
    }
  }

  private static void send(Pair pair, int size) {
    try {
      pair.peer().write(ByteBuffer.allocate(size));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void hangUp_isReportedToEveryWaitThatFollows(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      pair.peer().close();
      hand.await(hand.wait(pair.ours(), Direction.READ));
      for (int i = 0; i < 3; i++) {
        assertThat(pair.ours().read(ByteBuffer.allocate(8))).isEqualTo(-1);
        assertThat(hand.wait(pair.ours(), Direction.READ).answers).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void writer_onAFullBuffer_goesOnAsThePeerReads(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 20);
      long sent = 0;
      Wait room;
      do { // the peer's side may make room by itself, when it acknowledges what has come
        for (int n = pair.ours().write(chunk.clear()); n > 0; ) {
          sent += n;
          n = pair.ours().write(chunk.clear());
        }
        room = hand.wait(pair.ours(), Direction.WRITE);
        hand.driver().poll(ReactorDriver.NO_WAIT); // the watch begins
      } while (room.answers > 0);
      ByteBuffer into = ByteBuffer.allocate(1 << 20);
      for (long read = 0; read < sent; ) {
        read += pair.peer().read(into.clear());
      }
      hand.await(room);
      assertThat(pair.ours().write(text("x"))).isEqualTo(1);
      pair.peer().close();
    }
  }

  // ---- the end of what is watched ----

  @ParameterizedTest
  @MethodSource(DRIVERS)
  @Tag("trap-29")
  void close_ofAWatchedConnection_showsThePeerTheEndWithoutATurn(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      watch(hand, pair);
      pair.ours().close();
      assertThat(pair.peer().read(ByteBuffer.allocate(8))).isEqualTo(-1);
      hand.settle();
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void close_ofAWatchedConnectionThatLingersNot_resetsIt(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      watch(hand, pair);
      pair.ours().setOption(StandardSocketOptions.SO_LINGER, 0);
      pair.ours().close();
      hand.settle();
      assertThatThrownBy(() -> pair.peer().read(ByteBuffer.allocate(8)))
          .isInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void close_ofAWatchedConnectionWithUnreadBytes_resetsIt(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      Wait input = hand.wait(pair.ours(), Direction.READ);
      pair.peer().write(text("nobody reads this"));
      hand.await(input);
      pair.ours().close();
      hand.settle();
      assertThatThrownBy(() -> pair.peer().read(ByteBuffer.allocate(8)))
          .isInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  @Tag("trap-29")
  void call_onAClosedDescriptor_isRefusedEvenIfItsNumberIsInUse(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      pair.ours().close();
      Pair successor = hand.pair();
      successor.peer().write(text("not yours"));
      assertThatThrownBy(() -> pair.ours().read(ByteBuffer.allocate(8)))
          .isInstanceOf(ClosedChannelException.class);
      assertThat(pair.ours().localAddress()).isNull();
      pair.peer().close();
      successor.peer().close();
    }
  }

  /// Up to a size the driver calls the system itself, beyond it Netty does.
  @ParameterizedTest
  @MethodSource(DRIVERS)
  void directBuffer_ofWhicheverSize_isUsedWhereItStands(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      for (int size : new int[] {16, 64 << 10, (64 << 10) + 1}) {
        Pair pair = hand.pair();
        ByteBuffer buffer = ByteBuffer.allocateDirect(size + 5).slice(3, size + 2).position(2);
        assertThat(pair.ours().read(buffer)).isZero();
        pair.peer().write(text("come"));
        hand.await(hand.wait(pair.ours(), Direction.READ));
        assertThat(pair.ours().read(buffer)).isEqualTo(4);
        assertThat(UTF_8.decode(buffer.slice(2, 4)).toString()).isEqualTo("come");
        int sent = pair.ours().write(buffer.position(2));
        ByteBuffer back = ByteBuffer.allocate(sent);
        while (back.hasRemaining()) {
          pair.peer().read(back);
        }
        assertThat(new String(back.array(), 0, 4, UTF_8)).isEqualTo("come");
        assertThat(buffer.position()).isEqualTo(2 + sent);
        pair.peer().close();
        hand.await(hand.wait(pair.ours(), Direction.READ));
        assertThat(pair.ours().read(buffer.clear())).isEqualTo(-1);
      }
    }
  }
}
