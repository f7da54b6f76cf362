// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static dev.heddle.io.handle.HeldFiles.run;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.driver.StreamDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a write leaves behind that finds no room.
@Tag("T14.3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullDeviceTest {
  private final IOException full = new IOException("No space left on device");

  private static AsyncFile open() throws IOException {
    return FileIo.open(Path.of("held.txt"), StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  private static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Heddle.yieldNow();
    }
  }

  private interface Write {
    void write() throws IOException;
  }

  /// The device takes two bytes, and then it is full.
  private void failsAfterTwoBytes(HeldFiles files, Write write) {
    files.holding = true;
    files.mostPerWrite = 2;
    Coroutine<Throwable> writer =
        Heddle.spawn(() -> {
          try {
            write.write();
            return null;
          } catch (IOException e) {
            return e;
          }
        });
    until(() -> !files.held.isEmpty());
    files.endOne();
    until(() -> !files.held.isEmpty());
    files.failOne(full);
    assertThat(writer.await()).isNotNull();
    files.holding = false;
  }

  @Test
  void write_thatFindsNoRoom_leavesInItsBufferWhatIsNotInTheFile() {
    run(files -> {
      AsyncFile file = open();
      ByteBuffer buffer = bytes("-abcdef").position(1);
      failsAfterTwoBytes(files, () -> file.write(buffer));
      assertThat(buffer.position()).isEqualTo(3);
      assertThat(files.content).asString(US_ASCII).isEqualTo("ab");
      assertThat(file.position()).isEqualTo(2);
    });
  }

  @Test
  void writeAt_thatFindsNoRoom_leavesInItsBufferWhatIsNotInTheFile() {
    run(files -> {
      AsyncFile file = open();
      ByteBuffer buffer = bytes("abcdef");
      failsAfterTwoBytes(files, () -> file.writeAt(buffer, 0));
      assertThat(buffer.position()).isEqualTo(2);
    });
  }

  @Test
  void writeOfSeveralBuffers_thatFindsNoRoom_leavesInThemWhatIsNotInTheFile() {
    run(files -> {
      AsyncFile file = open();
      ByteBuffer first = bytes("a");
      ByteBuffer second = bytes("--bcd").position(2);
      ByteBuffer third = bytes("ef");
      failsAfterTwoBytes(files, () -> file.writeAll(first, second, third));
      assertThat(first.remaining()).isZero();
      assertThat(second.position()).isEqualTo(3);
      assertThat(third.position()).isZero();
    });
  }

  @Test
  void lateWrite_thatFailed_keepsOnlyWritersFromTheFile() {
    run(files -> {
      AsyncFile file = open();
      file.write(bytes("abc"));
      files.holding = true;
      file.writeLater(bytes("def"));
      until(() -> !files.held.isEmpty());
      files.failOne(full);
      until(() -> file.writeFailure() != null);
      files.holding = false;
      assertThat(file.size()).isEqualTo(3);
      assertThat(file.position()).isEqualTo(3);
      file.truncate(2);
      file.position(0);
      assertThat(transferred(file)).isEqualTo("ab");
      assertThatThrownBy(() -> file.write(bytes("g"))).hasCause(full);
      assertThatThrownBy(file::sync).hasCause(full);
      assertThatThrownBy(file::flush).hasCause(full);
    });
  }

  private static String transferred(AsyncFile file) throws IOException {
    Collected all = new Collected(ByteBuffer.allocate(100));
    file.transferTo(new StreamHandle(CoroutineNode.current().scheduler(), all, "all"));
    return US_ASCII.decode(all.bytes.flip()).toString();
  }

  private record Collected(ByteBuffer bytes) implements StreamDescriptor {
    @Override
    public int read(ByteBuffer into) {
      return -1;
    }

    @Override
    public int write(ByteBuffer from) {
      int n = from.remaining();
      bytes.put(from);
      return n;
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      throw new UnsupportedOperationException("one at a time");
    }

    @Override
    public void arm(Direction direction, ReadinessListener listener) {
      throw new AssertionError("nothing is waited for in these tests");
    }

    @Override
    public void disarm(Direction direction, ReadinessListener listener) {}

    @Override
    public void close() {}
  }

  /// The one who asks writes what was to be written later: that it fails is not his business.
  @Test
  void size_askedBeforeALateWriteFails_isAnswered() {
    run(files -> {
      AsyncFile file = open();
      file.write(bytes("abc"));
      files.holding = true;
      file.writeLater(bytes("def"));
      Coroutine<Long> size = Heddle.spawn(file::size);
      until(() -> !files.held.isEmpty());
      files.failOne(full);
      files.endsWhenAsleep = true;
      assertThat(size.await()).isEqualTo(3);
      assertThat(file.writeFailure()).isSameAs(full);
    });
  }
}
