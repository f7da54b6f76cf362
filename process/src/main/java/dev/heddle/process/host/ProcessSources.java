// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Process;
import dev.heddle.process.ProcessFactory;
import dev.heddle.process.StartRefusedException;
import org.jspecify.annotations.Nullable;

/// Makes the processes that upgrades name.
final class ProcessSources {
  private ProcessSources() {}

  /// Makes a process of a source.
  ///
  /// @throws StartRefusedException when there is no factory, no source, or the factory fails
  static Process create(@Nullable ProcessFactory factory, String source) {
    if (factory == null) {
      throw new StartRefusedException(
          "upgrade: no factory; give the builder one with factory(...)", null);
    }
    if (source.isEmpty()) {
      throw new StartRefusedException("upgrade: no source; name what the factory is to make", null);
    }
    Process made;
    try {
      made = factory.create(source);
    } catch (Exception e) {
      throw new StartRefusedException("upgrade: create failed: " + e.getMessage(), e);
    }
    if (made == null) {
      throw new StartRefusedException(
          "upgrade: the factory has returned null for '"
              + source
              + "'; let it make a process, or throw what says why not",
          null);
    }
    return made;
  }
}
