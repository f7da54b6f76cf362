// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.EventsLostException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Await;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.event.source.CountingHome;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.hosting.StackEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Streams over events that fire again and again.
@Timeout(300)
class EventStreamTest {
  /// Fires when a test says so; hidden, like an event that coroutines of the loop fire.
  private static final class Bell extends EventSource implements Awaitable<Object> {
    int arms;

    Bell(HomeLoop home) {
      super(home);
    }

    void ring(@Nullable Object result) {
      fire(result, null);
    }

    void breakDown(Throwable why) {
      fire(null, why);
    }

    @Override
    protected void arm() {
      arms++;
    }

    @Override
    protected void disarm() {
      arms--;
    }

    @Override
    public String info() {
      return "a bell";
    }
  }

  private Bell bell() {
    return new Bell(EventSource.of(Heddle.daemonTimer(Duration.ofHours(1))).home());
  }

  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  @Test
  void next_returnsWhatFiredBetweenTwoReads_inOrder() {
    inLoop(() -> {
      Bell bell = bell();
      try (EventStream<Object> stream = EventStream.of(bell, 4)) {
        bell.ring("a");
        bell.ring(null);
        bell.ring("c");
        assertThat(stream.next()).isEqualTo("a");
        assertThat(stream.next()).isNull();
        assertThat(stream.next()).isEqualTo("c");
      }
      assertThat(bell.subscribers()).isZero();
      assertThat(bell.arms).isZero();
    });
  }

  @Test
  void next_withNothingThere_suspendsUntilItFires() {
    inLoop(() -> {
      Bell bell = bell();
      EventStream<Object> stream = EventStream.of(bell, 4);
      Coroutine<Object> reader = Heddle.spawn(() -> stream.next());
      Heddle.yieldNow();
      assertThat(reader.isDone()).isFalse();
      bell.ring("a");
      assertThat(reader.await()).isEqualTo("a");
    });
  }

  @Test
  void overflow_isReportedWhereTheLostOnesWouldHaveCome() {
    inLoop(() -> {
      Bell bell = bell();
      EventStream<Object> stream = EventStream.of(bell, 2);
      for (int i = 1; i <= 5; i++) {
        bell.ring(i);
      }
      assertThat(stream.next()).isEqualTo(1);
      bell.ring(6); // there is room again
      assertThat(stream.next()).isEqualTo(2);
      assertThatThrownBy(stream::next)
          .isInstanceOfSatisfying(
              EventsLostException.class, e -> assertThat(e.count()).isEqualTo(3))
          .hasMessageContaining("a bell");
      assertThat(stream.next()).isEqualTo(6);
      assertThat(stream.lost()).isEqualTo(3);
    });
  }

  @Test
  void latest_keepsTheNewestOnly() {
    inLoop(() -> {
      Bell bell = bell();
      EventStream<Object> stream = EventStream.latest(bell);
      bell.ring(1);
      bell.ring(2);
      assertThat(stream.next()).isEqualTo(2);
      assertThat(stream.lost()).isZero();
    });
  }

  @Test
  void failure_ofTheEvent_comesBehindTheItemsAndStays() {
    IllegalStateException broken = new IllegalStateException("broken");
    inLoop(() -> {
      Bell bell = bell();
      EventStream<Object> stream = EventStream.of(bell, 2);
      bell.ring(1);
      bell.breakDown(broken);
      assertThat(stream.next()).isEqualTo(1);
      assertThatThrownBy(stream::next).isSameAs(broken);
      assertThatThrownBy(stream::next).isSameAs(broken);
    });
  }

  @Test
  void close_wakesTheReaderAndRefusesReads() {
    inLoop(() -> {
      EventStream<Object> stream = EventStream.of(bell(), 2);
      Heddle.launch("closer", stream::close);
      assertThatThrownBy(stream::next)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
      assertThatThrownBy(stream::next).isInstanceOf(IllegalStateException.class);
      stream.close();
    });
  }

