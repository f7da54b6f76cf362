// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.result.Change.Direction;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// What counts as more than noise.
class ChangeTest {
  @Test
  void everyStartAbove_isMore() {
    Change change = Change.of(1.04, 1.02, 1.05, 1.03, 1.06, 1.01, 1.04, 1.09);

    assertThat(change.direction()).isEqualTo(Direction.MORE);
    assertThat(change.ratio()).isEqualTo(1.04);
    assertThat(change.low()).isEqualTo(1.01);
    assertThat(change.high()).isEqualTo(1.09);
  }

  @Test
  void everyStartBelow_isLess() {
    assertThat(Change.of(0.9, 0.92, 0.93, 0.8, 0.95, 0.9, 0.9, 0.9).direction())
        .isEqualTo(Direction.LESS);
  }

  @Test
  void oneOfEightStartsOnTheOtherSide_isNoise() {
    assertThat(Change.of(1.2, 1.3, 1.2, 1.3, 1.2, 1.3, 1.2, 0.99).direction())
        .isEqualTo(Direction.WITHIN_NOISE);
  }

  @Test
  void oneOfElevenStartsOnTheOtherSide_isLeftOut() {
    double[] ratios = new double[11];
    Arrays.fill(ratios, 1.2);
    ratios[4] = 0.5;

    assertThat(Change.of(ratios).direction()).isEqualTo(Direction.MORE);
    assertThat(Change.of(Arrays.copyOf(ratios, 10)).direction()).isEqualTo(Direction.WITHIN_NOISE);
  }

  @Test
  void lessThanAPercent_isOfNoUse() {
    assertThat(Change.of(1.005, 1.006, 1.004, 1.005, 1.006, 1.004, 1.005, 1.007).direction())
        .isEqualTo(Direction.WITHIN_NOISE);
  }

  @Test
  void tooFewStarts_sayNothing() {
    assertThat(Change.of(2, 2, 2, 2, 2, 2).direction()).isEqualTo(Direction.TOO_FEW_STARTS);
    assertThat(Change.of(2, 2, 2, 2, 2, 2, 2).direction()).isEqualTo(Direction.MORE);
  }

  @Test
  void nothingChanged_isSaidInNearlyEveryRun() {
    var random = new Random(23);
    int changed = 0;
    for (int run = 0; run < 10_000; run++) {
      double[] ratios = random.doubles(8).map(chance -> Math.exp((chance - 0.5) / 5)).toArray();
      changed += Change.of(ratios).direction() == Direction.WITHIN_NOISE ? 0 : 1;
    }

    assertThat(changed).isLessThan(200);
  }
}
