// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Pipes, anonymous and named: the same promises for both.
@Tag("T14.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipeTest {
  @TempDir Path folder;

  enum Kind {
    ANONYMOUS,
    NAMED
  }

  /// Both ends, whichever kind it is.
  private record Ends(AsyncIo source, AsyncIo sink) {}

  @FunctionalInterface
  private interface Body {
    void run(Ends ends) throws Exception;
  }

  /// Failures of coroutines stay with them.
  private void withPipe(Kind kind, Body body) {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          body.run(open(kind));
          return null;
        }));
  }

  private Ends open(Kind kind) throws Exception {
    if (kind == Kind.ANONYMOUS) {
      Pipe pipe = Pipe.open();
      return new Ends(pipe.source(), pipe.sink());
    }
    Path path = fifo();
    Coroutine<AsyncIo> source = Heddle.spawn(() -> Pipe.openNamed(path, READ));
    AsyncIo sink = Pipe.openNamed(path, WRITE);
    return new Ends(source.await(), sink);
  }

  private Path fifo() throws Exception {
    return fifo("fifo");
  }

  private Path fifo(String name) throws Exception {
    Path path = folder.resolve(name);
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
    return path;
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String read(AsyncIo source, int most) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(most);
    source.read(buffer);
    return StandardCharsets.UTF_8.decode(buffer.flip()).toString();
  }

  private static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Heddle.yieldNow();
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-252")
  void readerAndWriter_together_passAllBytes(Kind kind) {
    byte[] data = new byte[1_000_003];
    new Random(5).nextBytes(data);
    withPipe(
        kind,
        ends -> {
          Heddle.launch(
              "writer",
              () -> {
                ends.sink().write(ByteBuffer.wrap(data, 0, 500_000));
                ends.sink()
                    .writeAll(
                        ByteBuffer.wrap(data, 500_000, 1), ByteBuffer.wrap(data, 500_001, 500_002));
                ends.sink().close();
              });
          ByteBuffer all = ByteBuffer.allocate(data.length);
          ends.source().readFully(all);
          assertThat(all.array()).isEqualTo(data);
          assertThat(ends.source().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-253")
  void endOfAPipe_readAgain_isThereWithoutASuspension(Kind kind) {
    withPipe(
        kind,
        ends -> {
          ends.sink().close();
          assertThat(ends.source().read(ByteBuffer.allocate(1))).isEqualTo(-1);
          Heddle.assertNoSuspend(() -> {
            assertThat(ends.source().read(ByteBuffer.allocate(1))).isEqualTo(-1);
            assertThat(ends.source().readLine()).isNull();
          });
        });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-254")
  void readBeyondItsDeadline_leavesAllToTheNext(Kind kind) {
    withPipe(
        kind,
        ends -> {
          ByteBuffer mine = ByteBuffer.allocate(8);
          assertThatThrownBy(() -> ends.source().read(mine, Deadline.after(Duration.ofMillis(1))))
              .isInstanceOf(DeadlineException.class);
          ends.sink().write(bytes("abc"));
          assertThat(read(ends.source(), 2)).isEqualTo("ab");
          assertThat(read(ends.source(), 2)).isEqualTo("c");
          assertThat(mine.position()).isZero();
        });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("trap-28")
  void cancelledReader_losesNoBytes(Kind kind) {
    withPipe(
        kind,
        ends -> {
          Coroutine<String> reader = Heddle.spawn(() -> read(ends.source(), 64));
          until(reader::isSuspended);
          reader.cancel("enough");
          assertThatThrownBy(reader::await).isInstanceOf(Cancellation.class);
          ends.sink().write(bytes("one\ntwo\n"));
          assertThat(read(ends.source(), 1)).isEqualTo("o");
          assertThat(ends.source().readLine()).isEqualTo("ne");
          assertThat(ends.source().readLine()).isEqualTo("two");
        });
  }

  @ParameterizedTest
  @EnumSource
  void close_underAReader_wakesHim(Kind kind) {
    withPipe(
        kind,
        ends -> {
          Coroutine<String> reader = Heddle.spawn(() -> read(ends.source(), 8));
          until(reader::isSuspended);
          ends.source().close();
          assertThatThrownBy(reader::await).hasCauseInstanceOf(AsynchronousCloseException.class);
        });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("trap-31")
  void writerOfAFullPipe_whoseSourceIsClosed_failsAndKeepsFailing(Kind kind) {
    withPipe(
        kind,
        ends -> {
          Coroutine<Void> writer =
              Heddle.spawn(() -> {
                ends.sink().write(ByteBuffer.allocate(1 << 20));
                return null;
              });
          until(writer::isSuspended);
          read(ends.source(), 10);
          ends.source().close();
          assertThatThrownBy(writer::await)
              .hasCauseInstanceOf(IOException.class)
              .hasMessageContaining("Broken pipe");
          assertThatThrownBy(() -> ends.sink().write(bytes("x"))).isInstanceOf(IOException.class);
        });
  }

  @ParameterizedTest
  @EnumSource
  void writerThatIsCancelled_onAFullPipe_leavesItUsable(Kind kind) {
    withPipe(
        kind,
        ends -> {
          ByteBuffer much = ByteBuffer.allocate(1 << 20);
          Coroutine<Void> writer =
              Heddle.spawn(() -> {
                ends.sink().write(much);
                return null;
              });
          until(writer::isSuspended);
          writer.cancel("enough");
          assertThatThrownBy(writer::await).isInstanceOf(Cancellation.class);
          Heddle.launch(
              "next",
              () -> {
                ends.sink().write(bytes("end"));
                ends.sink().close();
              });
          ByteBuffer all = ByteBuffer.allocate(2 << 20);
          while (ends.source().read(all) >= 0) {
            // until the end
          }
          assertThat(all.position()).isEqualTo(much.position() + 3);
        });
  }

  // ---- named ones ----

  @Test
  void namedPipe_withoutAPeer_canBeCancelled() throws Exception {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          for (OpenOption end : List.of(READ, WRITE)) {
            Path path = fifo(end.toString()); // giving up the one would open the other
            Coroutine<AsyncIo> opening = Heddle.spawn(() -> Pipe.openNamed(path, end));
            until(() -> Heddle.dump().text().contains("the opening of " + path));
            opening.cancel("enough");
            assertThatThrownBy(opening::await).isInstanceOf(Cancellation.class);
          }
          until(() ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(t -> t.getName().startsWith("heddle-pipe-")));
          return null;
        }));
  }

  @Test
  void namedPipe_openedForSomethingElse_isRefused() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> Pipe.openNamed(folder.resolve("fifo"), APPEND))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("READ or WRITE");
      assertThatThrownBy(() -> Pipe.openNamed(folder.resolve("none"), READ))
          .isInstanceOf(NoSuchFileException.class);
    });
  }

  @Test
  void namedPipe_ofAnotherProcess_isRead() throws Exception {
    Path path = fifo();
    Process writer = new ProcessBuilder("sh", "-c", "echo from outside > " + path).start();
    Heddle.run(() -> {
      try (AsyncIo source = Pipe.openNamed(path, READ)) {
        assertThat(source.readLine()).isEqualTo("from outside");
        assertThat(source.readLine()).isNull();
      }
    });
    assertThat(writer.waitFor()).isZero();
    assertThat(Files.exists(path)).isTrue();
  }
}
