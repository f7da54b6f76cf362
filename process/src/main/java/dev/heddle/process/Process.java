// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An isolated state machine: it is given the events that have come for it, and requests what it
/// wants next.
///
/// One thread at a time calls a process, not always the same one, and each call sees what the
/// previous one wrote. So its fields need no lock, as long as only the process uses them. It must
/// not block: a step holds a worker while it lasts. What takes time is requested as a command.
///
/// An exception of any method ends this process with that cause, and nothing else.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=process}
///
/// @since 0.1
@SuppressWarnings("AvoidCommonTypeNames") // Erlang's term; a single-type import wins
@FunctionalInterface
public interface Process {
  /// The default entry point.
  String RUN = StartOptions.RUN;

  /// The names of its entry points. A start selects one of them.
  default Set<String> entryPoints() {
    return Set.of(RUN);
  }

  /// Called once, before the first step, on the same worker.
  ///
  /// @param context the context of this process, valid for its whole life
  /// @param entryPoint one of [#entryPoints()]
  /// @param input the input of the start
  default void init(ProcessContext context, String entryPoint, @Nullable Object input)
      throws Exception {}

  /// Whether this process reports by [ProcessContext#ready()] that it has started. Otherwise it has
  /// started when `init` has returned. [ProcessRuntime#whenStarted], and the children of a
  /// supervisor that are `after` this one, wait for that. Must always return the same value.
  /// **Thread** any.
  default boolean reportsReady() {
    return false;
  }

  /// Executes one step: the first time without events, then whenever there are events, or when the
  /// last step requested another one.
  ///
  /// @param events the events since the last step, not to be modified, may be kept. Those of one
  ///   sender are in its order of sending, including its replies and its end. Events that no
  ///   process has sent (cancellations, results of other commands) come first
  /// @param out takes the requests of the step; a step without requests waits until something comes
  void step(List<ProcessEvent> events, StepOutput out) throws Exception;

  /// Called once, after the last step, also when `init` or a step has failed or the start was
  /// refused. For a process that a shutdown abandoned in a step, it is called when that step
  /// returns, if ever.
  default void close() throws Exception {}
}
