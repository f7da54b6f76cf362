// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.sync.Channel;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/// The code that the documentation of `@HeddleTest` shows.
@Tag("once")
class HeddleTestSnippetsTest {
  // @start region=test
  @HeddleTest(seeds = 50)
  void consumer_getsEachItem() {
    Channel<Integer> items = Channel.of(2);
    Heddle.launch(
        "producer",
        () -> {
          for (int i = 1; i <= 10; i++) {
            Heddle.delay(Duration.ofHours(1)); // no real time
            items.send(i);
          }
          items.close();
        });
    int sum = 0;
    for (int item : items) {
      sum += item;
    }
    assertThat(sum).isEqualTo(55); // in each schedule
  }
  // @end
}
