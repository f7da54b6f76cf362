// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import java.util.Locale;

/// Beside what a case was measured.
///
/// @param rounds how many count
/// @param loaded how many had other programs beside them
/// @param besideLoad whether some of those count, because there were too few quiet ones
/// @param foreign the most that other programs used during a round that counts, in processors
/// @param steal the most that a hypervisor took during one, in processors
public record Conditions(int rounds, int loaded, boolean besideLoad, double foreign, double steal) {
  /// Of rounds of which nothing is known.
  public static final Conditions UNKNOWN = new Conditions(0, 0, false, 0, 0);

  /// For people.
  public String text() {
    String text = rounds + (rounds == 1 ? " round" : " rounds");
    if (besideLoad) {
      return String.format(
          Locale.ROOT,
          "%s, %d of them beside load: other programs used up to %.2f processors, a hypervisor"
              + " took up to %.2f",
          text,
          loaded,
          foreign,
          steal);
    }
    return loaded == 0 ? text : text + "; " + loaded + " beside load do not count";
  }
}
