// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The codes of the entries of one ring: some that are always there, and one for each class that
/// has come up.
///
/// **Thread** that of the ring; [#kinds()] any.
public final class TraceCodes {
  private static final int MOST = 1 << 15; // of classes: a code has 16 bits

  private final int fixed;
  private final Map<Class<?>, Integer> codes = new HashMap<>();
  private @Nullable Class<?> lastKind;
  private int lastCode;

  // the thread of the ring writes, any reads
  private volatile List<Class<?>> kinds = List.of();

  /// @param fixed how many there are before those of classes
  public TraceCodes(int fixed) {
    this.fixed = fixed;
  }

  /// The code of a class; 0 if there are too many.
  public int of(Class<?> kind) {
    if (kind != lastKind) {
      lastCode = codes.computeIfAbsent(kind, this::add);
      lastKind = kind;
    }
    return lastCode;
  }

  private int add(Class<?> kind) {
    if (kinds.size() == MOST) {
      return 0;
    }
    List<Class<?>> more = new ArrayList<>(kinds); // there are few
    more.add(kind);
    kinds = List.copyOf(more);
    return fixed + more.size() - 1;
  }

  /// The classes that the codes after the fixed ones stand for: at least those of all entries that
  /// are in the ring by now.
  public List<Class<?>> kinds() {
    return kinds;
  }
}
