// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import org.jspecify.annotations.Nullable;

/// A message to an entity.
///
/// @param origin the node of its sender
/// @param key of the entity
/// @param ask the number of the request at that node; 0 when it is none
/// @param message what the entity gets
/// @param bytes what it takes, about; the same at all nodes
/// @param credit by which its owner tells the sender's node that it does not wait any more; 0 when
///   that does not count it
record EntityMessage(
    String origin, String key, long ask, @Nullable Object message, int bytes, long credit) {
  EntityMessage(String origin, String key, long ask, @Nullable Object message, int bytes) {
    this(origin, key, ask, message, bytes, 0);
  }

  EntityMessage withCredit(long number) {
    return number == credit ? this : new EntityMessage(origin, key, ask, message, bytes, number);
  }
}
