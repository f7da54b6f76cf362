// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.engine.Engine.Address;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Lets one line of the log through for each address and minute, and counts the others.
///
/// **Thread** one at a time.
public final class LogLimit {
  private static final long MINUTE = 60_000_000_000L;
  private static final int ADDRESSES = 256; // the oldest has a line again

  private static final class Line {
    final long at;
    int more;

    Line(long at) {
      this.at = at;
    }
  }

  private final Map<Address, Line> lines = new LinkedHashMap<>(); // the oldest first

  /// What to log of an address.
  ///
  /// @return the line, with the number of those that were not logged before it; null for none
  public @Nullable String line(Address from, String text, long now) {
    Line last = lines.get(from);
    if (last != null && now - last.at < MINUTE) {
      last.more++;
      return null;
    }
    lines.remove(from);
    if (lines.size() == ADDRESSES) {
      lines.remove(lines.keySet().iterator().next());
    }
    lines.put(from, new Line(now));
    return last == null || last.more == 0
        ? text
        : "%s; %d more were not logged".formatted(text, last.more);
  }
}
