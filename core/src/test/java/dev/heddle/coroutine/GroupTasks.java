// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Heddle;
import dev.heddle.event.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What tasks of groups do in tests, and a list of what they have done.
class GroupTasks {
  final List<Object> log = new ArrayList<>();

  /// Lets every coroutine that is ready run until it waits.
  static void settle() {
    for (int i = 0; i < 10; i++) {
      Heddle.yieldNow();
    }
  }

  static Event elapsed() {
    Event event = Heddle.timer(Duration.ofNanos(1));
    Heddle.await(event);
    return event;
  }

  static String yielding(int times, String result) {
    for (int i = 0; i < times; i++) {
      Heddle.yieldNow();
    }
    return result;
  }

  static String fail(String message) {
    throw new IllegalStateException(message);
  }
}
