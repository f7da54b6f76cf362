// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What has come for a body, and was not received.
///
/// **Thread** steps of its process, and the body within them.
public interface ReceiveQueue {
  /// In place of what was found, when nothing was.
  Object NOTHING = new Object();

  /// What makes the inboxes of bodies: a process, as the runtime knows it.
  interface Source {
    /// The inbox of a body: the mailbox itself, where the process is the one that the runtime
    /// steps.
    ReceiveQueue receiveQueueOf(Process process);
  }

  /// Looks begin at the oldest.
  void rewind();

  /// Takes out the first message or signal that is wanted, of those that were not looked at since
  /// the last [#rewind].
  ///
  /// @return its data, or [#NOTHING]
  @Nullable Object find(Predicate<? super @Nullable Object> wanted);

  /// Whether there is something that was not looked at since the last [#rewind].
  boolean hasUnseen();

  /// Puts in what a step was given.
  void add(ProcessEvent event);

  /// What was put in and not received, oldest first: the list itself. Whoever takes the place of
  /// the body may take it out.
  List<ProcessEvent> unreceived();

  /// Nothing will be received any more. What is still in it, nobody has seen.
  void close();
}
