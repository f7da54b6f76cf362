// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import dev.heddle.process.Pid;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A wait of a body for another process, in a wait of the JDK. One object for each wait, so whoever
/// sees the same one twice knows that the wait has lasted.
public final class Awaited {
  /// What is awaited.
  public enum What {
    /// the answer to a request
    ANSWER,
    /// room in the mailbox
    ROOM,
    /// the end
    END
  }

  private final What what;
  private final Pid of;
  private final @Nullable Duration limit;
  private final BooleanSupplier over;

  /// A wait that begins.
  ///
  /// @param of the process that brings it
  /// @param limit of the wait, or null
  /// @param over whether it has come, or is not that process's to bring any more; any thread
  public Awaited(What what, Pid of, @Nullable Duration limit, BooleanSupplier over) {
    this.what = what;
    this.of = of;
    this.limit = limit;
    this.over = over;
  }

  /// The process that is waited for.
  public Pid of() {
    return of;
  }

  /// How long the wait may last, or null.
  public @Nullable Duration limit() {
    return limit;
  }

  /// Whether it waits for that process no more.
  public boolean isOver() {
    return over.getAsBoolean();
  }

  /// In words, behind `waits for`.
  public String words() {
    return switch (what) {
      case ANSWER -> "the answer of " + of;
      case ROOM -> "room of " + of;
      case END -> "the end of " + of;
    };
  }
}
