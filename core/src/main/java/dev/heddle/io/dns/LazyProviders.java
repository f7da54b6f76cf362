// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import java.util.Iterator;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Providers of resolvers, in their order, each loaded when it is first asked for.
///
/// **Thread** any. The lock is held while a provider is loaded, as that of a class while it is
/// initialised.
final class LazyProviders {
  // guarded by the lock
  private final Iterator<? extends ServiceLoader.Provider<NameResolverProvider>> rest;

  private final CopyOnWriteArrayList<NameResolverProvider> loaded = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();

  LazyProviders(Iterator<? extends ServiceLoader.Provider<NameResolverProvider>> all) {
    this.rest = all;
  }

  /// The provider at a place, from 0; null behind the last one.
  ///
  /// @throws java.util.ServiceConfigurationError when it cannot be loaded
  @Nullable NameResolverProvider get(int place) {
    return place < loaded.size() ? loaded.get(place) : load(place);
  }

  private @Nullable NameResolverProvider load(int place) {
    lock.lock();
    try {
      while (loaded.size() <= place && rest.hasNext()) {
        loaded.add(rest.next().get());
      }
      return place < loaded.size() ? loaded.get(place) : null;
    } finally {
      lock.unlock();
    }
  }
}
