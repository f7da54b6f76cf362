// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.PinnedException;
import dev.heddle.coroutine.Coroutine;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Frames that the JDK cannot take off the carrier. A class is initialised once in a JVM, so the
/// classes here belong to one test each.
@Tag("T16")
@Tag("trap-41")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PinnedTest {
  private static final class SuspendsWhileInitialised {
    static {
      Heddle.yieldNow();
    }

    static void touch() {}
  }

  private static final class DelaysWhileInitialised {
    static {
      Heddle.delay(Duration.ofHours(1));
    }

    static void touch() {}
  }

  private static final class RecoversWhileInitialised {
    static final String SAID = said();

    private static String said() {
      try {
        Heddle.yieldNow();
        return "suspended";
      } catch (PinnedException e) {
        return "pinned";
      }
    }
  }

  private static final class WaitsWhileInitialised {
    static {
      Latches.ENTERED.countDown();
      Latches.await(Latches.GO);
    }

    static void touch() {}
  }

  private static final class Latches {
    static final CountDownLatch ENTERED = new CountDownLatch(1);
    static final CountDownLatch GO = new CountDownLatch(1);

    static void await(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void suspend_insideAClassInitialiser_namesTheClassAndTheLoopGoesOn() {
    int turns =
        Heddle.run(() -> {
          Coroutine<Integer> other = Heddle.spawn(PinnedTest::turns);
          assertThatThrownBy(SuspendsWhileInitialised::touch)
              .isInstanceOf(ExceptionInInitializerError.class)
              .cause()
              .isInstanceOf(PinnedException.class)
              .hasMessageContaining(
                  "the initialiser of class " + SuspendsWhileInitialised.class.getName());
          Heddle.yieldNow();
          return other.await();
        });
    assertThat(turns).isEqualTo(Beside.TURNS);
  }

  @Test
  void delay_insideAClassInitialiser_leavesNoTimerBehind() {
    Heddle.run(() -> {
      assertThatThrownBy(DelaysWhileInitialised::touch)
          .hasRootCauseInstanceOf(PinnedException.class);
      assertThat(Heddle.counters().timers()).isZero();
      Heddle.delay(Duration.ofMillis(1));
    });
  }

  @Test
  void coroutine_thatCatchesPinned_suspendsAgainOutsideTheInitialiser() {
    int turns =
        Heddle.run(() -> {
          Coroutine<Integer> other = Heddle.spawn(PinnedTest::turns);
          assertThat(RecoversWhileInitialised.SAID).isEqualTo("pinned");
          turns();
          return other.await();
        });
    assertThat(turns).isEqualTo(Beside.TURNS);
  }

  private static int turns() {
    int turns = 0;
    while (turns < Beside.TURNS) {
      Heddle.yieldNow();
      turns++;
    }
    return turns;
  }

  @Test
  void jdkWait_insideAClassInitialiser_endsAndTheLoopGoesOn() {
    Thread.ofPlatform()
        .start(() -> {
          Latches.await(Latches.ENTERED);
          Latches.GO.countDown();
        });
    int turns =
        Heddle.run(() -> {
          Coroutine<Integer> other = Heddle.spawn(PinnedTest::turns);
          WaitsWhileInitialised.touch();
          return other.await();
        });
    assertThat(turns).isEqualTo(Beside.TURNS);
  }

  /// The JVM asks it for a class from inside `Class.forName0`, a native method.
  private static final class SuspendingLoader extends ClassLoader {
    SuspendingLoader() {
      super(PinnedTest.class.getClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      Heddle.yieldNow();
      throw new ClassNotFoundException(name);
    }
  }

  private static void suspendBelowANativeFrame() throws ClassNotFoundException {
    Class.forName("no.such.Type", false, new SuspendingLoader());
  }

  @Test
  void suspend_belowANativeFrame_namesItAndTheLoopGoesOn() {
    int turns =
        Heddle.run(() -> {
          Coroutine<Integer> other = Heddle.spawn(PinnedTest::turns);
          assertThatThrownBy(PinnedTest::suspendBelowANativeFrame)
              .isInstanceOf(PinnedException.class)
              .hasMessageContaining("the native method")
              .hasMessageContaining("java.lang.Class.forName0");
          Heddle.yieldNow();
          return other.await();
        });
    assertThat(turns).isEqualTo(Beside.TURNS);
  }

  /// A wait that did not take place leaves its entry in the ready queue; the coroutine that waits
  /// for something else when the entry comes up must not be resumed by it.
  @Test
  void staleReadyEntry_ofAPinnedSuspend_doesNotResumeALaterWait() {
    Duration delay = Duration.ofMillis(2);
    Heddle.run(() -> {
      Coroutine<Integer> other = Heddle.spawn(PinnedTest::turns);
      for (int i = 0; i < 20; i++) {
        for (int entries = 0; entries < 3; entries++) {
          // behind a stale entry at the head of the queue it goes on without a switch, pinned or
          // not
          assertThatThrownBy(PinnedTest::suspendBelowANativeFrame)
              .isInstanceOfAny(PinnedException.class, ClassNotFoundException.class);
        }
        for (int yields = 0; yields < i % 4; yields++) {
          Heddle.yieldNow();
        }
        long before = System.nanoTime();
        Heddle.delay(delay);
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(delay.toNanos());
        if (other.isDone()) {
          other = Heddle.spawn(PinnedTest::turns);
        }
      }
    });
  }
}
