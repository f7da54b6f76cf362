// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.TypedProcess;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A name for which a typed start has asked, and which another process has.
///
/// @param name that both have in their options
/// @param owner of it
/// @param kind the class of the owner, for words
/// @param process that the owner runs
/// @param sinceMillis when the owner has taken the name
record TakenName(String name, Pid owner, String kind, Process process, long sinceMillis) {

  /// Refuses a start whose messages the owner does not take: its sender would hold a reference that
  /// the compiler vouches for, and that leads to a process of other messages. One that takes more,
  /// a class above, takes those too.
  void checkProtocol(Class<?> protocol) {
    Class<?> taken = taken();
    if (taken == null || !taken.isAssignableFrom(protocol)) {
      throw new StartRefusedException(text(protocol, taken), null);
    }
  }

  private @Nullable Class<?> taken() {
    return process instanceof TypedProcess<?> typed ? typed.protocol() : null;
  }

  private String text(Class<?> protocol, @Nullable Class<?> taken) {
    return "the name '"
        + name
        + "' belongs to "
        + owner
        + " ("
        + kind
        + ") since "
        + Instant.ofEpochMilli(sinceMillis)
        + ", which "
        + (taken == null ? "has no protocol" : "takes messages of " + taken.getName())
        + ", not of "
        + protocol.getName()
        + "; start under another name, or end that process first";
  }
}
