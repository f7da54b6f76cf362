// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import java.util.ArrayList;
import java.util.List;

/// A waker by itself, and bells that it may wait for: no coroutine, no switch.
abstract class WakerFixture {
  final QuietOwner owner = new QuietOwner();
  final Scheduler scheduler = new Scheduler(owner, SchedulerParts.usual(new StillDriver()), true);
  final Sleeper waker = new Sleeper(scheduler);

  final Bell bell(String name) {
    return new Bell(scheduler, name);
  }

  final List<Bell> bells(int count) {
    List<Bell> bells = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      bells.add(bell("bell " + i));
    }
    return bells;
  }

  /// So many bells, which the coming wait is for.
  final List<Bell> awaited(int count) {
    List<Bell> bells = bells(count);
    bells.forEach(waker::resumeWhen);
    return bells;
  }
}
