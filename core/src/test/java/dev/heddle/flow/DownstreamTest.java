// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// One signal at a time.
class DownstreamTest {
  @Test
  void take_whileASignalRuns_getsNothing() {
    Recorder<Integer> subscriber = new Recorder<>(0);
    Downstream<Integer> downstream = new Downstream<>(subscriber);
    assertThat(downstream.take()).isSameAs(subscriber);
    assertThat(downstream.take()).isNull();
    downstream.putBack(subscriber);
    assertThat(downstream.take()).isSameAs(subscriber);
  }
}
