// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.util.List;
import java.util.function.Predicate;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.protocols.PerDestinationBundler;

/// A queue and a thread for each destination, until the destination is forgotten.
///
/// The bundler of JGroups drops a destination only when it leaves a view. One that was in no view,
/// or to which JGroups sends once more afterwards, would keep its thread for ever.
///
/// **Thread** those of JGroups, and any that forgets.
final class DestinationQueues extends PerDestinationBundler {
  private final Predicate<Address> isKnown;

  /// @param isKnown whether an address was found and not forgotten
  DestinationQueues(Predicate<Address> isKnown) {
    this.isKnown = isKnown;
    useSingleSenderThread(false);
  }

  /// Ends the queue of a destination and its thread. Waits for nothing. What is in the queue is
  /// lost. A later message to the same destination makes a new queue.
  void forget(Address destination) {
    removeLeftMembers(List.of(destination));
    removeUnused();
  }

  @Override
  public void viewChange(View view) {
    super.viewChange(view);
    removeUnused();
  }

  /// Ends the queues of those that are neither known nor in the view.
  private void removeUnused() {
    List<Address> inView = members;
    if (inView != null) {
      removeLeftMembers(
          dests.keySet().stream()
              .filter(it -> !it.equals(NULL) && !inView.contains(it) && !isKnown.test(it))
              .toList());
    }
  }
}
