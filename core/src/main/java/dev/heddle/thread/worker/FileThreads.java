// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.Cancellation;
import dev.heddle.event.InlineCallback;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Serves files on threads beside the loop, for loops whose driver does not.
///
/// A call that has begun is never interrupted: the JDK would close the channel under all others.
public final class FileThreads implements FileDriver {
  private final Scheduler scheduler;
  private final WorkerThreads threads;

  // loop only
  private final Set<ThreadFile> open = new HashSet<>();

  FileThreads(Scheduler scheduler, WorkerThreads threads) {
    this.scheduler = scheduler;
    this.threads = threads;
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
  private static Object perform(FileOperation operation) throws IOException {
    return operation.kind() == FileOperation.Kind.OPEN
        ? ThreadFile.open(operation.path(), operation.options())
        : ((ThreadFile) operation.file()).perform(operation);
  }

  private void ended(FileOperation operation, @Nullable Object result, @Nullable Throwable error) {
    if (result instanceof ThreadFile opened) {
      open.add(opened);
      operation.opened(opened);
    } else if (operation.kind() == FileOperation.Kind.CLOSE) {
      open.remove((ThreadFile) operation.file());
    }
    operation.complete(result instanceof Long count ? count : 0, error);
  }

  @Override
  public void cancel(FileOperation operation) {
    if (operation.attachment() instanceof Work work && operation.cancelling()) {
      threads.withdraw(work, new Cancellation("nobody waits for it any more"));
    }
  }

  /// The loop has ended: closes what is open.
  void close() {
    for (ThreadFile file : open) {
      try {
        file.close();
      } catch (IOException e) {
        // what could not be written was reported to its writer
        System.getLogger("dev.heddle")
            .log(System.Logger.Level.DEBUG, "while closing the loop's files", e);
      }
    }
    open.clear();
  }
}
