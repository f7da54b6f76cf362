// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A report of processes that wait for each other.
///
/// ```java
/// ProcessRuntime.builder()
///     .deadlock(Duration.ofSeconds(5), found -> alarm(found.text()))
///     .start();
/// ```
///
/// @param kind how they wait
/// @param duration how long it has lasted at least; it still lasts
/// @param waits the waiting processes; in a cycle each waits for the next, the last for the first
/// @since 0.1
public record ProcessDeadlock(Kind kind, Duration duration, List<Wait> waits) {
  /// How processes wait for each other.
  public enum Kind {
    /// each waits for the next, and handles nothing else meanwhile
    CYCLE,
    /// all workers are blocked in steps that wait, so no other process can run to end those waits
    WORKERS
  }

  /// A process that waits.
  ///
  /// @param pid the process
  /// @param kind the class of the process
  /// @param waitsFor a description of what it waits for
  /// @param awaited the process it waits for; null when that cannot be known
  /// @param stack the stack of its body or its step, innermost frame first; empty when it has
  ///   neither
  public record Wait(
      Pid pid, String kind, String waitsFor, @Nullable Pid awaited, List<StackTraceElement> stack) {
    /// Copies the list.
    public Wait {
      stack = List.copyOf(stack);
    }
  }

  /// Copies the list.
  public ProcessDeadlock {
    waits = List.copyOf(waits);
  }

  /// A description with the stacks.
  public String text() {
    String summary =
        switch (kind) {
          case CYCLE ->
              "deadlock of %d processes for at least %d ms: "
                      .formatted(waits.size(), duration.toMillis())
                  + waits.stream()
                      .map(wait -> wait.pid() + " waits for " + wait.waitsFor())
                      .collect(Collectors.joining(", "))
                  + "; end one of them, or give its wait a limit";
          case WORKERS ->
              "all %d workers have been blocked for at least %d ms in steps that wait: no process"
                      .formatted(waits.size(), duration.toMillis())
                  + " makes progress unless another thread ends one of those waits; a step must not"
                  + " wait: execute a command, or let a body wait";
        };
    StringBuilder text = new StringBuilder(summary);
    for (Wait wait : waits) {
      text.append("\n%s (%s) waits for %s".formatted(wait.pid(), wait.kind(), wait.waitsFor()));
      wait.stack().forEach(frame -> text.append("\n  at ").append(frame));
    }
    return text.toString();
  }
}
