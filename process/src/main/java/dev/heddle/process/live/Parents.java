// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.Pid;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.topology.Ties;
import java.util.HashMap;
import java.util.Map;

/// What a start gives a process of its parent: attributes, and ties.
final class Parents {
  private Parents() {}

  /// The options of a process that another one starts.
  static StartOptions inherited(StartOptions options, LiveProcess by) {
    StartOptions all = options.parent() == null ? by.asParent(options) : options;
    Map<String, Object> inheritable = by.inheritable();
    if (inheritable.isEmpty()) {
      return all;
    }
    Map<String, Object> merged = new HashMap<>(inheritable);
    merged.putAll(options.attributes());
    return all.withAttributes(merged);
  }

  /// The parent that options name.
  ///
  /// @throws StartRefusedException when they name none, or it has ended
  static LiveProcess of(StartOptions options, ProcessHost host) {
    Pid parent = options.parent();
    LiveProcess by = parent == null ? null : host.find(parent);
    if (by == null || by.isEnded()) { // a PID may lead to one that has left the table
      throw new StartRefusedException(
          parent == null
              ? "nobody to link to or to be monitored by; give the options a parent"
              : "the parent has ended: " + parent,
          null);
    }
    return by;
  }

  /// Ties a process to its parent as its options say.
  ///
  /// @return the parent's monitor, or 0
  static long tie(LiveProcess made, LiveProcess by) {
    try {
      if (made.options().isLinked()) {
        Ties.link(made, by);
      }
      return made.options().isMonitored() ? Ties.monitor(by, made) : 0;
    } catch (IllegalStateException e) { // one of the two has ended meanwhile
      throw new StartRefusedException(String.valueOf(e.getMessage()), e);
    }
  }
}
