// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.event.EventStream;
import dev.heddle.event.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What it costs to leave an event that many have subscribed to, in steps: as many for each,
/// however many there are. A scan would take a hundred million steps here.
@Timeout(300)
@Tag("loop-310")
class EventCostTest {
  private static final int MANY = 20_000;
  private static final long LINEAR =
      7L * MANY; // a removal, a look-up, twice a compaction, twice an index

  /// In which order they leave.
  enum Order {
    OLDEST_FIRST,
    NEWEST_FIRST,
    RANDOM,
    FROM_THE_MIDDLE;

    void forEach(IntConsumer leave) {
      List<Integer> places = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        places.add(this == FROM_THE_MIDDLE ? (i + MANY / 2) % MANY : i);
      }
      if (this == NEWEST_FIRST) {
        Collections.reverse(places);
      } else if (this == RANDOM) {
        Collections.shuffle(places, new Random(42));
      }
      places.forEach(leave::accept);
    }
  }

  private static final class Bell extends EventSource {
    Bell(HomeLoop home) {
      super(home);
    }

    static Bell ofTheLoop() {
      return new Bell(CoroutineNode.current().scheduler());
    }

    void ring(@Nullable Throwable error) {
      fire(null, error);
    }

    @Override
    public String info() {
      return "a bell";
    }
  }

  private static final class Member implements InlineCallback {
    int place;

    @Override
    public void moved(Event event, int to) {
      place = to;
    }

    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {}
  }

  private final Bell bell = new Bell(new CountingHome(new ArrayDeque<>()));

  private static void assertLinear(Bell bell) {
    assertThat(bell.subscribers()).isZero();
    assertThat(bell.visited()).as("places looked at").isBetween((long) MANY, LINEAR);
  }

  // ---- callbacks ----

  @ParameterizedTest
  @EnumSource(Order.class)
  void callbacksThatKnowTheirPlace_leaveWithoutASearch(Order order) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Member member = new Member();
      member.place = bell.add(member);
      members.add(member);
    }
    order.forEach(i -> bell.unsubscribe(members.get(i), members.get(i).place));
    assertLinear(bell);
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void usersCallbacks_leaveByThePlaceThatTheyWerePutAt(Order order) {
    List<EventCallback> callbacks = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      callbacks.add(callback());
      places.add(bell.add(callbacks.get(i)));
    }
    order.forEach(i -> bell.unsubscribe(callbacks.get(i), places.get(i)));
    assertLinear(bell);
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void usersCallbacks_leaveWithoutAPlace(Order order) {
    List<EventCallback> callbacks = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      callbacks.add(callback());
      bell.subscribe(callbacks.get(i));
    }
    order.forEach(i -> bell.unsubscribe(callbacks.get(i)));
    assertLinear(bell);
  }

  // a new object each time, which a lambda that captures nothing is not
  private static EventCallback callback() {
    return new EventCallback() {
      @Override
      public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {}
    };
  }

  @Test
  void usersCallback_thatIsThereManyTimes_leavesTheLatestFirst() {
    EventCallback one = callback();
    EventCallback other = callback();
    for (EventCallback callback : List.of(one, other)) {
      for (int i = 0; i < MANY / 2; i++) {
        bell.subscribe(callback);
      }
    }
    for (EventCallback callback : List.of(one, other)) {
      for (int i = 0; i < MANY / 2; i++) {
        bell.unsubscribe(callback);
      }
    }
    assertLinear(bell);
  }

  @Test
  void callbacksThatComeAndGo_costTheSameHoweverManyStay() {
    List<Member> staying = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Member member = new Member();
      member.place = bell.add(member);
      staying.add(member);
    }
    Random random = new Random(42);
    for (int i = 0; i < 4 * MANY; i++) {
      Member next = staying.get(random.nextInt(MANY));
      bell.unsubscribe(next, next.place);
      next.place = bell.add(next);
    }
    assertThat(bell.visited()).isLessThan(4 * LINEAR);
    assertThat(bell.subscribers()).isEqualTo(MANY);
  }

  // ---- coroutines ----

  /// Starts many that wait for a bell, each its own way, and lets `end` end the waits.
  private static void crowd(Consumer<Bell> wait, Ending end) {
    Heddle.run(() -> {
      Bell shared = Bell.ofTheLoop();
      Heddle.supervise(scope -> {
        List<Coroutine<?>> waiting = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
          waiting.add(scope.spawn(() -> wait.accept(shared)));
        }
        Heddle.yieldNow();
        assertThat(shared.subscribers()).isEqualTo(MANY);
        end.of(shared, waiting);
        return null;
      });
      assertLinear(shared);
    });
  }

  @FunctionalInterface
  private interface Ending {
    void of(Bell bell, List<Coroutine<?>> waiting);
  }

  private static void untilItFires(Bell bell) {
    try {
      Heddle.await(Heddle.daemonTimer(Duration.ofDays(1)), bell);
    } catch (WaitCancelledException _) {
      // safe: the bell was to end the wait
    }
  }

  @Test
  void coroutinesThatAnEventWakes_leaveItWithoutASearch() {
    crowd(Heddle::await, (bell, _) -> bell.ring(null));
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void coroutinesThatAreCancelled_leaveTheirEventWithoutASearch(Order order) {
    crowd(
        Heddle::await,
        (_, waiting) -> order.forEach(i -> waiting.get(i).cancel("in the order of the test")));
  }

  @Test
  void coroutinesWhoseScopeIsCancelled_leaveTheirEventWithoutASearch() {
    crowd(Heddle::await, (_, _) -> Scope.current().cancel("all of them"));
  }

  @Test
  void waitsThatTimeOut_leaveTheirEventWithoutASearch() {
    crowd(
        bell -> {
          try {
            Heddle.await(bell, Deadline.after(Duration.ofMillis(1)));
          } catch (DeadlineException _) {
            // safe: nobody rings
          }
        },
        (_, _) -> {});
  }

  @Test
  void waitsThatATokenEnds_leaveItWithoutASearch() {
    crowd(EventCostTest::untilItFires, (bell, _) -> bell.ring(null));
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void waitsThatEndBeforeTheirToken_leaveItWithoutASearch(Order order) {
    crowd(
        EventCostTest::untilItFires,
        (_, waiting) -> order.forEach(i -> waiting.get(i).cancel("in the order of the test")));
  }

  @Test
  void blocksThatTheirTokenCuts_leaveItWithoutASearch() {
    crowd(
        bell -> {
          try {
            Heddle.cancelWhen(bell, () -> Heddle.delay(Duration.ofDays(1)));
          } catch (WaitCancelledException _) {
            // safe: the bell was to end the block
          }
        },
        (bell, _) -> bell.ring(null));
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void blocksThatEndBeforeTheirToken_leaveItWithoutASearch(Order order) {
    crowd(
        bell -> Heddle.cancelWhen(bell, () -> Heddle.delay(Duration.ofDays(1))),
        (_, waiting) -> order.forEach(i -> waiting.get(i).cancel("in the order of the test")));
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void compositesThatShareAPart_leaveItWithoutASearch(Order order) {
    crowd(
        bell -> Heddle.await(Event.anyOf(bell, Heddle.daemonTimer(Duration.ofDays(1)))),
        (_, waiting) -> order.forEach(i -> waiting.get(i).cancel("in the order of the test")));
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void waitsOfManyEvents_leaveTheSharedOneWithoutASearch(Order order) {
    crowd(
        bell ->
            Heddle.await(
                Event.allOf(
                    bell,
                    Heddle.daemonTimer(Duration.ofDays(1)),
                    Heddle.daemonTimer(Duration.ofDays(2)))),
        (_, waiting) -> order.forEach(i -> waiting.get(i).cancel("in the order of the test")));
  }

  // ---- futures and streams ----

  @ParameterizedTest
  @EnumSource(Order.class)
  void futuresOfAnEvent_leaveItWithoutASearch(Order order) {
    Heddle.run(() -> {
      Bell shared = Bell.ofTheLoop();
      List<Future<?>> futures = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        futures.add(Future.of(shared));
      }
      Cancellation why = new Cancellation("in the order of the test");
      order.forEach(i -> futures.get(i).cancel(why));
      assertLinear(shared);
    });
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void streamsOfAnEvent_leaveItWithoutASearch(Order order) {
    Heddle.run(() -> {
      Bell shared = Bell.ofTheLoop();
      List<EventStream<?>> streams = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        streams.add(EventStream.latest(shared));
      }
      order.forEach(i -> streams.get(i).close());
      assertLinear(shared);
    });
  }

  @Test
  void watchersOfOneEvent_areNotLimited() {
    Heddle.run(() -> {
      var coroutine = Heddle.spawn(() -> Heddle.yieldNow());
      Bell shared = Bell.ofTheLoop();
      List<Future<?>> watching = new ArrayList<>();
      for (int i = 0; i <= 2 * Short.MAX_VALUE; i++) {
        watching.add(Future.of(shared));
        var _ = coroutine.toCompletableFuture();
      }
      shared.ring(null);
      assertThat(watching).allMatch(Future::isDone);
      assertThat(shared.isStarted()).isFalse();
      coroutine.await();
    });
  }
}
