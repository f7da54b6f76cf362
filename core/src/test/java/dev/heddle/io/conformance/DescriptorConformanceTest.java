// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.Adopt;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.FileIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Pipe;
import dev.heddle.io.ReceivedDescriptors;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.Unix;
import dev.heddle.io.UnixAbstractAddress;
import dev.heddle.reactor.linux.LinuxCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What UNIX sockets can beside bytes: descriptors, who is there, names that are no files.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T14.4")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("DESCRIPTOR_PASSING")
class DescriptorConformanceTest implements OnDriver {
  private final String driver;

  @TempDir Path folder;

  DescriptorConformanceTest(String driver) {
    this.driver = driver;
  }

  @Override
  public String driver() {
    return driver;
  }

  /// Runs with a pair, and sees to the refusal where the driver passes nothing.
  private void run(Exchange exchange) {
    Cell.run(
        driver,
        () -> {
          try (Pair pair = Pair.Kind.UNIX.open()) {
            StreamSocket one = (StreamSocket) pair.sink();
            if (Cell.showsNumbers(driver)) {
              exchange.run(one, (StreamSocket) pair.source());
            } else {
              refused("DESCRIPTOR_PASSING", () -> Unix.sendDescriptors(one, bytes("x"), one));
              refused("DESCRIPTOR_PASSING", () -> Unix.receiveDescriptors(one, bytes("x"), 1));
            }
          }
        });
  }

  private void refused(
      String capability, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("the driver " + driver + " has no " + capability + ": ");
  }

  @FunctionalInterface
  private interface Exchange {
    void run(StreamSocket one, StreamSocket other) throws Exception;
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String read(AsyncIo from, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    from.readFully(buffer);
    return new String(buffer.array(), StandardCharsets.UTF_8);
  }

  /// The sockets of a pair, as the system names them: other threads open sockets, too.
  private static Set<String> names(StreamSocket one, StreamSocket other) throws IOException {
    Set<String> names = new HashSet<>();
    Unix.sendDescriptors(one, bytes("n"), one, other);
    try (ReceivedDescriptors received = Unix.receiveDescriptors(other, ByteBuffer.allocate(1), 2)) {
      for (int i = 0; i < received.size(); i++) {
        int number = received.takeNumber(i);
        names.add(target(Path.of("/proc/self/fd/" + number)));
        LinuxCalls.close(number);
      }
    }
    assertThat(names).hasSize(2).allMatch(name -> name.startsWith("socket:"));
    return names;
  }

  /// How many descriptors this process has of some sockets.
  private static long descriptors(Set<String> sockets) throws IOException {
    if (sockets.isEmpty()) {
      return 0; // the driver passes none
    }
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(link -> sockets.contains(target(link))).count();
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException _) {
      return ""; // closed meanwhile
    }
  }

  // ---- descriptors ----

