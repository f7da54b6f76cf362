// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
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
import java.util.Random;
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
