// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.libraries.crowd.Crew.Helper;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// Queues that block who takes from an empty one, and who puts into a full one.
final class Queues {
  private static final int PLACES = 2;

  /// With two places.
  private final List<BlockingQueue<Integer>> bounded =
      List.of(
          new ArrayBlockingQueue<>(PLACES),
          new ArrayBlockingQueue<>(PLACES, true),
          new LinkedBlockingQueue<>(PLACES),
          new LinkedBlockingDeque<>(PLACES));

  /// Without a place: an item goes from hand to hand.
  private final List<BlockingQueue<Integer>> direct =
      List.of(new SynchronousQueue<>(), new SynchronousQueue<>(true));

  private final List<BlockingQueue<Integer>> unbounded =
      List.of(
          new LinkedTransferQueue<>(),
          new LinkedBlockingQueue<>(),
          new LinkedBlockingDeque<>(),
          new PriorityBlockingQueue<>());

  private List<BlockingQueue<Integer>> all() {
    List<BlockingQueue<Integer>> all = new ArrayList<>(bounded);
    all.addAll(direct);
    all.addAll(unbounded);
    return all;
  }

  @Together
  void take_fromAnEmptyQueue_waitsForAPut(Crew crew) throws Exception {
    for (BlockingQueue<Integer> queue : all()) {
      Helper taker = crew.start(() -> assertThat(queue.take()).isEqualTo(42)).awaitWait();
      queue.put(42);
      taker.join();
    }
  }

  @Together
  void put_intoAFullQueue_waitsForATake(Crew crew) throws Exception {
    for (BlockingQueue<Integer> queue : bounded) {
      for (int i = 0; i < PLACES; i++) {
        assertThat(queue.offer(i)).isTrue();
      }
      assertThat(queue.offer(9)).isFalse();
      Helper putter = crew.start(() -> queue.put(PLACES)).awaitWait();
      for (int i = 0; i <= PLACES; i++) {
        assertThat(queue.take()).isEqualTo(i);
      }
      putter.join();
    }
  }

  @Together
  void put_intoADirectQueue_waitsForItsTaker(Crew crew) throws Exception {
    for (BlockingQueue<Integer> queue : direct) {
      assertThat(queue.offer(9)).isFalse();
      Helper putter = crew.start(() -> queue.put(1)).awaitWait();
      assertThat(queue.take()).isEqualTo(1);
      putter.join();
    }
  }

  @Together
  void take_thatIsInterrupted_throwsAndTakesNothing(Crew crew) throws Exception {
    for (BlockingQueue<Integer> queue : all()) {
      Helper taker =
          crew.start(
              () -> assertThatThrownBy(queue::take).isInstanceOf(InterruptedException.class));
      taker.interruptInWait();
      taker.join();
      assertThat(queue.poll()).isNull();
    }
  }

  @Together
  void put_thatIsInterrupted_throwsAndLeavesNothing(Crew crew) throws Exception {
    for (BlockingQueue<Integer> queue : bounded) {
      queue.put(1);
      queue.put(2);
      Helper putter =
          crew.start(() ->
              assertThatThrownBy(() -> queue.put(3)).isInstanceOf(InterruptedException.class));
      putter.interruptInWait();
      putter.join();
      assertThat(queue).containsExactly(1, 2);
    }
  }

  @Together
  void pollAndOffer_withALimit_sayNoOnceItHasPassed(Crew crew) throws Exception {
    for (BlockingQueue<Integer> queue : all()) {
      assertThat(queue.poll(1, TimeUnit.MILLISECONDS)).isNull();
    }
    for (BlockingQueue<Integer> queue : direct) {
      assertThat(queue.offer(1, 1, TimeUnit.MILLISECONDS)).isFalse();
    }
    for (BlockingQueue<Integer> queue : bounded) {
      queue.put(1);
      queue.put(2);
      assertThat(queue.offer(3, 1, TimeUnit.MILLISECONDS)).isFalse();
    }
  }

  @Together
  void pollAndOffer_withALongLimit_areEndedByTheOtherSide(Crew crew) throws Exception {
    for (BlockingQueue<Integer> queue : all()) {
      Helper poller =
          crew.start(() -> assertThat(queue.poll(1, TimeUnit.DAYS)).isEqualTo(1)).awaitWait();
      assertThat(queue.offer(1, 1, TimeUnit.DAYS)).isTrue();
      poller.join();
    }
  }

