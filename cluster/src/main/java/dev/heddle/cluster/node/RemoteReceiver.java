// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.wire.Frame;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Hands the frames of a session to the processes of this node.
record RemoteReceiver(RemoteNode remote) implements Link.Receiver {
  @Override
  public void handle(List<Frame> packet) {
    remote.handle(packet);
  }

  @Override
  public void ended() {
    remote.ended();
  }

  @Override
  public CompletableFuture<@Nullable Void> creditReturn() {
    return remote.creditReturn();
  }
}
