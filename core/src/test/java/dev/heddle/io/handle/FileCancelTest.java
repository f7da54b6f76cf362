// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import dev.heddle.reactor.driver.FileOperation.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Callers who leave while the driver works for them, and files that are closed meanwhile.
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileCancelTest {
  private static final Path PATH = Path.of("held.txt");

  private static AsyncFile open() throws IOException {
    return FileIo.open(PATH, READ, WRITE);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static String read(AsyncFile file, int most) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(most);
    file.read(buffer);
    return StandardCharsets.UTF_8.decode(buffer.flip()).toString();
  }

  private static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Heddle.yieldNow();
    }
  }

  private static void cancelled(Coroutine<?> caller) {
    caller.cancel("enough");
    assertThatThrownBy(caller::await).isInstanceOf(Cancellation.class);
  }

  @Test
  @Tag("loop-293")
  @Tag("trap-28")
  @Tag("trap-30")
  void cancelledRead_thatTheDriverGoesOnWith_touchesNoBufferOfTheCaller() {
    HeldFiles.run(files -> {
      files.content = bytes("abcdef").array();
      AsyncFile file = open();
      ByteBuffer mine = ByteBuffer.allocateDirect(3);
      files.holding = true;
      Coroutine<Integer> reader = Heddle.spawn(() -> file.read(mine));
      until(() -> !files.held.isEmpty());
      cancelled(reader);
      files.endAll();
      assertThat(read(file, 4)).as("the position has not moved").isEqualTo("abcd");
      assertThat(mine).isEqualTo(ByteBuffer.allocate(3));
    });
  }

  @Test
  @Tag("trap-28")
  void cancelledRead_isAskedToEnd_andItsBufferIsNotReusedBefore() {
    HeldFiles.run(files -> {
      files.content = bytes("abcdef").array();
      AsyncFile file = open();
      files.holding = true;
      Coroutine<String> reader = Heddle.spawn(() -> read(file, 3));
      until(() -> !files.held.isEmpty());
      cancelled(reader);
      assertThat(files.cancelled).isEqualTo(files.held);
      Coroutine<String> next = Heddle.spawn(() -> read(file, 3));
      until(() -> files.held.size() == 2);
      assertThat(files.held.get(1).buffer()).isNotSameAs(files.held.get(0).buffer());
      files.endAll();
      assertThat(next.await()).isEqualTo("abc");
    });
  }

  @Test
  void readBeyondItsDeadline_leavesAllToTheNext() {
    HeldFiles.run(files -> {
      files.content = bytes("abcdef").array();
      AsyncFile file = open();
      files.holding = true;
      ByteBuffer mine = ByteBuffer.allocate(3);
      assertThatThrownBy(() -> file.read(mine, Deadline.after(Duration.ofNanos(1))))
          .isInstanceOf(DeadlineException.class);
      files.endAll();
      assertThat(read(file, 3)).isEqualTo("abc");
    });
  }

  @Test
  @Tag("loop-293")
  void cancelledWrite_whoseBufferIsUsedAgain_writesWhatItHadBeenGiven() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      ByteBuffer mine = bytes("abc");
      files.holding = true;
      Coroutine<Void> writer =
          Heddle.spawn(() -> {
            file.write(mine);
            return null;
          });
      until(() -> !files.held.isEmpty());
      cancelled(writer);
      mine.put(0, (byte) 'x');
      assertThat(mine.hasRemaining()).as("it counts as written").isFalse();
      files.endAll();
      file.write(bytes("def"));
      assertThat(text(files.content)).isEqualTo("abcdef");
    });
  }

  @Test
  @Tag("loop-293")
  void cancelledWrite_thatTheDriverGoesOnWith_hasItsBufferToItself() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      AsyncFile other = open();
      files.holding = true;
      Coroutine<Void> writer =
          Heddle.spawn(() -> {
            file.write(bytes("abc"));
            return null;
          });
      until(() -> !files.held.isEmpty());
      cancelled(writer);
      Coroutine<String> reader = Heddle.spawn(() -> read(other, 3));
      until(() -> files.held.size() == 2);
      assertThat(files.held.get(1).buffer()).isNotSameAs(files.held.get(0).buffer());
      files.endAll();
      assertThat(reader.await()).isEqualTo("abc");
    });
  }

  @Test
  @Tag("trap-30")
  void whatComesAfterACancelledWrite_waitsForItsEnd() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      files.holding = true;
      Coroutine<Void> writer =
          Heddle.spawn(() -> {
            file.write(bytes("abc"));
            return null;
          });
      until(() -> !files.held.isEmpty());
      cancelled(writer);
      Coroutine<Long> size = Heddle.spawn(file::size);
      until(size::isSuspended);
      assertThat(files.asked).doesNotContain(Kind.SIZE);
      files.endAll();
      assertThat(size.await()).isEqualTo(3);
    });
  }

  @Test
  @Tag("trap-30")
  void cancelledTruncation_cutsAllTheSame_andBeforeWhatComesAfter() {
    HeldFiles.run(files -> {
      files.content = bytes("abcdef").array();
      AsyncFile file = open();
      file.position(5);
      files.holding = true;
      Coroutine<Void> cutter =
          Heddle.spawn(() -> {
            file.truncate(2);
            return null;
          });
      until(() -> !files.held.isEmpty());
      cancelled(cutter);
      Coroutine<Long> position = Heddle.spawn(() -> file.position());
      until(position::isSuspended);
      assertThat(files.cancelled).isEmpty();
      files.endAll();
      assertThat(position.await()).isEqualTo(2);
      assertThat(text(files.content)).isEqualTo("ab");
    });
  }

  @Test
  void failureOfACancelledTruncation_isKeptForWhoWritesNext() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      files.holding = true;
      Coroutine<Void> cutter =
          Heddle.spawn(() -> {
            file.truncate(2);
            return null;
          });
      until(() -> !files.held.isEmpty());
      cancelled(cutter);
      IOException broken = new IOException("Input/output error");
      files.failOne(broken);
      files.holding = false;
      until(() -> file.writeFailure() != null);
      assertThatThrownBy(() -> file.write(bytes("def"))).hasCause(broken);
    });
  }

  @Test
  void loopWhoseWriterWasCancelled_endsAfterTheWrite() {
    List<HeldFiles> driver = new ArrayList<>();
    HeldFiles.run(files -> {
      driver.add(files);
      AsyncFile file = open();
      files.holding = true;
      Coroutine<Void> writer =
          Heddle.spawn(() -> {
            file.write(bytes("abc"));
            return null;
          });
      until(() -> !files.held.isEmpty());
      cancelled(writer);
      files.endsWhenAsleep = true;
    });
    assertThat(text(driver.getFirst().content)).isEqualTo("abc");
  }

  @Test
  @Tag("loop-297")
  void failureOfACancelledWrite_isKeptForWhoWritesNext() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      files.holding = true;
      Coroutine<Void> writer =
          Heddle.spawn(() -> {
            file.write(bytes("abc"));
            return null;
          });
      until(() -> !files.held.isEmpty());
      cancelled(writer);
      IOException full = new IOException("No space left on device");
      files.failOne(full);
      files.holding = false;
      until(() -> file.writeFailure() != null);
      assertThat(file.writeFailure()).isSameAs(full);
      assertThat(read(file, 1)).as("it can be read").isEmpty();
      assertThatThrownBy(() -> file.write(bytes("def")))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("held.txt")
          .hasCause(full);
      assertThatThrownBy(file::sync).hasCause(full);
    });
  }

  @Test
  @Tag("loop-297")
  void failureOfAWriteThatIsNotAwaited_isKept() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      files.holding = true;
      file.writeLater(bytes("abc"));
      until(() -> !files.held.isEmpty());
      IOException full = new IOException("No space left on device");
      files.failOne(full);
      until(() -> file.writeFailure() != null);
      assertThat(file.writeFailure()).isSameAs(full);
    });
  }

  @Test
  @Tag("trap-31")
  void shortWrites_areContinued_alsoWhenTheCallerHasGone() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      files.mostPerWrite = 2;
      file.write(bytes("abcde"));
      files.holding = true;
      Coroutine<Void> writer =
          Heddle.spawn(() -> {
            file.write(bytes("fghij"));
            return null;
          });
      until(() -> !files.held.isEmpty());
      cancelled(writer);
      files.endAll();
      assertThat(file.position()).isEqualTo(10);
      assertThat(text(files.content)).isEqualTo("abcdefghij");
    });
  }

  @Test
  @Tag("loop-294")
  @Tag("trap-29")
  void close_underAReader_sendsHimAwayAndWaitsForTheDriver() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      files.holding = true;
      Coroutine<String> reader = Heddle.spawn(() -> read(file, 3));
      Coroutine<String> behind = Heddle.spawn(() -> read(file, 3));
      until(() -> !files.held.isEmpty() && behind.isSuspended());
      file.close();
      file.close();
      assertThatThrownBy(reader::await).hasCauseInstanceOf(AsynchronousCloseException.class);
      assertThatThrownBy(behind::await).hasCauseInstanceOf(ClosedChannelException.class);
      assertThatThrownBy(file::size).isInstanceOf(ClosedChannelException.class);
      assertThat(files.asked).doesNotContain(Kind.CLOSE);
      files.endAll();
      until(() -> files.isOpen == 0);
      assertThat(files.asked).containsOnlyOnce(Kind.CLOSE);
    });
  }

  @Test
  @Tag("loop-294")
  void close_underAWriter_letsTheWriteEnd() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      files.holding = true;
      Coroutine<Void> writer =
          Heddle.spawn(() -> {
            file.write(bytes("abc"));
            return null;
          });
      until(() -> !files.held.isEmpty());
      file.close();
      assertThatThrownBy(writer::await).hasCauseInstanceOf(AsynchronousCloseException.class);
      files.endAll();
      until(() -> files.isOpen == 0);
      assertThat(text(files.content)).isEqualTo("abc");
    });
  }

  @Test
  void cancelledOpening_leavesNothingOpen() {
    HeldFiles.run(files -> {
      files.holding = true;
      Coroutine<AsyncFile> opening = Heddle.spawn(FileCancelTest::open);
      until(() -> !files.held.isEmpty());
      cancelled(opening);
      files.endAll();
      until(() -> files.asked.contains(Kind.CLOSE));
      until(() -> files.isOpen == 0);
    });
  }

  @Test
  void dump_namesTheFileThatIsWaitedFor() {
    HeldFiles.run(files -> {
      AsyncFile file = open();
      files.holding = true;
      Coroutine<Void> syncing =
          Heddle.spawn(
              "careful",
              () -> {
                file.sync();
                return null;
              });
      until(() -> !files.held.isEmpty());
      assertThat(Heddle.dump().text()).contains("the sync of the file held.txt");
      files.endAll();
      syncing.await();
    });
  }
}
