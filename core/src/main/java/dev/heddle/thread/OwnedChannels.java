// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.loop.LoopService;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/// The channels that end with a loop.
///
/// **Thread** the loop's.
final class OwnedChannels implements LoopService {
  // one that is garbage has no peers to release
  private final Set<ThreadChannel<?>> open = Collections.newSetFromMap(new WeakHashMap<>());

  void add(ThreadChannel<?> channel) {
    open.add(channel);
  }

  @Override
  public void loopEnded() {
    open.forEach(ThreadChannel::ownerEnded);
  }
}
