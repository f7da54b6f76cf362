// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Engine.Address;
import org.junit.jupiter.api.Test;

final class GreetingLimitTest {
  private static final long SECOND = 1_000_000_000L;

  private record At(int number) implements Address {}

  private final GreetingLimit limit = new GreetingLimit();

  private int admitted(int address, int tries, long now) {
    int admitted = 0;
    for (int i = 0; i < tries; i++) {
      admitted += limit.admits(new At(address), now) ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void floodOfOneAddress_isCut_andHarmsNoOther() {
    assertThat(admitted(1, 100_000, 5)).isEqualTo(GreetingLimit.OF_ADDRESS);
    assertThat(admitted(2, 1, 5)).isEqualTo(1);
    assertThat(admitted(1, 100, 5 + SECOND)).isEqualTo(GreetingLimit.OF_ADDRESS);
  }

  @Test
  void floodOfAllAddresses_isCut() {
    int admitted = 0;
    for (int i = 0; i < 100_000; i++) {
      admitted += admitted(i, 1, -7);
    }
    assertThat(admitted).isEqualTo(GreetingLimit.OF_ALL);
  }
}
