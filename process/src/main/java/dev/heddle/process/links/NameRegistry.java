// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Names of processes on this host. A name belongs to one process, a process may have several; all
/// are given back when it ends.
public final class NameRegistry implements ProcessLinks.NameRegistry {
  /*
   * Memory order. Whoever waits for a name writes its entry in `waiting`, and then reads
   * `holdings`; whoever takes a name writes `holdings`, and then reads `waiting`. One of the two
   * reads sees the other's write, by the full fence between: the process is found, or the waiter.
   * Not by waiting.isEmpty(): the map counts an entry after others can see it and add to it.
   * [ProcessNamesTest]
   */

  /// That a process has a name.
  ///
  /// @param owner of the name
  /// @param sinceMillis since when, by the wall clock: for messages
  public record NameEntry(ProcessLinks.Owner owner, long sinceMillis) {}

  private final ConcurrentHashMap<String, NameEntry> holdings = new ConcurrentHashMap<>();

  // those that wait for a name to be taken; an entry is changed in compute()
  private final ConcurrentHashMap<String, List<Consumer<ProcessLinks.Owner>>> waiting =
      new ConcurrentHashMap<>();

  /// No names.
  public NameRegistry() {}

  /// Gives a process a name.
  ///
  /// @return who has the name now: `owner`, or the process that had it before; null when `owner`
  ///   has ended
  public @Nullable NameEntry register(String name, ProcessLinks.Owner owner) {
    NameEntry made = new NameEntry(owner, System.currentTimeMillis());
    NameEntry before = holdings.putIfAbsent(name, made);
    if (before != null) {
      return before;
    }
    boolean isKept = false;
    try {
      isKept = owner.processLinks().addName(name);
    } finally { // also without memory: nobody would give it back
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

  private void notifyWaiting(String name, ProcessLinks.Owner owner) {
    List<Consumer<ProcessLinks.Owner>> those = waiting.remove(name);
    if (those != null) {
      those.forEach(each -> each.accept(owner));
    }
  }

  /// Lets code be told, once, when a process has a name: at once when a process has it.
  ///
  /// @param lives whether a process that has the name will keep it for a while
  public void await(
      String name, Predicate<ProcessLinks.Owner> lives, Consumer<ProcessLinks.Owner> listener) {
    waiting.compute(
        name,
        (_, before) -> {
          List<Consumer<ProcessLinks.Owner>> all = before == null ? new ArrayList<>(1) : before;
          all.add(listener);
          return all;
        });
    VarHandle.fullFence();
    ProcessLinks.Owner owner = find(name);
    if (owner != null && lives.test(owner)) {
      stopWaiting(name, listener);
      listener.accept(owner);
    }
  }

  /// Forgets code that waits for a name.
  public void stopWaiting(String name, Consumer<ProcessLinks.Owner> listener) {
    waiting.computeIfPresent(
        name,
        (_, all) -> {
          all.remove(listener);
          return all.isEmpty() ? null : all;
        });
  }

  /// Takes a name from its owner.
  ///
  /// @return false when it has none
  public boolean unregister(String name) {
    NameEntry nameEntry = holdings.remove(name);
    if (nameEntry == null) {
      return false;
    }
    nameEntry.owner().processLinks().removeName(name);
    return true;
  }

  @Override
  public void release(String name, ProcessLinks.Owner owner) {
    NameEntry nameEntry = holdings.get(name);
    if (nameEntry != null && nameEntry.owner() == owner) {
      holdings.remove(name, nameEntry);
    }
  }

  /// The owner of a name, or null.
  public ProcessLinks.@Nullable Owner find(String name) {
    NameEntry nameEntry = holdings.get(name);
    return nameEntry == null ? null : nameEntry.owner();
  }
}
