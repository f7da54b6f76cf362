// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/// Sends to mailboxes of another node as if the news that they are nearly full were still on its
/// way. On a fast network that news stops a flood before much is held, and how much depends on the
/// speed of the machine.
public final class BlindSender {
  private final RemoteNode remote;
  private final PausedReceivers paused;
  private final RemoteContext context;
  private long lastAsk;

  public BlindSender(RemoteNode remote) {
    this.remote = remote;
    this.paused = (PausedReceivers) part("paused");
    this.context = (RemoteContext) part("context");
  }

  private Object part(String name) {
    try {
      Field field = RemoteNode.class.getDeclaredField(name);
      field.setAccessible(true);
      return field.get(remote);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no field '" + name + "'", e);
    }
  }

  /// Sends a message, whatever is known of the mailbox.
  ///
  /// @return `FULL` only when the outbox is, or the news has come just now
  public SendResult offer(Pid to, @Nullable Object message) {
    paused.resume(to);
    return remote.send(to, message);
  }

  /// Sends a request, whose reply is ignored, so that nothing here waits for it.
  ///
  /// @return `FULL` only when the outbox is
  public SendResult request(Pid to, @Nullable Object message) {
    byte[] content = context.contents().encode(message);
    SendResult result = context.sink().send(new Frame.Ask(lastAsk + 1, to, content));
    lastAsk += result.isAccepted() ? 1 : 0;
    return result;
  }
}