  @Together
  void drain_ofAFullQueue_letsThoseInWhoWait(Crew crew) throws Exception {
    for (BlockingQueue<Integer> queue : bounded) {
      queue.put(1);
      queue.put(2);
      Helper putter = crew.start(() -> queue.put(3)).awaitWait();
      List<Integer> drained = new ArrayList<>();
      assertThat(queue.drainTo(drained)).isEqualTo(PLACES);
      putter.join();
      assertThat(queue.take()).isEqualTo(3);
    }
  }

  @Together
  void producersAndConsumers_loseAndDoubleNothing(Crew crew) throws Exception {
    int pairs = 3;
    int items = 40;
    for (BlockingQueue<Integer> queue : all()) {
      AtomicLong sum = new AtomicLong();
      List<Helper> helpers = new ArrayList<>();
      for (int i = 0; i < pairs; i++) {
        helpers.add(crew.start(() -> produce(queue, items)));
        helpers.add(crew.start(() -> consume(queue, items, sum)));
      }
      for (Helper helper : helpers) {
        helper.join();
      }
      assertThat(sum).hasValue((long) pairs * items * (items + 1) / 2);
      assertThat(queue.poll()).isNull();
    }
  }

  private static void produce(BlockingQueue<Integer> queue, int items) throws InterruptedException {
    for (int i = 1; i <= items; i++) {
      queue.put(i);
    }
  }

  private static void consume(BlockingQueue<Integer> queue, int items, AtomicLong sum)
      throws InterruptedException {
    for (int i = 0; i < items; i++) {
      sum.addAndGet(queue.take());
    }
  }

  @Together
  void transfer_waitsUntilTheItemIsTaken(Crew crew) throws Exception {
    LinkedTransferQueue<Integer> queue = new LinkedTransferQueue<>();
    assertThat(queue.tryTransfer(1)).isFalse();
    assertThat(queue.tryTransfer(1, 1, TimeUnit.MILLISECONDS)).isFalse();
    AtomicBoolean transferred = new AtomicBoolean();
    Helper giver =
        crew.start(
                () -> {
                  queue.transfer(5);
                  transferred.set(true);
                })
            .awaitWait();
    assertThat(transferred).isFalse();
    assertThat(queue.take()).isEqualTo(5);
    giver.join();
    Helper taker = crew.start(() -> assertThat(queue.take()).isEqualTo(6)).awaitWait();
    Crew.until(queue::hasWaitingConsumer);
    queue.transfer(6);
    taker.join();
  }

  @Together
  void priorityQueue_givesTheLeastFirst(Crew crew) throws Exception {
    PriorityBlockingQueue<Integer> queue = new PriorityBlockingQueue<>();
    List<Integer> taken = new ArrayList<>();
    for (int i : new int[] {3, 1, 2}) {
      queue.put(i);
    }
    crew.start(
            () -> {
              for (int i = 0; i < 3; i++) {
                taken.add(queue.take());
              }
            })
        .join();
    assertThat(taken).containsExactly(1, 2, 3);
  }

  @Together
  void deque_isServedFromBothEnds(Crew crew) throws Exception {
    LinkedBlockingDeque<Integer> deque = new LinkedBlockingDeque<>(PLACES);
    Helper last = crew.start(() -> assertThat(deque.takeLast()).isEqualTo(1)).awaitWait();
    deque.putFirst(1);
    last.join();
    deque.putFirst(2);
    deque.putLast(3);
    Helper putter = crew.start(() -> deque.putFirst(4)).awaitWait();
    assertThat(deque.takeLast()).isEqualTo(3);
    putter.join();
    assertThat(deque).containsExactly(4, 2);
  }

  /// Something that a [DelayQueue] gives out at its moment.
  private record Due(long nanoTime) implements Delayed {
    static Due in(long millis) {
      return new Due(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(nanoTime - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(nanoTime - ((Due) other).nanoTime, 0);
    }
  }

  @Together
  void delayQueue_givesNothingEarly_andTheEarliestFirst(Crew crew) throws Exception {
    DelayQueue<Due> queue = new DelayQueue<>();
    Due later = Due.in(4);
    Due sooner = Due.in(2);
    queue.put(later);
    queue.put(Due.in(TimeUnit.DAYS.toMillis(1)));
    queue.put(sooner);
    Helper taker =
        crew.start(() -> {
          assertThat(queue.take()).isSameAs(sooner);
          assertThat(queue.take()).isSameAs(later);
          assertThat(later.getDelay(TimeUnit.NANOSECONDS)).isNotPositive();
          assertThat(queue.poll()).isNull();
          assertThatThrownBy(queue::take).isInstanceOf(InterruptedException.class);
        });
    Crew.until(() -> queue.size() == 1);
    taker.interruptInWait();
    taker.join();
  }
}
