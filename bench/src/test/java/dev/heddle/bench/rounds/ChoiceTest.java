// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.rounds;

import static dev.heddle.bench.rounds.Made.BUSY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.measure.HostLoad;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Which rounds count, and when there are enough of them.
class ChoiceTest {
  private static final Round QUIET = Made.round("a", HostLoad.NONE, 100, "heddle", "peer");
  private static final Round LOADED = Made.round("a", BUSY, 300, "heddle", "peer");
  private static final Round ALONE = Made.round("a", HostLoad.NONE, 100, "heddle");

  @Test
  void loadedRounds_besideEnoughQuietOnes_doNotCount() {
    Choice choice = Choice.of(List.of(QUIET, LOADED, QUIET, LOADED, QUIET));

    assertThat(choice).isEqualTo(new Choice(List.of(QUIET, QUIET, QUIET), 2, false));
    assertThat(choice.conditions().text()).isEqualTo("3 rounds; 2 beside load do not count");
  }

  @Test
  void loadedRounds_besideTooFewQuietOnes_count_andTheResultSaysSo() {
    Choice choice = Choice.of(List.of(QUIET, LOADED, LOADED));

    assertThat(choice).isEqualTo(new Choice(List.of(QUIET, LOADED, LOADED), 2, true));
    assertThat(choice.conditions().text())
        .startsWith("3 rounds, 2 of them beside load: other programs used up to 0.50 processors");
  }

  @Test
  void oneQuietRound_withoutOthers_isEnoughForItself() {
    assertThat(Choice.of(List.of(QUIET)).besideLoad()).isFalse();
  }

  @Test
  void contenderThatLeft_isComparedInNoRound() {
    assertThat(Choice.of(List.of(QUIET, ALONE)).rounds()).containsExactly(QUIET, ALONE);
    assertThat(Choice.of(List.of(ALONE, QUIET)).rounds()).containsExactly(QUIET);
  }

  @Test
  void enough_asManyQuietOnesAsWanted() {
    assertThat(Choice.isEnough(times(QUIET, 4), 0, 5)).isFalse();
    assertThat(Choice.isEnough(times(QUIET, 5), 0, 5)).isTrue();
    assertThat(Choice.isEnough(List.of(), 0, 5)).isFalse();
  }

  @Test
  void enough_loadedRounds_areRepeated() {
    List<Round> mixed = new ArrayList<>(times(LOADED, 3));
    mixed.addAll(times(QUIET, 4));

    assertThat(Choice.isEnough(mixed, 0, 5)).isFalse();
    mixed.add(QUIET);
    assertThat(Choice.isEnough(mixed, 0, 5)).isTrue();
  }

  @Test
  void enough_machineThatIsNeverQuiet_endsTheRun_andTheNextRunTriesAgain() {
    List<Round> loaded = times(LOADED, 10);

    assertThat(Choice.isEnough(loaded, 0, 5)).isTrue();
    assertThat(Choice.isEnough(loaded, 10, 5)).isFalse();
  }

  private static List<Round> times(Round round, int count) {
    return Collections.nCopies(count, round);
  }
}
