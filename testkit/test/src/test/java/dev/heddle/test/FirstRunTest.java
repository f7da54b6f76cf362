// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.log.AsyncLog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A program that fails only in the run that initialises its classes, which does not count.
@Tag("agent")
@Timeout(300)
class FirstRunTest {
  private static final Logger LOGGER = Logger.getLogger("dev.heddle");

  private final List<LogRecord> logged = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          logged.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    LOGGER.addHandler(handler);
  }

  @AfterEach
  void leave() {
    LOGGER.removeHandler(handler);
  }

  private static class Cache {
    private static boolean isFilled;

    private Cache() {}
  }

  @Test
  void failureOfTheFirstRunOnly_isLogged() {
    SimulationResult<?> counts =
        Simulation.run(() -> {
          boolean isFirst = !Cache.isFilled;
          Cache.isFilled = true;
          if (isFirst) {
            throw new AssertionError("the cache was empty");
          }
        });
    assertThat(counts.failure()).isNull();
    while (!AsyncLog.shared().flush()) { // it gives up after some seconds in which nothing moves
      Thread.onSpinWait();
    }
    assertThat(logged)
        .anySatisfy(line -> {
          assertThat(line.getMessage()).contains("failed in a run that initialised classes");
          assertThat(line.getThrown()).hasMessage("the cache was empty");
        });
  }
}
