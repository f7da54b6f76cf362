// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// Names and addresses of hosts.
///
/// Look-ups that other libraries make through [InetAddress] suspend their coroutine just so. Those
/// of a loop run on at most 16 threads of its own. What was found is kept by the JDK for a while
/// (`networkaddress.cache.ttl`); the system's hosts file counts. Bound a look-up with
/// [dev.heddle.Heddle#within].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=dns}
///
/// @since 0.1
public final class Dns {
  private Dns() {}

  /// All addresses of a host, in the order of preference. **Suspends** unless they are known.
  /// **Cancelled** nobody waits for the answer any more; the system's look-up goes on until its
  /// end.
  ///
  /// @param host a name, or an address as text
  /// @throws UnknownHostException when there is no such host, or nobody could say
  public static List<InetAddress> resolve(String host) throws UnknownHostException {
    CoroutineNode.current();
    return List.of(InetAddress.getAllByName(host));
  }

  /// The name of a host. Else as [#resolve].
  ///
  /// @throws UnknownHostException when the address has no name, or nobody could say
  public static String reverse(InetAddress address) throws UnknownHostException {
    CoroutineNode.current();
    String name = address.getCanonicalHostName();
    if (name.equals(address.getHostAddress())) {
      throw new UnknownHostException("no name for " + name);
    }
    return name;
  }
}
