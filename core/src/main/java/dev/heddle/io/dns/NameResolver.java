// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import dev.heddle.io.SrvRecord;
import dev.heddle.io.TxtRecord;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Looks names up on a loop, without a thread beside it. Calls suspend their coroutine; one that is
/// cancelled leaves nothing open.
///
/// **Thread** the loop's: a coroutine mounted on it.
public interface NameResolver {
  /// All addresses of a host, in the order of preference, at least one; null: the system is to be
  /// asked, which knows names that no name server does.
  ///
  /// @param policy which families are wanted, and which of them first
  /// @throws UnknownHostException when there is none, or nobody could say
  @Nullable List<InetAddress> addresses(String host, LookupPolicy policy)
      throws UnknownHostException;

  /// The name of an address; null: the system is to be asked.
  ///
  /// @throws UnknownHostException when it has none, or nobody could say
  @Nullable String name(byte[] address) throws UnknownHostException;

  /// Where a service is served, those to be tried first in front.
  ///
  /// @throws UnknownHostException when there is no such record, or nobody could say
  List<SrvRecord> services(String name) throws UnknownHostException;

  /// The texts of a name.
  ///
  /// @throws UnknownHostException when there is no such record, or nobody could say
  List<TxtRecord> texts(String name) throws UnknownHostException;
}
