// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.remote.ProcessOrder;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The peer of a node, whatever its life: passes each call on to the last session with it. A
/// session that has ended refuses as such, so this stays in the runtime between sessions.
final class KnownNode implements NodePeer {
  private volatile RemoteNode last;

  KnownNode(RemoteNode first) {
    this.last = first;
  }

  void opened(RemoteNode session) {
    last = session;
  }

  RemoteNode last() {
    return last;
  }

  @Override
  public SendResult send(Pid to, @Nullable Object message) {
    return last.send(to, message);
  }

  @Override
  public void link(ProcessLinks.Owner one, Pid other) {
    last.link(one, other);
  }

  @Override
  public void unlink(ProcessLinks.Owner one, Pid other) {
    last.unlink(one, other);
  }

  @Override
  public long monitor(ProcessLinks.Owner watcher, Pid target, LongConsumer known) {
    return last.monitor(watcher, target, known);
  }

  @Override
  public CompletableFuture<Exit> whenExited(Pid target) {
    return last.whenExited(target);
  }

  @Override
  public CompletableFuture<Boolean> whenStarted(Pid target) {
    return last.whenStarted(target);
  }

  @Override
  public @Nullable CompletableFuture<@Nullable Void> room(Pid to) {
    return last.room(to);
  }

  @Override
  public void order(Pid target, ProcessOrder order) {
    last.order(target, order);
  }
}
