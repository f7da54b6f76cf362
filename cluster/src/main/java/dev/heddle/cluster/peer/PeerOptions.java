// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.Process;
import java.util.Map;
import java.util.function.Supplier;

/// What a node lets the others do here.
///
/// @param entries what they may start, by name; the suppliers are called by the thread that
///   receives from the other node, so they must not wait
/// @param orders whether they may end processes here
public record PeerOptions(Map<String, Supplier<? extends Process>> entries, ForeignOrders orders) {
  public PeerOptions {
    entries = Map.copyOf(entries);
  }

  /// What becomes of an order (terminate, cancel, request an exit) of another node to a process
  /// here.
  public enum ForeignOrders {
    CARRIED_OUT,
    /// it is ignored and logged
    REFUSED
  }
}
