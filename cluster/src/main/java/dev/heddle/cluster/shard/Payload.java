// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import org.jspecify.annotations.Nullable;

/// What the message of an [EntityMessage] is in a running node: the value and its bytes.
///
/// @param content as this node encodes it; null when another node has encoded it: then it is
///   encoded when it leaves
record Payload(@Nullable Object value, byte @Nullable [] content) {
  /// The payload of a message whose content does not travel, since it has failed.
  static final Payload NONE = new Payload(null, null);

  static Payload of(EntityMessage message) {
    return message.message() instanceof Payload it ? it : NONE;
  }
}
