// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.links.ProcessLinks;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What the connection to another node asks of a runtime on behalf of that node.
///
/// Any thread; no method waits.
public interface LocalProcesses {
  /// The address of a process here with this number: the node, host and incarnation of the runtime.
  Pid address(long number);

  /// The process at an address, to link and to monitor it; null when there is none of this
  /// incarnation, or it is gone.
  ProcessLinks.@Nullable Owner find(Pid pid);

  /// Puts a message into a mailbox.
  SendResult offer(Pid to, @Nullable Object message);

  /// Sends a request.
  ///
  /// @return completes with the reply, or with the failure; to cancel it gives up
  CompletableFuture<@Nullable Object> request(Pid to, @Nullable Object message);

  /// Completes when the mailbox of a process has space again; also when the process has ended.
  CompletableFuture<@Nullable Void> room(Pid to);

  /// Carries out an order; ignores one to a process that has ended.
  void order(Pid target, ProcessOrder order);

  /// Starts a process.
  Pid spawn(Process process, StartOptions options);

  /// Adds the connection to a node, by the name of the node.
  void addNode(String node, NodePeer peer);
}
