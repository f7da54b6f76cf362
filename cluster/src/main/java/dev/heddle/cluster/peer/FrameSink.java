// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.SendResult;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Takes the frames for one session, in order. Any thread; never waits.
///
/// It is called under the lock of a [RemoteNode]. So it takes only locks under which no method of
/// that is called.
public interface FrameSink {
  /// Puts a frame into the outbox.
  ///
  /// @return `ACCEPTED`; `FULL` when the outbox has no space for a `Message`, an `Ask` or a
  ///   `Spawn`, all others are taken in any case; `UNREACHABLE` when the session has ended
  SendResult send(Frame frame);

  /// Completes when the outbox has space again after `FULL`, at once when it has some; also when
  /// the session has ended.
  CompletableFuture<@Nullable Void> room();

  /// What the other node has sent cannot be delivered: the session ends, soon and on another
  /// thread.
  void fail(Throwable why);
}
