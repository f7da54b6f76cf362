// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import org.jspecify.annotations.Nullable;

/// Those who are told what the workers of a pool do: one for each worker.
///
/// **Thread** one at a time; also that of a compensating worker.
public interface WorkObservers {
  /// Who is told what a worker does: the same one at each call.
  WorkObserver of(Worker worker);

  /// Who is told what all threads do that are no workers; null: nobody.
  default @Nullable WorkObserver ofOthers() {
    return null;
  }

  /// Whether they want to know of runs and sleeps only. Then messages, wake-ups and commands cost
  /// nothing more.
  default boolean areOfRunsOnly() {
    return false;
  }

  /// A compensating worker ends; nothing is told of it any more. On its thread.
  void ended(Worker worker);
}
