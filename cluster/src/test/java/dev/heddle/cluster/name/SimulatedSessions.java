// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What connects the nodes of a [NameSimulation], and how it fails.
interface SimulatedSessions {
  /// A life begins; its node may be paused.
  void begin(NameSimulation.Life life);

  /// A life has ended.
  ///
  /// @param most until another node notices it, ms, if it may know; few when it has left
  void end(NameSimulation.Life life, int most);

  /// A life stands still: nothing comes.
  void pause(NameSimulation.Life life);

  /// It goes on.
  void resume(NameSimulation.Life life);

  /// Sends to another node.
  ///
  /// @return false when it is lost already
  boolean send(NameSimulation.Life from, String to, byte[] content);

  /// As [NodePort#room].
  CompletableFuture<@Nullable Void> room(NameSimulation.Life from, String to);

  /// The newest format of the log that a node in session knows; 0 for one that is not.
  int logFormat(NameSimulation.Life at, String other);

  /// Whether two nodes hear each other.
  boolean reaches(String one, String other);

  /// Connections fail and heal at random. Called ten times a second.
  void faults();

  /// A node is cut off from all.
  void cutOff(String node);

  /// All faults end.
  void calm();

  /// When no fault of before has an effect any more, ms after [#calm].
  int calmMillis();
}
