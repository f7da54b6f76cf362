// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.source.EventSource;
import dev.heddle.reactor.Reactor;
import dev.heddle.reactor.SharedPoll;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectableChannel;
import java.util.Objects;

/// Readiness of a channel or descriptor that other code has opened: for libraries that read and
/// write themselves, and only need to know when.
///
/// Any number of coroutines may wait, for one direction or the other, through one poll or several.
/// Readiness is told once to all who wait; who finds nothing then waits again. **Thread** the
/// loop's. To close a poll leaves the channel or descriptor open. Close the poll before the
/// channel: when a channel is closed under a wait, the wait ends with an
/// [AsynchronousCloseException] at the loop's next turn, which nobody hurries: a thread that closes
/// a channel does not wake the loop.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=poll}
///
/// @since 0.1
public final class Poll implements AutoCloseable {
  private final Scheduler scheduler;
  private final Object channel; // or the descriptor's number
  private final SharedPoll sharedPoll;

  // loop only
  private boolean open = true;

  private Poll(Scheduler scheduler, Object channel, SharedPoll sharedPoll) {
    this.scheduler = scheduler;
    this.channel = channel;
    this.sharedPoll = sharedPoll;
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

  /// Watches a descriptor by its number, as a native library gives it: a socket, a pipe, a
  /// terminal, an eventfd; not a file, which is always ready. On Linux, and with
  /// `--enable-native-access`; the driver's capabilities say how.
  ///
  /// Readiness is told by level, so a library need not read all there is. While nobody waits the
  /// system is asked nothing. The owner stays who closes it. *Not promised:* that a wait ends when
  /// the descriptor is closed under it; it mostly goes on until it is cancelled, past its deadline,
  /// or this poll is closed, for Linux tells nobody. So close the poll first. A wait that begins
  /// after the descriptor was closed fails with an [IOException], unless its number is another
  /// descriptor's by then.
  ///
  /// @param descriptor the number, from 0
  /// @throws UnsupportedOperationException when the loop's driver cannot; the message says why
  /// @throws IOException when no descriptor of the number is open, or it is a file's
  public static Poll of(int descriptor) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return new Poll(scheduler, descriptor, scheduler.reactor().watch(scheduler, descriptor));
  }

  /// Fires each time somebody waits for it and the channel can be read from, or accepted from. A
  /// token for other waits, or one of several to wait for.
  public Awaitable<?> readable() {
    return requireOpen(sharedPoll.readable());
  }

  /// Fires each time somebody waits for it and the channel can be written to, or has connected.
  public Awaitable<?> writable() {
    return requireOpen(sharedPoll.writable());
  }

  private EventSource requireOpen(EventSource readiness) {
    if (!open) {
      throw new IllegalStateException("this " + name() + " is closed; open another one");
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
      reactor.unwatch(channel, sharedPoll);
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