  @Test
  @Shows(Aspect.INTEGRITY)
  void pipe_thatIsSent_carriesBytes_afterItsSenderHasClosedIt() {
    run((one, other) -> {
      Pipe pipe = Pipe.open();
      Unix.sendDescriptors(one, bytes("here"), pipe.sink());
      pipe.sink().close();
      ByteBuffer into = ByteBuffer.allocateDirect(10);
      try (ReceivedDescriptors received = Unix.receiveDescriptors(other, into, 5)) {
        assertThat(received.bytes()).isEqualTo(4);
        assertThat(received.size()).isEqualTo(1);
        assertThatThrownBy(() -> received.takeSocket(0)).hasMessageContaining("is not a socket");
        try (AsyncIo end = received.takePipe(0)) {
          end.write(bytes("through"));
        }
      }
      assertThat(read(pipe.source(), 7)).isEqualTo("through");
      assertThat(pipe.source().read(ByteBuffer.allocate(1))).isEqualTo(-1);
      pipe.close();
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void sendings_stayApart_eachWithItsOwnDescriptors() {
    run((one, other) -> {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      try (Listener listener = Tcp.listen(any);
          Pair tcp = Pair.Kind.TCP.open()) {
        Unix.sendDescriptors(one, bytes("first"), listener, tcp.sink());
        Unix.sendDescriptors(one, bytes("second"), tcp.source());
        one.write(bytes("third"));
        try (ReceivedDescriptors first =
                Unix.receiveDescriptors(other, ByteBuffer.allocate(100), 9);
            Listener ours = first.takeListener(0)) {
          assertThat(first.bytes()).isEqualTo(5);
          assertThat(first.size()).isEqualTo(2);
          try (StreamSocket client = Tcp.connect(ours.localAddress());
              StreamSocket accepted = ours.accept()) {
            client.write(bytes("hello"));
            assertThat(read(accepted, 5)).isEqualTo("hello");
          }
          assertThatThrownBy(() -> first.takeListener(1)).hasMessageContaining("does not listen");
          assertThatThrownBy(() -> first.takeListener(0)).isInstanceOf(IllegalStateException.class);
        }
        try (ReceivedDescriptors second =
            Unix.receiveDescriptors(other, ByteBuffer.allocate(100), 9)) {
          assertThat(second.bytes()).isEqualTo(6);
          assertThat(second.size()).isEqualTo(1);
        }
        try (ReceivedDescriptors third =
            Unix.receiveDescriptors(other, ByteBuffer.allocate(100), 9)) {
          assertThat(third.bytes()).isEqualTo(5);
          assertThat(third.size()).isZero();
        }
        one.shutdownOutput();
        try (ReceivedDescriptors end =
            Unix.receiveDescriptors(other, ByteBuffer.allocate(100), 9)) {
          assertThat(end.bytes()).isEqualTo(-1);
        }
      }
    });
  }

  @Test
  void socketThatIsSent_goesOnOverThere_whenItsSenderClosesIt() {
    run((one, other) -> {
      Pair tcp = Pair.Kind.TCP.open();
      Coroutine<Integer> reader = Heddle.spawn(() -> tcp.sink().read(ByteBuffer.allocate(1)));
      while (!reader.isSuspended()) {
        Heddle.yieldNow(); // so that it is watched
      }
      tcp.source().write(bytes("x"));
      assertThat(reader.await()).isEqualTo(1);
      Unix.sendDescriptors(one, bytes("a"), tcp.sink());
      tcp.sink().close();
      try (ReceivedDescriptors received =
              Unix.receiveDescriptors(other, ByteBuffer.allocate(1), 1);
          StreamSocket same = received.takeSocket(0)) {
        same.write(bytes("alive"));
        assertThat(read(tcp.source(), 5)).isEqualTo("alive");
      }
      assertThat(tcp.source().read(ByteBuffer.allocate(1))).isEqualTo(-1);
      tcp.close();
    });
  }

  @Test
  void file_thatIsSent_isOpenedOverThere_whereTheDriverKnowsItsNumber() throws IOException {
    Path path = Files.writeString(folder.resolve("file"), "content");
    run((one, other) -> {
      try (AsyncFile file = FileIo.open(path)) {
        if (driver.equals("epoll")) {
          assertThatThrownBy(() -> Unix.sendDescriptors(one, bytes("f"), file))
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessageContaining("epoll")
              .hasMessageContaining("file descriptor");
          return;
        }
        Unix.sendDescriptors(one, bytes("f"), file);
      }
      Files.delete(path);
      try (ReceivedDescriptors received =
              Unix.receiveDescriptors(other, ByteBuffer.allocate(1), 1);
          AsyncFile same = received.openFile(0)) {
        assertThat(same.readLine()).isEqualTo("content");
      }
    });
  }

  @Test
  void moreThanThereIsRoomFor_areAllClosed_andTheCallFails() {
    run((one, other) -> {
      AutoCloseable[] many = new AutoCloseable[20];
      Arrays.fill(many, one);
      Set<String> names = names(one, other);
      long before = descriptors(names);
      Unix.sendDescriptors(one, bytes("many"), many);
      ByteBuffer into = ByteBuffer.allocate(10);
      assertThatThrownBy(() -> Unix.receiveDescriptors(other, into, 3))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("more than 3 descriptors");
      assertThat(descriptors(names)).isEqualTo(before);
      assertThat(into.position()).isEqualTo(4);
      one.write(bytes("next"));
      assertThat(read(other, 4)).isEqualTo("next");
    });
  }

  @Test
  void descriptors_thatAreNotTaken_areClosed() throws IOException {
    Set<String> names = new HashSet<>();
    run((one, other) -> {
      names.addAll(names(one, other));
      long before = descriptors(names);
      Unix.sendDescriptors(one, bytes("a"), one, other);
      try (ReceivedDescriptors received =
          Unix.receiveDescriptors(other, ByteBuffer.allocate(1), 2)) {
        assertThat(descriptors(names)).isEqualTo(before + 2);
        assertThat(received.size()).isEqualTo(2);
      }
      assertThat(descriptors(names)).isEqualTo(before);
      Unix.sendDescriptors(one, bytes("b"), one, other);
      ReceivedDescriptors forgotten = Unix.receiveDescriptors(other, ByteBuffer.allocate(1), 2);
      assertThat(forgotten.size()).isEqualTo(2);
      Unix.sendDescriptors(one, bytes("c"), one, other);
      read(other, 1); // the system closes them
      Unix.sendDescriptors(one, bytes("never read"), one, other);
    });
    assertThat(descriptors(names)).isZero();
  }

  @Test
  void receivedOnes_areClosedOnExec() {
    run((one, other) -> {
      Unix.sendDescriptors(one, bytes("a"), one);
      try (ReceivedDescriptors received =
          Unix.receiveDescriptors(other, ByteBuffer.allocate(1), 1)) {
        int number = received.takeNumber(0);
        String info = Files.readString(Path.of("/proc/self/fdinfo/" + number));
        String flags = info.lines().filter(l -> l.startsWith("flags:")).findFirst().orElseThrow();
        int octal = Integer.parseInt(flags.substring(6).strip(), 8);
        assertThat(octal & 02000000).as("O_CLOEXEC in " + flags).isNotZero();
        Adopt.socket(number).close();
      }
    });
  }

  @Test
  @Shows(Aspect.CANCEL)
  void receive_cancelled_leavesAllForTheNext() {
    run((one, other) -> {
      Coroutine<ReceivedDescriptors> waiting =
          Heddle.spawn(() -> Unix.receiveDescriptors(other, ByteBuffer.allocate(5), 1));
      while (!waiting.isSuspended()) {
        Heddle.yieldNow();
      }
      waiting.cancel("no more");
      Unix.sendDescriptors(one, bytes("abc"), one);
      assertThatThrownBy(waiting::await).isInstanceOf(Cancellation.class);
      try (ReceivedDescriptors received =
          Unix.receiveDescriptors(other, ByteBuffer.allocate(5), 1)) {
        assertThat(received.size()).isEqualTo(1);
      }
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  void close_underReceivers_endsThemAll_andNoClosedHandleIsSent() {
    run((one, other) -> {
      Coroutine<ReceivedDescriptors> waiting =
          Heddle.spawn(() -> Unix.receiveDescriptors(other, ByteBuffer.allocate(5), 1));
      while (!waiting.isSuspended()) {
        Heddle.yieldNow();
      }
      other.close();
      assertThatThrownBy(waiting::await).hasCauseInstanceOf(AsynchronousCloseException.class);
      assertThatThrownBy(() -> Unix.sendDescriptors(one, bytes("x"), other))
          .isInstanceOf(ClosedChannelException.class);
      assertThatThrownBy(() -> Unix.peerCredentials(other))
          .isInstanceOf(ClosedChannelException.class);
    });
  }

  @Test
  void longMessage_leavesWhole_withItsDescriptorsAtItsBeginning() {
    run((one, other) -> {
      byte[] all = new byte[3_000_000];
      Arrays.fill(all, (byte) 'z');
      Coroutine<?> sender =
          Heddle.spawn(() -> Unix.sendDescriptors(one, ByteBuffer.wrap(all), one));
      ByteBuffer into = ByteBuffer.allocate(all.length);
      try (ReceivedDescriptors received = Unix.receiveDescriptors(other, into, 1)) {
        assertThat(received.size()).isEqualTo(1);
      }
      other.readFully(into);
      sender.await();
      assertThat(into.array()).isEqualTo(all);
    });
  }

  @Test
  void whatCannotBeSent_isRefused() {
    run((one, other) -> {
      assertThatThrownBy(() -> Unix.sendDescriptors(one, ByteBuffer.allocate(0), one))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> Unix.sendDescriptors(one, bytes("x")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> Unix.sendDescriptors(one, bytes("x"), () -> {}))
          .isInstanceOf(UnsupportedOperationException.class);
      try (Pair tcp = Pair.Kind.TCP.open()) {
        assertThatThrownBy(() -> Unix.sendDescriptors((StreamSocket) tcp.sink(), bytes("x"), one))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("is no UNIX socket");
      }
    });
  }

  // ---- who is there ----

  @Test
  void peer_isKnownByItsNumbers() {
    Cell.run(
        driver,
        () -> {
          try (Pair pair = Pair.Kind.UNIX.open()) {
            StreamSocket one = (StreamSocket) pair.sink();
            if (!Cell.showsNumbers(driver)) {
              refused("PEER_CREDENTIALS", () -> Unix.peerCredentials(one));
              return;
            }
            assertThat((long) Unix.peerCredentials(one).pid())
                .isEqualTo(ProcessHandle.current().pid());
            int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            assertThat(Unix.peerCredentials((StreamSocket) pair.source()).uid()).isEqualTo(uid);
          }
        });
  }

  // ---- names that are no files ----

  @Test
  void abstractName_isListenedOn_andFreeWhenItIsClosed() {
    UnixAbstractAddress name =
        UnixAbstractAddress.of("heddle-" + folder.getFileName() + "-" + driver);
    Cell.run(
        driver,
        () -> {
          if (!Cell.showsNumbers(driver)) {
            refused("ABSTRACT_ADDRESS", () -> Unix.listen(name));
            refused("ABSTRACT_ADDRESS", () -> Unix.connect(name));
            return;
          }
          for (int i = 0; i < 2; i++) {
            try (Listener listener = listenWhenFree(name)) {
              assertThat(listener.localAddress()).isEqualTo(name);
              assertThatThrownBy(() -> Unix.listen(name))
                  .isInstanceOf(java.net.BindException.class)
                  .hasMessageContaining("@heddle-");
              try (StreamSocket client = Unix.connect(name);
                  StreamSocket server = listener.accept()) {
                assertThat(client.remoteAddress()).isEqualTo(name);
                client.write(bytes("hello"));
                assertThat(read(server, 5)).isEqualTo("hello");
              }
            }
          }
          listenWhenFree(name).close();
        });
  }

  /// On the ring what is closed is given back in the next turn.
  private static Listener listenWhenFree(UnixAbstractAddress name) throws IOException {
    while (true) {
      try {
        return Unix.listen(name);
      } catch (java.net.BindException _) {
        Heddle.yieldNow();
      }
    }
  }

  @Test
  void listener_onAPathThatIsAnExistingFile_isRefused_andTheFileStays() throws IOException {
    Path path = Files.writeString(folder.resolve("file"), "mine");
    Cell.run(
        driver,
        () -> {
          assertThatThrownBy(() -> Unix.listen(path))
              .isInstanceOf(java.net.BindException.class)
              .hasMessageContaining(path.toString());
          Path live = folder.resolve("live");
          try (Listener listener = Unix.listen(live)) {
            assertThatThrownBy(() -> Unix.listen(live)).isInstanceOf(java.net.BindException.class);
            Unix.connect(live).close();
            listener.accept().close();
          }
        });
    assertThat(path).hasContent("mine");
  }
}
