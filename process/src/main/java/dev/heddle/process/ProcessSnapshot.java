// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The state of a process a moment ago. The values were read one after the other while the process
/// went on, so they may not be consistent with each other.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=snapshots}
///
/// @param pid the process
/// @param kind the class of the process
/// @param state what it was doing
/// @param starting whether it has begun and not started: its `init` is running, or it has not
///   called [ProcessContext#ready()] although it [reports it][Process#reportsReady()]
/// @param mailbox the messages and signals waiting in its mailbox
/// @param steps the steps begun
/// @param pendingCommands its commands that have no result yet
/// @param waitsFor while it is blocked by commands, the class of the command it requested last; of
///   the body of a [CoroutineProcess], the command it executes, `receive`, `a reply from` or `the
///   end of` a process, or `space in the mailbox of` one; followed by `, for a thread` until one of
///   the threads for calls runs it, and by ` within PT1M` when the wait has that limit; null
///   otherwise, also while the body waits for something of the JDK
/// @param parent the process that started it, or null
/// @param names its names
/// @param links the addresses of its linked processes
/// @param monitored the addresses it monitors, one for each monitor
/// @param stack the stack of its step while it runs; of the body of a [CoroutineProcess] also while
///   that waits; innermost frame first; empty otherwise, and when stacks were not requested
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
  /// What a process is doing.
  public enum State {
    /// waits for a worker
    READY,
    /// is in a step
    RUNNING,
    /// waits for command results
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

  /// A description in one line, for dumps.
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
