// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.scheduler.Scheduler;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("trap-29")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockingFileDriverTest {
  private static final class Opening extends FileOperation {
    Opening() {
      super(Path.of("some"), Set.of());
    }

    @Override
    protected void completed(long result, @Nullable Throwable error) {}
  }

  private record Noted(BlockingQueue<FileOperation.Kind> done) implements BlockingFile {
    @Override
    public long perform(FileOperation operation) {
      done.add(operation.kind());
      return 0;
    }

    @Override
    public FileChannel channel(boolean writing) {
      throw new UnsupportedOperationException("nobody reads it");
    }
  }

  @Test
  void fileThatAThreadOpensAsTheLoopEnds_isClosed() throws Exception {
    BlockingQueue<FileOperation.Kind> done = new LinkedBlockingQueue<>();
    BlockingFile file = new Noted(done);
    CountDownLatch opens = new CountDownLatch(1);
    CountDownLatch mayOpen = new CountDownLatch(1);
    Heddle.run(() -> {
      Scheduler scheduler = CoroutineNode.current().scheduler();
      WorkerThreads threads = new WorkerThreads(scheduler, "opener", 1, () -> {});
      BlockingFileDriver files =
          new BlockingFileDriver(
              scheduler,
              threads,
              _ -> {
                opens.countDown();
                awaitQuietly(mayOpen);
                return file;
              });
      files.submit(new Opening());
      opens.await();
      files.close();
      threads.finish();
    });
    assertThat(done).isEmpty();
    mayOpen.countDown();
    assertThat(done.take()).isEqualTo(FileOperation.Kind.CLOSE);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException _) {
        interrupted = true; // as a system call that opens a file, it goes on
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
