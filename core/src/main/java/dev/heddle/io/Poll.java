// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Event;
import dev.heddle.reactor.Reactor;
import dev.heddle.reactor.Watched;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectableChannel;
import java.util.Objects;

/// Readiness of a channel that other code has opened: for libraries that read and write themselves,
/// and only need to know when.
///
/// Any number of coroutines may wait, for one direction or the other, through one poll or several.
/// Readiness is told once to all who wait; who finds nothing then waits again. **Thread** the
/// loop's. To close a poll leaves the channel open. Close the poll before the channel: when a
/// channel is closed under a wait, the wait ends with an [AsynchronousCloseException] at the loop's
/// next turn, which nobody hurries: a thread that closes a channel does not wake the loop.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=poll}
///
/// @since 0.1
public final class Poll implements AutoCloseable {
  private final Scheduler scheduler;
  private final SelectableChannel channel;
  private final Watched watched;

  // loop only
  private boolean open = true;

  private Poll(Scheduler scheduler, SelectableChannel channel, Watched watched) {
    this.scheduler = scheduler;
    this.channel = channel;
    this.watched = watched;
  }

  /// Watches a channel, which must be in non-blocking mode.
  ///
  /// @throws java.nio.channels.IllegalBlockingModeException when it is in blocking mode
  /// @throws UnsupportedOperationException when the loop's driver cannot; the message says why
  /// @throws IOException when the system refuses
  public static Poll of(SelectableChannel channel) throws IOException {
    Objects.requireNonNull(channel, "channel");
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return new Poll(scheduler, channel, scheduler.reactor().watch(scheduler, channel));
  }

  /// Fires each time somebody waits for it and the channel can be read from, or accepted from. A
  /// token for other waits, or one of several to wait for.
  public Awaitable<?> readable() {
    return requireOpen(watched.readable());
  }

  /// Fires each time somebody waits for it and the channel can be written to, or has connected.
  public Awaitable<?> writable() {
    return requireOpen(watched.writable());
  }

  private Event requireOpen(Event readiness) {
    if (!open) {
      throw new IllegalStateException("this poll of " + channel + " is closed; open another one");
    }
    return readiness;
  }

  /// Watches the channel no more. Who waits on this or another poll of the channel goes on waiting
  /// until the last poll is closed; then it ends with an [AsynchronousCloseException].
  @Override
  public void close() {
    if (open) {
      scheduler.checkOnLoop();
      open = false;
      Reactor reactor = scheduler.reactor();
      reactor.unwatch(channel, watched);
    }
  }

  @Override
  public String toString() {
    return "a poll of " + channel;
  }
}
