// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.netty.driver.HandDriven.Pair;
import dev.heddle.netty.driver.HandDriven.Wait;
import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.PipeDescriptors;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.reactor.driver.StreamDescriptor;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The kinds of descriptors: what goes in comes out, and what fails says it in the JDK's words.
@Tag("T14")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DescriptorTest {
  private static final int ROUNDS = 2_000; // of a race
  private static final String DRIVERS = "dev.heddle.netty.driver.HandDriven#names";

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  private static String read(HandDriven hand, StreamDescriptor from) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(64);
    while (from.read(into) == 0) {
      hand.await(hand.wait(from, Direction.READ));
    }
    return new String(into.array(), 0, into.position(), UTF_8);
  }

  // ---- sockets ----

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void wildcard_ofIPv6_servesIPv4(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      ListenerDescriptor listener = hand.driver().openListener(StandardProtocolFamily.INET6);
      listener.bind(new InetSocketAddress("0.0.0.0", 0), 16);
      int port = ((InetSocketAddress) listener.localAddress()).getPort();
      for (String host : new String[] {"127.0.0.1", "::1"}) {
        SocketChannel peer = SocketChannel.open(new InetSocketAddress(host, port));
        hand.await(hand.wait(listener, Direction.READ));
        SocketDescriptor accepted = listener.accept();
        assertThat(accepted.remoteAddress()).isEqualTo(peer.getLocalAddress());
        assertThat(listener.accept()).isNull();
        peer.close();
      }
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void connect_withoutAListener_isRefusedInTheJdksWords(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver);
        Socket bound = new Socket()) {
      bound.bind(HandDriven.LOOPBACK); // nobody else may listen there
      var address = (InetSocketAddress) bound.getLocalSocketAddress();
      SocketDescriptor socket = hand.driver().openSocket(StandardProtocolFamily.INET6);
      assertThatThrownBy(
              () -> {
                if (!socket.connect(address)) {
                  hand.await(hand.wait(socket, Direction.WRITE));
                  socket.finishConnect();
                }
              })
          .isInstanceOf(ConnectException.class)
          .hasMessage("Connection refused");
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void bind_toATakenAddress_throwsBindException(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      ListenerDescriptor first = hand.listener();
      ListenerDescriptor second = hand.driver().openListener(StandardProtocolFamily.INET6);
      assertThatThrownBy(() -> second.bind(first.localAddress(), 16))
          .isInstanceOf(BindException.class)
          .hasMessage("Address already in use");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.heddle.netty.driver.HandDriven#bindingAtOnce")
  void bind_ofOnePathByTwoAtOnce_isWonByOne(String driver, @TempDir Path folder) throws Exception {
    var together = new CyclicBarrier(2);
    var won = new AtomicInteger();
    Callable<Integer> binding =
        () -> {
          int round = 0;
          try (HandDriven hand = HandDriven.open(driver)) {
            while (round < ROUNDS && won.get() == round) { // what both see, until the next round
              var listener = hand.driver().openListener(StandardProtocolFamily.UNIX);
              var path = UnixDomainSocketAddress.of(folder.resolve("socket-" + round));
              together.await();
              won.addAndGet(isBound(listener, path) ? 1 : 0);
              together.await(); // whoever has it keeps it until the other has tried
              listener.close();
              hand.settle();
              round++;
            }
          }
          return round;
        };
    var other = new FutureTask<>(binding);
    Thread.ofPlatform().daemon().start(other);
    assertThat(binding.call()).isEqualTo(other.get());
    assertThat(won).hasValue(ROUNDS);
  }

  private static boolean isBound(ListenerDescriptor listener, UnixDomainSocketAddress path)
      throws IOException {
    try {
      listener.bind(path, 1);
      return true;
    } catch (BindException _) {
      return false;
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void write_afterThePeerHasReset_breaks(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      Wait input = hand.wait(pair.ours(), Direction.READ);
      pair.peer().setOption(StandardSocketOptions.SO_LINGER, 0);
      pair.peer().close();
      hand.await(input);
      assertThatThrownBy(() -> pair.ours().read(ByteBuffer.allocate(1)))
          .isInstanceOf(IOException.class)
          .hasMessage("Connection reset");
      assertThatThrownBy(() -> pair.ours().write(text("x")))
          .isInstanceOf(IOException.class)
          .hasMessage("Broken pipe");
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void options_areSetAndAskedForByTheJdksNames(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      SocketDescriptor socket = hand.pair().ours();
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 77);
      socket.setOption(StandardSocketOptions.SO_LINGER, 3);
      socket.setOption(StandardSocketOptions.SO_RCVBUF, 32 << 10);
      assertThat(socket.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
      assertThat(socket.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(77);
      assertThat(socket.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(3);
      assertThat(socket.getOption(StandardSocketOptions.SO_RCVBUF)).isEqualTo(32 << 10);
      assertThatThrownBy(() -> socket.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("IP_MULTICAST_TTL");
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void buffersOfAllKinds_writtenAtOnce_arriveInOrder(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      ByteBuffer direct = ByteBuffer.allocateDirect(3).put(text("two")).flip();
      ByteBuffer[] mixed = {text("one"), direct, text(""), text("three").asReadOnlyBuffer()};
      assertThat(pair.ours().write(mixed, 0, 4)).isEqualTo(11);
      assertThat(Arrays.stream(mixed)).noneMatch(ByteBuffer::hasRemaining);
      ByteBuffer[] direct2 = {direct.rewind(), ByteBuffer.allocateDirect(1).put((byte) '!').flip()};
      assertThat(pair.ours().write(direct2, 0, 2)).isEqualTo(4);
      ByteBuffer into = ByteBuffer.allocate(15);
      while (into.hasRemaining()) {
        pair.peer().read(into);
      }
      assertThat(new String(into.array(), UTF_8)).isEqualTo("onetwothreetwo!");
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void unixSockets_connectByPath(String driver, @TempDir Path folder) throws Exception {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("s"));
    try (HandDriven hand = HandDriven.open(driver)) {
      SocketDescriptor none = hand.driver().openSocket(StandardProtocolFamily.UNIX);
      assertThatThrownBy(() -> none.connect(address)).hasMessage("No such file or directory");
      ListenerDescriptor listener = hand.driver().openListener(StandardProtocolFamily.UNIX);
      listener.bind(address, 16);
      assertThat(listener.localAddress()).isEqualTo(address);
      SocketDescriptor client = hand.driver().openSocket(StandardProtocolFamily.UNIX);
      assertThat(client.connect(address)).isTrue();
      assertThat(client.remoteAddress()).isEqualTo(address);
      hand.await(hand.wait(listener, Direction.READ));
      SocketDescriptor server = listener.accept();
      client.write(text("by path"));
      assertThat(read(hand, server)).isEqualTo("by path");
      client.close();
      hand.await(hand.wait(server, Direction.READ));
      assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  // ---- pipes ----

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void pipe_carriesBytesAndItsEnd(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      PipeDescriptors pipe = hand.driver().openPipe();
      Wait waiting = hand.wait(pipe.source(), Direction.READ);
      hand.driver().poll(ReactorDriver.NO_WAIT);
      pipe.sink().write(text("through"));
      hand.await(waiting);
      assertThat(read(hand, pipe.source())).isEqualTo("through");
      pipe.sink().close();
      hand.await(hand.wait(pipe.source(), Direction.READ));
      assertThat(pipe.source().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void pipe_usedAgainstItsDirection_isRefused(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      PipeDescriptors pipe = hand.driver().openPipe();
      assertThatThrownBy(() -> pipe.source().write(text("x")))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> pipe.sink().read(ByteBuffer.allocate(1)))
          .isInstanceOf(NonReadableChannelException.class);
    }
  }

  /// A child that inherits the sink keeps the reader from ever seeing the end.
  @ParameterizedTest
  @MethodSource("dev.heddle.netty.driver.HandDriven#byEdge")
  void pipe_isInheritedByNoChild(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Path numbers = Path.of("/proc/self/fd");
      String[] before = numbers.toFile().list();
      hand.driver().openPipe();
      for (String number : numbers.toFile().list()) {
        Path info = Path.of("/proc/self/fdinfo", number);
        if (!Arrays.asList(before).contains(number) && Files.exists(info)) {
          int flags =
              Files.readAllLines(info).stream()
                  .filter(line -> line.startsWith("flags:"))
                  .mapToInt(line -> Integer.parseInt(line.substring(6).strip(), 8))
                  .findFirst()
                  .orElseThrow();
          assertThat(flags & 0x80000).as("CLOEXEC of " + number).isNotZero();
        }
      }
    }
  }

  // ---- datagrams ----

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void datagram_comesWhole_withItsSender(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      DatagramDescriptor a = hand.driver().openDatagram(StandardProtocolFamily.INET6);
      DatagramDescriptor b = hand.driver().openDatagram(StandardProtocolFamily.INET6);
      a.bind(HandDriven.LOOPBACK);
      b.bind(HandDriven.LOOPBACK);
      assertThat(a.receive(ByteBuffer.allocate(8))).isNull();
      for (ByteBuffer into :
          new ByteBuffer[] {ByteBuffer.allocate(3), ByteBuffer.allocateDirect(9)}) {
        Wait coming = hand.wait(a, Direction.READ);
        assertThat(b.send(text("datagram"), a.localAddress())).isTrue();
        hand.await(coming);
        assertThat(a.receive(into)).isEqualTo(b.localAddress());
        assertThat(into.position()).isEqualTo(Math.min(8, into.capacity()));
        assertThat(a.receive(ByteBuffer.allocate(8))).isNull();
      }
    }
  }

  /// An error that was told for ever made the receiver spin.
  @ParameterizedTest
  @MethodSource(DRIVERS)
  void datagram_withoutAReceiver_failsOneCallAndNotTheSocket(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      DatagramDescriptor gone = hand.driver().openDatagram(StandardProtocolFamily.INET6);
      gone.bind(HandDriven.LOOPBACK);
      InetSocketAddress nobody = (InetSocketAddress) gone.localAddress();
      gone.close();
      DatagramDescriptor ours = hand.driver().openDatagram(StandardProtocolFamily.INET6);
      ours.connect(nobody);
      Wait told = hand.wait(ours, Direction.READ);
      ours.send(text("anybody?"), null);
      hand.await(told);
      assertThatThrownBy(() -> ours.receive(ByteBuffer.allocate(8)))
          .isInstanceOf(PortUnreachableException.class);
      assertThat(ours.receive(ByteBuffer.allocate(8))).isNull();
      Wait next = hand.wait(ours, Direction.READ);
      hand.driver().poll(ReactorDriver.NO_WAIT);
      assertThat(next.answers).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void group_onceJoined_isHeard(String driver) throws Exception {
    NetworkInterface loopback =
        NetworkInterface.getByInetAddress(InetAddress.ofLiteral("127.0.0.1"));
    InetAddress group = InetAddress.ofLiteral("239.1.2.3");
    try (HandDriven hand = HandDriven.open(driver)) {
      DatagramDescriptor ours = hand.driver().openDatagram(StandardProtocolFamily.INET);
      ours.bind(new InetSocketAddress("0.0.0.0", 0));
      int port = ((InetSocketAddress) ours.localAddress()).getPort();
      DatagramDescriptor sender = hand.driver().openDatagram(StandardProtocolFamily.INET);
      sender.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback);
      sender.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
      AutoCloseable membership = ours.join(group, loopback);
      Wait coming = hand.wait(ours, Direction.READ);
      assertThat(sender.send(text("all"), new InetSocketAddress(group, port))).isTrue();
      hand.await(coming);
      ByteBuffer into = ByteBuffer.allocate(8);
      assertThat(ours.receive(into)).isNotNull();
      membership.close();
      assertThatThrownBy(() -> ours.join(InetAddress.getLoopbackAddress(), loopback))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  // ---- channels of other code ----

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void channelOfOtherCode_isWatched(String driver) throws Exception {
    Pipe pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    try (HandDriven hand = HandDriven.open(driver);
        Pipe.SinkChannel sink = pipe.sink();
        Pipe.SourceChannel source = pipe.source()) {
      Descriptor watched = hand.driver().watch(source);
      Wait cancelled = hand.wait(watched, Direction.READ);
      cancelled.cancel();
      Wait first = hand.wait(watched, Direction.READ);
      sink.write(text("x"));
      hand.await(first);
      hand.await(hand.wait(watched, Direction.READ)); // nobody has read it
      assertThat(cancelled.answers).isZero();
      watched.close();
      assertThat(source.read(ByteBuffer.allocate(1))).isEqualTo(1);
    }
  }
}
