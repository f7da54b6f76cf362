// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import dev.heddle.io.SrvRecord;
import dev.heddle.io.TxtRecord;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Looks up names on a loop without another thread. Calls suspend their coroutine; a cancelled call
/// leaves nothing open.
///
/// **Thread** the carrier, in a mounted coroutine.
public interface NameResolver {
  /// All addresses of a host, in the order of preference, at least one; null if the system's
  /// resolver is to be used, which knows names that no name server does.
  ///
  /// @param policy which families are wanted, and which comes first
  /// @throws UnknownHostException when there is none, or no name server could answer
  @Nullable List<InetAddress> addresses(String host, LookupPolicy policy)
      throws UnknownHostException;

  /// The name of an address; null if the system's resolver is to be used.
  ///
  /// @throws UnknownHostException when it has none, or no name server could answer
  @Nullable String name(byte[] address) throws UnknownHostException;

  /// The SRV records of a name, in the order in which to try them.
  ///
  /// @throws UnknownHostException when there is no such record, or no name server could answer
  List<SrvRecord> services(String name) throws UnknownHostException;

  /// The TXT records of a name.
  ///
  /// @throws UnknownHostException when there is no such record, or no name server could answer
  List<TxtRecord> texts(String name) throws UnknownHostException;
}
