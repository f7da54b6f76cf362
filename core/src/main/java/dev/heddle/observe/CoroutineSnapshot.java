// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A coroutine at the moment of a [Dump].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=dump}
///
/// @param id its number, unique in its loop
/// @param name its given name, or null
/// @param scope the number of the scope it is a member of, in the dump
/// @param state its state
/// @param status the state of its waker, as the scheduler names it; for readers of the scheduler
/// @param background whether it is cancelled when the other members of its scope have ended
/// @param cancelled whether it was cancelled
/// @param spawnSite where it was spawned, file and line; the class of its body for work that
///   another thread has submitted
/// @param suspendSite the topmost frame of its stack that belongs to the program; null if it has
///   not started, or its stack was not taken
/// @param waited how long it has waited, to about a millisecond; null if it does not wait
/// @param waits the events it waits for, any of which wakes it
/// @param foreign what it waits for in the JDK, or null
/// @param outcome the outcome of its wait if it is ready, or null
/// @param stack its frames, the innermost first; those of the runtime are left out unless
///   `heddle.trace=full`; none when it was not taken, see [DeadlockReport]
/// @since 0.1
public record CoroutineSnapshot(
    long id,
    @Nullable String name,
    int scope,
    State state,
    String status,
    boolean background,
    boolean cancelled,
    String spawnSite,
    @Nullable String suspendSite,
    @Nullable Duration waited,
    List<WaitSnapshot> waits,
    @Nullable ForeignWait foreign,
    @Nullable String outcome,
    List<StackTraceElement> stack) {

  /// The state of a coroutine.
  public enum State {
    /// It is in the ready queue for the first time.
    NEW("not started"),
    /// It is ready to run.
    READY("ready"),
    /// It took the dump.
    RUNNING("running"),
    /// It waits for events of the loop.
    WAITING("waiting"),
    /// It waits in the JDK: for a lock, a queue, a socket.
    FOREIGN("parked by the JDK");

    private final String displayName;

    State(String displayName) {
      this.displayName = displayName;
    }

    /// The display name for dumps.
    public String displayName() {
      return displayName;
    }
  }

  /// Number and name, for dumps and errors.
  public String label() {
    return name == null ? "coroutine-" + id : "coroutine-" + id + " '" + name + "'";
  }
}
