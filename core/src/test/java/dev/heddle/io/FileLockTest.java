// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.hosting.ChildJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Locks of files, between handles of one process and between processes.
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileLockTest {
  @TempDir Path folder;

  private AsyncFile open() throws IOException {
    return FileIo.open(folder.resolve("locked"), READ, WRITE, CREATE);
  }

  @Test
  void lock_isHeldByOneHandleAtATime() {
    Heddle.run(() -> {
      try (AsyncFile one = open();
          AsyncFile other = open()) {
        LockedRange lock = one.lock();
        assertThat(other.tryLock(0, 10)).isNull();
        Coroutine<LockedRange> waiting = Heddle.spawn(() -> other.lock());
        while (!waiting.isSuspended()) {
          Heddle.yieldNow();
        }
        lock.close();
        lock.close();
        assertThat(lock.isHeld()).isFalse();
        assertThat(waiting.await().isHeld()).isTrue();
      }
    });
  }

  @Test
  void parts_ofAFile_areLockedApart() {
    Heddle.run(() -> {
      try (AsyncFile one = open();
          AsyncFile other = open();
          LockedRange first = one.lock(0, 10);
          LockedRange second = other.lockShared(10, 10)) {
        assertThat(first.isShared()).isFalse();
        assertThat(second.isShared()).isTrue();
        assertThat(List.of(second.position(), second.size())).containsExactly(10L, 10L);
        assertThat(one.tryLock(15, 1)).isNull();
      }
    });
  }

  /// Locks the file that it is told of until it is sent a line.
  public static final class LockProgram {
    private LockProgram() {}

    public static void main(String[] args) throws IOException {
      try (FileChannel file = FileChannel.open(Path.of(args[0]), WRITE);
          FileLock _ = file.lock()) {
        IO.println("locked");
        IO.readln();
      }
    }
  }

  @Test
  void lock_ofAnotherProcess_isWaitedFor() throws Exception {
    Heddle.run(() -> {
      try (AsyncFile file = open()) {
        Process other =
            new ProcessBuilder(
                    ChildJvm.of(LockProgram.class).withArguments(file.path().toString()).command())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(other.inputReader().readLine()).isEqualTo("locked");
        assertThat(file.tryLock(0, 1)).isNull();
        assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofMillis(5), () -> file.lock()))
            .isInstanceOf(DeadlineException.class);
        other.outputWriter().append("go\n").close();
        try (LockedRange lock = file.lock()) {
          assertThat(lock.isHeld()).isTrue();
        }
      }
    });
  }

  @Test
  @Tag("trap-34")
  void manyWhoWaitForALock_doNotKeepReadersFromReading() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          AsyncFile holder = open();
          AsyncFile other = open();
          holder.write(ByteBuffer.wrap("text".getBytes(StandardCharsets.UTF_8)));
          LockedRange lock = holder.lock();
          List<Coroutine<LockedRange>> waiting = new ArrayList<>();
          for (int i = 0; i < 200; i++) {
            waiting.add(Heddle.spawn(() -> other.lock()));
          }
          while (!waiting.getLast().isSuspended()) {
            Heddle.yieldNow();
          }
          for (int i = 0; i < 100; i++) {
            assertThat(other.readAt(ByteBuffer.allocate(4), 0)).isEqualTo(4);
            assertThat(FileIo.exists(other.path())).isTrue();
          }
          assertThat(waiting).noneMatch(Coroutine::isDone);
          waiting.forEach(c -> c.cancel("enough"));
          for (Coroutine<LockedRange> each : waiting) {
            assertThatThrownBy(each::await).isInstanceOf(Cancellation.class);
          }
          lock.close();
          try (LockedRange free = other.lock()) {
            assertThat(free.isHeld()).as("no one who left has kept it").isTrue();
          }
          return null;
        }));
  }

  @Test
  void close_underOneWhoWaitsForALock_sendsHimAway() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          AsyncFile holder = open();
          AsyncFile other = open();
          LockedRange lock = holder.lock();
          Coroutine<LockedRange> waiting = Heddle.spawn(() -> other.lock());
          while (!waiting.isSuspended()) {
            Heddle.yieldNow();
          }
          other.close();
          assertThatThrownBy(waiting::await).hasCauseInstanceOf(ClosedChannelException.class);
          lock.close();
          return null;
        }));
  }

  @Test
  void lock_thatTheFileWasNotOpenedFor_isRefused() {
    Heddle.run(() -> {
      open().close();
      try (AsyncFile readOnly = FileIo.open(folder.resolve("locked"))) {
        assertThatThrownBy(readOnly::lock).isInstanceOf(NonWritableChannelException.class);
        readOnly.lockShared(0, 1).close();
      }
    });
  }
}
