// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A process as it was a moment ago. Its values were read one after the other while it went on, so
/// they need not fit each other.
///
/// @param pid of it
/// @param kind the class of the process
/// @param state what it does
/// @param starting whether it has begun and not started: its `init` goes on, or it has not said
///   that it is ready, as its [Process#reportsReady()] has promised
/// @param mailbox messages and signals that wait in it
/// @param steps that have begun
/// @param pendingCommands of it that have no result yet
/// @param waitsFor the command it has yielded last, by its class, while it is blocked by commands;
///   of the body of a [CoroutineProcess], the command it has called, `receive`, the `room of` a
///   mailbox, `the answer of` or `the end of` a process; with `, for a thread` until one of the
///   threads for calls has taken it; with ` within PT1M` when the body waits for no longer than
///   that; null else, also while the body waits for something of the JDK
/// @param parent who started it, or null
/// @param names that it has
/// @param links addresses of those that it is linked to
/// @param monitored addresses of those that it monitors, one for each monitor
/// @param stack of its step while it runs, of the body of a [CoroutineProcess] also while that
///   waits, the innermost frame first; empty else, and where it was not asked for
/// @since 0.1
public record ProcessSnapshot(
    Pid pid,
    String kind,
    State state,
    boolean starting,
    int mailbox,
    long steps,
    int pendingCommands,
    @Nullable String waitsFor,
    @Nullable Pid parent,
    List<String> names,
    List<Pid> links,
    List<Pid> monitored,
    List<StackTraceElement> stack) {
  /// What a process does.
  public enum State {
    /// waits for a worker
    READY,
    /// is in a step
    RUNNING,
    /// waits for a command
    BLOCKED,
    /// waits for anything
    IDLE,
    /// has ended
    COMPLETE;

    /// Its name in reports, like `ready`.
    public String displayName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// Copies the lists.
  public ProcessSnapshot {
    names = List.copyOf(names);
    links = List.copyOf(links);
    monitored = List.copyOf(monitored);
    stack = List.copyOf(stack);
  }

  /// In one line, for dumps.
  public String info() {
    StringBuilder text = new StringBuilder(pid + " " + kind + " " + state.displayName());
    if (waitsFor != null) {
      text.append(" for ").append(waitsFor);
    }
    if (starting) {
      text.append(", STARTING: has not called ready() yet");
    }
    text.append(", ").append(steps).append(" steps, ").append(mailbox).append(" in the mailbox");
    if (!names.isEmpty()) {
      text.append(", named ").append(String.join(", ", names));
    }
    return text.toString();
  }
}
