// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

/// Where coroutines come from: the class of their body, or, where asked for, the exact line of the
/// spawn.
final class SpawnSites {
  private static final StackWalker WALKER = StackWalker.getInstance();

  private SpawnSites() {}

  /// The frame that spawned, outside the runtime. About 1 us.
  static Object caller() {
    return WALKER.walk(frames ->
        frames
            .filter(f -> !isRuntime(f.getClassName()))
            .findFirst()
            .<Object>map(StackWalker.StackFrame::toStackTraceElement)
            .orElse("unknown"));
  }

  private static boolean isRuntime(String className) {
    return className.startsWith("dev.heddle.coroutine.")
        || className.startsWith("dev.heddle.scheduler.")
        || className.startsWith("dev.heddle.Heddle")
        || className.startsWith("dev.heddle.Loop");
  }

  static String describe(Object site) {
    if (site instanceof Class<?> body) {
      String name = body.getName();
      int lambda = name.indexOf("$$Lambda");
      return lambda < 0 ? name : name.substring(0, lambda);
    }
    return site.toString();
  }
}
