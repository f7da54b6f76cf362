// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

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

  public BlindSender(RemoteNode remote) {
    this.remote = remote;
    try {
      Field field = RemoteNode.class.getDeclaredField("paused");
      field.setAccessible(true);
      this.paused = (PausedReceivers) field.get(remote);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no field 'paused'", e);
    }
  }

  /// Sends a message, whatever is known of the mailbox.
  ///
  /// @return `FULL` only when the outbox is, or the news has come just now
  public SendResult offer(Pid to, @Nullable Object message) {
    paused.resume(to);
    return remote.send(to, message);
  }
}
