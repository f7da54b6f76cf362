// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.CoroutineException;
import dev.heddle.EventsLostException;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.os.watch.WatchedTree;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.inbox.Inbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Fires with each change below a directory, or, with a debounce, when changes have settled.
///
/// The watcher's thread puts changes into a queue and posts; the loop takes them out in a tick.
final class FileChanges extends EventSource implements WatchedTree.Listener {
  private static final int MOST = 1 << 16; // changes that the loop has not taken: it is being held

  private final LoopRuntime loop;
  private final FileWatches watches;
  private final Path root;
  private final @Nullable Duration quiet;
  private final InlineCallback settled = (event, result, error) -> settle();

  // the watcher's thread adds, the loop takes: FileChange or Throwable
  private final ConcurrentLinkedQueue<Object> found = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final Arrival arrival = new Arrival();

  private boolean lagging; // watcher's thread only

  // loop only
  private @Nullable WatchedTree tree;
  private @Nullable TimerEvent pending;

  FileChanges(FileWatches watches, Path root, @Nullable Duration quiet) {
    super(watches.loop().scheduler());
    this.loop = watches.loop();
    this.watches = watches;
    this.root = root;
    this.quiet = quiet;
  }

  // ---- on the loop ----

  /// Begins to watch; earlier subscribers miss no change. **Suspends**.
  void open(boolean recursive, int limit, Predicate<Path> filter) throws IOException {
    WatchedTree opened = new WatchedTree(root, recursive, limit, filter, this);
    tree = opened;
    watches.add(opened, info());
  }

  @Override
  public boolean isDaemon() {
    return false;
  }

  @Override
  protected void disarm() {
    stopDebounce();
    if (tree != null) {
      watches.remove(tree);
    }
  }

  private void deliver(Object next) {
    boolean news = next instanceof FileChange || next instanceof EventsLostException;
    if (news && quiet != null) {
      startDebounce(quiet); // lost events count as changes
    } else if (next instanceof FileChange) {
      fire(next, null);
    } else {
      fire(null, (Throwable) next);
    }
  }

  private void startDebounce(Duration after) {
    stopDebounce();
    TimerEvent timer = loop.tree().daemonTimer(after);
    timer.subscribe(settled);
    timer.start();
    pending = timer;
  }

  private void stopDebounce() {
    if (pending != null) {
      pending.unsubscribe(settled);
      pending.stop();
      pending = null;
    }
  }

  private void settle() {
    stopDebounce();
    fire(new FileChange(FileChange.Kind.SETTLED, root, null), null);
  }

  @Override
  public String info() {
    return "changes below " + root;
  }

  // ---- on the watcher's thread ----

  @Override
  public void created(Path path) {
    add(new FileChange(FileChange.Kind.CREATED, root, path));
  }

  @Override
  public void modified(Path path) {
    add(new FileChange(FileChange.Kind.MODIFIED, root, path));
  }

  @Override
  public void deleted(Path path) {
    add(new FileChange(FileChange.Kind.DELETED, root, path));
  }

  @Override
  public void lost() {
    add(
        new EventsLostException(
            "the system has lost changes below "
                + root
                + "; read the files again, read the stream faster, or watch less",
            0));
  }

  @Override
  public void failed(Throwable why) {
    add(
        why instanceof IOException io
            ? new UncheckedIOException(
                "the watch of " + root + " has ended: " + io.getMessage(), io)
            : CoroutineException.of(why));
  }

  private void add(Object next) {
    if (next instanceof FileChange && waiting.get() >= MOST) {
      if (!lagging) {
        lagging = true;
        lost();
      }
      return;
    }
    lagging = false;
    waiting.incrementAndGet();
    found.add(next);
    loop.scheduler().inbox().post(arrival);
  }

  private final class Arrival extends Inbox.Node {
    @Override
    public void onArrival() {
      clearPosted();
      for (Object next = found.poll(); next != null; next = found.poll()) {
        waiting.decrementAndGet();
        deliver(next);
      }
    }
  }
}
