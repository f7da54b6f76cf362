// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The coroutine that a failure came from. Kept as long as the failure: it must not hold the
/// coroutine, nor the failure.
public interface Origin {
  /// Its number and name.
  String coroutine();

  /// Where it was spawned; null for a main coroutine.
  @Nullable String spawnSite();

  /// Those that spawned it, each with its own site, nearest first.
  List<String> spawnedBy();
}
