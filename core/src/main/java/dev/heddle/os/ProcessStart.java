// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.coroutine.tree.CoroutineNode;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;

/// A start of a process, which a thread beside the loop makes: it takes a millisecond.
///
/// A coroutine that is cancelled meanwhile stays until the process that was started for nobody has
/// ended: else it would run, and hold its pipes, behind the back of a scope that is closed.
final class ProcessStart implements Callable<Process> {
  private final Command command;
  private final ProcessBuilder builder;

  // the thread that makes it, or the loop that wants it no more: the first one decides
  private final AtomicBoolean decided = new AtomicBoolean();
  private final CompletableFuture<Process> process = new CompletableFuture<>();

  private ProcessStart(Command command) {
    this.command = command;
    this.builder = command.builder();
  }

  /// Starts it.
  static Process of(Command command) throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    ProcessStart start = new ProcessStart(command);
    try {
      return (Process) run(self, "the start of " + command, start);
    } catch (Throwable e) {
      start.undo(self);
      throw e;
    }
  }

  private static Object run(CoroutineNode<?> self, String what, Callable<?> call) {
    return Objects.requireNonNull(self.loop().threads().offload().run(self, what, call));
  }

  /// On a thread.
  @Override
  public Process call() throws IOException {
    if (!decided.compareAndSet(false, true)) {
      throw new CancellationException(); // for nobody: who wanted it has left
    }
    try {
      Process started = builder.start();
      process.complete(started);
      return started;
    } catch (Throwable e) {
      process.completeExceptionally(e);
      throw e;
    }
  }

  private void undo(CoroutineNode<?> self) {
    if (decided.compareAndSet(false, true) || process.isCompletedExceptionally()) {
      return;
    }
    try {
      self.protect(() -> run(self, "the end of " + command + ", cancelled", this::end));
    } catch (Throwable e) {
      // past the shutdown deadline nothing is protected, and nobody waits
      var _ = process.thenAccept(started -> ProcessTree.of(started.toHandle()).kill());
    }
  }

  /// On another thread: the one that starts it may not be done.
  private boolean end() throws InterruptedException {
    try {
      Process started = process.join();
      ProcessTree.of(started.toHandle()).kill();
      return started.waitFor() >= 0;
    } catch (CompletionException _) {
      return false; // safe: nothing was started, and nobody wants to know why
    }
  }
}
