// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.Heddle;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ResourceHandle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The open resources of processes. On the loop only.
final class OpenResources {
  /*
   * A handle is in the map of one process, its owner, from its opening until it is closed; the end
   * of the owner closes all handles in its map. A transfer moves a handle from map to map within
   * one tick: so at each moment it has one owner, whose end closes it. The new owner may have ended
   * already: the listener for its end is added after the move, and is then called at once.
   *
   * A command that uses a handle holds it: its result would go to the old owner, although it is
   * meant for the new one. So a transfer is refused while such a command is pending, and waits for
   * one that was cancelled and has not ended yet. A transfer that was itself cancelled when it
   * moves the handle is undone in the same tick: its process would not notify the new owner, which
   * would keep a handle open that it does not know of. P11.
   */

  /// An open resource, and the commands that use it now.
  private static final class Open {
    final AutoCloseable what;
    private final Set<PendingCommand<?>> users = new HashSet<>(2);
    private CompletableFuture<@Nullable Void> unused = new CompletableFuture<>();

    Open(AutoCloseable what) {
      this.what = what;
    }

    void leave(PendingCommand<?> user) {
      users.remove(user);
      if (users.isEmpty()) {
        unused.complete(null);
        unused = new CompletableFuture<>();
      }
    }
  }

  /// Uses an open resource.
  interface Use<T, R extends @Nullable Object> {
    R with(T open) throws Exception;
  }

  private final CommandLoop loop;
  private final Function<Pid, CompletableFuture<Exit>> exits;
  private final Map<Pid, Map<ResourceHandle, Open>> open = new HashMap<>();
  private long lastId;

  /// @param exits completes when a process ends
  OpenResources(CommandLoop loop, Function<Pid, CompletableFuture<Exit>> exits) {
    this.loop = loop;
    this.exits = exits;
  }

  /// Keeps a resource for the process of a command, until the process closes it or ends.
  ResourceHandle add(PendingCommand<?> by, AutoCloseable opened, String what) {
    ResourceHandle handle = new OpenResource(++lastId, what);
    put(by.caller(), handle, new Open(opened));
    return handle;
  }

  private void put(Pid owner, ResourceHandle handle, Open opened) {
    Map<ResourceHandle, Open> its = open.get(owner);
    if (its != null) {
      its.put(handle, opened);
      return;
    }
    its = new HashMap<>(4);
    its.put(handle, opened);
    open.put(owner, its);
    // in this order: the listener of a process that has ended is called at once, and must find the
    // entry
    var _ =
        exits
            .apply(owner)
            .thenRun(
                () -> loop.submit("close handles of " + owner, () -> closeAll(open.remove(owner))));
  }

  /// Uses the resource of a handle of a process.
  ///
  /// @throws IOException when it is closed, belongs to another process, or is of another kind
  <T, R extends @Nullable Object> R use(
      PendingCommand<?> by, ResourceHandle handle, Class<T> kind, Use<T, R> use) throws Exception {
    Open found = find(by, handle);
    if (!kind.isInstance(found.what)) {
      throw new IOException(
          "%s is not a %s but a %s"
              .formatted(handle, kind.getSimpleName(), found.what.getClass().getSimpleName()));
    }
    found.users.add(by);
    try {
      return use.with(kind.cast(found.what));
    } finally {
      found.leave(by);
    }
  }

  private Open find(PendingCommand<?> by, ResourceHandle handle) throws IOException {
    Open found = open.getOrDefault(by.caller(), Map.of()).get(handle);
    if (found == null) {
      throw new IOException(
          "%s is not open in %s: it was closed or transferred, or another process has opened it"
              .formatted(handle, by.caller()));
    }
    return found;
  }

  /// Makes another process the owner of a handle.
  ///
  /// @return false when that one has ended: the handle is then closed soon
  /// @throws IOException when it is closed, belongs to another process, or is in use
  /// @throws IllegalArgumentException when the address is not that of a process of this runtime
  boolean transfer(PendingCommand<?> by, ResourceHandle handle, Pid to) throws IOException {
    CompletableFuture<Exit> ended = exits.apply(to);
    try {
      move(by, handle, to);
      return !ended.isDone();
    } finally {
      ended.cancel(false); // else the listener stays until the new owner ends
    }
  }

  private void move(PendingCommand<?> by, ResourceHandle handle, Pid to) throws IOException {
    Open found = find(by, handle);
    while (!found.users.isEmpty()) {
      if (found.users.stream().anyMatch(PendingCommand::isOpen)) {
        throw new IOException(
            "%s is in use by another command of %s; transfer it when that has its result, or"
                    .formatted(handle, by.caller())
                + " cancel that first");
      }
      Heddle.await(found.unused.copy());
      found = find(by, handle); // it may have been closed meanwhile
    }
    if (!to.equals(by.caller())) {
      Objects.requireNonNull(open.get(by.caller())).remove(handle);
      put(to, handle, found);
    }
  }

  /// Undoes a cancelled transfer, within its tick: so the handle was not used since.
  void undoTransfer(PendingCommand<?> by, ResourceHandle handle, Pid from) {
    Open found = Objects.requireNonNull(open.get(from)).remove(handle);
    put(by.caller(), handle, Objects.requireNonNull(found));
  }

  /// Closes the resource of a handle.
  ///
  /// @return false when that process did not have it open
  boolean close(Pid owner, ResourceHandle handle) throws Exception {
    Map<ResourceHandle, Open> its = open.get(owner);
    Open found = its == null ? null : its.remove(handle);
    if (found == null) {
      return false;
    }
    found.what.close();
    return true;
  }

  private static void closeAll(@Nullable Map<ResourceHandle, Open> its) throws Exception {
    if (its == null) {
      return;
    }
    List<Exception> failures = new ArrayList<>();
    for (Open each : its.values()) {
      try {
        each.what.close();
      } catch (Exception e) {
        failures.add(e);
      }
    }
    for (Exception failure : failures) {
      System.getLogger("dev.heddle.process")
          .log(System.Logger.Level.WARNING, "a resource of a process failed to close", failure);
    }
  }
}
