// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Providers of resolvers, in their order, each loaded when it is first asked for. One that cannot
/// be loaded says so each time. While one is loaded, its own look-ups find none.
///
/// **Thread** any. The lock is held while a provider is loaded, as that of a class while it is
/// initialised.
final class LazyProviders {
  // guarded by the lock
  private final Iterator<? extends ServiceLoader.Provider<NameResolverProvider>> rest;

  private record Loaded(
      @Nullable NameResolverProvider provider, @Nullable ServiceConfigurationError failure) {
    @Nullable NameResolverProvider get() {
      if (failure != null) {
        throw failure;
      }
      return provider;
    }
  }

  private final CopyOnWriteArrayList<Loaded> loaded = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();

  LazyProviders(Iterator<? extends ServiceLoader.Provider<NameResolverProvider>> all) {
    this.rest = all;
  }

  /// The provider at a place, from 0; null behind the last one.
  ///
  /// @throws ServiceConfigurationError when it cannot be loaded
  @Nullable NameResolverProvider get(int place) {
    return place < loaded.size() ? loaded.get(place).get() : load(place);
  }

  private @Nullable NameResolverProvider load(int place) {
    if (lock.isHeldByCurrentThread()) {
      return null;
    }
    lock.lock();
    try {
      while (loaded.size() <= place && rest.hasNext()) {
        loaded.add(loadNext());
      }
      return place < loaded.size() ? loaded.get(place).get() : null;
    } finally {
      lock.unlock();
    }
  }

  private Loaded loadNext() {
    try {
      return new Loaded(rest.next().get(), null);
    } catch (ServiceConfigurationError e) {
      return new Loaded(null, e);
    }
  }
}
