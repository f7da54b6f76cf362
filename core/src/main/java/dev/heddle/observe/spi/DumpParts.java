// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.spi;

import dev.heddle.observe.Dump;
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

  /// The parts of a dump that is taken now, the oldest first. One that fails says so in its place.
  public static List<DumpPart> collect() {
    return RUNNING.stream().map(DumpParts::part).toList();
  }

  /// A dump of a loop, with what runs beside it.
  public static Dump addedTo(Dump loop) {
    return new Dump(loop.loop(), loop.takenAt(), loop.scopes(), loop.coroutines(), collect());
  }

  private static DumpPart part(Supplier<? extends DumpPart> taker) {
    try {
      return taker.get();
    } catch (Throwable t) { // whoever looks for trouble wants the rest all the more
      return new Failed(t.toString());
    }
  }

  /// In the place of a part that could not be taken.
  private record Failed(String why) implements DumpPart {
    @Override
    public String text() {
      return "This part of the dump has failed: " + why + "\n";
    }

    @Override
    public String json() {
      return "{\"failed\": \"" + why.replaceAll("[\"\\\\\\p{Cntrl}]", " ") + "\"}";
    }
  }
}
