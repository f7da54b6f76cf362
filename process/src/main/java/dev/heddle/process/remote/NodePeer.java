// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import dev.heddle.process.Exit;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Peer;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.links.ProcessLinks;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A peer that carries links, monitors and orders to the processes of its node, besides messages.
///
/// Any thread; no method waits. Each call is ordered after those that the same thread has made
/// before, messages included.
public interface NodePeer extends Peer {
  /// Passes on a message, as of [Peer#send]. After `FULL`, a sender that may wait for space waits
  /// for [#room], and sends again.
  ///
  /// @param message the message, or a [dev.heddle.process.Request]: reply by
  ///   [LocalProcesses#complete] or [LocalProcesses#fail]
  /// @throws NotSendableException when the message cannot be encoded: `send` and `ask` throw it,
  ///   `offer` returns `NOT_SENDABLE`
  @Override
  SendResult send(Pid to, @Nullable Object message);

  /// Links a process of this runtime to one of the other node.
  ///
  /// @throws IllegalStateException when `one` has ended
  void link(ProcessLinks.Owner one, Pid other);

  /// Undoes such a link: its signal is no longer delivered.
  void unlink(ProcessLinks.Owner one, Pid other);

  /// Notifies a process of this runtime when one of the other node ends, or when the connection to
  /// it does. [ProcessLinks#demonitor] removes the monitor, and then calls
  /// [ProcessLinks.Owner#untied] of the stand-in.
  ///
  /// @param known is called with the reference before the watcher can be notified
  /// @return the reference, unique for the watcher
  /// @throws IllegalStateException when the watcher has ended
  long monitor(ProcessLinks.Owner watcher, Pid target, LongConsumer known);

  /// Completes when a process of the other node ends, or the connection to it does.
  ///
  /// @return another future for each call; to cancel it gives up
  CompletableFuture<Exit> whenExited(Pid target);

  /// Completes with true when a process of the other node has started, or with false when it ends
  /// before.
  ///
  /// @return another future for each call; to cancel it gives up
  CompletableFuture<Boolean> whenStarted(Pid target);

  /// Completes when [#send] may accept a message to that process again, after it has returned
  /// `FULL`; also when there is no use in waiting. Nothing fails it.
  ///
  /// @return may be the same future for several calls: callers do not complete it; null when
  ///   senders do not wait for that process, since its mailbox rejects messages
  @Nullable CompletableFuture<@Nullable Void> room(Pid to);

  /// Passes on an order to a process.
  ///
  /// @throws dev.heddle.process.SendFailedException when it cannot be passed on
  void order(Pid target, ProcessOrder order);
}
