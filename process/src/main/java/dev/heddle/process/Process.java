// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An isolated state machine: it is given what has come for it, and says what it wants next.
///
/// One thread at a time calls a process, not always the same one; what one call wrote the next one
/// sees. So its fields need no lock, as long as nothing else touches them. It must not block: a
/// step holds a worker for as long as it lasts. What takes time it yields as a command.
///
/// Whatever it throws, from any method, ends this process with that as the cause, and nothing else.
///
/// @since 0.1
@SuppressWarnings("AvoidCommonTypeNames") // the word of the field; an import of one type wins
@FunctionalInterface
public interface Process {
  /// The entry point that is meant when none is named.
  String RUN = "run";

  /// The names of its entry points, one of which it is started with.
  default Set<String> entryPoints() {
    return Set.of(RUN);
  }

  /// Called once, before the first step, on the worker that will make it.
  ///
  /// @param context of this process, for all its life
  /// @param method one of [#entryPoints()]
  /// @param input what it was started with
  default void init(ProcessContext context, String method, @Nullable Object input)
      throws Exception {}

  /// Whether this process says itself when it has started, by [ProcessContext#ready()]. Else it has
  /// started when `init` has returned. Those who wait for its start, like
  /// [ProcessRuntime#whenStarted] and the children of a supervisor that are `after` it, wait for
  /// that. Must always give the same answer. **Thread** any.
  default boolean reportsReady() {
    return false;
  }

  /// Makes one step: the first time without events, then whenever there are any, or when the last
  /// step said CONTINUE.
  ///
  /// @param events since the last step, in order: of one sender in the order in which it has sent
  ///   them, its answers and its end among them; what comes from nobody (cancellations, results of
  ///   other commands) first; not to be changed, may be kept
  /// @param out what the process wants; without a word it rests until something comes
  void step(List<ProcessEvent> events, StepOutput out) throws Exception;

  /// Called once, after the last step, also when `init` or a step has failed, or the start was
  /// refused. Of a process that a shutdown has abandoned in a step: when that step returns, if
  /// ever.
  default void close() throws Exception {}
}
