// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.Locale;

/// What else the machine did while something was measured.
///
/// @param foreign processor time of programs that are not the bench's, in processors: 0.5 is half
///   of one
/// @param steal processor time that a hypervisor gave to others, in processors
/// @param average the system's load average over a minute, at the end
public record HostLoad(double foreign, double steal, double average) {
  /// Of a machine that does nothing else, or does not tell.
  public static final HostLoad NONE = new HostLoad(0, 0, 0);

  private static final double MOST_FOREIGN = 0.1; // what a system's own services may take
  private static final double MOST_STEAL = 0.05;

  /// Whether a round counts that was measured meanwhile.
  public boolean isQuiet() {
    return foreign <= MOST_FOREIGN && steal <= MOST_STEAL;
  }

  /// For people.
  public String text() {
    return String.format(
        Locale.ROOT,
        "other programs %.2f, steal %.2f of a processor, load average %.2f",
        foreign,
        steal,
        average);
  }
}
