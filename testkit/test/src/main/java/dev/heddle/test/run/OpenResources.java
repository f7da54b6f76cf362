// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.event.source.ResourceListener;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;

/// What the program of a run has opened and not closed: sockets, listeners, pipes, files, streams
/// of events, subscriptions.
///
/// **Thread** the carrier, and coroutines on it.
final class OpenResources implements ResourceListener {
  private record Opening(long number, Object site) {}

  private final IdentityHashMap<Object, Opening> open = new IdentityHashMap<>();
  private long opened;

  @Override
  public void opened(Object resource) {
    open.put(resource, new Opening(opened++, ProgramSite.caller()));
  }

  @Override
  public void closed(Object resource) {
    open.remove(resource);
  }

  /// What is open, in the order of opening, each with the line of the program that has opened it.
  List<Finding> findings() {
    return open.entrySet().stream()
        .sorted(Comparator.comparingLong(one -> one.getValue().number))
        .map(one ->
            Leftovers.leak(
                "not closed: %s, opened at %s"
                    .formatted(one.getKey(), SpawnSites.describe(one.getValue().site))))
        .toList();
  }
}
