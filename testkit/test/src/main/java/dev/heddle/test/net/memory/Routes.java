// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where packets go.
interface Routes {
  /// The host that an address leads to; null: none has it.
  @Nullable Peer peerAt(InetAddress address);

  /// All hosts, in the order in which they were added.
  List<Peer> peers();

  /// The link from one host to another, in this direction.
  MemoryLink link(Site from, Site to);
}
