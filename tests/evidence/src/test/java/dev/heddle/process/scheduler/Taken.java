// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.concurrent.atomic.AtomicIntegerArray;

/// How often each of a few items was taken, by anybody.
final class Taken {
  static final int FINE = 1;
  static final int LOST = 2;
  static final int TWICE = 3;

  private final AtomicIntegerArray times;

  Taken(int items) {
    this.times = new AtomicIntegerArray(items);
  }

  void count(Integer item) {
    if (item != null) {
      times.incrementAndGet(item);
    }
  }

  int verdict() {
    int verdict = FINE;
    for (int i = 0; i < times.length(); i++) {
      if (times.get(i) > 1) {
        return TWICE;
      }
      if (times.get(i) == 0) {
        verdict = LOST;
      }
    }
    return verdict;
  }
}
