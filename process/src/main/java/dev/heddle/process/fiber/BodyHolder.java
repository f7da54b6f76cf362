// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import dev.heddle.process.Process;

/// A process instance, for the bodies in it.
public interface BodyHolder {
  /// The receive queue of a body: the mailbox itself if the runtime steps this process.
  ReceiveQueue receiveQueueOf(Process process);
}
