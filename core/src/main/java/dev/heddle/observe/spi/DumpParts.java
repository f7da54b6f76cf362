// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.spi;

import dev.heddle.observe.Dump;
import dev.heddle.observe.DumpPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The registry of what runs in this JVM besides loops. **Thread** any.
public final class DumpParts {
  private static final CopyOnWriteArrayList<Supplier<? extends @Nullable DumpPart>> RUNNING =
      new CopyOnWriteArrayList<>();

  private DumpParts() {}

  /// Registers a runtime; `taker` creates its part of a dump, on any thread, without waiting, or
  /// returns null where it is not to be seen.
  public static void add(Supplier<? extends @Nullable DumpPart> taker) {
    RUNNING.add(taker);
  }

  public static void remove(Supplier<? extends @Nullable DumpPart> taker) {
    RUNNING.remove(taker);
  }

  /// The parts of a dump taken now, the oldest first. A part that fails is replaced by a message.
  public static List<DumpPart> collect() {
    return RUNNING.stream().map(DumpParts::takeIfSeen).filter(Objects::nonNull).toList();
  }

  /// A dump of a loop, with these parts added behind its own.
  public static Dump addedTo(Dump loop) {
    List<DumpPart> parts = new ArrayList<>(loop.parts());
    parts.addAll(collect());
    return new Dump(
        loop.loop(), loop.takenAt(), loop.scopes(), loop.coroutines(), List.copyOf(parts));
  }

  /// Takes a part; one that fails is replaced by a message.
  public static DumpPart take(Supplier<? extends DumpPart> taker) {
    return Objects.requireNonNull(takeIfSeen(taker));
  }

  private static @Nullable DumpPart takeIfSeen(Supplier<? extends @Nullable DumpPart> taker) {
    try {
      return taker.get();
    } catch (Throwable t) { // the rest of the dump is still needed
      return new Failed(t.toString());
    }
  }

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
