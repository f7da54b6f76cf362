// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.BornThread;
import dev.heddle.scheduler.ReadyCandidates;
import dev.heddle.scheduler.ReadyPicker;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.SchedulerParts.Births;
import dev.heddle.scheduler.context.VirtualThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Virtual threads that coroutines create, where the loop runs them.
@Tag("sim-3")
@Timeout(300)
class BirthsTest {
  /// Takes the youngest, and notes which entries were turns of threads.
  private static final class Youngest implements ReadyPicker {
    final List<Thread> threads = new ArrayList<>();
    int turns;

    @Override
    public int pick(int ready) {
      return ready - 1;
    }

    @Override
    public int pick(ReadyCandidates ready) {
      int chosen = ready.size() - 1;
      if (ready.at(chosen) instanceof BornThread born) {
        turns++;
        threads.add(born.thread());
      }
      return chosen;
    }
  }

  private final Youngest picker = new Youngest();

  private <T> T run(Body<T> main) {
    VirtualClock clock = new VirtualClock();
    SchedulerParts parts =
        new SchedulerParts(
            new VirtualDriver(clock, () -> ""), clock, picker, null, Births.ON_LOOP, false);
    HeddleOptions options =
        HeddleOptions.defaults().withHoldLimit(Duration.ZERO).withStallLimit(Duration.ZERO);
    return LoopRuntime.run(options, parts, main, _ -> {});
  }

  @Test
  void threadOfACoroutine_isAnEntryOfTheReadyQueue_andNoCoroutine() {
    boolean coroutine =
        run(() -> {
          boolean[] inCoroutine = {true};
          Thread born = Thread.startVirtualThread(() -> inCoroutine[0] = Heddle.inCoroutine());
          born.join();
          return inCoroutine[0];
        });
    assertThat(coroutine).isFalse();
    assertThat(picker.turns).isEqualTo(1);
  }

  @Test
  void threads_thatWaitForEachOther_areContinuedByTheLoop() {
    run(() -> {
      CountDownLatch first = new CountDownLatch(1);
      CountDownLatch second = new CountDownLatch(1);
      Thread waiter =
          Thread.startVirtualThread(() -> {
            first.countDown();
            awaitUninterruptibly(second);
          });
      first.await();
      Thread.startVirtualThread(second::countDown);
      waiter.join();
      return true;
    });
    assertThat(picker.turns).isEqualTo(3); // the waiter twice
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void offloadedCall_runsOnAThreadOfTheLoop_thatItsPickerKnows() {
    Thread worker = run(() -> Heddle.offload(Thread::currentThread));
    assertThat(worker.isVirtual()).isTrue();
    assertThat(worker.getName()).isEqualTo("heddle-offload-1");
    assertThat(picker.threads).contains(worker);
  }

  @Test
  void threadThatOutlivesTheLoop_neverGoesOn() {
    CountDownLatch open = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    Thread left =
        run(() ->
            Thread.startVirtualThread(() -> {
              awaitUninterruptibly(open);
              done.countDown();
            }));
    assertThat(left.getState()).isEqualTo(Thread.State.WAITING);
    open.countDown();
    assertThat(left.getState()).isEqualTo(Thread.State.RUNNABLE); // no thread runs its turn
    assertThat(done.getCount()).isEqualTo(1);
  }

  @Test
  void threadThatIsReadyAtTheEnd_runsOnTheLoop() {
    Thread[] carrier = new Thread[1];
    run(() -> {
      Thread.startVirtualThread(
          () -> carrier[0] = VirtualThreads.carrierOf(Thread.currentThread()));
      return true;
    });
    assertThat(carrier[0]).isSameAs(Thread.currentThread());
  }
}
