// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Files, read and written by coroutines, against what the JDK says is in them.
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileTest {
  @TempDir Path folder;

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String read(AsyncIo file, int most) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(most);
    file.read(buffer);
    return StandardCharsets.UTF_8.decode(buffer.flip()).toString();
  }

  @Test
  @Tag("loop-256")
  @Tag("trap-30")
  void fourCoroutines_writingToOneFile_loseAndTearNoLine() throws IOException {
    Path path = folder.resolve("lines.txt");
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, WRITE, CREATE)) {
        Heddle.scope(s -> {
          for (int writer = 0; writer < 4; writer++) {
            String name = "writer " + writer + " line ";
            s.launch(
                name,
                () -> {
                  for (int line = 0; line < 250; line++) {
                    file.write(bytes(name + line + "\n"));
                  }
                });
          }
          return null;
        });
      }
    });
    List<String> expected =
        IntStream.range(0, 1000).mapToObj(i -> "writer " + i / 250 + " line " + i % 250).toList();
    assertThat(Files.readAllLines(path)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  @Tag("loop-296")
  void twoCoroutines_readingLinesOfOneFile_getEachLineOnce() throws IOException {
    Path path = folder.resolve("lines.txt");
    List<String> lines =
        IntStream.range(0, 5_000).mapToObj(i -> "line " + i + ".".repeat(i % 97)).toList();
    Files.write(path, lines);
    List<String> got = new ArrayList<>();
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path)) {
        Heddle.scope(s -> {
          for (int reader = 0; reader < 2; reader++) {
            s.launch(
                "reader " + reader,
                () -> {
                  for (String line = file.readLine(); line != null; line = file.readLine()) {
                    got.add(line);
                  }
                });
          }
          return null;
        });
      }
    });
    assertThat(got).isEqualTo(lines);
  }

  // ---- positions ----

  /// What the JDK's synchronous file does is the model; each step is done to both.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  @Tag("loop-257")
  void anySequenceOfCalls_doesWhatTheSynchronousFileDoes(long seed) throws IOException {
    Random random = new Random(seed);
    Path ours = folder.resolve("ours");
    Path theirs = folder.resolve("theirs");
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(ours, READ, WRITE, CREATE_NEW);
          RandomAccessFile model = new RandomAccessFile(theirs.toFile(), "rw")) {
        for (int step = 0; step < 200; step++) {
          step(random, file, model);
          assertThat(file.position()).as("step " + step).isEqualTo(model.getFilePointer());
        }
        assertThat(file.size()).isEqualTo(model.length());
      }
    });
    assertThat(ours).hasSameBinaryContentAs(theirs);
  }

  private static void step(Random random, AsyncFile file, RandomAccessFile model)
      throws IOException {
    byte[] some = new byte[random.nextInt(1, 3_000)];
    switch (random.nextInt(7)) {
      case 0, 1 -> {
        randomText(random, some);
        file.write(ByteBuffer.wrap(some));
        model.write(some);
      }
      case 2 -> {
        int n = Math.max(0, model.read(some));
        byte[] got = new byte[n];
        file.readFully(ByteBuffer.wrap(got));
        assertThat(got).isEqualTo(Arrays.copyOf(some, n));
      }
      case 3 -> {
        long to = random.nextLong(model.length() + 100);
        model.seek(to);
        file.position(to);
      }
      case 4 -> {
        long size = random.nextLong(model.length() + 1);
        model.setLength(size);
        file.truncate(size);
      }
      case 5 -> assertThat(file.readLine()).isEqualTo(model.readLine());
      default -> {
        randomText(random, some);
        ByteBuffer[] parts = {
          ByteBuffer.wrap(some, 0, some.length / 2),
          ByteBuffer.allocate(0),
          ByteBuffer.wrap(some, some.length / 2, some.length - some.length / 2)
        };
        file.writeAll(parts);
        model.write(some);
      }
    }
  }

  private static void randomText(Random random, byte[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] = (byte) (random.nextInt(40) == 0 ? '\n' : 'a' + random.nextInt(26));
    }
  }

  @Test
  @Tag("loop-257")
  void append_afterReadsAndSeeks_writesAtTheEnd() throws IOException {
    Path path = folder.resolve("log");
    Files.writeString(path, "one\n");
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, READ, APPEND)) {
        assertThat(file.position()).as("it begins at the end").isEqualTo(4);
        file.position(0);
        assertThat(read(file, 3)).isEqualTo("one");
        file.write(bytes("two\n"));
        Files.writeString(path, "three\n", APPEND);
        file.write(bytes("four\n"));
        assertThat(file.position()).isEqualTo(19);
        assertThat(read(file, 1)).as("the end").isEmpty();
        file.position(4);
        assertThat(file.readLine()).isEqualTo("two");
        file.truncate(2);
        file.write(bytes("!"));
      }
    });
    assertThat(path).hasContent("on!");
  }

  @Test
  @Tag("loop-257")
  void writePlus_cutsTheFileThatWasThere() throws IOException {
    Path path = folder.resolve("cut");
    Files.writeString(path, "something long");
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, READ, WRITE, CREATE, TRUNCATE_EXISTING)) {
        assertThat(read(file, 8)).isEmpty();
        file.position(3);
        file.write(bytes("x"));
        file.position(0);
        assertThat(read(file, 8)).as("what was skipped is zeros").isEqualTo("\0\0\0x");
      }
    });
  }

  @Test
  void truncate_toMoreThanThereIs_leavesTheFile() {
    Path path = folder.resolve("short");
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, WRITE, CREATE)) {
        file.write(bytes("abc"));
        file.truncate(10);
        assertThat(file.size()).isEqualTo(3);
      }
    });
  }

  @Test
  void writesThatAreNotAwaited_areThereBeforeWhatIsAskedNext() {
    Path path = folder.resolve("later");
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, READ, WRITE, CREATE)) {
        file.writeLater(bytes("abc"));
        file.writeLater(bytes("def"));
        assertThat(file.position()).isEqualTo(6);
        file.writeLater(bytes("ghi"));
        assertThat(file.size()).isEqualTo(9);
        file.writeLater(bytes("jkl"));
        file.sync();
      }
    });
    assertThat(path).hasContent("abcdefghijkl");
  }

  // ---- anywhere ----

  @Test
  void readsAndWritesAnywhere_manyAtATime_areEachInPlace() throws IOException {
    Path path = folder.resolve("blocks");
    List<Integer> order = new ArrayList<>(IntStream.range(0, 200).boxed().toList());
    Collections.shuffle(order, new Random(7));
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, READ, WRITE, CREATE)) {
        Heddle.scope(s -> {
          for (int block : order) {
            s.launch(
                "writer",
                () -> {
                  file.writeAt(bytes("block %04d".formatted(block)), block * 10L);
                  ByteBuffer back = ByteBuffer.allocate(10);
                  file.readFullyAt(back, block * 10L);
                  assertThat(back.flip()).isEqualTo(bytes("block %04d".formatted(block)));
                });
          }
          return null;
        });
        assertThat(file.position()).as("nobody has moved it").isZero();
        assertThat(file.readAt(ByteBuffer.allocate(1), 2_000)).isEqualTo(-1);
        assertThatThrownBy(() -> file.readFullyAt(ByteBuffer.allocate(20), 1_990))
            .isInstanceOf(EOFException.class)
            .hasMessageContaining("10 bytes to go");
      }
    });
    assertThat(Files.readString(path)).hasSize(2_000).contains("block 0000block 0001");
  }

  @Test
  void writeAt_underLinesReadAhead_isSeenByTheNextLine() {
    Path path = folder.resolve("lines");
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, READ, WRITE, CREATE)) {
        file.write(bytes("one\ntwo\n"));
        file.position(0);
        assertThat(file.readLine()).isEqualTo("one");
        file.writeAt(bytes("TWO"), 4);
        assertThat(file.readLine()).isEqualTo("TWO");
      }
    });
  }

  @Test
  void manyBytes_inPiecesOfAnySize_comeBackAsTheyWere() {
    byte[] data = new byte[3_000_001];
    new Random(3).nextBytes(data);
    Path path = folder.resolve("big");
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path, READ, WRITE, CREATE);
          AsyncFile copy = FileIo.open(folder.resolve("copy"), WRITE, CREATE)) {
        file.write(ByteBuffer.wrap(data, 0, 1_000_000));
        file.writeAll(
            ByteBuffer.wrap(data, 1_000_000, 3),
            ByteBuffer.wrap(data, 1_000_003, 1_000_000),
            ByteBuffer.wrap(data, 2_000_003, 999_998));
        file.position(0);
        assertThat(file.transferTo(copy)).isEqualTo(data.length);
      }
    });
    assertThat(path).hasBinaryContent(data);
    assertThat(folder.resolve("copy")).hasBinaryContent(data);
  }

  // ---- refusals ----

  @Test
  void opening_whatIsNotThereOrMustNotBe_failsWithThePath() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> FileIo.open(folder.resolve("none")))
          .isInstanceOf(NoSuchFileException.class)
          .hasMessageContaining("none");
      Path there = folder.resolve("there");
      FileIo.open(there, WRITE, CREATE_NEW).close();
      assertThatThrownBy(() -> FileIo.open(there, WRITE, CREATE_NEW))
          .isInstanceOf(FileAlreadyExistsException.class);
    });
  }

  @Test
  void calls_thatTheFileWasNotOpenedFor_areRefused() {
    Heddle.run(() -> {
      try (AsyncFile log = FileIo.open(folder.resolve("log"), APPEND, CREATE);
          AsyncFile readOnly = FileIo.open(folder.resolve("log"))) {
        assertThatThrownBy(() -> log.read(ByteBuffer.allocate(1)))
            .isInstanceOf(NonReadableChannelException.class);
        assertThatThrownBy(() -> log.readAt(ByteBuffer.allocate(1), 0))
            .isInstanceOf(NonReadableChannelException.class);
        assertThatThrownBy(() -> readOnly.write(bytes("x")))
            .isInstanceOf(NonWritableChannelException.class);
        assertThatThrownBy(() -> readOnly.truncate(0))
            .isInstanceOf(NonWritableChannelException.class);
        assertThatThrownBy(() -> log.writeAt(bytes("x"), 0))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("append");
        assertThatThrownBy(() -> readOnly.position(-1))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("-1");
      }
    });
  }
}
