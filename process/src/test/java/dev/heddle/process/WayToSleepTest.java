// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Work that comes while a worker goes to sleep.
@Timeout(300)
class WayToSleepTest {
  @Test
  @Tag("P7")
  @Tag("proc-62")
  void message_behindTheLastSearchOfAWorker_isSeenBeforeItSleeps() throws Exception {
    Class<?> type =
        ShortageLoader.ofCalls("park", "check").loadClass(ShortageOfLooks.class.getName());
    Callable<?> scenario = (Callable<?>) type.getDeclaredConstructor().newInstance();
    assertThat(scenario.call()).isEqualTo(true);
  }
}
