// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// What singletons have done in one history.
final class SingletonHistory {
  final Set<String> declared = new HashSet<>(); // that were, at some time
  private final Map<String, String> lastAt = new HashMap<>();
  long acts;
  long begins;
  long moves;
  long finished;
  long obeyed; // have ended themselves, since they had their name no more

  void begun(String name, String node) {
    begins++;
    String before = lastAt.put(name, node);
    moves += before != null && !before.equals(node) ? 1 : 0;
  }
}
