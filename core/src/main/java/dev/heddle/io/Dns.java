// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.dns.NameResolver;
import dev.heddle.io.dns.NameResolvers;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// Looks up names and addresses of hosts, and SRV and TXT records.
///
/// **The loop's resolver.** With the module `heddle-netty` and one of its drivers, the loop itself
/// answers: from the system's hosts file first, then from the name servers of `/etc/resolv.conf`
/// with its `search`, `ndots`, `timeout`, `attempts`, `rotate` and `edns0`. No thread is held, a
/// name server that does not answer delays only the look-ups sent to it, and answers are cached for
/// their TTL. At most 64 queries of one loop are pending at one name server; further ones go to the
/// next server or wait. When the addresses of one family, IPv4 or IPv6, have arrived, the look-up
/// waits at most 250 ms for the other's. `/etc/nsswitch.conf` is ignored: only mDNS names
/// (`.local`) and the machine's own name go to the system's resolver.
///
/// **The system's resolver.** Without that module, and with `-Dheddle.dns=thread`, the system's
/// resolver answers on at most 16 worker threads of the loop. Then [#resolveSrv] and [#resolveTxt]
/// are unsupported, and the JDK caches the results (`networkaddress.cache.ttl`).
///
/// Look-ups that other libraries make through [InetAddress] suspend their coroutine, too, and use
/// the same resolver; the JDK caches the answers as its properties say. Bound a look-up with
/// [dev.heddle.Heddle#withTimeout(java.time.Duration, dev.heddle.Body)].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=dns}
///
/// @since 0.1
public final class Dns {
  private Dns() {}

  /// All addresses of a host, in the order of preference; those of one family if the name servers
  /// do not answer for the other. **Suspends** unless they are cached. **Cancelled** the look-up is
  /// abandoned; a call of the system's resolver runs on to its end without a waiter.
  ///
  /// @param host a name, or an address as text; not empty
  /// @throws UnknownHostException when there is no such host, or no resolver could answer
  public static List<InetAddress> resolve(String host) throws UnknownHostException {
    CoroutineNode.current();
    requireName(host);
    List<InetAddress> found = NameResolvers.addresses(host);
    return found == null ? List.of(InetAddress.getAllByName(host)) : found;
  }

  /// The name of a host. Otherwise as [#resolve].
  ///
  /// @throws UnknownHostException when the address has no name, or no resolver could answer
  public static String reverse(InetAddress address) throws UnknownHostException {
    CoroutineNode.current();
    String name = address.getCanonicalHostName();
    if (name.equals(address.getHostAddress())) {
      throw new UnknownHostException("no name for " + name);
    }
    return name;
  }

  /// The SRV records of a name: the lowest priority value first, and within one priority the
  /// greatest weight first. Choosing among these by weight is left to the caller. Otherwise as
  /// [#resolve].
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=srv}
  ///
  /// @param name of the service, the protocol and the domain: `_imaps._tcp.example.org`
  /// @throws UnknownHostException when there is no such record, when the only one says that the
  ///   service is not offered (its target is "."), or no resolver could answer
  /// @throws UnsupportedOperationException when the loop has only the system's resolver, which has
  ///   no such query; the message says why
  public static List<SrvRecord> resolveSrv(String name) throws UnknownHostException {
    return records("SRV records").services(name);
  }

  /// The TXT records of a name, in no particular order. Otherwise as [#resolveSrv].
  ///
  /// @throws UnknownHostException when there is no such record, or no resolver could answer
  /// @throws UnsupportedOperationException when the loop has only the system's resolver, which has
  ///   no such query; the message says why
  public static List<TxtRecord> resolveTxt(String name) throws UnknownHostException {
    return records("TXT records").texts(name);
  }

  /// The JDK resolves an empty name to this machine: a caller with a missing host would connect
  /// here.
  private static void requireName(String host) throws UnknownHostException {
    if (host.isEmpty()) {
      throw new UnknownHostException("'' is not a host name: it is empty");
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
