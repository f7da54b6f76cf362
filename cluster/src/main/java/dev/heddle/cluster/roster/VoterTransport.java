// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Carries packets between the voters of a log: over the sessions between their nodes.
///
/// Within a session packets arrive in order, each at most once. When a session ends, what has not
/// arrived is lost. No packet of an earlier life of a voter arrives after one of a later life.
public interface VoterTransport {
  /// Of a packet, in bytes: 1 MiB less what a frame adds to it.
  int MAX_PACKET_BYTES = 1024 * 1024 - 1024;

  /// Sends a packet. Any thread; it does not wait.
  ///
  /// @param voter the name of its node
  /// @param packet at most [#MAX_PACKET_BYTES] long; not changed afterwards
  /// @return false when it is lost already: the node is not in session, or its outbox is full
  boolean send(String voter, byte[] packet);

  /// The newest format of the log that a voter knows. Any thread.
  ///
  /// @param voter the name of its node
  /// @return 0 when the node is not in session
  int logFormat(String voter);

  /// Says who takes the packets that arrive here, with the name of the voter that has sent them.
  /// Packets that arrive before are lost.
  ///
  /// @param receiver is called by any thread, also by several at a time, and does not wait
  void receive(BiConsumer<String, byte[]> receiver);

  /// Says who is told that the session with a voter has ended: the answer to a packet that was sent
  /// in it may never come.
  ///
  /// @param listener takes the name of the voter's node; is called by any thread, and does not wait
  void onSessionEnd(Consumer<String> listener);
}
