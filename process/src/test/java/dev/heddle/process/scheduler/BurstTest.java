// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.scheduler.Task.State;
import dev.heddle.process.scheduler.Task.StepResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a step sends without a fence for each, and how the receiver comes to see it.
@Timeout(300)
class BurstTest {
  private static final int PLACES = 32;

  /// Several in a row.
  private static final class Slice extends Node {
    final List<Object> items;

    Slice(List<Object> items) {
      this.items = items;
    }
  }

  private static final class Numbers extends Burst {
    final List<Object> unseen = Collections.synchronizedList(new ArrayList<>());

    Numbers(Task to, EventQueue queue, int first) {
      super(to, queue, PLACES, first);
    }

    @Override
    protected Node node(@Nullable Object[] from, int first, int end) {
      return new Slice(List.of(java.util.Arrays.copyOfRange(from, first, end)));
    }

    @Override
    protected void unseen(@Nullable Object item) {
      unseen.add(Objects.requireNonNull(item));
    }
  }

  private final WorkerPool pool =
      new WorkerPool("bursts", 2, (_, _, _, _) -> {}, Duration.ofHours(1));
  private final WorkScheduler scheduler = pool.scheduler();
  private final Worker worker = scheduler.workers()[0]; // not started: this thread plays it
  private final EventQueue queue = new EventQueue(Integer.MAX_VALUE);
  private final List<Object> got = Collections.synchronizedList(new ArrayList<>());

  private void take(int most) {
    for (var node = queue.take(most); node != null; node = EventQueue.after(node)) {
      got.addAll(((Slice) node).items);
    }
  }

  private static Probe task(Function<Worker, StepResult> step) {
    return new Probe(0, step, () -> {});
  }

  private Numbers begun(Task to, int first) {
    Numbers burst = new Numbers(to, queue, first);
    assertThat(queue.push(burst)).isEqualTo(EventQueue.Push.ACCEPTED);
    burst.pushed();
    return burst;
  }

  /// Runs code as a step of the worker does.
  private void here(Runnable code) {
    worker.runMounted(Thread.currentThread(), code);
  }

  private static List<Object> upTo(int end) {
    return List.copyOf(IntStream.range(0, end).boxed().toList());
  }

  // ---- what the receiver sees ----

