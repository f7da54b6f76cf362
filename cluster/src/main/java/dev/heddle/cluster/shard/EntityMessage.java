// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import org.jspecify.annotations.Nullable;

/// A message to an entity.
///
/// @param origin the node of its sender
/// @param key of the entity
/// @param ask the number of the request at that node; 0 when it is none
/// @param message what the entity gets
/// @param bytes what it takes, about
record EntityMessage(String origin, String key, long ask, @Nullable Object message, int bytes) {}
