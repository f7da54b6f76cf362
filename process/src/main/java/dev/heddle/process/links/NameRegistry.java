// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

import dev.heddle.process.links.ProcessLinks.Owner;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The names of processes on this host. A name belongs to one process; a process may have several,
/// which are released when it ends.
public final class NameRegistry {
  /*
   * Memory order. Code that waits for a name writes its entry to `waiting`, then reads `holdings`.
   * Code that registers a name writes `holdings`, then reads `waiting`. A full fence lies between
   * write and read on both sides, so one of the two sees the other's write: the process is found,
   * or the waiter. waiting.isEmpty() would not do instead of the read: the map counts an entry
   * after other threads can see it and add to it. [ProcessNamesTest]
   */

  /// A registration of a name.
  ///
  /// @param owner of the name
  /// @param sinceMillis the time of the registration, by the wall clock; for messages
  public record NameEntry(Owner owner, long sinceMillis) {}

  private final ConcurrentHashMap<String, NameEntry> holdings = new ConcurrentHashMap<>();

  // listeners that wait for a name to be registered; an entry is changed in compute()
  private final ConcurrentHashMap<String, List<Consumer<Owner>>> waiting =
      new ConcurrentHashMap<>();

  /// Registers a name for a process.
  ///
  /// @return the entry of the name: of `owner`, or of the process that had it before; null when
  ///   `owner` has ended
  public @Nullable NameEntry register(String name, Owner owner) {
    NameEntry made = new NameEntry(owner, System.currentTimeMillis());
    NameEntry before = holdings.putIfAbsent(name, made);
    if (before != null) {
      return before;
    }
    boolean isKept = false;
    try {
      isKept = owner.processLinks().addName(name);
    } finally { // also when memory has run out: the exit would not release it
      if (!isKept) {
        holdings.remove(name, made);
      }
    }
    if (!isKept) {
      return null;
    }
    VarHandle.fullFence();
    notifyWaiting(name, owner);
    return made;
  }

  private void notifyWaiting(String name, Owner owner) {
    List<Consumer<Owner>> those = waiting.remove(name);
    if (those != null) {
      those.forEach(each -> each.accept(owner));
    }
  }

  /// Calls a listener once, when a process has a name; at once, if a process has it already.
  ///
  /// @param lives whether the present owner counts; one that is ending does not
  public void await(String name, Predicate<Owner> lives, Consumer<Owner> listener) {
    waiting.compute(
        name,
        (_, before) -> {
          List<Consumer<Owner>> all = before == null ? new ArrayList<>(1) : before;
          all.add(listener);
          return all;
        });
    VarHandle.fullFence();
    Owner owner = find(name);
    if (owner != null && lives.test(owner)) {
      stopWaiting(name, listener);
      listener.accept(owner);
    }
  }

  public void stopWaiting(String name, Consumer<Owner> listener) {
    waiting.computeIfPresent(
        name,
        (_, all) -> {
          all.remove(listener);
          return all.isEmpty() ? null : all;
        });
  }

  /// Takes a name from its owner.
  ///
  /// @return false when it has no owner
  public boolean unregister(String name) {
    NameEntry entry = holdings.remove(name);
    if (entry == null) {
      return false;
    }
    entry.owner().processLinks().removeName(name);
    return true;
  }

  /// Releases a name, if this owner has it.
  public void release(String name, Owner owner) {
    NameEntry entry = holdings.get(name);
    if (entry != null && entry.owner() == owner) {
      holdings.remove(name, entry);
    }
  }

  public @Nullable Owner find(String name) {
    NameEntry entry = holdings.get(name);
    return entry == null ? null : entry.owner();
  }
}
