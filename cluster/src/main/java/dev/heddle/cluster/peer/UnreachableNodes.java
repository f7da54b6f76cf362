// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.remote.ProcessOrder;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Stands for all nodes that this one is not in touch with, and was not: their processes may live.
/// So nothing reaches them, and who ties itself to one is told `NO_CONNECTION` at once, as after
/// the end of a session.
///
/// **Thread** any.
public final class UnreachableNodes implements NodePeer {
  private static Exit lost(Pid pid) {
    return new Exit(pid, Exit.Reason.NO_CONNECTION, null, null);
  }

  @Override
  public SendResult send(Pid to, @Nullable Object message) {
    return SendResult.UNREACHABLE;
  }

  @Override
  public void link(ProcessLinks.Owner one, Pid other) {
    ProcessLinks.linkToEnded(one, lost(other));
  }

  @Override
  public void unlink(ProcessLinks.Owner one, Pid other) {
    one.processLinks().unlinkEnded(other); // a broken link, whose signal is on its way
  }

  @Override
  public long monitor(ProcessLinks.Owner watcher, Pid target, LongConsumer known) {
    return ProcessLinks.monitorEnded(watcher, lost(target), known);
  }

  @Override
  public CompletableFuture<Exit> whenExited(Pid target) {
    return CompletableFuture.completedFuture(lost(target));
  }

  @Override
  public CompletableFuture<Boolean> whenStarted(Pid target) {
    return CompletableFuture.completedFuture(false);
  }

  @Override
  public @Nullable CompletableFuture<@Nullable Void> room(Pid to) {
    return null; // nothing is refused for lack of space
  }

  @Override
  public void order(Pid target, ProcessOrder order) {
    throw new SendFailedException(target, SendResult.UNREACHABLE);
  }
}
