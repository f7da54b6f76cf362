// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.beside;

import dev.heddle.observe.DumpPart;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/// The registry of all that runs beside the loops of this JVM. **Thread** any.
public final class DumpParts {
  private static final CopyOnWriteArrayList<Supplier<? extends DumpPart>> RUNNING =
      new CopyOnWriteArrayList<>();

  private DumpParts() {}

  /// Something runs, until it is taken out.
  ///
  /// @param taker takes the part of a dump; on any thread, without waiting
  public static void add(Supplier<? extends DumpPart> taker) {
    RUNNING.add(taker);
  }

  /// It runs no more.
  public static void remove(Supplier<? extends DumpPart> taker) {
    RUNNING.remove(taker);
  }

  /// The parts of a dump that is taken now, the oldest first.
  public static List<DumpPart> take() {
    return RUNNING.stream().<DumpPart>map(Supplier::get).toList();
  }
}
