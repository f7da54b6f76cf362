// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.limits.Descriptors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Much work on real files, whichever driver does it: what is read and written is right, whoever
/// leaves in between, and nothing stays open.
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileWorkTest {
  private static final int SIZE = 3 << 20;
  private static final int LARGEST = 300_000; // more than a transfer of one piece

  @TempDir Path folder;

  private static byte[] noise(long seed, int size) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /// What a thread has in hand as the loop ends it closes by itself.
  private void awaitNoneOpen() throws IOException {
    String here = folder.toRealPath().toString();
    Descriptors.awaitNoMoreThan(List.of(), target -> target.startsWith(here), Thread::onSpinWait);
  }

  private static ByteBuffer someBuffer(Random random, int size) {
    return random.nextBoolean() ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void manyReaders_anywhere_getWhatIsThere(long seed) throws IOException {
    byte[] content = noise(seed, SIZE);
    Path path = Files.write(folder.resolve("noise"), content);
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path)) {
        Heddle.scope(() -> {
          for (int i = 0; i < 64; i++) {
            Random random = new Random(seed * 1_000 + i);
            Heddle.launch("reader", () -> readAnywhere(file, content, random));
          }
        });
      }
    });
    awaitNoneOpen();
  }

  private static void readAnywhere(AsyncFile file, byte[] content, Random random)
      throws IOException {
    for (int i = 0; i < 20; i++) {
      int size = 1 + random.nextInt(LARGEST);
      int at = random.nextInt(SIZE - size);
      ByteBuffer buffer = someBuffer(random, size);
      file.readFullyAt(buffer, at);
      assertThat(buffer.flip()).isEqualTo(ByteBuffer.wrap(content, at, size));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void manyWriters_eachInItsPart_leaveAFileOfAllTheirBytes(long seed) throws IOException {
    int part = SIZE / 32;
    byte[] content = noise(seed, 32 * part);
    Path path = folder.resolve("written");
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, READ, WRITE, CREATE)) {
        Heddle.scope(() -> {
          for (int i = 0; i < 32; i++) {
            int from = i * part;
            Random random = new Random(seed * 1_000 + i);
            Heddle.launch("writer", () -> writeInPieces(file, content, from, from + part, random));
          }
        });
        file.syncData();
        assertThat(file.size()).isEqualTo(content.length);
        file.truncate(content.length + 1);
        file.truncate(content.length - 1);
        file.sync();
      }
    });
    assertThat(Files.readAllBytes(path)).isEqualTo(Arrays.copyOf(content, content.length - 1));
    awaitNoneOpen();
  }

  private static void writeInPieces(AsyncFile file, byte[] content, int from, int to, Random random)
      throws IOException {
    int at = from;
    while (at < to) {
      int size = Math.min(to - at, 1 + random.nextInt(20_000));
      ByteBuffer buffer = someBuffer(random, size);
      file.writeAt(buffer.put(content, at, size).flip(), at);
      at += size;
    }
  }

  @Test
  void moreReadersThanAnyQueueHasRoomFor_areAllServed() throws IOException {
    byte[] content = noise(7, 8_000);
    Path path = Files.write(folder.resolve("small"), content);
    int sum =
        Heddle.run(() -> {
          try (AsyncFile file = FileIo.open(path)) {
            List<Coroutine<Byte>> readers = new ArrayList<>();
            for (int i = 0; i < content.length; i++) {
              int at = i;
              readers.add(
                  Heddle.spawn(() -> {
                    ByteBuffer one = ByteBuffer.allocate(1);
                    file.readFullyAt(one, at);
                    return one.get(0);
                  }));
            }
            int right = 0;
            for (int i = 0; i < content.length; i++) {
              right += readers.get(i).await() == content[i] ? 1 : 0;
            }
            return right;
          }
        });
    assertThat(sum).isEqualTo(content.length);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  @Tag("loop-293")
  @Tag("trap-28")
  void readers_cancelledAtAnyPoint_moveNoPositionAndTouchNoBufferLater(long seed)
      throws IOException {
    byte[] content = noise(seed, 200_000);
    Path path = Files.write(folder.resolve("noise"), content);
    Random random = new Random(seed);
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path)) {
        int at = 0;
        while (at < content.length) {
          int size = Math.min(content.length - at, 1 + random.nextInt(1_000));
          ByteBuffer buffer = someBuffer(random, size);
          Coroutine<Integer> reader = Heddle.spawn(() -> file.read(buffer));
          for (int pause = random.nextInt(4); pause > 0; pause--) {
            Heddle.yieldNow();
          }
          reader.cancel("enough");
          try {
            int n = reader.await();
            assertThat(buffer.flip()).isEqualTo(ByteBuffer.wrap(content, at, n));
            at += n;
          } catch (Cancellation e) {
            assertThat(buffer.position()).isZero();
            buffer.put(0, (byte) 42);
            assertThat(file.position()).isEqualTo(at);
            assertThat(buffer.get(0)).isEqualTo((byte) 42);
            at += readOne(file, content[at]);
          }
        }
      }
    });
    awaitNoneOpen();
  }

  private static int readOne(AsyncFile file, byte expected) throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    assertThat(file.read(one)).isOne();
    assertThat(one.get(0)).isEqualTo(expected);
    return 1;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  @Tag("loop-293")
  void writers_cancelledAtAnyPoint_haveWrittenWhatTheirBuffersGave(long seed) throws IOException {
    byte[] content = noise(seed, 100_000);
    Path path = folder.resolve("written");
    Random random = new Random(seed);
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, WRITE, CREATE)) {
        int at = 0;
        while (at < content.length) {
          int size = Math.min(content.length - at, 1 + random.nextInt(1_000));
          ByteBuffer buffer = someBuffer(random, size).put(content, at, size).flip();
          Coroutine<Void> writer =
              Heddle.spawn(() -> {
                file.write(buffer);
                return null;
              });
          for (int pause = random.nextInt(4); pause > 0; pause--) {
            Heddle.yieldNow();
          }
          writer.cancel("enough");
          awaitAnyhow(writer);
          at += buffer.position();
          buffer.clear();
          while (buffer.hasRemaining()) {
            buffer.put((byte) 42);
          }
        }
      }
    });
    assertThat(Files.readAllBytes(path)).isEqualTo(content);
  }

  private static void awaitAnyhow(Coroutine<?> coroutine) throws Exception {
    try {
      coroutine.await();
    } catch (Cancellation _) {
      // as asked
    }
  }

  @Test
  void readsWithDeadlines_bringAllInOrder_orNothing() throws IOException {
    byte[] content = noise(9, 100_000);
    Path path = Files.write(folder.resolve("noise"), content);
    Random random = new Random(9);
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path)) {
        int at = 0;
        while (at < content.length) {
          ByteBuffer buffer = someBuffer(random, 1 + random.nextInt(2_000));
          Duration patience = Duration.ofNanos(random.nextInt(200_000));
          try {
            int n = file.read(buffer, Deadline.after(patience));
            assertThat(buffer.flip()).isEqualTo(ByteBuffer.wrap(content, at, n));
            at += n;
          } catch (DeadlineException e) {
            assertThat(buffer.position()).isZero();
            at += readOne(file, content[at]);
          }
        }
      }
    });
  }

  @Test
  @Tag("loop-294")
  @Tag("trap-29")
  void close_underManyReaders_sendsAllAway_andLeavesNothingOpen() throws IOException {
    Path path = Files.write(folder.resolve("noise"), noise(5, 1 << 20));
    Heddle.run(() ->
        Heddle.supervise(_ -> {
          for (int round = 0; round < 20; round++) {
            AsyncFile file = FileIo.open(path);
            List<Coroutine<Void>> readers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
              readers.add(
                  Heddle.spawn(() -> {
                    while (true) {
                      file.readAt(ByteBuffer.allocate(10_000), 0);
                    }
                  }));
            }
            for (int pause = 0; pause < round; pause++) {
              Heddle.yieldNow();
            }
            file.close();
            for (Coroutine<Void> reader : readers) {
              assertThatThrownBy(reader::await)
                  .cause()
                  .isInstanceOfAny(AsynchronousCloseException.class, ClosedChannelException.class);
            }
          }
          return true;
        }));
    awaitNoneOpen();
  }

  @Test
  @Tag("loop-256")
  void appends_ofTwoHandles_tearNoLine() throws IOException {
    Path path = folder.resolve("log");
    Heddle.run(() ->
        Heddle.scope(() -> {
          for (String who : List.of("one", "another")) {
            Heddle.launch(who, () -> append(path, who));
          }
        }));
    assertThat(Files.readAllLines(path))
        .hasSize(2_000)
        .allMatch(line -> line.matches("(one|another) \\d+"));
  }

  private static void append(Path path, String who) throws IOException {
    try (AsyncFile file = FileIo.open(path, APPEND, CREATE)) {
      for (int i = 0; i < 1_000; i++) {
        String line = who + " " + i + "\n";
        file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
      }
    }
  }

  @Test
  @Tag("trap-29")
  void whateverIsDoneWithFiles_leavesNoneOpen() throws IOException {
    Path path = Files.write(folder.resolve("some"), noise(1, 10_000));
    Heddle.run(() -> {
      for (int i = 0; i < 50; i++) {
        assertThatThrownBy(() -> FileIo.open(folder.resolve("none"))).isNotNull();
        Coroutine<AsyncFile> opening = Heddle.spawn(() -> FileIo.open(path));
        for (int pause = 0; pause < i % 4; pause++) {
          Heddle.yieldNow();
        }
        opening.cancel("enough");
        try {
          opening.await().close();
        } catch (Cancellation _) {
          // as asked
        }
        AsyncFile file = FileIo.open(path, READ, WRITE);
        file.lock().close();
        try (Pipe pipe = Pipe.open()) {
          Heddle.spawn(() -> file.transferTo(pipe.sink())).await();
        }
        file.close();
        AsyncFile forgotten = FileIo.open(path);
        assertThat(forgotten.isOpen()).isTrue();
      }
    });
    awaitNoneOpen();
  }
}
