// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.failure.AnotherThread;
import dev.heddle.loop.LoopRoot;
import dev.heddle.loop.LoopService;
import dev.heddle.os.watch.DirectoryWatcher;
import dev.heddle.os.watch.WatchTree;
import dev.heddle.thread.worker.Work;
import dev.heddle.thread.worker.WorkerThreads;
import java.io.IOException;
import java.util.concurrent.Callable;

/// The watches of one loop: what watches, and the thread on which watches are begun and ended, in
/// the order of these calls.
final class FileWatches implements LoopService {
  private final LoopRoot loop;
  private final DirectoryWatcher watcher;
  private final WorkerThreads caller;

  /// Of the current coroutine's loop.
  FileWatches() {
    this.loop = LoopRoot.current();
    this.watcher = new DirectoryWatcher(loop.options().name() + "-watch");
    this.caller = loop.threads().open(loop.options().name() + "-watches", 1, () -> {});
  }

  LoopRoot loop() {
    return loop;
  }

  /// Begins to watch. **Suspends** until it does.
  @SuppressWarnings("RedundantThrows") // what the call throws comes through the wait
  void add(WatchTree tree, String what) throws IOException {
    Work work =
        submit(
            "the begin of " + what,
            () -> {
              watcher.add(tree);
              return true;
            });
    try {
      var _ = loop.scheduler().await(work.done());
    } catch (Throwable e) {
      if (work.hasThrown(e)) {
        AnotherThread.calledFromHere(e);
      }
      throw e;
    }
  }

  /// Watches no more; at once for whoever listens.
  void remove(WatchTree tree) {
    tree.silence();
    // the thread may have to be started, which takes locks of the JDK's
    loop.scheduler()
        .onTrampoline(() -> {
          if (!loop.scheduler().hasEnded()) {
            submit(
                "the end of a watch",
                () -> {
                  watcher.remove(tree);
                  return true;
                });
          }
        });
  }

  private Work submit(String what, Callable<?> call) {
    Work work = new Work(loop.scheduler(), what, call);
    caller.submit(work);
    return work;
  }

  @Override
  public void loopEnded() {
    watcher.close();
  }
}
