// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.scheduler.Scheduler;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;

/// The opening of a file, which is closed again if its caller has left.
final class FileOpening extends FileRequest {
  private final Scheduler scheduler;
  private final FileDriver files;

  FileOpening(Scheduler scheduler, FileDriver files, Path path, Set<? extends OpenOption> options) {
    super(scheduler, path, options);
    this.scheduler = scheduler;
    this.files = files;
  }

  OpenFile await(CoroutineNode<?> self) {
    files.submit(this);
    try {
      await(self, Deadline.never());
      return file();
    } catch (Throwable e) {
      if (!hasEnded()) {
        detach();
        files.cancel(this);
      } else if (failure() == null) {
        close();
      }
      throw e;
    }
  }

  @Override
  protected void ended() {
    if (isDetached() && failure() == null) {
      scheduler.runOnCarrier(this::close);
    }
  }

  private void close() {
    files.submit(new FileRequest(scheduler, path(), Kind.CLOSE, file(), null, 0) {});
  }
}
