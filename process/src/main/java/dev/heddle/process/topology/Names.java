// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Names of processes on this host. A name belongs to one process, a process may have several; all
/// are given back when it ends.
public final class Names implements Ties.NameRegistry {
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
  public record Holding(Ties.Owner owner, long sinceMillis) {}

  private final ConcurrentHashMap<String, Holding> holdings = new ConcurrentHashMap<>();

  // those that wait for a name to be taken; an entry is changed in compute()
  private final ConcurrentHashMap<String, List<Consumer<Ties.Owner>>> waiting =
      new ConcurrentHashMap<>();

  /// No names.
  public Names() {}

  /// Gives a process a name.
  ///
  /// @return who has the name now: `owner`, or the process that had it before; null when `owner`
  ///   has ended
  public @Nullable Holding register(String name, Ties.Owner owner) {
    Holding made = new Holding(owner, System.currentTimeMillis());
    Holding before = holdings.putIfAbsent(name, made);
    if (before != null) {
      return before;
    }
    boolean isKept = false;
    try {
      isKept = owner.ties().addName(name);
    } finally { // also without memory: nobody would give it back
      if (!isKept) {
        holdings.remove(name, made);
      }
    }
    if (!isKept) {
      return null;
    }
    VarHandle.fullFence();
    tellOf(name, owner);
    return made;
  }

  private void tellOf(String name, Ties.Owner owner) {
    List<Consumer<Ties.Owner>> those = waiting.remove(name);
    if (those != null) {
      those.forEach(each -> each.accept(owner));
    }
  }

  /// Lets code be told, once, when a process has a name: at once when a process has it.
  ///
  /// @param lives whether a process that has the name will keep it for a while
  public void await(String name, Predicate<Ties.Owner> lives, Consumer<Ties.Owner> listener) {
    waiting.compute(
        name,
        (_, before) -> {
          List<Consumer<Ties.Owner>> all = before == null ? new ArrayList<>(1) : before;
          all.add(listener);
          return all;
        });
    VarHandle.fullFence();
    Ties.Owner owner = find(name);
    if (owner != null && lives.test(owner)) {
      giveUp(name, listener);
      listener.accept(owner);
    }
  }

  /// Forgets code that waits for a name.
  public void giveUp(String name, Consumer<Ties.Owner> listener) {
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
    Holding holding = holdings.remove(name);
    if (holding == null) {
      return false;
    }
    holding.owner().ties().removeName(name);
    return true;
  }

  @Override
  public void release(String name, Ties.Owner owner) {
    Holding holding = holdings.get(name);
    if (holding != null && holding.owner() == owner) {
      holdings.remove(name, holding);
    }
  }

  /// The owner of a name, or null.
  public Ties.@Nullable Owner find(String name) {
    Holding holding = holdings.get(name);
    return holding == null ? null : holding.owner();
  }
}
