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

/// The resolver installed in the JDK. For coroutines, the loop's own resolver answers, or, if the
/// loop has none, the system's resolver on a worker thread.
///
/// A look-up by the system cannot be interrupted and may take seconds. On the carrier, it would
/// hold every coroutine. Caching stays with the JDK, above this class (`networkaddress.cache.ttl`,
/// `networkaddress.cache.negative.ttl`), and so does its lock for each name: of ten coroutines that
/// look up the same name, one does the work.
///
/// Outside of coroutines, and where the coroutine is pinned, the calling thread waits, as it would
/// without Heddle; the watchdog reports it.
final class LoopResolver implements InetAddressResolver {
  private final InetAddressResolver builtin;
  private final Supplier<@Nullable NameResolver> ofLoop;

  /// @param ofLoop the resolver of the current loop, or null; called in coroutines only
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
        // safe: the coroutine is pinned, so the thread waits for the system, as without Heddle
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
      return call.call(); // as without Heddle
    }
  }
}
