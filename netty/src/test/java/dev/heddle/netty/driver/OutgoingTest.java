// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.netty.driver.HandDriven.Pair;
import dev.heddle.netty.driver.HandDriven.Wait;
import dev.heddle.reactor.driver.Operation.Kind;
import dev.heddle.reactor.driver.ReactorDriver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Writes that leave together at the end of a turn: the other side sees what it would have seen.
@Tag("T14")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutgoingTest {
  private static final String DRIVERS = "dev.heddle.netty.driver.HandDriven#batching";
  private static final int SMALL_BUFFER = 4_608; // bytes; the least that Linux has

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  /// A connection that the driver watches, whose peer does not wait.
  private static Pair watched(HandDriven hand) throws IOException {
    Pair pair = hand.pair();
    hand.await(hand.wait(pair.ours(), Kind.POLL_OUTPUT));
    pair.peer().configureBlocking(false);
    return pair;
  }

  /// What has come to the peer.
  private static String come(Pair pair) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(1 << 16);
    int n = pair.peer().read(into);
    return n < 0 ? "END" : new String(into.array(), 0, n, UTF_8);
  }

  private static byte[] readToTheEnd(HandDriven hand, Pair pair) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ByteBuffer into = ByteBuffer.allocate(1 << 16);
    for (int n = 0; n >= 0; n = pair.peer().read(into.clear())) {
      all.write(into.array(), 0, n);
      hand.driver().tick(ReactorDriver.NO_WAIT);
    }
    return all.toByteArray();
  }

  /// Writes small pieces, a turn each or a few in one, until a rest stays behind.
  private static byte[] fill(HandDriven hand, Pair pair, Random random) throws IOException {
    pair.ours().setOption(StandardSocketOptions.SO_SNDBUF, SMALL_BUFFER);
    ByteArrayOutputStream accepted = new ByteArrayOutputStream();
    while (true) {
      byte[] piece = new byte[1 + random.nextInt(3_000)];
      random.nextBytes(piece);
      int n = pair.ours().write(ByteBuffer.wrap(piece));
      if (n == 0) {
        return accepted.toByteArray();
      }
      accepted.write(piece, 0, n);
      if (random.nextBoolean()) {
        hand.driver().tick(ReactorDriver.NO_WAIT);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void writes_ofATurn_leaveTogetherWithTheNext(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      List<Pair> pairs = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        pairs.add(watched(hand));
      }
      for (Pair pair : pairs) {
        assertThat(pair.ours().write(text("he"))).isEqualTo(2);
        assertThat(pair.ours().write(text("llo").asReadOnlyBuffer())).isEqualTo(3);
        assertThat(come(pair)).isEmpty();
      }
      assertThat(hand.driver().isArmed()).isTrue();
      hand.driver().tick(ReactorDriver.NO_WAIT);
      for (Pair pair : pairs) {
        pair.peer().configureBlocking(true);
        assertThat(come(pair)).startsWith("he");
        pair.peer().close();
      }
      assertThat(hand.driver().isArmed()).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void write_whereFewWereAnswered_leavesAtOnce(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = watched(hand);
      pair.ours().write(text("at once"));
      pair.peer().configureBlocking(true);
      assertThat(come(pair)).isEqualTo("at once");
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void bytes_ofWritesOfAllSizes_arriveInOrder(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = watched(hand);
      Random random = new Random(7);
      ByteArrayOutputStream sent = new ByteArrayOutputStream();
      ByteArrayOutputStream got = new ByteArrayOutputStream();
      ByteBuffer into = ByteBuffer.allocate(1 << 20);
      while (sent.size() < 3_000_000) {
        byte[] piece = new byte[1 + random.nextInt(random.nextInt(5) == 0 ? 100_000 : 300)];
        random.nextBytes(piece);
        ByteBuffer first = ByteBuffer.wrap(piece, 0, piece.length / 2);
        ByteBuffer second =
            ByteBuffer.wrap(piece, piece.length / 2, piece.length - piece.length / 2);
        boolean both = random.nextInt(4) == 0;
        long n =
            both
                ? pair.ours().write(new ByteBuffer[] {first, second}, 0, 2)
                : pair.ours().write(ByteBuffer.wrap(piece));
        sent.write(piece, 0, (int) n);
        if (random.nextInt(3) == 0) {
          hand.driver().tick(ReactorDriver.NO_WAIT);
        }
        if (n < piece.length || random.nextInt(10) == 0) {
          got.write(into.array(), 0, Math.max(0, pair.peer().read(into.clear())));
        }
      }
      pair.ours().close();
      got.writeBytes(readToTheEnd(hand, pair));
      assertThat(got.toByteArray()).isEqualTo(sent.toByteArray());
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void rest_thatFoundNoRoom_leavesByItself(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = watched(hand);
      byte[] accepted = fill(hand, pair, new Random(1));
      Wait room = hand.wait(pair.ours(), Kind.POLL_OUTPUT);
      ByteArrayOutputStream got = new ByteArrayOutputStream();
      ByteBuffer into = ByteBuffer.allocate(1 << 16);
      while (got.size() < accepted.length) {
        got.write(into.array(), 0, pair.peer().read(into.clear()));
        hand.driver().tick(ReactorDriver.NO_WAIT);
      }
      assertThat(got.toByteArray()).isEqualTo(accepted);
      hand.await(room);
      assertThat(pair.ours().write(text("x"))).isEqualTo(1);
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void close_withARest_isFollowedByTheRestThenTheEnd(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = watched(hand);
      byte[] accepted = fill(hand, pair, new Random(2));
      pair.ours().close();
      assertThat(hand.driver().isArmed()).isTrue();
      assertThat(readToTheEnd(hand, pair)).isEqualTo(accepted);
      hand.settle();
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void close_withoutATurn_showsThePeerTheBytesThenTheEnd(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = watched(hand);
      pair.ours().write(text("bye"));
      pair.ours().close();
      pair.peer().configureBlocking(true);
      assertThat(come(pair)).isEqualTo("bye");
      assertThat(come(pair)).isEqualTo("END");
      hand.settle();
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void endOfOutput_withARest_comesBehindTheRest(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = watched(hand);
      byte[] accepted = fill(hand, pair, new Random(3));
      pair.ours().shutdownOutput();
      assertThat(readToTheEnd(hand, pair)).isEqualTo(accepted);
      assertThatThrownBy(() -> pair.ours().write(text("too late")))
          .isInstanceOf(IOException.class)
          .hasMessage("Broken pipe");
      pair.peer().write(text("and you?"));
      hand.await(hand.wait(pair.ours(), Kind.POLL_INPUT));
      assertThat(pair.ours().read(ByteBuffer.allocate(16))).isEqualTo(8);
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void failure_ofWhatWasTaken_isToldToTheNextWriter(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = reset(hand);
      assertThatThrownBy(() -> pair.ours().write(text("more")))
          .isInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
      assertThatThrownBy(() -> pair.ours().write(text("and more")))
          .isInstanceOf(IOException.class)
          .hasMessage("Broken pipe");
    }
  }

  /// The kernel tells an error once. Who reads saw an end, where the connection had been reset.
  @ParameterizedTest
  @MethodSource(DRIVERS)
  void failure_ofWhatWasTaken_isNoEndToTheReader(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = reset(hand);
      assertThatThrownBy(() -> pair.ours().read(ByteBuffer.allocate(8)))
          .isInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
      assertThat(pair.ours().read(ByteBuffer.allocate(8))).isEqualTo(-1);
    }
  }

  /// A connection that was reset before what was taken could leave.
  private static Pair reset(HandDriven hand) throws IOException {
    Pair pair = watched(hand);
    assertThat(pair.ours().write(text("in vain"))).isEqualTo(7);
    Wait input = hand.wait(pair.ours(), Kind.POLL_INPUT);
    pair.peer().setOption(StandardSocketOptions.SO_LINGER, 0);
    pair.peer().close();
    hand.await(input);
    return pair;
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void reset_withARest_isAReset(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = watched(hand);
      fill(hand, pair, new Random(4));
      pair.ours().setOption(StandardSocketOptions.SO_LINGER, 0);
      pair.ours().close();
      hand.settle();
      assertThatThrownBy(() -> readToTheEnd(hand, pair))
          .isInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void close_ofTheDriver_givesBackWhatAPeerDoesNotRead(String driver) throws Exception {
    Pair pair;
    byte[] accepted;
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      pair = watched(hand);
      accepted = fill(hand, pair, new Random(5));
    }
    ByteBuffer into = ByteBuffer.allocate(accepted.length);
    pair.peer().configureBlocking(true);
    for (int n = 0; n >= 0 && into.hasRemaining(); n = pair.peer().read(into)) {
      // what the system has it delivers; the rest is lost with the driver
    }
    assertThat(into.position()).isPositive();
    assertThat(pair.peer().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    pair.peer().close();
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void wish_thatThereIsNot_isRefusedByName(String driver) {
    System.setProperty("heddle.sends", "sometimes");
    try {
      assertThatThrownBy(() -> HandDriven.open(driver))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("-Dheddle.sends=sometimes: it is auto, batched or direct");
    } finally {
      System.clearProperty("heddle.sends");
    }
  }
}
