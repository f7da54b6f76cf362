// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import dev.heddle.process.ProcessEvent;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Messages and signals for a body that it has not received.
///
/// **Thread** steps of its process, and the body within them.
public interface ReceiveQueue {
  /// The result of [#find] when nothing matches.
  Object NOTHING = new Object();

  /// Restarts the search at the oldest event.
  void rewind();

  /// Removes the first message or signal that matches, among those not read since the last
  /// [#rewind].
  ///
  /// @return its data, or [#NOTHING]
  @Nullable Object find(Predicate<? super @Nullable Object> wanted);

  /// Whether there is an event that was not read since the last [#rewind].
  boolean hasUnseen();

  /// Adds an event that a step was given.
  void add(ProcessEvent event);

  /// The events added and not received, oldest first: the list itself. The process that replaces
  /// the body may remove them.
  List<ProcessEvent> unreceived();

  /// Ends it: what is left counts as undelivered.
  void close();
}
