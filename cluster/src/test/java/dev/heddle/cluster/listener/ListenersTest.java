// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Changes reach listeners whatever throws.
@Tag("C9")
@Timeout(300)
final class ListenersTest {
  private final List<String> heard = new ArrayList<>();
  private Executor threads = Runnable::run;
  private final Listeners<String> listeners = new Listeners<>(task -> threads.execute(task));

  private void tell(String change) {
    listeners.put(change);
    listeners.call();
  }

  @Test
  void listener_forWhichNoThreadWasMade_isCalledByTheNextCall() {
    listeners.add(heard::add, List.of());
    threads =
        _ -> {
          throw new RejectedExecutionException("of a test");
        };
    assertThatThrownBy(() -> tell("one")).isInstanceOf(RejectedExecutionException.class);

    threads = Runnable::run;
    tell("two");
    assertThat(heard).containsExactly("one", "two");
  }

  @Test
  void listenerThatFails_whenTheLogThrowsToo_hearsOfTheNextChange() {
    Logger logger = Logger.getLogger("dev.heddle.cluster");
    Handler throwing = new ThrowingHandler();
    listeners.add(
        change -> {
          heard.add(change);
          throw new IllegalStateException("of a test");
        },
        List.of());
    logger.addHandler(throwing);
    try {
      tell("one");
      tell("two");
    } finally {
      logger.removeHandler(throwing);
    }
    assertThat(heard).containsExactly("one", "two");
  }

  @Test
  void listenerThatFails_onAChangeWithoutAText_hearsOfTheNextChange() {
    List<Object> all = new ArrayList<>();
    Listeners<Object> listenersOfAll = new Listeners<>(Runnable::run);
    listenersOfAll.add(
        change -> {
          all.add(change);
          throw new IllegalStateException("of a test");
        },
        List.of());
    for (int i = 0; i < 2; i++) {
      listenersOfAll.put(
          new Object() {
            @Override
            public String toString() {
              throw new IllegalStateException("of a test");
            }
          });
      listenersOfAll.call();
    }
    assertThat(all).hasSize(2);
  }

  private static final class ThrowingHandler extends Handler {
    @Override
    public void publish(LogRecord line) {
      if (line.getMessage().startsWith("a listener failed")) { // others may log, too
        throw new IllegalStateException("of a test");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
