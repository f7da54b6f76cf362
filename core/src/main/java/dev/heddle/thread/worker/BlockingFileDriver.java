// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.Cancellation;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Offloads blocking files to worker threads: files, where the loop's driver does not serve them,
/// named pipes, and terminals.
///
/// A call that has begun is never interrupted: the JDK would close the channel for all its users.
public final class BlockingFileDriver implements FileDriver {
  private final Scheduler scheduler;
  private final WorkerThreads threads;
  private final BlockingFile.Opener opener;

  // the threads add; the thread that removes a file closes it
  private final Set<BlockingFile> open = ConcurrentHashMap.newKeySet();

  private volatile boolean closed; // afterwards a thread closes the file that it has opened

  BlockingFileDriver(Scheduler scheduler, WorkerThreads threads, BlockingFile.Opener opener) {
    this.scheduler = scheduler;
    this.threads = threads;
    this.opener = opener;
  }

  @Override
  public boolean canOpen(Path path, Set<? extends OpenOption> options) {
    return true;
  }

  @Override
  public void submit(FileOperation operation) {
    OffloadedCall offloadedCall =
        new OffloadedCall(scheduler, "work on a file", () -> perform(operation));
    operation.submitted(offloadedCall);
    threads.submit(offloadedCall);
    InlineCallback whenDone = (event, result, error) -> ended(operation, result, error);
    offloadedCall.done().subscribe(whenDone);
  }

  /// Called on one of the threads.
  private Object perform(FileOperation operation) throws IOException {
    if (operation.kind() != FileOperation.Kind.OPEN) {
      return ((BlockingFile) operation.file()).perform(operation);
    }
    BlockingFile opened = opener.open(operation);
    open.add(opened);
    if (closed) {
      closeUnused(opened); // the loop will not receive it
    }
    return opened;
  }

  private void ended(FileOperation operation, @Nullable Object result, @Nullable Throwable error) {
    if (result instanceof BlockingFile opened) {
      operation.opened(opened);
    } else if (operation.kind() == FileOperation.Kind.CLOSE) {
      open.remove((BlockingFile) operation.file());
    }
    operation.complete(result instanceof Long count ? count : 0, error);
  }

  @Override
  public void cancel(FileOperation operation) {
    if (operation.attachment() instanceof OffloadedCall offloadedCall && operation.cancelling()) {
      threads.withdraw(offloadedCall, new Cancellation("its caller no longer waits for it"));
    }
  }

  /// Ends the threads when the submitted operations are done; no more may be submitted.
  public void finish() {
    threads.finish();
  }

  /// The loop has ended: closes what is open. A thread that is opening a file closes that file
  /// itself.
  void close() {
    closed = true;
    open.forEach(this::closeUnused);
  }

  private void closeUnused(BlockingFile file) {
    if (!open.remove(file)) {
      return; // another thread closes it: the end of the loop, or the thread that has opened it
    }
    try {
      var _ = file.perform(new Closing(file));
    } catch (IOException e) {
      // a failed write was reported to its writer
      AsyncLog.shared().debug("while closing the loop's files", e);
    }
  }

  private static final class Closing extends FileOperation {
    Closing(OpenFile file) {
      super(Kind.CLOSE, file, null, 0);
    }

    @Override
    protected void completed(long result, @Nullable Throwable error) {}
  }
}
