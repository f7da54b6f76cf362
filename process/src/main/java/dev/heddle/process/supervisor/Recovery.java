// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The way from a failure to a restart: who is restarted, and after how long.
final class Recovery {
  final List<Child> members = new ArrayList<>(); // in their order
  final Duration delay;
  long pause; // the tag of the command; 0 while it was not yielded

  Recovery(Duration delay) {
    this.delay = delay;
  }
}