  @Test
  void iteration_endsWhenTheStreamIsClosed() {
    List<Object> seen = new ArrayList<>();
    inLoop(() -> {
      Bell bell = bell();
      EventStream<Object> stream = EventStream.of(bell, 2);
      Heddle.launch(
          "ringer",
          () -> {
            for (int i = 0; i < 5; i++) {
              bell.ring(i);
              Heddle.yieldNow();
            }
            stream.close();
          });
      for (Object item : stream) {
        seen.add(item);
      }
    });
    assertThat(seen).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void secondReader_isRefused() {
    inLoop(() -> {
      Bell bell = bell();
      EventStream<Object> stream = EventStream.of(bell, 2);
      Coroutine<Object> reader = Heddle.spawn(() -> stream.next());
      Heddle.yieldNow();
      assertThatThrownBy(stream::next)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("another coroutine");
      bell.ring("a");
      assertThat(reader.await()).isEqualTo("a");
    });
  }

  @Test
  @Tag("trap-1")
  void reader_cancelledAfterItsWakeUp_takesNothing() {
    inLoop(() -> {
      Bell bell = bell();
      EventStream<Object> stream = EventStream.of(bell, 2);
      Coroutine<Object> reader = Heddle.spawn(() -> stream.next());
      Heddle.yieldNow();
      bell.ring("a");
      reader.cancel("too late");
      Heddle.yieldNow();
      assertThat(stream.next()).isEqualTo("a");
    });
  }

  @Test
  void next_withADeadlineOrAToken_endsWithThem() {
    inLoop(() -> {
      EventStream<Object> stream = EventStream.of(bell(), 2);
      assertThatThrownBy(() -> stream.next(Deadline.after(Duration.ofMillis(1))))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> stream.next(Heddle.timer(Duration.ofMillis(1))))
          .isInstanceOf(WaitCancelledException.class);
    });
  }

  @Test
  void ready_asOneOfSeveral_takesNothing() {
    inLoop(() -> {
      Bell one = bell();
      Bell two = bell();
      EventStream<Object> first = EventStream.of(one, 2);
      EventStream<Object> second = EventStream.of(two, 2);
      Heddle.launch("ringer", () -> two.ring("b"));
      assertThat(Await.of(first.ready(), second.ready()).race().completionOrder())
          .containsExactly(1);
      assertThat(second.next()).isEqualTo("b");
    });
  }

  @Test
  void trigger_asAStream_losesNoPull() {
    inLoop(() -> {
      Trigger trigger = Heddle.trigger("t");
      trigger.fire();
      Heddle.yieldNow();
      EventStream<Object> pulls = EventStream.of(trigger, 8);
      pulls.next();
      for (int i = 0; i < 3; i++) {
        trigger.fire();
        Heddle.yieldNow();
      }
      for (int i = 0; i < 3; i++) {
        pulls.next();
      }
      assertThat(pulls.ready().event().isClosed()).isFalse();
    });
  }

