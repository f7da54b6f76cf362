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

/// Serves what is open and blocks on threads beside the loop: files, for loops whose driver does
/// not, named pipes, terminals.
///
/// A call that has begun is never interrupted: the JDK would close the channel under all others.
public final class FileThreads implements FileDriver {
  private final Scheduler scheduler;
  private final WorkerThreads threads;
  private final BlockingFile.Opener opener;

  // its threads add to it; whoever takes a file out of it closes that
  private final Set<BlockingFile> open = ConcurrentHashMap.newKeySet();

  private volatile boolean closed; // from then on a thread closes what it has opened

  FileThreads(Scheduler scheduler, WorkerThreads threads, BlockingFile.Opener opener) {
    this.scheduler = scheduler;
    this.threads = threads;
    this.opener = opener;
  }

  @Override
  public boolean opens(Path path, Set<? extends OpenOption> options) {
    return true;
  }

  @Override
  public void submit(FileOperation operation) {
    Work work = new Work(scheduler, "work on a file", () -> perform(operation));
    operation.submitted(work);
    threads.submit(work);
    InlineCallback whenDone = (event, result, error) -> ended(operation, result, error);
    work.done().subscribe(whenDone);
  }

  /// On one of the threads.
  private Object perform(FileOperation operation) throws IOException {
    if (operation.kind() != FileOperation.Kind.OPEN) {
      return ((BlockingFile) operation.file()).perform(operation);
    }
    BlockingFile opened = opener.open(operation);
    open.add(opened);
    if (closed) {
      closeUnused(opened); // nobody is told of it any more
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
    if (operation.attachment() instanceof Work work && operation.cancelling()) {
      threads.withdraw(work, new Cancellation("nobody waits for it any more"));
    }
  }

  /// Lets the threads go when they have done what was asked; no more is to come.
  public void finish() {
    threads.finish();
  }

  /// The loop has ended: closes what is open. A file that a thread is opening is closed by that
  /// thread.
  void close() {
    closed = true;
    open.forEach(this::closeUnused);
  }

  private void closeUnused(BlockingFile file) {
    if (!open.remove(file)) {
      return; // the other one closes it: the loop's end, or the thread that has opened it
    }
    try {
      var _ = file.perform(new Closing(file));
    } catch (IOException e) {
      // what could not be written was reported to its writer
      AsyncLog.shared().debug("while closing the loop's files", e);
    }
  }

  /// Closing, for nobody.
  private static final class Closing extends FileOperation {
    Closing(OpenFile file) {
      super(Kind.CLOSE, file, null, 0);
    }

    @Override
    protected void completed(long result, @Nullable Throwable error) {}
  }
}
