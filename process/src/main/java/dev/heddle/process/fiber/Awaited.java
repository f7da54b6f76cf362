// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import dev.heddle.process.Pid;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A wait of a body for another process, by a wait of the JDK. Each wait has its own object, so
/// seeing the same object twice proves that the wait has lasted.
public final class Awaited {
  public enum What {
    /// the reply to a request
    REPLY,
    /// space in the mailbox
    SPACE,
    /// the end
    END
  }

  private final What what;
  private final Pid of;
  private final @Nullable Duration limit;
  private final BooleanSupplier over;

  /// @param of the process that can end it
  /// @param limit the time limit, or null
  /// @param over whether the wait is over, or no longer depends on that process; any thread
  public Awaited(What what, Pid of, @Nullable Duration limit, BooleanSupplier over) {
    this.what = what;
    this.of = of;
    this.limit = limit;
    this.over = over;
  }

  public Pid of() {
    return of;
  }

  public @Nullable Duration limit() {
    return limit;
  }

  /// Whether it no longer waits for that process.
  public boolean isOver() {
    return over.getAsBoolean();
  }

  /// A description, to follow `waits for`.
  public String description() {
    return switch (what) {
      case REPLY -> "a reply from " + of;
      case SPACE -> "space in the mailbox of " + of;
      case END -> "the end of " + of;
    };
  }
}
