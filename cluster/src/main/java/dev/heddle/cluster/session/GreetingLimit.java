// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.engine.Engine.Address;
import java.util.HashMap;
import java.util.Map;

/// Limits how many greetings of a second are looked at: a node greets another one a few times in a
/// second at most.
///
/// **Thread** one at a time.
public final class GreetingLimit {
  /// Of one address.
  public static final int OF_ADDRESS = 20;

  /// Of all addresses. One that sends more than its share does not use up that of the others.
  public static final int OF_ALL = 1_000;

  private static final long SECOND = 1_000_000_000L;

  private final Map<Address, Integer> counts = new HashMap<>(); // at most OF_ALL
  private boolean begun;
  private long since;
  private int all;

  /// Counts a greeting.
  ///
  /// @return false when it is one too many in this second
  public boolean admits(Address from, long now) {
    if (!begun || now - since >= SECOND) {
      begun = true;
      since = now;
      all = 0;
      counts.clear();
    }
    int count = counts.getOrDefault(from, 0);
    if (count >= OF_ADDRESS || all >= OF_ALL) {
      return false;
    }
    counts.put(from, count + 1);
    all++;
    return true;
  }
}
