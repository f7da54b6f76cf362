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

/// Calls on paths, on the threads that the loop keeps for them.
final class PathCalls {
  private PathCalls() {}

  /// Makes a call. **Cancelled** one that has begun ends all the same, one that has not never does.
  @SuppressWarnings({"unchecked", "NullAway"}) // the call returns a T
  static <T> T call(String doing, Path path, Callable<T> call) throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    return (T) LoopRuntime.of(self).blockingPools().paths().run(self, doing + path, call);
  }

  /// Makes a call whose end is waited for, also when the caller is cancelled. What it has made is
  /// undone when the caller cannot have it.
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

  /// Makes a call whose end is waited for, also when the caller is cancelled.
  static void callUncancellably(String doing, Path path, Callable<?> call) throws IOException {
    runUncancellably(doing + path, call);
  }

  /// Undoes what was made; the caller may be cancelled.
  static <T> void undo(Path path, T made, Undo<T> undo) throws IOException {
    runUncancellably(
        "the deletion of what was made for " + path,
        () -> {
          undo.undo(made);
          return made;
        });
  }

  /// Takes back what a call has made, on a thread beside the loop.
  ///
  /// @param <T> what that is
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

  /// Brings the names in a directory to the device. On a thread beside the loop.
  static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
