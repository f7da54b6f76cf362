// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// What happened in a test, in its order; any thread may add to it.
final class Log extends AbstractList<String> {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> entries = Collections.synchronizedList(new ArrayList<>());

  @Override
  public String get(int index) {
    return entries.get(index);
  }

  @Override
  public int size() {
    return entries.size();
  }

  @Override
  public boolean add(String entry) {
    return entries.add(entry);
  }

  @Override
  public void clear() {
    entries.clear();
  }

  /// Sleeps until it is cancelled, and logs that.
  void sleep(String who) {
    try {
      Heddle.delay(LONG);
      add(who + " slept");
    } catch (Cancellation c) {
      add(who + " cut");
      throw c;
    }
  }
}
