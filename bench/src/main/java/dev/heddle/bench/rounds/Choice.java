// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.rounds;

import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.result.Conditions;
import java.util.List;
import java.util.Set;

/// The rounds of a case that count.
///
/// Only rounds with everyone who took part in the last one, so that figures of one round can be
/// compared. Of these, the quiet ones, if there are enough of them; otherwise all, and the result
/// says so.
///
/// @param rounds those that count, in order
/// @param loaded how many had other programs beside them, counted or not
/// @param besideLoad whether some of those count
public record Choice(List<Round> rounds, int loaded, boolean besideLoad) {
  private static final int ENOUGH = 3; // quiet rounds, for a median with a spread
  private static final int REPEATS = 2; // a machine that is never quiet ends the run all the same

  /// Copies the rounds.
  public Choice {
    rounds = List.copyOf(rounds);
  }

  /// Chooses among the rounds of one case, in the order in which they were measured.
  public static Choice of(List<Round> measured) {
    if (measured.isEmpty()) {
      return new Choice(List.of(), 0, false);
    }
    Set<String> present = measured.getLast().samples().keySet();
    List<Round> whole =
        measured.stream().filter(round -> round.samples().keySet().containsAll(present)).toList();
    List<Round> quiet = whole.stream().filter(round -> round.load().isQuiet()).toList();
    int loaded = whole.size() - quiet.size();
    boolean besideLoad = loaded > 0 && quiet.size() < ENOUGH;
    return new Choice(besideLoad ? whole : quiet, loaded, besideLoad);
  }

  /// Whether a run needs no more rounds of a case: there are as many quiet ones as wanted, or each
  /// was repeated and the machine did not get quiet.
  ///
  /// @param measured all rounds, in order
  /// @param before how many of them an earlier run has measured
  /// @param wanted how many quiet ones
  public static boolean isEnough(List<Round> measured, int before, int wanted) {
    Choice choice = of(measured);
    int quiet = choice.rounds.size() - (choice.besideLoad ? choice.loaded : 0);
    return quiet >= wanted || measured.size() - before >= REPEATS * wanted;
  }

  /// What the page says about them.
  public Conditions conditions() {
    return new Conditions(
        rounds.size(),
        loaded,
        besideLoad,
        rounds.stream().map(Round::load).mapToDouble(HostLoad::foreign).max().orElse(0),
        rounds.stream().map(Round::load).mapToDouble(HostLoad::steal).max().orElse(0));
  }
}
