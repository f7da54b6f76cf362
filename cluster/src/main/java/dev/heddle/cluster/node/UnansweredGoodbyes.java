// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.wire.SessionId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/// The GOODBYEs of this node that have no answer yet. Any thread; never waits.
final class UnansweredGoodbyes {
  /*
   * A node that leaves closes its connections, and what is on its way in one may be lost then: the
   * other node would count it as lost, where it has left. So GOODBYE is sent again until the other
   * node answers ENDED, says GOODBYE itself, or is not there any more. [UnansweredGoodbyesTest]
   *
   * The answer may be lost as well, when two nodes leave at once and the first one closes: the
   * second one waits until nobody listens there, or for as long as its node lets it.
   */

  static final long AGAIN_NANOS = 200_000_000; // an answer takes less

  private record Goodbye(Address at, byte[] packet) {}

  private final Map<SessionId, Goodbye> unanswered = new ConcurrentHashMap<>();

  private volatile long againAt = Long.MAX_VALUE; // written by add and by the agent

  /// GOODBYE leaves for the first time.
  void add(SessionId session, Address at, byte[] packet, long now) {
    againAt = now + AGAIN_NANOS;
    unanswered.put(session, new Goodbye(at, packet));
  }

  /// The other node knows that the session has ended.
  void answered(SessionId session) {
    unanswered.remove(session);
  }

  /// Nobody is at that address.
  void lost(Address at) {
    unanswered.values().removeIf(it -> it.at.equals(at));
  }

  boolean areAnswered() {
    return unanswered.isEmpty();
  }

  /// Sends those again that are due. The agent only.
  ///
  /// @return when to call it again
  long due(long now, BiConsumer<Address, byte[]> send) {
    if (areAnswered()) {
      return Long.MAX_VALUE;
    }
    if (now - againAt >= 0) {
      againAt = now + AGAIN_NANOS;
      unanswered.values().forEach(it -> send.accept(it.at, it.packet));
    }
    return againAt;
  }
}