  @Test
  @Tag("trap-11")
  void openStream_doesNotHideADeadlock() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              var _ = Heddle.ticks(Duration.ofHours(1));
              Heddle.promise().future().await();
            }))
        .isInstanceOf(DeadlockError.class);
  }

  @Test
  void capacity_isAtLeastOne() {
    inLoop(() ->
        assertThatThrownBy(() -> EventStream.of(bell(), 0))
            .isInstanceOf(IllegalArgumentException.class));
  }

  // ---- ticks ----

  @Test
  @Tag("trap-15")
  void ticks_areNumberedAndNeverEarly() {
    Duration period = Duration.ofMillis(2);
    inLoop(() -> {
      long start = System.nanoTime();
      try (EventStream<Long> ticks = Heddle.ticks(period)) {
        long last = 0;
        for (int i = 0; i < 5; i++) {
          long number = ticks.next();
          assertThat(number).isGreaterThan(last);
          assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(number * period.toNanos());
          last = number;
        }
      }
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void ticks_thatPassWhileTheLoopIsHeld_areOneWithTheNumberOfTheLast() {
    Duration period = Duration.ofMillis(1);
    inLoop(() -> {
      try (EventStream<Long> ticks = Heddle.ticks(period)) {
        long start = System.nanoTime();
        ticks.next();
        while (System.nanoTime() - start < 50 * period.toNanos()) {
          Thread.onSpinWait();
        }
        Heddle.yieldNow();
        assertThat(ticks.next()).isGreaterThanOrEqualTo(49);
      }
    });
  }

  @Test
  void period_mustBePositive() {
    inLoop(() ->
        assertThatThrownBy(() -> Heddle.ticks(Duration.ZERO))
            .isInstanceOf(IllegalArgumentException.class));
  }

  @Test
  @Tag("trap-10")
  void streamOverWhatAnotherAwaits_isNoDeadlockForThat() {
    inLoop(() -> {
      Event before = Heddle.timer(Duration.ofMillis(5));
      var _ = EventStream.of(before, 4);
      Heddle.await(before);
      Event after = Heddle.timer(Duration.ofMillis(5));
      Coroutine<Object> awaiter = Heddle.spawn(() -> Heddle.await(after));
      Heddle.yieldNow();
      var _ = EventStream.of(after, 4);
      awaiter.await();
    });
  }

  @Test
  @Tag("trap-10")
  void streamOverWhatIsNoLongerAwaited_doesNotHideADeadlock() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Trigger trigger = Heddle.trigger("t");
              var _ = EventStream.of(trigger, 4);
              assertThatThrownBy(() -> Heddle.await(trigger, Deadline.after(Duration.ofMillis(1))))
                  .isInstanceOf(DeadlineException.class);
              Heddle.promise().future().await();
            }))
        .isInstanceOf(DeadlockError.class);
  }

  @Test
  @Tag("trap-10")
  void ready_whichAnotherWaitsForBesidesMore_isNoDeadlockForTheReader() {
    inLoop(() -> {
      Promise<String> more = Heddle.promise();
      try (EventStream<?> ticks = Heddle.ticks(Duration.ofMillis(1))) {
        Coroutine<Object> both =
            Heddle.spawn(() -> Heddle.await(Event.allOf(ticks.ready(), more.future())));
        Heddle.yieldNow();
        for (int i = 0; i < 3; i++) {
          ticks.next();
        }
        more.complete("more");
        both.await();
      }
    });
  }

  @Test
  void failureThatIsNotRead_isReportedAtTheClose() {
    IllegalStateException broken = new IllegalStateException("broken");
    try (Reports reports = new Reports()) {
      inLoop(() -> {
        Coroutine<Object> failing = failing(broken);
        try (EventStream<Object> unread = EventStream.of(failing, 1);
            EventStream<Object> read = EventStream.of(failing, 1)) {
          Heddle.yieldNow();
          assertThatThrownBy(read::next).isSameAs(broken);
          assertThat(unread.lost()).isZero();
        }
      });
      assertThat(reports.failures()).containsExactly(broken);
    }
  }

  @Test
  @Tag("trap-18")
  void failureThatTheEndOfTheLoopHasReported_isNotReportedAgainAtTheClose() {
    IllegalStateException broken = new IllegalStateException("broken");
    List<Throwable> reported = new ArrayList<>();
    UnobservedOutcomes outcomes =
        new UnobservedOutcomes() {
          @Override
          public Object callSite(@Nullable Object code) {
            return "here";
          }

          @Override
          public String describe(Object site) {
            return site.toString();
          }

          @Override
          public void unobserved(String what, Throwable failure) {
            reported.add(failure);
          }

          @Override
          protected void unused(String what) {}
        };
    Bell bell = new Bell(new CountingHome(outcomes));
    EventStream<Object> stream = EventStream.of(bell, 1);
    bell.breakDown(broken);
    outcomes.close(); // as the end of the loop does
    assertThat(reported).containsExactly(broken);
    stream.close();
    assertThat(reported).containsExactly(broken);
  }

  @Test
  void close_ofTicksAfterTheirLoopHasEnded_doesNothing() {
    EventStream<?> ticks = Heddle.run(() -> Heddle.ticks(Duration.ofMillis(1)));
    ticks.close();
    ticks.close();
    assertThat(ticks.size()).isZero();
  }

  // ---- the end, without reading ----

  private static void awaitDrained(EventStream<?> stream, List<Object> log) {
    Heddle.spawn(() -> {
      Heddle.await(stream.drained());
      log.add("drained");
    });
    Heddle.yieldNow();
  }

  @Test
  void drained_firesWhenTheLastItemBeforeAFailureIsRead() {
    inLoop(() -> {
      List<Object> log = new ArrayList<>();
      Bell bell = bell();
      EventStream<Object> stream = EventStream.of(bell, 2);
      awaitDrained(stream, log);
      bell.ring("a");
      bell.breakDown(new IllegalStateException("broken"));
      Heddle.yieldNow();
      assertThat(log).isEmpty();
      assertThat(stream.next()).isEqualTo("a");
      Heddle.yieldNow();
      assertThat(log).containsExactly("drained");
      assertThatThrownBy(stream::next).hasMessage("broken");
      stream.close();
    });
  }

  @Test
  void drained_firesWhenTheStreamIsClosed() {
    inLoop(() -> {
      List<Object> log = new ArrayList<>();
      Bell bell = bell();
      EventStream<Object> stream = EventStream.of(bell, 2);
      bell.ring("a");
      awaitDrained(stream, log);
      stream.close();
      Heddle.yieldNow();
      assertThat(log).containsExactly("drained");
      Heddle.await(stream.drained()); // it stays so
    });
  }

  private static Coroutine<Object> failing(RuntimeException failure) {
    return Heddle.spawn(() -> {
      throw failure;
    });
  }

  @Test
  @Tag("trap-23")
  void close_whereTheStackEnds_leavesNoReaderBehind() {
    inLoop(() -> {
      EventStream<Object> stream = EventStream.of(bell(), 2);
      Coroutine<?> reader =
          Heddle.spawn(
              () -> assertThatThrownBy(stream::next).isInstanceOf(IllegalStateException.class));
      Heddle.yieldNow();
      assertThat(StackEnd.runAt(stream::close)).isTrue();
      reader.await();
    });
  }

  @Test
  void stream_ofAnotherThread_isRefused() {
    inLoop(() -> {
      Trigger trigger = Heddle.trigger("t");
      assertThatThrownBy(() -> Heddle.offload(() -> EventStream.of(trigger, 1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("belongs to the loop");
    });
  }
}