  @Test
  @Tag("proc-286")
  void whatIsAdded_isThereAtOnce() {
    Numbers burst = begun(task(_ -> StepResult.IDLE), 0);
    for (int i = 1; i < PLACES; i++) {
      assertThat(worker.add(burst, i)).isTrue();
      take(100);
      assertThat(got).isEqualTo(upTo(i + 1));
    }
    assertThat(worker.add(burst, PLACES)).isFalse();
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  @Tag("proc-285")
  void whatIsAddedLate_comesBeforeWhatWasPushedBehindTheBurst() {
    Numbers burst = begun(task(_ -> StepResult.IDLE), 0);
    take(100);
    assertThat(worker.add(burst, 1)).isTrue();
    here(() -> worker.end(burst));
    queue.push(new Slice(List.of(2)));
    take(100);
    assertThat(got).isEqualTo(upTo(3));
  }

  @Test
  @Tag("proc-287")
  void take_handsOutNoMoreThanItIsAskedFor_andTheLengthSaysWhatIsLeft() {
    Task to = task(_ -> StepResult.IDLE);
    Numbers burst = begun(to, 0);
    for (int i = 1; i < 20; i++) {
      assertThat(worker.add(burst, i)).isTrue();
    }
    assertThat(queue.length(burst.uncounted(to))).isEqualTo(20);
    take(7);
    assertThat(got).isEqualTo(upTo(7));
    assertThat(queue.length(burst.uncounted(to))).isEqualTo(13);
    here(() -> worker.end(burst));
    assertThat(burst.uncounted(to)).isZero();
    queue.push(new Slice(List.of(20)));
    assertThat(queue.length()).isEqualTo(14);
    take(13);
    assertThat(queue.length()).isEqualTo(1);
    take(13);
    assertThat(got).isEqualTo(upTo(21));
    assertThat(queue.length()).isZero();
    assertThat(queue.isEmpty()).isTrue();
  }

  // ---- who tells the receiver ----

  @Test
  @Tag("proc-286")
  void receiverThatRests_isWokenByWhatIsAdded() {
    Probe to = task(_ -> StepResult.IDLE);
    Numbers burst = begun(to, 0);
    Task.StepResult _ = worker.runSteps(to, new Task.Run());
    assertThat(to.state()).isEqualTo(State.IDLE);
    here(() -> assertThat(worker.add(burst, 1)).isTrue());
    assertThat(to.state()).isEqualTo(State.READY);
  }

  @Test
  @Tag("proc-286")
  void receiverThatRuns_andRestsWithoutALook_isWokenAtTheEnd() {
    Numbers[] burst = new Numbers[1];
    Probe to =
        task(_ -> {
          take(100);
          assertThat(worker.add(burst[0], 1)).isTrue(); // while it runs: nobody tells it
          return StepResult.IDLE;
        });
    burst[0] = begun(to, 0);
    Task.StepResult _ = worker.runSteps(to, new Task.Run());
    assertThat(to.state()).isEqualTo(State.IDLE);
    here(() -> worker.end(burst[0]));
    assertThat(to.state()).isEqualTo(State.READY);
    take(100);
    assertThat(got).isEqualTo(upTo(2));
  }

  @Test
  @Tag("proc-286")
  void stepThatGoesOn_hasItsReceiverWokenByTheMonitor() throws Exception {
    CountDownLatch taken = new CountDownLatch(1);
    CountDownLatch added = new CountDownLatch(1);
    CountDownLatch all = new CountDownLatch(1);
    Probe to =
        task(_ -> {
          take(100);
          if (got.isEmpty()) {
            return StepResult.IDLE;
          }
          if (got.size() == 2) {
            all.countDown();
            return StepResult.DONE;
          }
          taken.countDown();
          await(added); // what is added meanwhile tells it nothing
          return StepResult.IDLE;
        });
    Probe sender =
        task(by -> {
          Numbers burst = new Numbers(to, queue, 0);
          by.beginBurst(burst);
          queue.push(burst);
          burst.pushed();
          scheduler.wake(to, Task.BY_MESSAGE, null);
          await(taken);
          assertThat(by.add(burst, 1)).isTrue();
          added.countDown();
          await(all); // the step does not return before that
          return StepResult.DONE;
        });
    pool.start();
    scheduler.start(to, null);
    // it has begun and rests, so that the burst wakes it
    while (to.state() != State.IDLE) {
      Thread.onSpinWait();
    }
    scheduler.start(sender, null);
    all.await();
    assertThat(got).isEqualTo(upTo(2));
    pool.halt();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  // ---- a receiver that ends ----

  @Test
  @Tag("proc-288")
  void whatWasNotTaken_isLeftUnseenOnce() {
    Numbers burst = begun(task(_ -> StepResult.IDLE), 0);
    for (int i = 1; i < 5; i++) {
      assertThat(worker.add(burst, i)).isTrue();
    }
    take(2);
    for (var node = queue.close(); node != null; node = EventQueue.after(node)) {
      ((Burst) node).abandon();
    }
    assertThat(worker.add(burst, 5)).isFalse();
    here(() -> worker.end(burst));
    assertThat(burst.unseen).containsExactly(2, 3, 4);
  }

  @Test
  @Tag("proc-288")
  void burstThatHasEnded_isLeftUnseenOnce() {
    Numbers burst = begun(task(_ -> StepResult.IDLE), 0);
    assertThat(worker.add(burst, 1)).isTrue();
    here(() -> worker.end(burst));
    var left = queue.close();
    assertThat(left).isSameAs(burst);
    burst.abandon();
    here(() -> worker.end(burst));
    assertThat(burst.unseen).containsExactly(0, 1);
  }

  /// A sender and a receiver that ends, at whatever moment of the other: what was accepted is seen
  /// or left unseen, once.
  @Test
  @Tag("proc-288")
  void receiverThatEnds_whileSomethingIsAdded_leavesItUnseenOnce() throws Exception {
    int rounds = 20_000;
    Numbers[] bursts = new Numbers[rounds];
    int[] accepted = new int[rounds];
    for (int i = 0; i < rounds; i++) {
      bursts[i] = new Numbers(task(_ -> StepResult.IDLE), queue, 0);
      bursts[i].pushed();
    }
    CyclicBarrier together = new CyclicBarrier(2);
    Thread receiver =
        Thread.ofPlatform()
            .start(() -> {
              for (Numbers burst : bursts) {
                meet(together);
                burst.abandon();
              }
            });
    for (int i = 0; i < rounds; i++) {
      meet(together);
      int next = 1;
      while (next < PLACES && worker.add(bursts[i], next)) {
        next++;
      }
      accepted[i] = next;
      worker.end(bursts[i]);
    }
    receiver.join();
    for (int i = 0; i < rounds; i++) {
      assertThat(bursts[i].unseen).isEqualTo(upTo(accepted[i]));
    }
  }

  /// Both spin: who waits in the kernel comes too late to meet the other in the middle.
  private static void meet(CyclicBarrier together) {
    try {
      together.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  // ---- both at once ----

  @Test
  @Tag("proc-285")
  void burstsAndOthers_whileTheConsumerTakes_comeOnceAndInOrder() throws Exception {
    int all = 300_000;
    Probe to = task(_ -> StepResult.IDLE);
    Thread sender =
        Thread.ofPlatform()
            .start(() ->
                here(() -> {
                  Numbers burst = null;
                  for (int i = 0; i < all; i++) {
                    if (burst != null && worker.add(burst, i)) {
                      continue;
                    }
                    if (burst != null) {
                      worker.end(burst);
                    }
                    burst = null;
                    if (i % 3 == 0) {
                      queue.push(new Slice(List.of(i)));
                    } else {
                      burst = begun(to, i);
                    }
                  }
                  if (burst != null) {
                    worker.end(burst);
                  }
                }));
    while (got.size() < all) {
      take(1 + got.size() % 50);
    }
    sender.join();
    assertThat(got).isEqualTo(upTo(all));
    assertThat(queue.length()).isZero();
    take(1);
    assertThat(queue.isEmpty()).isTrue();
  }
}
