// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CompositeException;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.PinnedException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Trigger;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of failures shows: how a program catches each, compiled and run.
@Tag("once")
class FailureSnippetsTest {
  private final List<String> log = new ArrayList<>();

  @Test
  void bodies() {
    Heddle.run(() -> {
      // @start region=bodies
      Body<String> page = () -> fetch("page"); // has a result, may suspend and may throw
      Action audit = () -> log.add("audited"); // has none
      Heddle.launch("audit", audit);
      String text = Heddle.withTimeout(Duration.ofHours(1), page);
      // @end
      log.add(text);
    });
    assertThat(log).containsExactlyInAnyOrder("audited", "page");
  }

  private static String fetch(String what) {
    Heddle.yieldNow();
    return what;
  }

  @Test
  void cancellation() {
    Heddle.run(() -> {
      // @start region=cancellation
      Coroutine<?> session =
          Heddle.spawn(() -> {
            try {
              Heddle.delay(Duration.ofHours(1));
            } catch (Cancellation e) {
              log.add("cancelled"); // clean up here or in `finally`; it may suspend
              throw e; // always: the coroutine ends as cancelled
            }
          });
      Heddle.yieldNow();
      session.cancel("logged out");
      // @end
    });
    assertThat(log).containsExactly("cancelled");
  }

  @Test
  void timeout() {
    Heddle.run(() -> {
      // @start region=timeout
      try {
        Heddle.withTimeout(Duration.ofMillis(5), () -> Heddle.delay(Duration.ofHours(1)));
      } catch (DeadlineException e) {
        log.add("too slow"); // the body was cancelled and has ended
      }
      // @end
    });
    assertThat(log).containsExactly("too slow");
  }

  @Test
  void checked() {
    // @start region=checked
    try {
      Heddle.run(() -> read("missing.txt"));
    } catch (CoroutineException e) {
      switch (e.getCause()) {
        case NoSuchFileException missing -> log.add("no file " + missing.getFile());
        default -> throw e; // any other failure
      }
    }
    // @end
    assertThat(log).containsExactly("no file missing.txt");
  }

  private static String read(String file) throws IOException {
    throw new NoSuchFileException(file);
  }

  @Test
  void composite() {
    // @start region=composite
    try {
      Heddle.run(() -> {
        Coroutine<?> worker = Heddle.spawn(() -> 42);
        worker.onCompletion(_ -> broken("audit"));
        worker.onCompletion(_ -> broken("metrics"));
      });
    } catch (CompositeException e) {
      for (Throwable failure : e.failures()) {
        log.add(failure.getMessage());
      }
    }
    // @end
    assertThat(log).containsExactly("audit", "metrics");
  }

  private static void broken(String what) {
    throw new IllegalStateException(what);
  }

  @Test
  void exit() {
    // @start region=exit
    int code = 0;
    try {
      Heddle.run(() -> {
        Heddle.spawn(() -> Heddle.exit(3)); // from any coroutine; the others clean up first
        Heddle.delay(Duration.ofHours(1));
      });
    } catch (ExitException e) {
      code = e.code(); // for System.exit, after what the program still has to do
    }
    // @end
    assertThat(code).isEqualTo(3);
  }

  @Test
  void ended() {
    // @start region=ended
    Loop<Integer> loop = Loop.start(() -> 42);
    loop.join();
    try {
      log.add(loop.dump().text());
    } catch (LoopEndedException e) {
      log.add("nothing to see"); // a thread that outlives the loop finds it so
    }
    // @end
    assertThat(log).containsExactly("nothing to see");
  }

  // @start region=pinned
  static final class Settings {
    static final String NAME = load(); // in the class initialiser, which the JDK cannot unmount

    private static String load() {
      Heddle.delay(Duration.ofMillis(5)); // throws a PinnedException: load it in a method instead
      return "name";
    }
  }

  // @end

  @Test
  void pinned() {
    Heddle.run(() -> {
      try {
        log.add(Settings.NAME);
      } catch (ExceptionInInitializerError e) {
        assertThat(e).hasCauseInstanceOf(PinnedException.class);
        log.add("pinned");
      }
    });
    assertThat(log).containsExactly("pinned");
  }

  @Test
  void token() {
    Heddle.run(() -> {
      // @start region=token
      Coroutine<String> slow = Heddle.spawn(() -> fetchSlowly("page"));
      Trigger enough = Heddle.trigger("enough");
      Heddle.launch("user", enough::fire);
      try {
        log.add(slow.await(enough)); // the token ends the wait, not the work
      } catch (WaitCancelledException e) {
        slow.cancel("nobody waits for it");
      }
      // @end
      log.add("cancelled: " + slow.isCancelled());
    });
    assertThat(log).containsExactly("cancelled: true");
  }

  private static String fetchSlowly(String what) {
    Heddle.delay(Duration.ofHours(1));
    return what;
  }
}
