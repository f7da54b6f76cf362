// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import dev.heddle.PinnedException;
import dev.heddle.coroutine.tree.CoroutineNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/// The JDK's resolver, asked on a thread beside the loop when a coroutine asks.
///
/// The system's look-up cannot be interrupted and takes as long as its servers let it: seconds.
/// Left to the carrier, it would hold every coroutine. Caching stays the JDK's, above this
/// (`networkaddress.cache.ttl`, `networkaddress.cache.negative.ttl`), and so does its lock for each
/// name: of ten coroutines that ask for the same name, one looks it up.
///
/// Outside of coroutines, and where the stack is pinned and cannot be left, the thread that asks
/// waits, as it would without Heddle; the watchdog reports it.
final class LoopResolver implements InetAddressResolver {
  private final InetAddressResolver builtin;

  LoopResolver(InetAddressResolver builtin) {
    this.builtin = builtin;
  }

  @Override
  public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
      throws UnknownHostException {
    return lookup("the look-up of " + host, () -> builtin.lookupByName(host, policy));
  }

  @Override
  public String lookupByAddress(byte[] address) throws UnknownHostException {
    return lookup("the look-up of an address", () -> builtin.lookupByAddress(address));
  }

  private static <T> T lookup(String what, Callable<T> call) throws UnknownHostException {
    try {
      CoroutineNode<?> self = CoroutineNode.onLoopOrNull();
      return self == null ? call.call() : beside(self, what, call);
    } catch (UnknownHostException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(what + " failed as the JDK says it cannot", e);
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the call returns a T
  private static <T> T beside(CoroutineNode<?> self, String what, Callable<T> call)
      throws Exception {
    try {
      return (T) self.loop().threads().lookups().run(self, what, call);
    } catch (PinnedException e) {
      return call.call(); // as good as without us
    }
  }
}
