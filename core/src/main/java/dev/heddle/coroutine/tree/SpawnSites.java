// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import java.lang.StackWalker.StackFrame;
import java.util.function.Function;

/// Where coroutines come from: the class of their body, or, where asked for, the exact line of the
/// spawn.
public final class SpawnSites {
  private static final StackWalker WALKER = StackWalker.getInstance();

  private SpawnSites() {}

  /// Most coroutines have no name, and so no field for it.
  record NamedSite(String name, Class<?> body) {}

  /// Has the class initialised while there is stack: where that ends it could not be, and then
  /// never again.
  static void prepare() {}

  /// The program's own frame that called the runtime: about 1 us, for the walk alone. Its file and
  /// line are resolved when somebody asks.
  public static Object caller() {
    return WALKER.walk(frames ->
        frames
            .filter(frame -> ProgramFrames.isProgram(frame.getClassName()))
            .findFirst()
            .<Object>map(Function.identity())
            .orElse("unknown"));
  }

  /// A site in words.
  public static String describe(Object site) {
    if (site instanceof SpawnTrace trace) {
      return describe(trace.site());
    }
    if (site instanceof NamedSite named) {
      return describe(named.body());
    }
    if (site instanceof Class<?> body) {
      String name = body.getName();
      int lambda = name.indexOf("$$Lambda");
      return lambda < 0 ? name : name.substring(0, lambda);
    }
    return site instanceof StackFrame frame
        ? ProgramFrames.shortened(frame.toStackTraceElement()).toString()
        : site.toString();
  }
}
