// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import dev.heddle.thread.ThreadPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What becomes of the trace of a failure that was thrown on another thread.
@Tag("T21")
class CrossThreadTracesTest {
  /// Of somebody who wants no trace, or does strange things with it.
  private static final class Stubborn extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean throwsItself;

    Stubborn(boolean throwsItself) {
      super("stubborn", null, false, throwsItself);
      this.throwsItself = throwsItself;
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      if (throwsItself) {
        throw new IllegalStateException("no trace for you");
      }
      return super.getStackTrace();
    }
  }

  private static List<String> methods(Throwable failure) {
    return Arrays.stream(failure.getStackTrace()).map(StackTraceElement::getMethodName).toList();
  }

  private static Throwable thrownBy(dev.heddle.Action call) {
    try {
      call.run();
    } catch (Throwable e) {
      return e;
    }
    throw new AssertionError("nothing was thrown");
  }

  private static Throwable firstCaller(RuntimeException failure) {
    return thrownBy(() -> Heddle.offload(() -> deepDown(failure)));
  }

  private static Throwable secondCaller(RuntimeException failure) {
    return thrownBy(() -> Heddle.offload(() -> deepDown(failure)));
  }

  private static int deepDown(RuntimeException failure) {
    throw failure;
  }

  private static Object deepDownChecked(Exception failure) throws Exception {
    failure.fillInStackTrace();
    throw failure;
  }

  @Test
  void failureOfABody_isTheSameObject_withTheFramesOfTheBodyAboveThoseOfTheCaller() {
    IOException failure = new IOException("checked");
    Heddle.run(() -> {
      Throwable thrown = thrownBy(() -> Heddle.offload(() -> deepDownChecked(failure)));
      assertThat(thrown).isInstanceOf(CoroutineException.class).hasCause(failure);
      assertThat(thrown.getCause()).isSameAs(failure);
      assertThat(methods(thrown)).contains("thrownBy");
      assertThat(methods(failure)).containsSubsequence("deepDownChecked", "calledFrom", "thrownBy");
      assertThat(failure.getSuppressed()).isEmpty();
    });
  }

  @Test
  void failureThatIsThrownAgainAndAgain_namesEachTimeItsCaller_andDoesNotGrow() {
    RuntimeException kept = new RuntimeException("made once");
    int own = kept.getStackTrace().length;
    Heddle.run(() -> {
      List<Integer> lengths = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        assertThat(methods(firstCaller(kept)))
            .contains("firstCaller")
            .doesNotContain("secondCaller");
        assertThat(methods(secondCaller(kept)))
            .contains("secondCaller")
            .doesNotContain("firstCaller");
        lengths.add(kept.getStackTrace().length);
      }
      assertThat(lengths).containsOnly(lengths.getFirst());
      assertThat(kept.getStackTrace()[0].getMethodName())
          .isEqualTo("failureThatIsThrownAgainAndAgain_namesEachTimeItsCaller_andDoesNotGrow");
      assertThat(lengths.getFirst()).isGreaterThan(own);
    });
  }

  @Test
  void throwableThatRefuses_isThrownAsItIs() {
    Heddle.run(() -> {
      Stubborn withoutTrace = new Stubborn(false);
      assertThat(firstCaller(withoutTrace)).isSameAs(withoutTrace);
      assertThat(withoutTrace.getStackTrace()).isEmpty();
      Stubborn hostile = new Stubborn(true);
      assertThat(firstCaller(hostile)).isSameAs(hostile);
    });
  }

  @Test
  void failureOfATask_namesWhoAwaitedItFirst() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        var future =
            pool.submit(() -> {
              throw new IOException("late");
            });
        Throwable first = thrownBy(() -> awaitedByTheFirst(future));
        Throwable second = thrownBy(() -> awaitedByTheSecond(future));
        assertThat(second).isSameAs(first);
        assertThat(methods(second)).contains("awaitedByTheFirst");
        assertThat(methods(second.getCause())).contains("awaitedByTheFirst");
      }
    });
  }

  private static void awaitedByTheFirst(dev.heddle.event.Future<?> future) {
    var _ = future.await();
  }

  private static void awaitedByTheSecond(dev.heddle.event.Future<?> future) {
    var _ = future.await();
  }

  @Test
  void failureOfACoroutine_keepsItsTrace() {
    RuntimeException failure = new RuntimeException("of a coroutine");
    StackTraceElement[] before = failure.getStackTrace();
    Heddle.run(() ->
        Heddle.supervise(() -> {
          var failing = Heddle.spawn(() -> deepDown(failure));
          assertThat(thrownBy(failing::await)).isSameAs(failure);
          assertThat(failure.getStackTrace()).isEqualTo(before);
        }));
  }
}
