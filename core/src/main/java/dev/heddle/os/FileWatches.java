// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.Action;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.LoopService;
import dev.heddle.os.watch.DirectoryWatcher;
import dev.heddle.os.watch.WatchedTree;
import dev.heddle.thread.worker.OffloadedCall;
import dev.heddle.thread.worker.WorkerThreads;
import java.io.IOException;

/// The watches of one loop: the watcher, and the thread that begins and ends watches in the order
/// of the calls.
final class FileWatches implements LoopService {
  private final LoopRuntime loop;
  private final DirectoryWatcher watcher;
  private final WorkerThreads caller;

  FileWatches() {
    this.loop = LoopRuntime.current();
    this.watcher = new DirectoryWatcher(loop.options().name() + "-watch");
    this.caller = loop.blockingPools().open(loop.options().name() + "-watches", 1, () -> {});
  }

  LoopRuntime loop() {
    return loop;
  }

  @SuppressWarnings("RedundantThrows") // the call's exception is thrown by the wait
  void add(WatchedTree tree, String what) throws IOException {
    OffloadedCall offloadedCall = submit("the start of " + what, () -> watcher.add(tree));
    try {
      var _ = loop.scheduler().await(offloadedCall.done());
    } catch (Throwable e) {
      if (offloadedCall.hasThrown(e)) {
        CrossThreadTraces.appendCallerTrace(e);
      }
      throw e;
    }
  }

  /// Ends a watch; its listener gets no further calls.
  void remove(WatchedTree tree) {
    tree.silence();
    // starting the thread takes locks of the JDK
    loop.scheduler()
        .runOnCarrier(() -> {
          if (!loop.scheduler().hasEnded()) {
            submit("the end of a watch", () -> watcher.remove(tree));
          }
        });
  }

  private OffloadedCall submit(String what, Action call) {
    OffloadedCall offloadedCall =
        new OffloadedCall(
            loop.scheduler(),
            what,
            () -> {
              call.run();
              return true;
            });
    caller.submit(offloadedCall);
    return offloadedCall;
  }

  @Override
  public void loopEnded() {
    watcher.close();
  }
}
