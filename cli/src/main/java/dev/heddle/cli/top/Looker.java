// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.Watch;
import dev.heddle.cli.text.Printable;
import dev.heddle.cli.top.Line.Target;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Looks at a JVM on a thread of its own, so that no key waits for an answer. Only this thread uses
/// the observation.
final class Looker implements AutoCloseable, Runnable {
  private static final long PROBE_NANOS = 100_000_000;

  private record Stack(@Nullable Target of, List<String> lines) {}

  private static final Stack NO_STACK = new Stack(null, List.of("..."));

  private final Watch watch;
  private final long intervalNanos;
  private final Thread thread = new Thread(this, "heddle-top-looker");

  // written by its thread
  private volatile @Nullable Look latest;
  private volatile @Nullable Look before;
  private volatile @Nullable AttachException end;
  private volatile String silence = "";

  // written by both: the one that draws removes it, so that what it shows next was asked for anew
  private volatile Stack stack = NO_STACK;

  // written by the thread that draws
  private volatile boolean over;
  private volatile boolean paused;
  private volatile @Nullable Target wanted;

  /// Begins to look. Closes `watch` at its end.
  Looker(Watch watch, long intervalNanos) {
    this.watch = watch;
    this.intervalNanos = intervalNanos;
    watch.waitOn(text -> silence = text);
    thread.setDaemon(true);
    thread.start();
  }

  @Nullable Look latest() {
    return latest;
  }

  @Nullable Look before() {
    return before;
  }

  /// Why there will be no further looks: that JVM has ended; null while there are.
  @Nullable AttachException end() {
    return end;
  }

  /// Why that JVM does not answer now; empty when it does.
  String silence() {
    return silence;
  }

  void pause(boolean on) {
    paused = on;
  }

  /// The stack of a coroutine, which is asked for at each look as long as this target is given.
  List<String> stackOf(@Nullable Target target) {
    if (!Objects.equals(target, wanted)) {
      wanted = target;
      stack = NO_STACK;
      LockSupport.unpark(thread);
    }
    Stack known = stack;
    return target == null || target.equals(known.of) ? known.lines : NO_STACK.lines;
  }

  @Override
  public void run() {
    try (watch) {
      long dueAt = System.nanoTime();
      while (!over) {
        boolean due = !paused && System.nanoTime() - dueAt >= 0;
        answer(due);
        Look last = latest;
        if (due) {
          Look next = Look.at(watch);
          before = last;
          latest = next;
          dueAt += intervalNanos;
          dueAt = Math.max(dueAt, System.nanoTime());
        }
        LockSupport.parkNanos(this, PROBE_NANOS);
        probe(latest);
      }
    } catch (AttachException e) {
      end = e;
    }
  }

  private void answer(boolean again) throws AttachException {
    Target target = wanted;
    if (target != null && (again || !target.equals(stack.of))) {
      String text = Printable.of(watch.stack(target.loop(), target.coroutine()));
      stack = new Stack(target, text.lines().toList());
    }
  }

  private void probe(@Nullable Look at) throws AttachException {
    if (at != null && !paused) {
      for (Look.Seen each : at.seen()) {
        watch.probe(each.number());
      }
    }
  }

  /// Ends it, without waiting for the answer that it may wait for.
  @Override
  public void close() {
    over = true;
    LockSupport.unpark(thread);
  }
}
