// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Names of processes on this host. A name belongs to one process, a process may have several; all
/// are given back when it ends.
public final class Names {
  private final ConcurrentHashMap<String, Ties.Owner> owners = new ConcurrentHashMap<>();

  // those that wait for a name to be taken; an entry is changed in compute()
  private final ConcurrentHashMap<String, List<Consumer<Ties.Owner>>> waiting =
      new ConcurrentHashMap<>();

  /// No names.
  public Names() {}

  /// Gives a process a name.
  ///
  /// @return who has the name now: `owner`, or whoever had it before; null when `owner` has ended
  public Ties.@Nullable Owner register(String name, Ties.Owner owner) {
    Ties.Owner before = owners.putIfAbsent(name, owner);
    if (before != null) {
      return before;
    }
    boolean isKept = false;
    try {
      isKept = owner.ties().addName(name);
    } finally { // also without memory: nobody would give it back
      if (!isKept) {
        owners.remove(name, owner);
      }
    }
    if (isKept && !waiting.isEmpty()) {
      tellOf(name, owner);
    }
    return isKept ? owner : null;
  }

  private void tellOf(String name, Ties.Owner owner) {
    List<Consumer<Ties.Owner>> those = waiting.remove(name);
    if (those != null) {
      those.forEach(each -> each.accept(owner));
    }
  }

  /// Lets code be told, once, when a process has a name: at once when one has it.
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
    // after: whoever takes the name meanwhile sees the entry, or is seen here
    Ties.Owner owner = owners.get(name);
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

  /// Takes a name from whoever has it.
  ///
  /// @return false when nobody has
  public boolean unregister(String name) {
    Ties.Owner owner = owners.remove(name);
    if (owner == null) {
      return false;
    }
    owner.ties().removeName(name);
    return true;
  }

  void release(String name, Ties.Owner owner) {
    owners.remove(name, owner);
  }

  /// Who has a name, or null.
  public Ties.@Nullable Owner find(String name) {
    return owners.get(name);
  }
}
