// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.thread.ThreadChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of channels between threads shows.
@Tag("once")
class ThreadChannelSnippetsTest {
  @Test
  void channel() {
    int sum =
        Heddle.run(() -> {
          // @start region=channel
          ThreadChannel<Integer> readings = ThreadChannel.of("readings", 64);
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < 1_000; i++) {
                  readings.send(i); // blocks the thread while 64 are waiting
                }
                readings.close();
              });
          int total = 0;
          for (int reading : readings) { // suspends the coroutine while there is none
            total += reading;
          }
          // @end
          return total;
        });
    assertThat(sum).isEqualTo(499_500);
  }
}
