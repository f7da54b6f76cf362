// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.source.EventSource;
import dev.heddle.reactor.Reactor.SharedPoll;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectableChannel;
import java.util.Objects;

/// Readiness of a channel or file descriptor that other code has opened, for libraries that read
/// and write by themselves.
///
/// Any number of coroutines may wait for either direction, through one poll or several. Readiness
/// wakes all waiting coroutines once; a coroutine that then finds nothing waits again. **Thread**
/// the loop's. Closing a poll leaves the channel or descriptor open. Close the poll before the
/// channel: if a channel is closed during a wait, the wait ends with an
/// [AsynchronousCloseException] at the loop's next turn, but closing the channel does not wake the
/// loop.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=poll}
///
/// @since 0.1
public final class Poll implements AutoCloseable {
  private final Scheduler scheduler;
  private final Object channel; // or an Integer: the file descriptor
  private final SharedPoll sharedPoll;

  // loop only
  private boolean open = true;

  private Poll(Scheduler scheduler, Object channel, SharedPoll sharedPoll) {
    this.scheduler = scheduler;
    this.channel = channel;
    this.sharedPoll = sharedPoll;
  }

  /// Opens a poll of a channel, which must be in non-blocking mode.
  ///
  /// @throws java.nio.channels.IllegalBlockingModeException when it is in blocking mode
  /// @throws UnsupportedOperationException when the loop's driver cannot do it; the message says
  ///   why
  /// @throws IOException when the system refuses
  public static Poll of(SelectableChannel channel) throws IOException {
    Objects.requireNonNull(channel, "channel");
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return new Poll(scheduler, channel, scheduler.reactor().watch(scheduler, channel));
  }

  /// Opens a poll of a file descriptor, as a native library provides it: a socket, a pipe, a
  /// terminal, an eventfd; not a file, which is always ready. Needs Linux and
  /// `--enable-native-access`; see the driver's capabilities.
  ///
  /// Readiness is level-triggered, so a library need not read everything. Without a waiter the
  /// descriptor is not polled. Its owner remains responsible for closing it. *Not guaranteed:* that
  /// a wait ends when the descriptor is closed during it. Linux does not report that, so the wait
  /// usually goes on until it is cancelled, its deadline expires, or this poll is closed. So close
  /// the poll first. A wait that begins after the descriptor was closed fails with an
  /// [IOException], unless the number is in use again by then.
  ///
  /// @param descriptor the file descriptor, from 0
  /// @throws UnsupportedOperationException when the loop's driver cannot do it; the message says
  ///   why
  /// @throws IOException when the descriptor is not open, or is a file's
  public static Poll of(int descriptor) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return new Poll(scheduler, descriptor, scheduler.reactor().watch(scheduler, descriptor));
  }

  /// Fires, while a coroutine waits for it, each time the channel can be read from or accepted
  /// from. Usable in all waits for one or several events.
  public Awaitable<?> readable() {
    return requireOpen(sharedPoll.readable());
  }

  /// Fires, while a coroutine waits for it, each time the channel can be written to or has
  /// connected.
  public Awaitable<?> writable() {
    return requireOpen(sharedPoll.writable());
  }

  private EventSource requireOpen(EventSource readiness) {
    if (!open) {
      throw new IllegalStateException("this " + name() + " is closed; open another one");
    }
    return readiness;
  }

  /// Closes this poll. Waits on any poll of the channel go on until its last poll is closed; then
  /// they fail with an [AsynchronousCloseException].
  @Override
  public void close() {
    if (open) {
      scheduler.checkOnLoop();
      open = false;
      scheduler.reactor().unwatch(channel, sharedPoll);
    }
  }

  @Override
  public String toString() {
    return "a " + name();
  }

  private String name() {
    return "poll of " + (channel instanceof Integer ? "descriptor " : "") + channel;
  }
}
