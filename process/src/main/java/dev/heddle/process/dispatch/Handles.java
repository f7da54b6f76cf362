// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Pid;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What processes have open on the loop. The loop only.
final class Handles {
  private final LoopPort loops;
  private final Map<Pid, Map<Handle, AutoCloseable>> open = new HashMap<>();
  private long lastId;

  Handles(LoopPort loops) {
    this.loops = loops;
  }

  /// Keeps something for the process of a command, until it closes it or ends.
  Handle add(Invocation<?> by, AutoCloseable opened, String what) {
    Handle handle = new Handle(++lastId, what);
    Pid owner = by.caller();
    Map<Handle, AutoCloseable> its = open.get(owner);
    if (its != null) {
      its.put(handle, opened);
      return handle;
    }
    its = new HashMap<>(4);
    its.put(handle, opened);
    open.put(owner, its);
    // in this order: one that has ended meanwhile is told of at once, and finds what it is to close
    var _ =
        by.context()
            .runtime()
            .exit(owner)
            .thenRun(() ->
                loops.submit("close handles of " + owner, () -> closeAll(open.remove(owner))));
    return handle;
  }

  /// What a handle of a process stands for.
  ///
  /// @throws IOException when it is closed, the process's of another, or of another kind
  <T> T get(Invocation<?> by, Handle handle, Class<T> kind) throws IOException {
    AutoCloseable found = open.getOrDefault(by.caller(), Map.of()).get(handle);
    if (found == null) {
      throw new IOException(
          handle
              + " is not open in "
              + by.caller()
              + ": it was closed, or another process has opened it");
    }
    if (!kind.isInstance(found)) {
      throw new IOException(
          handle
              + " is no "
              + kind.getSimpleName()
              + ", but a "
              + found.getClass().getSimpleName());
    }
    return kind.cast(found);
  }

  /// Closes what a handle stands for.
  ///
  /// @return false when it was not open in that process
  boolean close(Pid owner, Handle handle) throws Exception {
    Map<Handle, AutoCloseable> its = open.get(owner);
    AutoCloseable found = its == null ? null : its.remove(handle);
    if (found == null) {
      return false;
    }
    found.close();
    return true;
  }

  /// How many handles are open in all.
  int size() {
    return open.values().stream().mapToInt(Map::size).sum();
  }

  private static void closeAll(@Nullable Map<Handle, AutoCloseable> its) throws Exception {
    if (its == null) {
      return;
    }
    List<Exception> failures = new ArrayList<>();
    for (AutoCloseable each : its.values()) {
      try {
        each.close();
      } catch (Exception e) {
        failures.add(e);
      }
    }
    for (Exception failure : failures) {
      System.getLogger("dev.heddle.process")
          .log(System.Logger.Level.WARNING, "what a process had open did not close", failure);
    }
  }
}
