// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.SendResult;

/// Takes the frames for one session, in order. Any thread; never waits.
@FunctionalInterface
public interface FrameSink {
  /// Puts a frame into the outbox.
  ///
  /// @return `ACCEPTED`; `FULL` when the outbox has no space for a message; `UNREACHABLE` when the
  ///   session has ended
  SendResult send(Frame frame);
}
