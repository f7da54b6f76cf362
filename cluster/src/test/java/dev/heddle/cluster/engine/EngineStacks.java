// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.util.Objects;
import org.jgroups.stack.ProtocolStack;

/// The protocols of engines, for tests of other packages that put one of their own among them.
public final class EngineStacks {
  private EngineStacks() {}

  /// @param engine that is open
  public static ProtocolStack of(JGroupsEngine engine) {
    return Objects.requireNonNull(engine.channel(), "the engine is not open").getProtocolStack();
  }
}
