// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.limits.Descriptors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Files that go to something else as they are.
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SendFileTest {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @TempDir Path folder;

  private byte[] written() throws Exception {
    byte[] data = new byte[9_000_007]; // more than any socket takes at once
    new Random(9).nextBytes(data);
    Files.write(folder.resolve("data"), data);
    return data;
  }

  private static byte[] readAll(AsyncIo source, int most) throws Exception {
    ByteBuffer all = ByteBuffer.allocate(most);
    while (source.read(all) > 0) {
      // until the end
    }
    byte[] got = new byte[all.position()];
    all.get(0, got);
    return got;
  }

  @Test
  void file_toASocket_arrivesWhole() throws Exception {
    byte[] data = written();
    Heddle.run(() -> {
      try (Listener listener = Tcp.listen(ANY_PORT);
          StreamSocket server = Tcp.connect(listener.localAddress());
          StreamSocket client = listener.accept();
          AsyncFile file = FileIo.open(folder.resolve("data"))) {
        Coroutine<byte[]> got = Heddle.spawn(() -> readAll(client, data.length + 1));
        assertThat(file.transferTo(server)).isEqualTo(data.length);
        assertThat(file.position()).isEqualTo(data.length);
        server.shutdownOutput();
        assertThat(got.await()).isEqualTo(data);
      }
    });
  }

  @Test
  void restOfAFile_behindALine_isSentInOrderWithWhatElseIsWritten() throws Exception {
    Files.writeString(folder.resolve("page"), "first\nsecond\nthird\n");
    Heddle.run(() -> {
      try (Listener listener = Tcp.listen(ANY_PORT);
          StreamSocket server = Tcp.connect(listener.localAddress());
          StreamSocket client = listener.accept();
          AsyncFile file = FileIo.open(folder.resolve("page"))) {
        assertThat(file.readLine()).isEqualTo("first");
        server.writeLater(ByteBuffer.wrap("head\n".getBytes(StandardCharsets.UTF_8)));
        assertThat(file.transferTo(server)).isEqualTo(13);
        server.write(ByteBuffer.wrap("tail\n".getBytes(StandardCharsets.UTF_8)));
        server.shutdownOutput();
        assertThat(new String(readAll(client, 100), StandardCharsets.UTF_8))
            .isEqualTo("head\nsecond\nthird\ntail\n");
      }
    });
  }

  @Test
  void file_toAPipe_arrivesWhole() throws Exception {
    byte[] data = written();
    Heddle.run(() -> {
      try (Pipe pipe = Pipe.open();
          AsyncFile file = FileIo.open(folder.resolve("data"))) {
        Coroutine<byte[]> got = Heddle.spawn(() -> readAll(pipe.source(), data.length + 1));
        assertThat(file.transferTo(pipe.sink())).isEqualTo(data.length);
        pipe.sink().close();
        assertThat(got.await()).isEqualTo(data);
      }
    });
  }

  @Test
  void file_toAUnixSocket_arrivesWhole() throws Exception {
    byte[] data = written();
    Path path = folder.resolve("socket");
    Heddle.run(() -> {
      try (Listener listener = Unix.listen(path);
          StreamSocket server = Unix.connect(path);
          StreamSocket client = listener.accept();
          AsyncFile file = FileIo.open(folder.resolve("data"))) {
        Coroutine<byte[]> got = Heddle.spawn(() -> readAll(client, data.length + 1));
        assertThat(file.transferTo(server)).isEqualTo(data.length);
        server.shutdownOutput();
        assertThat(got.await()).isEqualTo(data);
      }
    });
  }

  /// A connection with a file that is larger than what it takes at once.
  private void run(Transfer transfer) throws Exception {
    byte[] data = new byte[64 << 20];
    Files.write(folder.resolve("large"), data);
    Heddle.run(() -> {
      try (Listener listener = Tcp.listen(ANY_PORT);
          StreamSocket server = Tcp.connect(listener.localAddress());
          StreamSocket client = listener.accept();
          AsyncFile file = FileIo.open(folder.resolve("large"))) {
        Heddle.supervise(() -> transfer.run(file, server, client));
      }
    });
  }

  @FunctionalInterface
  private interface Transfer {
    void run(AsyncFile file, StreamSocket server, StreamSocket client) throws Exception;
  }

  @Test
  void transfer_toAPeerThatReadsNothing_isCancelled_andSaysHowFarItCame() throws Exception {
    run((file, server, client) -> {
      Coroutine<Long> sender = Heddle.spawn(() -> file.transferTo(server));
      assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(1);
      sender.cancel("enough");
      assertThatThrownBy(sender::await).isInstanceOf(Cancellation.class);
      long sent = file.position();
      server.shutdownOutput();
      long got = 1;
      ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
      for (int n = client.read(some); n > 0; n = client.read(some.clear())) {
        got += n;
      }
      // a copy that was cut has not told the file how much of its last buffer has left
      assertThat(got).isBetween(1L, sent);
    });
  }

  @Test
  void transfer_toAPeerThatGoes_fails() throws Exception {
    run((file, server, client) -> {
      Coroutine<Long> sender = Heddle.spawn(() -> file.transferTo(server));
      assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(1);
      client.close();
      assertThatThrownBy(sender::await).hasCauseInstanceOf(IOException.class);
    });
  }

  @Test
  void transfer_whoseSocketIsClosedMeanwhile_ends() throws Exception {
    run((file, server, client) -> {
      Coroutine<Long> sender = Heddle.spawn(() -> file.transferTo(server));
      assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(1);
      server.close();
      assertThatThrownBy(sender::await).hasCauseInstanceOf(IOException.class);
    });
  }

  @Test
  void fileThatIsTruncatedMeanwhile_endsTheTransferThere() throws Exception {
    run((file, server, client) -> {
      Coroutine<Long> sender = Heddle.spawn(() -> file.transferTo(server));
      assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(1);
      try (FileChannel other =
          FileChannel.open(folder.resolve("large"), StandardOpenOption.WRITE)) {
        other.truncate(1);
      }
      Coroutine<Long> got =
          Heddle.spawn(() -> {
            long sum = 1;
            ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
            for (int n = client.read(some); n > 0; n = client.read(some.clear())) {
              sum += n;
            }
            return sum;
          });
      long sent = sender.await();
      assertThat(sent).isLessThan(64 << 20);
      server.shutdownOutput();
      assertThat(got.await()).isEqualTo(sent);
    });
  }

  @Test
  void peerThatHasHalfClosed_getsTheFileAllTheSame() throws Exception {
    run((file, server, client) -> {
      client.shutdownOutput();
      assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      Coroutine<Integer> got = Heddle.spawn(() -> readAll(client, (64 << 20) + 1).length);
      assertThat(file.transferTo(server)).isEqualTo(64 << 20);
      server.shutdownOutput();
      assertThat(got.await()).isEqualTo(64 << 20);
    });
  }

  @Test
  void transfers_leaveNoDescriptorBehind() throws Exception {
    byte[] data = written();
    Heddle.run(() -> {
      try (Listener listener = Tcp.listen(ANY_PORT);
          StreamSocket server = Tcp.connect(listener.localAddress());
          StreamSocket client = listener.accept();
          AsyncFile file = FileIo.open(folder.resolve("data"))) {
        Coroutine<byte[]> got = Heddle.spawn(() -> readAll(client, 2 * data.length + 1));
        file.transferTo(server);
        List<String> before = Descriptors.targets();
        file.position(0);
        file.transferTo(server);
        Descriptors.awaitNoMoreThan(before, isOfATransfer(), Heddle::yieldNow);
        server.shutdownOutput();
        assertThat(got.await()).hasSize(2 * data.length);
      }
    });
  }

  /// What a transfer may need: its pipe, its ring, the file. Other threads open sockets and
  /// archives of classes.
  private Predicate<String> isOfATransfer() throws IOException {
    String here = folder.toRealPath().toString();
    return target -> target.matches("(pipe|anon_inode):.*") || target.startsWith(here);
  }

  @Test
  @Tag("trap-32")
  void segments_beyondTwoGigabytes_areSplit() throws Exception {
    Path sparse = folder.resolve("sparse");
    long size = (2L << 30) + 5;
    try (FileChannel file =
            FileChannel.open(
                sparse,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      file.write(ByteBuffer.wrap(new byte[] {7}), size - 1);
      MemorySegment all = file.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
      ByteBuffer[] pieces = Segments.pieces(all);
      assertThat(pieces).hasSize(3);
      assertThat(pieces[2].remaining()).isEqualTo(5);
      assertThat(pieces[2].get(4)).isEqualTo((byte) 7);
      assertThat(Segments.isOne(all)).isFalse();
      assertThat(Segments.first(all).remaining()).isEqualTo(1 << 30);
    }
  }
}
