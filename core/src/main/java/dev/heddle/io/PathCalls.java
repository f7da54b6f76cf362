// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.internal.Rethrow;
import dev.heddle.loop.LoopRuntime;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Calls on paths, made on worker threads that the loop reserves for them.
final class PathCalls {
  private PathCalls() {}

  /// Makes a call. **Cancelled** a call that has begun still completes; one that has not begun is
  /// not made.
  @SuppressWarnings({"unchecked", "NullAway"}) // the call returns a T
  static <T> T call(String doing, Path path, Callable<T> call) throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    return (T) LoopRuntime.of(self).blockingPools().paths().run(self, doing + path, call);
  }

  /// Makes a call and waits for its end even if the caller is cancelled; the result is then undone.
  static <T> T create(String doing, Path path, Callable<T> call, Undo<T> undo) throws IOException {
    AtomicReference<@Nullable T> made = new AtomicReference<>();
    boolean taken = false;
    try {
      T result =
          runUncancellably(
              doing + path,
              () -> {
                T own = call.call();
                made.set(own);
                return own;
              });
      taken = true;
      return result;
    } finally {
      T own = made.get();
      if (!taken && own != null) {
        undo(path, own, undo);
      }
    }
  }

  /// Makes a call and waits for its end even if the caller is cancelled.
  static void callUncancellably(String doing, Path path, Callable<?> call) throws IOException {
    runUncancellably(doing + path, call);
  }

  /// Undoes the result of a call; the caller may be cancelled.
  static <T> void undo(Path path, T made, Undo<T> undo) throws IOException {
    runUncancellably(
        "the deletion of what was made for " + path,
        () -> {
          undo.undo(made);
          return made;
        });
  }

  /// Undoes the result of a call, on a worker thread.
  ///
  /// @param <T> type of the result
  @FunctionalInterface
  interface Undo<T> {
    void undo(T made) throws IOException;
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the call returns a T
  private static <T> T runUncancellably(String what, Callable<T> call) throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    try {
      return (T)
          self.shielded(() -> LoopRuntime.of(self).blockingPools().paths().run(self, what, call));
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw Rethrow.unchecked(e);
    }
  }

  /// Syncs the entries of a directory to the device. Runs on a worker thread.
  static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
