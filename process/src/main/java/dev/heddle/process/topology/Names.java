// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Names of processes on this host. A name belongs to one process, a process may have several; all
/// are given back when it ends.
public final class Names {
  private final ConcurrentHashMap<String, Ties.Owner> owners = new ConcurrentHashMap<>();

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
    return isKept ? owner : null;
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
