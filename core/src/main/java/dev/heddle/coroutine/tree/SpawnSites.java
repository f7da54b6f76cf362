// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import java.lang.StackWalker.StackFrame;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Spawn sites: the line of the program at which a coroutine was spawned.
///
/// A site is a [Line], the [SpawnTrace] that has it, or a name with one of these. Coroutines that
/// the program did not spawn on the loop (its main one, work that another thread has submitted, and
/// the runtime's own) have the class of their body instead.
public final class SpawnSites {
  private static final StackWalker WALKER = StackWalker.getInstance();

  static {
    // what a first walk initialises in the JDK would fail for good at the end of a stack
    var _ = caller();
  }

  private SpawnSites() {}

  /// The site of a named coroutine; most have no name, so it is not a field of the coroutine.
  ///
  /// @param of the site without the name
  record NamedSite(String name, Object of) {}

  /// A line of the program, in words: it holds no class, so no class loader.
  ///
  /// @param index of the instruction, which tells two calls in one line apart
  private record Line(StackTraceElement place, int index) {
    Line(StackFrame frame) {
      this(ProgramFrames.shortened(frame.toStackTraceElement()), frame.getByteCodeIndex());
    }

    @Override
    public String toString() {
      return place.toString();
    }
  }

  /// Initialises the class while there is room on the stack: an overflow would make its
  /// initialisation fail for good.
  static void prepare() {}

  /// The site of a body of this class that the program is spawning: the line that called the
  /// runtime, or that of an earlier spawn of the class, see [BodySites].
  public static Object of(Class<?> body) {
    return BodySites.of(body).next(body);
  }

  /// How often the stack was walked for bodies of this class, for tests.
  public static int walks(Class<?> body) {
    return BodySites.of(body).walks();
  }

  /// The line of the program that called the runtime; about 3 us for the stack walk.
  public static Object caller() {
    Object line = callerOr("unknown");
    return line == null ? "unknown" : line;
  }

  /// The same, or the name of a class if no frame is the program's; null: the stack ended.
  static @Nullable Object callerOr(Class<?> body) {
    return callerOr(describe(body));
  }

  private static @Nullable Object callerOr(String otherwise) {
    try {
      return WALKER.walk(frames -> innermost(frames, otherwise));
    } catch (StackOverflowError | InternalError _) {
      // safe: a walk changes nothing. The JDK wraps an overflow inside of it in an InternalError;
      // how much it takes is not known, and in the interpreter it is more than a wait does
      return null;
    }
  }

  private static Object innermost(Stream<StackFrame> frames, String otherwise) {
    return frames
        .filter(frame -> ProgramFrames.isProgram(frame.getClassName()))
        .findFirst()
        .<Object>map(Line::new)
        .orElse(otherwise);
  }

  /// A key that coroutines of one site have in common, for [#describe] too.
  public static Object key(Object site) {
    return switch (site) {
      case SpawnTrace trace -> trace.line();
      case NamedSite named -> key(named.of());
      default -> site;
    };
  }

  /// Whether it is a place in the code, and not the site of a coroutine.
  public static boolean isPlace(Object site) {
    return site instanceof Line || site instanceof String;
  }

  /// The trace of a coroutine's site; null: it has only a class.
  static @Nullable SpawnTrace trace(Object site) {
    return switch (site) {
      case SpawnTrace trace -> trace;
      case NamedSite named -> trace(named.of());
      default -> null;
    };
  }

  public static String describe(Object site) {
    Object key = key(site);
    if (!(key instanceof Class<?> body)) {
      return key.toString();
    }
    String name = body.getName();
    int lambda = name.indexOf("$$Lambda");
    return lambda < 0 ? name : name.substring(0, lambda);
  }
}
