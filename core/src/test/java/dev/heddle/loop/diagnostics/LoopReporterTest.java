// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.HeddleOptions;
import dev.heddle.observe.log.AsyncLog;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The failures that a loop keeps for observers, when its log cannot keep up.
@Tag("watch-4")
@Timeout(300)
class LoopReporterTest {
  private static final int MORE_THAN_THE_LOG_KEEPS = 1_001;

  private final AsyncLog log = new AsyncLog("reporter", null);
  private final LoopReporter reporter = new LoopReporter(HeddleOptions.defaults(), log, true);
  private final CountDownLatch stuck = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);

  @BeforeEach
  void fillTheLog() throws Exception {
    boolean _ = log.call("a listener that hangs", this::hang);
    stuck.await();
    for (int i = 0; i < MORE_THAN_THE_LOG_KEEPS; i++) {
      boolean _ = log.call("a line", () -> {});
    }
  }

  private void hang() {
    stuck.countDown();
    try {
      goesOn.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void close() {
    goesOn.countDown();
    boolean _ = log.close();
  }

  private static IllegalStateException failure(String text) {
    return new IllegalStateException(text);
  }

  private String texts() {
    assertThat(log.flush()).isTrue();
    StringBuilder all = new StringBuilder();
    reporter.recent().forEach(each -> all.append(each.text()));
    return all.toString();
  }

  /// No later failure was seen either, and the throwables were kept as long as the loop.
  @Test
  void failureThatTheFullLogHasDropped_isThereWithTheNextOne() {
    reporter.failed("the first", failure("lost"));
    goesOn.countDown();
    assertThat(log.flush()).isTrue();
    reporter.failed("the second", failure("found"));

    assertThat(texts()).contains("the first", "lost", "the second", "found");
  }

  @Test
  void failureThatTheFullLogHasDropped_isThereAtTheSecondLook() {
    reporter.failed("the only one", failure("lost"));
    goesOn.countDown();
    String _ = texts(); // asks the log's thread to write it

    assertThat(texts()).contains("the only one", "lost");
  }
}
