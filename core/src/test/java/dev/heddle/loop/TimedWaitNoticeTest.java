// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.log.AsyncLog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What is said where the JDK serves timed waits.
@Tag("T13.2")
class TimedWaitNoticeTest {
  private final List<LogRecord> written = new CopyOnWriteArrayList<>();

  @Test
  void problem_isSaidOnce_atDebugLevel() {
    Logger logger = Logger.getLogger("dev.heddle");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            written.add(record);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Level before = logger.getLevel();
    logger.setLevel(Level.FINE);
    logger.addHandler(handler);
    try {
      TimedWaitNotice notice = new TimedWaitNotice();
      AsyncLog log = new AsyncLog("tested", null);
      notice.sayOnce(null, log);
      notice.sayOnce("moved", log);
      notice.sayOnce("moved", log);
      assertThat(log.close()).isTrue();
    } finally {
      logger.removeHandler(handler);
      logger.setLevel(before);
    }
    assertThat(written).hasSize(1);
    assertThat(written.getFirst().getLevel()).isEqualTo(Level.FINE);
    assertThat(written.getFirst().getMessage()).contains("timed waits of the JDK", "moved");
  }
}
