// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.util.Set;

/// What a loop needs of the operating system. Everything else of the reactor is portable code above
/// it.
///
/// **Thread** the carrier, or a coroutine mounted on it, for [#submit], [#cancel], [#open] and
/// [#closed]: these only take notes, lock-free. The carrier alone for [#tick] and [#close]. Any
/// thread for [#wakeup].
public interface ReactorDriver {
  /// A deadline that means: do not wait.
  long NO_WAIT = Long.MIN_VALUE;

  /// A deadline that means: wait until something happens.
  long FOREVER = Long.MAX_VALUE;

  /// As `heddle doctor` shows it.
  String name();

  /// The kinds it serves itself.
  Set<Operation.Kind> capabilities();

  /// A descriptor the driver will own: what is still open when the driver closes is closed with it.
  void open(Descriptor descriptor);

  /// The channel was closed by its owner; whatever was submitted for it has been cancelled before.
  void closed(Descriptor descriptor);

  /// Asks for `operation`; its answer comes in a later [#tick].
  void submit(Operation operation);

  /// Takes `operation` back. For a readiness driver nothing follows.
  void cancel(Operation operation);

  /// Whether a look could bring something: an operation is out, or a descriptor is to be tidied up.
  boolean isArmed();

  /// Delivers what has completed, waiting for it until `deadlineNanos`, by the loop's clock, or a
  /// wake-up.
  ///
  /// @return how many operations were answered
  int tick(long deadlineNanos);

  /// Ends the current wait, or the next one. Any thread, sticky, never blocks.
  void wakeup();

  /// Closes every descriptor still open and releases the driver's own.
  void close();
}
