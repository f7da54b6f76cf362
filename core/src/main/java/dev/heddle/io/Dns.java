// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.dns.NameResolver;
import dev.heddle.io.dns.NameResolvers;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// Names and addresses of hosts, and what else the DNS knows.
///
/// **Who answers.** With the module `heddle-netty`, and one of its drivers, the loop itself: the
/// system's hosts file first, then the name servers of `/etc/resolv.conf` with its `search`,
/// `ndots`, `timeout`, `attempts`, `rotate` and `edns0`. No thread is held, a name server that does
/// not answer delays only those that ask it, and answers are kept for as long as the DNS says. At
/// most 64 questions of one loop are out to one name server; further ones go to the next server, or
/// wait. When a host's addresses of one family are there, IPv4 or IPv6, the other's are waited for
/// 250 ms more. Of `/etc/nsswitch.conf` it takes no notice: mDNS (`.local`) and the machine's own
/// name are asked of the system, other sources are not.
///
/// Else, and with `-Dheddle.dns=thread`, the system's resolver on at most 16 threads beside the
/// loop. Then [#resolveSrv] and [#resolveTxt] are refused, and what was found is kept by the JDK
/// (`networkaddress.cache.ttl`).
///
/// Look-ups that other libraries make through [InetAddress] suspend their coroutine, too, and are
/// answered by the same; the JDK keeps the answers for a while, as its properties say. Bound a
/// look-up with [dev.heddle.Heddle#within].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=dns}
///
/// @since 0.1
public final class Dns {
  private Dns() {}

  /// All addresses of a host, in the order of preference; those of one family where the name
  /// servers do not answer for the other. **Suspends** unless they are known. **Cancelled** the
  /// look-up is given up; where the system's resolver is asked, that goes on until its end, and
  /// nobody waits for it.
  ///
  /// @param host a name, or an address as text; the empty text is neither
  /// @throws UnknownHostException when there is no such host, or nobody could say
  public static List<InetAddress> resolve(String host) throws UnknownHostException {
    CoroutineNode.current();
    requireName(host);
    List<InetAddress> found = NameResolvers.addresses(host);
    return found == null ? List.of(InetAddress.getAllByName(host)) : found;
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

  /// Where a service is served: the SRV records of a name, those with the least priority first, and
  /// among them those with the greatest weight. To choose among these by weight is the caller's.
  /// Else as [#resolve].
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=srv}
  ///
  /// @param name of the service, the protocol and the domain: `_imaps._tcp.example.org`
  /// @throws UnknownHostException when there is no such record, when the only one says that the
  ///   service is not offered (its target is "."), or nobody could say
  /// @throws UnsupportedOperationException when the loop has only the system's resolver, which
  ///   cannot be asked for it; the message says why
  public static List<SrvRecord> resolveSrv(String name) throws UnknownHostException {
    return records("SRV records").services(name);
  }

  /// The texts that the DNS has of a name: its TXT records, in no order. Else as [#resolveSrv].
  ///
  /// @throws UnknownHostException when there is no such record, or nobody could say
  /// @throws UnsupportedOperationException when the loop has only the system's resolver, which
  ///   cannot be asked for it; the message says why
  public static List<TxtRecord> resolveTxt(String name) throws UnknownHostException {
    return records("TXT records").texts(name);
  }

  /// The JDK takes the empty text for this machine: who has none to connect to would connect here.
  private static void requireName(String host) throws UnknownHostException {
    if (host.isEmpty()) {
      throw new UnknownHostException("'' is no name of a host: it is empty");
    }
  }

  private static NameResolver records(String what) {
    CoroutineNode<?> self = CoroutineNode.current();
    NameResolver resolver = NameResolvers.current();
    if (resolver == null) {
      throw new UnsupportedOperationException(
          "the system's resolver, which answers on the driver "
              + self.scheduler().reactor().driver().name()
              + ", cannot be asked for "
              + what
              + "; use heddle-netty with one of its drivers, and neither -Dheddle.dns nor"
              + " -Djdk.net.hosts.file");
    }
    return resolver;
  }
}
