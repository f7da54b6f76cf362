// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The coroutine that a failure came from. Lives as long as the failure, so it must reference
/// neither the coroutine nor the failure.
public interface Origin {
  /// Its number and name.
  String coroutine();

  /// The site where it was spawned; null for a main coroutine.
  @Nullable String spawnSite();

  /// The coroutines that spawned it, each with its own site, nearest first.
  List<String> spawnedBy();
}
