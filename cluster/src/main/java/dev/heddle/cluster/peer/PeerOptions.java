// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import java.util.Map;

/// What a node lets the others do here.
///
/// @param entries what they may start, by name
/// @param orders whether they may end processes here
public record PeerOptions(Map<String, Entry> entries, ForeignOrders orders) {
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
