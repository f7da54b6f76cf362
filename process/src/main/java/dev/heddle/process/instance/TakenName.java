// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.TypedProcess;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A name that a typed start has asked for and another process has.
///
/// @param name the name in the options of both
/// @param owner the process that has it
/// @param kind the class of the owner, for the message
/// @param process the code of the owner
/// @param sinceMillis when the owner took the name
record TakenName(String name, Pid owner, String kind, Process process, long sinceMillis) {

  /// Refuses a start whose messages the owner does not accept: the caller would get a reference
  /// that the compiler trusts, to a process of other messages. An owner that accepts a superclass
  /// passes.
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
