// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import java.lang.instrument.Instrumentation;
import org.jspecify.annotations.Nullable;

/// The Java agent: `-javaagent:heddle-world.jar[=OPTION,...]`, or attached by [#install].
///
/// Options, as `name=value` with commas between them:
///
/// | option | values | meaning |
/// |---|---|---|
/// | `points` | `none` (default), `sync`, `memory` | where a coroutine may be preempted |
/// | `packages` | names with `:` between them, `*` for every program class | which classes get points, with their subpackages |
///
/// `sync` has points before monitors, volatile fields and calls into `java.util.concurrent`;
/// `memory` has them before every field and array element that is not final, and needs `packages`.
/// An option or value that is not listed here is refused.
public final class WorldAgent {
  private WorldAgent() {}

  /// Called by the JVM for `-javaagent`.
  public static void premain(@Nullable String options, Instrumentation jvm) {
    throw new UnsupportedOperationException("not built yet: " + options + jvm);
  }

  /// Called by the JVM when the agent is attached.
  public static void agentmain(@Nullable String options, Instrumentation jvm) {
    premain(options, jvm);
  }

  /// Whether this JVM has the agent.
  public static boolean isInstalled() {
    return false;
  }

  /// The options it was started with, in full: `points=none,packages=*`.
  ///
  /// @throws IllegalStateException when it is not installed
  public static String options() {
    throw new IllegalStateException("the agent is not installed");
  }

  /// Installs the agent in the running JVM, unless it is there; a line on standard error says so. A
  /// helper JVM attaches it, which takes about a second.
  ///
  /// @param options as for `-javaagent`
  /// @throws IllegalStateException when this JVM does not allow it, or the agent is there with other
  ///   options; the message says what to do
  public static void install(String options) {
    throw new UnsupportedOperationException("not built yet: " + options);
  }
}
