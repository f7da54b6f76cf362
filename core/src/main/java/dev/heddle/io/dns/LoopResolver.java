// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import dev.heddle.PinnedException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The JDK's resolver, as coroutines ask it: the loop's own resolver answers them, or, where the
/// loop has none, the system's on a thread beside the loop.
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
  private final Supplier<@Nullable NameResolver> ofLoop;

  /// @param ofLoop the resolver of the current loop, or null; asked in coroutines only
  LoopResolver(InetAddressResolver builtin, Supplier<@Nullable NameResolver> ofLoop) {
    this.builtin = builtin;
    this.ofLoop = ofLoop;
  }

  @Override
  public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
      throws UnknownHostException {
    if (CoroutineNode.onLoopOrNull() != null) {
      List<InetAddress> found = NameResolvers.addresses(ofLoop.get(), host, policy);
      if (found != null) {
        return found.stream();
      }
    }
    return lookup("the look-up of " + host, () -> builtin.lookupByName(host, policy));
  }

  @Override
  public String lookupByAddress(byte[] address) throws UnknownHostException {
    NameResolver resolver = CoroutineNode.onLoopOrNull() == null ? null : ofLoop.get();
    if (resolver != null) {
      try {
        String name = resolver.name(address);
        if (name != null) {
          return name;
        }
      } catch (PinnedException e) {
        // safe: its stack cannot be left, so the thread waits for the system, as without us
      }
    }
    return lookup("the look-up of an address", () -> builtin.lookupByAddress(address));
  }

  private static <T> T lookup(String what, Callable<T> call) throws UnknownHostException {
    try {
      CoroutineNode<?> self = CoroutineNode.onLoopOrNull();
      return self == null ? call.call() : offload(self, what, call);
    } catch (UnknownHostException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(what + " failed as the JDK says it cannot", e);
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the call returns a T
  private static <T> T offload(CoroutineNode<?> self, String what, Callable<T> call)
      throws Exception {
    try {
      return (T) LoopRuntime.of(self).blockingPools().lookups().run(self, what, call);
    } catch (PinnedException e) {
      return call.call(); // as good as without us
    }
  }
}
