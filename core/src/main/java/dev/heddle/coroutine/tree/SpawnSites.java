// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import java.lang.StackWalker.StackFrame;
import java.util.function.Function;

/// Spawn sites: the class of the body or, with exact sites, the line of the spawn.
public final class SpawnSites {
  private static final StackWalker WALKER = StackWalker.getInstance();

  private SpawnSites() {}

  /// The site of a named coroutine; most have no name, so it is not a field of the coroutine.
  record NamedSite(String name, Class<?> body) {}

  /// Initialises the class while there is room on the stack: an overflow would make its
  /// initialisation fail for good.
  static void prepare() {}

  /// The program's frame that called the runtime; about 1 us for the stack walk. Its file and line
  /// are resolved on demand.
  public static Object caller() {
    return WALKER.walk(frames ->
        frames
            .filter(frame -> ProgramFrames.isProgram(frame.getClassName()))
            .findFirst()
            .<Object>map(Function.identity())
            .orElse("unknown"));
  }

  /// A key that coroutines of one site have in common, for [#describe] too.
  public static Object key(Object site) {
    return switch (site) {
      case SpawnTrace trace -> key(trace.site());
      case NamedSite named -> named.body();
      case StackFrame frame ->
          new FrameKey(
              frame.getClassName(), frame.getMethodName(), frame.getByteCodeIndex(), frame);
      default -> site;
    };
  }

  /// A frame, of which the JDK makes a new object at each walk.
  private record FrameKey(String type, String method, int index, StackFrame frame) {
    @Override
    public boolean equals(Object other) {
      return other instanceof FrameKey key
          && key.index == index
          && key.type.equals(type)
          && key.method.equals(method);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * type.hashCode() + method.hashCode()) + index;
    }
  }

  public static String describe(Object site) {
    if (site instanceof SpawnTrace trace) {
      return describe(trace.site());
    }
    if (site instanceof NamedSite named) {
      return describe(named.body());
    }
    if (site instanceof FrameKey key) {
      return describe(key.frame());
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
