// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;

/// Contents of messages as a node without registered types writes them.
final class MessageContents {
  private MessageContents() {}

  static byte[] of(NodeLife sender, Object message) {
    return new MessageWriter(FakeNode.NO_TYPES, sender).encode(message);
  }
}
