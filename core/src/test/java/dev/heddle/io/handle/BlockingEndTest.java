// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.thread.worker.BlockingFile;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What is under way on the threads of a stream when it is closed, or given up.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockingEndTest {
  private static final int PARTS = 4 << 20; // bytes; more than one call is given

  @TempDir Path folder;

  /// A sink that has itself closed just before it tells that a part was written.
  private static final class ClosingSink implements BlockingFile {
    private final AtomicReference<Runnable> beforeTheEnd = new AtomicReference<>(() -> {});

    @Override
    public long perform(FileOperation operation) {
      if (operation.kind() != FileOperation.Kind.WRITE) {
        return 0;
      }
      beforeTheEnd.get().run();
      return operation.buffer().remaining();
    }

    @Override
    public FileChannel channel(boolean writing) {
      throw new UnsupportedOperationException("there is no file");
    }
  }

  @Test
  @Tag("T14.1")
  void close_betweenTwoPartsOfAWrite_endsTheWriter() {
    ClosingSink sink = new ClosingSink();
    AtomicReference<Thread> worker = new AtomicReference<>();
    CompletableFuture<Loop<?>> itself = new CompletableFuture<>();
    Loop<?> loop =
        Loop.start(() -> {
          BlockingHandle handle = BlockingHandle.of("sink", "the sink", sink);
          sink.beforeTheEnd.set(() -> {
            worker.set(Thread.currentThread());
            Loop<?> own = itself.join();
            var _ =
                own.submit(() -> {
                  handle.close();
                  return true;
                });
          });
          Coroutine<Boolean> writer =
              Heddle.spawn(() -> {
                handle.write(ByteBuffer.allocate(PARTS));
                return true;
              });
          while (!writer.isSuspended()) {
            Heddle.yieldNow();
          }
          // holds the loop until the closing has come, and behind it the end of the part
          while (worker.get() == null || worker.get().getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
          }
          assertThatThrownBy(writer::await).hasCauseInstanceOf(AsynchronousCloseException.class);
          return true;
        });
    itself.complete(loop);
    loop.join();
  }

  /// A thread may begin to open the pipe long after its caller has left.
  @Test
  @Tag("T14.1")
  void givingUp_ofAnOpening_lastsUntilItsThreadIsBack() throws Exception {
    Path path = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
    CountDownLatch back = new CountDownLatch(1);
    Thread releasing = Thread.ofPlatform().daemon().start(() -> NamedPipe.release(path, back));
    while (releasing.getState() != Thread.State.TIMED_WAITING
        && releasing.getState() != Thread.State.TERMINATED) {
      Thread.onSpinWait();
    }
    FileChannel.open(path, StandardOpenOption.READ).close(); // waits for a writer
    back.countDown();
    releasing.join();
  }
}
