// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import dev.heddle.Registration;

/// A link from one host to another, in one direction. Not for implementation: it grows.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=links}
///
/// **Suspends** never. **Thread** a coroutine of the simulation.
///
/// @since 0.1
public interface Link {
  /// What a partition does with packets.
  enum Partition {
    /// They are lost. Streams send them again, with growing pauses, and give up in the end.
    DROP,
    /// They wait for the end of the partition.
    DELAY
  }

  /// Changes what the link is like, for packets that leave from now on.
  void setOptions(LinkOptions changed);

  /// What the link is like.
  LinkOptions options();

  /// Changes what goes wrong here; until then it is what goes wrong in the whole network.
  void setFaults(Faults changed);

  /// What goes wrong here.
  Faults faults();

  /// Lets nothing through in this direction, where [SimulatedNetwork#partition] cuts both. A link
  /// that is cut several times is healed with the last one; the first one decides what becomes of
  /// packets.
  ///
  /// @return heals it
  Registration cut(Partition how);

  /// Whether it lets nothing through.
  boolean isCut();
}
