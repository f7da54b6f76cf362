// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.netty.OnDriver;
import dev.heddle.netty.driver.HandDriven.Pair;
import dev.heddle.netty.driver.HandDriven.Wait;
import dev.heddle.netty.unix.UnixDescriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Writes that leave together at the end of a turn: the other side sees what it would have seen.
@Tag("T14")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PendingSendTest {
  private static final String DRIVERS = "dev.heddle.netty.driver.HandDriven#batching";
  private static final long ACKNOWLEDGED_NANOS = 300_000_000; // 200 ms at most on Linux
  private static final int SMALL_BUFFER = 4_608; // bytes; the least that Linux has

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  /// A connection that the driver watches, whose peer does not wait.
  private static Pair watched(HandDriven hand) throws IOException {
    ListenerDescriptor listener = hand.listener();
    return accepted(hand, listener, SocketChannel.open(listener.localAddress()));
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
      hand.driver().poll(ReactorDriver.NO_WAIT);
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
      if (n == 0 && pair.ours().write(ByteBuffer.wrap(piece, 0, 1)) == 0) {
        return accepted.toByteArray(); // also the first that would be taken: a rest is in its way
      }
      n = Math.max(n, 1);
      accepted.write(piece, 0, n);
      if (n == 1 || random.nextBoolean()) {
        hand.driver().poll(ReactorDriver.NO_WAIT);
      }
    }
  }

  /// A connection whose peer does not read, and has little room.
  private static Pair stuck(HandDriven hand) throws IOException {
    ListenerDescriptor listener = hand.listener();
    SocketChannel peer = SocketChannel.open();
    peer.setOption(
        StandardSocketOptions.SO_RCVBUF, SMALL_BUFFER); // before it says how much it takes
    peer.connect(listener.localAddress());
    return accepted(hand, listener, peer);
  }

  /// Writes until there is no room any more, also when what came has been acknowledged.
  private static byte[] fillUp(HandDriven hand, Pair pair, Random random) throws IOException {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    Wait room;
    do {
      written.writeBytes(fill(hand, pair, random));
      room = hand.wait(pair.ours(), Direction.WRITE);
      long until = System.nanoTime() + ACKNOWLEDGED_NANOS;
      while (room.isWaiting() && System.nanoTime() - until < 0) {
        hand.driver().poll(until);
      }
    } while (!room.isWaiting());
    room.cancel();
    return written.toByteArray();
  }

  /// What a peer sees that reads only when our end has gone: all that was written, or a reset.
  private static boolean isReset(Pair pair, byte[] written) throws IOException {
    pair.peer().configureBlocking(true);
    try (SocketChannel peer = pair.peer()) {
      assertThat(peer.socket().getInputStream().readAllBytes()).isEqualTo(written);
      return false; // there was room after all
    } catch (SocketException e) {
      assertThat(e).hasMessage("Connection reset");
      return true;
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
      hand.driver().poll(ReactorDriver.NO_WAIT);
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
          hand.driver().poll(ReactorDriver.NO_WAIT);
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
      Wait room = hand.wait(pair.ours(), Direction.WRITE);
      ByteArrayOutputStream got = new ByteArrayOutputStream();
      ByteBuffer into = ByteBuffer.allocate(1 << 16);
      while (got.size() < accepted.length) {
        got.write(into.array(), 0, pair.peer().read(into.clear()));
        hand.driver().poll(ReactorDriver.NO_WAIT);
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
      hand.await(hand.wait(pair.ours(), Direction.READ));
      assertThat(pair.ours().read(ByteBuffer.allocate(16))).isEqualTo(8);
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void failure_ofWhatWasTaken_isReportedToTheNextWriter(String driver) throws Exception {
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
    Wait input = hand.wait(pair.ours(), Direction.READ);
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
  void failure_ofARest_isNoEndToTheReader(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = watched(hand);
      fill(hand, pair, new Random(6));
      Wait input = hand.wait(pair.ours(), Direction.READ);
      pair.peer().setOption(StandardSocketOptions.SO_LINGER, 0);
      pair.peer().close();
      hand.await(input);
      assertThatThrownBy(() -> pair.ours().read(ByteBuffer.allocate(8)))
          .isInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
    }
  }

  /// What was submitted may still be answered: nothing may lie in its place.
  @ParameterizedTest
  @MethodSource(DRIVERS)
  void write_afterItsWatchHasFailed_isDirect(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = watched(hand);
      pair.ours().write(text("lost"));
      ((UnixDescriptor) pair.ours()).failed(new IOException("the ring is full"));
      assertThatThrownBy(() -> pair.ours().write(text("told"))).hasMessage("the ring is full");
      hand.await(hand.wait(pair.ours(), Direction.WRITE));
      pair.ours().write(text("direct"));
      pair.peer().configureBlocking(true);
      assertThat(come(pair)).isEqualTo("direct");
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void close_whereThePeerNeverReads_givesTheDescriptorBackAndResets(String driver)
      throws Exception {
    try (HandDriven hand = lingering(driver, "1")) {
      boolean reset = false;
      for (int i = 0; !reset; i++) {
        Pair pair = stuck(hand);
        byte[] written = fill(hand, pair, new Random(i));
        Path number = numberOf(pair.ours());
        Path socket = Files.readSymbolicLink(number);
        pair.ours().close();
        hand.settle();
        assertThat(isOpen(number, socket)).isFalse();
        reset = isReset(pair, written);
      }
    }
  }

  /// A loop that has nothing else to do wakes for it.
  @ParameterizedTest
  @MethodSource(DRIVERS)
  void close_whereThePeerNeverReads_endsTheWaitOfTheLoop(String driver) throws Exception {
    try (HandDriven hand = lingering(driver, "20")) {
      Pair pair = stuck(hand);
      fill(hand, pair, new Random(9));
      pair.ours().close();
      while (hand.driver().isArmed()) {
        hand.driver().poll(ReactorDriver.NO_DEADLINE);
      }
      pair.peer().close();
    }
  }

  /// It knows no reset, which would say that something is missing.
  @ParameterizedTest
  @MethodSource(DRIVERS)
  void write_toAUnixSocket_isDirect(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = watchedByPath(hand);
      pair.ours().write(text("direct"));
      assertThat(come(pair)).isEqualTo("direct");
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void close_ofTheDriver_isFollowedByTheRestThenTheEnd(String driver) throws Exception {
    Pair pair;
    byte[] written;
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      pair = stuck(hand);
      written = fill(hand, pair, new Random(5));
    }
    assertThat(isReset(pair, written)).isFalse();
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void close_ofTheDriverWhereThePeerNeverReads_isAReset(String driver) throws Exception {
    boolean reset = false;
    for (int i = 0; !reset; i++) {
      Pair pair;
      byte[] written;
      try (HandDriven hand = lingering(driver, "1500")) { // longer than the driver waits
        pair = stuck(hand);
        written = fillUp(hand, pair, new Random(i));
      }
      awaitNoRests();
      reset = isReset(pair, written);
    }
  }

  private static void awaitNoRests() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("heddle-rests-of-")) {
        thread.join();
      }
    }
  }

  private static HandDriven lingering(String driver, String millis) {
    System.setProperty("heddle.linger", millis);
    try {
      return HandDriven.openBatching(driver);
    } finally {
      System.clearProperty("heddle.linger");
    }
  }

  private static Path numberOf(SocketDescriptor descriptor) {
    return Path.of("/proc/self/fd/" + ((UnixDescriptor) descriptor).fd().intValue());
  }

  /// Whether it is that socket still: a number is given to others.
  private static boolean isOpen(Path number, Path socket) {
    try {
      return Files.readSymbolicLink(number).equals(socket);
    } catch (IOException _) {
      return false; // nobody has that number
    }
  }

  /// A connection by a path.
  private static Pair watchedByPath(HandDriven hand) throws IOException {
    Path path = Files.createTempDirectory("outgoing").resolve("socket");
    ListenerDescriptor listener = hand.driver().openListener(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(path), 1);
    SocketChannel peer = SocketChannel.open(UnixDomainSocketAddress.of(path));
    Files.delete(path);
    Files.delete(path.getParent());
    return accepted(hand, listener, peer);
  }

  /// The first that has come, watched; its peer does not wait.
  private static Pair accepted(HandDriven hand, ListenerDescriptor listener, SocketChannel peer)
      throws IOException {
    hand.await(hand.wait(listener, Direction.READ));
    Pair pair = new Pair(listener.accept(), peer);
    listener.close();
    hand.await(hand.wait(pair.ours(), Direction.WRITE));
    hand.settle();
    peer.configureBlocking(false);
    return pair;
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void linger_thatIsNoNumber_isRefusedByName(String driver) {
    OnDriver.require(driver);
    assertThatThrownBy(() -> lingering(driver, "long"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("-Dheddle.linger=long is not a number of milliseconds");
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void wish_thatThereIsNot_isRefusedByName(String driver) {
    OnDriver.require(driver);
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
