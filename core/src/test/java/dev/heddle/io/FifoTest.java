// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.ScopeBody;
import dev.heddle.reactor.linux.EpollSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Named pipes that nobody opens at the other end, or much later, by each way that opens files.
@Tag("T14.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FifoTest {
  // more than there are threads for files, and for paths
  private static final int OPENS = 40;
  private static final int READS = 70;
  private static final int MORE_THAN_WATCHES = 140;
  private static final int MOST_WATCHES = 32; // inotify has 128 for all programs of a user

  @TempDir Path folder;

  private Path fifo = Path.of("");
  private long othersWatches; // of other tests in this JVM

  @BeforeEach
  void make() throws Exception {
    assumeTrue(EpollSet.refusal() == null, () -> "" + EpollSet.refusal());
    fifo = folder.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    othersWatches = watches();
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void inLoop(ScopeBody<?> body) {
    Heddle.run(() -> Heddle.supervise(body));
  }

  private static long watches() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(FifoTest::isWatch).count();
    }
  }

  private static boolean isWatch(Path link) {
    try {
      return Files.readSymbolicLink(link).toString().equals("anon_inode:inotify");
    } catch (IOException _) {
      return false; // closed meanwhile
    }
  }

  private static void untilItWaits(Coroutine<?> opening) {
    while (!opening.isSuspended() && !opening.isDone()) {
      Heddle.yieldNow();
    }
  }

  /// They held threads for ever, until no file of the loop could be opened any more.
  @Test
  void opensThatWaitForAPeer_keepNoOtherFromFiles() throws IOException {
    Path plain = Files.writeString(folder.resolve("plain"), "text\n");
    inLoop(s -> {
      List<Coroutine<?>> waiting = new ArrayList<>();
      for (int i = 0; i < OPENS; i++) {
        waiting.add(s.spawn(() -> FileIo.open(fifo, WRITE)));
      }
      Path other = folder.resolve("other");
      assertThat(new ProcessBuilder("mkfifo", other.toString()).start().waitFor()).isZero();
      for (int i = 0; i < READS; i++) {
        waiting.add(s.spawn(() -> FileIo.readString(other)));
      }
      waiting.forEach(FifoTest::untilItWaits);
      assertThat(watches() - othersWatches).isLessThanOrEqualTo(MOST_WATCHES);
      try (AsyncFile file = FileIo.open(plain)) {
        assertThat(file.readLine()).isEqualTo("text");
      }
      assertThat(FileIo.readString(plain)).isEqualTo("text\n");
      assertThat(FileIo.exists(plain)).isTrue();
      waiting.forEach(each -> assertThat(each.isDone()).isFalse());
      waiting.forEach(each -> each.cancel("enough"));
      return null;
    });
  }

  @Test
  void fifoOpenedAsAFile_isReadAndWrittenAsAStream() {
    inLoop(s -> {
      Coroutine<AsyncFile> opening = s.spawn(() -> FileIo.open(fifo, READ));
      untilItWaits(opening);
      AsyncFile sink = FileIo.open(fifo, CREATE, WRITE);
      try (AsyncFile source = opening.await()) {
        sink.write(bytes("one\ntwo\n"));
        assertThat(source.readLine()).isEqualTo("one");
        sink.close();
        assertThat(source.readLine()).isEqualTo("two");
        assertThat(source.readLine()).isNull();
        assertThatThrownBy(source::size)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("the named pipe " + fifo + " has no length");
        assertThatThrownBy(() -> source.write(bytes("x")))
            .isInstanceOf(NonWritableChannelException.class);
      }
      return null;
    });
  }

  @Test
  void fifoReadAndWrittenAsAWhole_passesAll() {
    String text = "ä".repeat(100_000);
    inLoop(s -> {
      Coroutine<String> reader = s.spawn(() -> FileIo.readString(fifo));
      FileIo.writeString(fifo, text);
      assertThat(reader.await()).isEqualTo(text);
      Coroutine<byte[]> bytes = s.spawn(() -> FileIo.readBytes(fifo));
      FileIo.writeBytes(fifo, new byte[] {1, 2});
      assertThat(bytes.await()).containsExactly(1, 2);
      return null;
    });
  }

  @Test
  void fifoOpenedAtBothEnds_doesNotWait() {
    inLoop(_ -> {
      try (AsyncFile both = FileIo.open(fifo, READ, WRITE)) {
        both.write(bytes("x\n"));
        assertThat(both.readLine()).isEqualTo("x");
      }
      return null;
    });
  }

  @Test
  void writerThatComesAndGoesWithoutAWord_isTheEnd() {
    inLoop(s -> {
      Coroutine<AsyncIo> opening = s.spawn(() -> Pipe.openNamed(fifo, READ));
      assertWaitsForAPeer(opening);
      Pipe.openNamed(fifo, WRITE).close();
      assertThat(opening.await().readLine()).isNull();
      return null;
    });
  }

  /// Giving up opened both ends for a moment: whoever opened one then found a peer that was none.
  @Test
  void givingUp_isNoPeerToOthers() {
    inLoop(s -> {
      for (int i = 0; i < 20; i++) {
        Coroutine<AsyncIo> reader = s.spawn(() -> Pipe.openNamed(fifo, READ));
        assertWaitsForAPeer(reader);
        reader.cancel("enough");
        assertThatThrownBy(reader::await).isInstanceOf(dev.heddle.Cancellation.class);
        Coroutine<AsyncIo> writer = s.spawn(() -> Pipe.openNamed(fifo, WRITE));
        assertWaitsForAPeer(writer);
        writer.cancel("enough");
        assertThatThrownBy(writer::await).isInstanceOf(dev.heddle.Cancellation.class);
      }
      return null;
    });
  }

  /// Waits until an opening has done what it does beside the loop, and asserts that it waits then.
  private static void assertWaitsForAPeer(Coroutine<?> opening) {
    while (!opening.isDone() && !waitsForAPeer(opening)) {
      Heddle.yieldNow();
    }
    assertThat(opening.isDone()).isFalse();
  }

  private static boolean waitsForAPeer(Coroutine<?> opening) {
    return Heddle.dump().coroutines().stream()
        .filter(each -> each.id() == opening.id())
        .flatMap(each -> each.waits().stream())
        .anyMatch(wait ->
            wait.on().startsWith("input from the opening of ")
                || wait.on().startsWith("a timer, due in ")); // no inotify instance is left
  }

  @Test
  void moreOpensThanTheSystemWatches_areAllServed() {
    inLoop(s -> {
      List<Coroutine<AsyncIo>> sinks = new ArrayList<>();
      for (int i = 0; i < MORE_THAN_WATCHES; i++) {
        sinks.add(s.spawn(() -> Pipe.openNamed(fifo, WRITE)));
      }
      sinks.forEach(FifoTest::untilItWaits);
      assertThat(watches() - othersWatches).isLessThanOrEqualTo(MOST_WATCHES);
      try (AsyncIo source = Pipe.openNamed(fifo, READ)) {
        for (Coroutine<AsyncIo> sink : sinks) {
          sink.await().write(bytes("x"));
          sink.await().close();
        }
        ByteBuffer all = ByteBuffer.allocate(MORE_THAN_WATCHES);
        source.readFully(all);
        assertThat(source.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThatThrownBy(() -> source.write(bytes("x")))
            .isInstanceOf(NonWritableChannelException.class);
      }
      return null;
    });
  }

  @Test
  void sink_isNotReadFrom() {
    inLoop(s -> {
      Coroutine<AsyncIo> reader = s.spawn(() -> Pipe.openNamed(fifo, READ));
      try (AsyncIo sink = Pipe.openNamed(fifo, WRITE)) {
        assertThatThrownBy(() -> sink.read(ByteBuffer.allocate(1)))
            .isInstanceOf(NonReadableChannelException.class);
      }
      reader.await().close();
      return null;
    });
  }
}
