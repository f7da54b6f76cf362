// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.event.EventCallback;
import dev.heddle.event.NotifyHook;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An event by itself, and custom callbacks in a running loop.
@Timeout(300)
class EventTest {
  private final List<String> calls = new ArrayList<>();
  private final List<Runnable> later = new ArrayList<>();
  private final CountingHome home = new CountingHome(later);
  private final Bell bell = new Bell(home);

  private static final class Bell extends EventSource {
    int arms;
    int disarms;

    Bell(HomeLoop home) {
      super(home);
    }

    void ring(@Nullable Object result) {
      fire(result, null);
    }

    @Override
    public boolean isDaemon() {
      return false;
    }

    @Override
    protected void arm() {
      arms++;
    }

    @Override
    protected void disarm() {
      disarms++;
    }

    @Override
    public String info() {
      return "a bell";
    }
  }

  private InlineCallback log(String name) {
    return (event, result, error) -> calls.add(name);
  }

  // ---- notification ----

  @Test
  void callbacks_runInTheOrderOfSubscription() {
    bell.subscribe(log("a"));
    bell.subscribe(log("b"));
    bell.subscribe(log("c"));
    bell.ring(null);
    assertThat(calls).containsExactly("a", "b", "c");
  }

  @Test
  void callback_getsTheResultAndTheError() {
    List<@Nullable Object> got = new ArrayList<>();
    bell.subscribe(
        (InlineCallback)
            (event, result, error) -> {
              got.add(event);
              got.add(result);
              got.add(error);
            });
    RuntimeException failure = new RuntimeException("x");
    bell.fire("value", failure);
    assertThat(got).containsExactly(bell, "value", failure);
  }

  @Test
  @Tag("loop-298")
  @Tag("trap-8")
  void removal_ofAnEarlierCallbackDuringNotify_runsEveryRemainingOneOnce() {
    InlineCallback a = log("a");
    bell.subscribe(a);
    bell.subscribe(
        (InlineCallback)
            (event, result, error) -> {
              calls.add("b");
              bell.unsubscribe(a);
            });
    bell.subscribe(log("c"));
    bell.subscribe(log("d"));
    bell.ring(null);
    bell.ring(null);
    assertThat(calls).containsExactly("a", "b", "c", "d", "b", "c", "d");
  }

  @Test
  @Tag("loop-298")
  @Tag("trap-8")
  void removal_ofALaterCallbackDuringNotify_keepsItFromRunning() {
    InlineCallback c = log("c");
    bell.subscribe((InlineCallback) (event, result, error) -> bell.unsubscribe(c));
    bell.subscribe(log("b"));
    bell.subscribe(c);
    bell.subscribe(log("d"));
    bell.ring(null);
    assertThat(calls).containsExactly("b", "d");
  }

  @Test
  @Tag("trap-8")
  void removal_ofItselfDuringNotify_disturbsNoOtherSubscriber() {
    InlineCallback[] self = new InlineCallback[1];
    self[0] =
        (event, result, error) -> {
          calls.add("once");
          bell.unsubscribe(self[0]);
        };
    bell.subscribe(self[0]);
    bell.subscribe(log("always"));
    bell.ring(null);
    bell.ring(null);
    assertThat(calls).containsExactly("once", "always", "always");
  }

  @Test
  void callback_addedDuringNotify_runsInTheSamePass() {
    bell.subscribe(
        (InlineCallback)
            (event, result, error) -> {
              calls.add("a");
              if (calls.size() == 1) {
                bell.subscribe(log("added"));
              }
            });
    bell.subscribe(log("b"));
    bell.ring(null);
    assertThat(calls).containsExactly("a", "b", "added");
  }

  @Test
  @Tag("trap-13")
  void callback_thatThrows_endsThisNotificationAndLeavesTheListSound() {
    boolean[] broken = {true};
    InlineCallback removed = log("removed");
    InlineCallback removedToo = log("removed, too");
    bell.subscribe(removed);
    bell.subscribe(removedToo);
    bell.subscribe(
        (InlineCallback)
            (event, result, error) -> {
              bell.unsubscribe(removed);
              bell.unsubscribe(removedToo);
              if (broken[0]) {
                throw new IllegalStateException("broken");
              }
            });
    bell.subscribe(log("c"));
    assertThatThrownBy(() -> bell.ring(null)).hasMessage("broken");
    assertThat(calls).containsExactly("removed", "removed, too");
    broken[0] = false;
    bell.ring(null);
    assertThat(calls).containsExactly("removed", "removed, too", "c");
    assertThat(bell.subscribers()).isEqualTo(2);
    assertThat(bell.add(log("d"))).as("the holes are closed").isEqualTo(2);
  }

  @Test
  void notification_insideANotification_reachesEverybodyTwice() {
    bell.subscribe(
        (InlineCallback)
            (event, result, error) -> {
              calls.add("a" + result);
              if ("outer".equals(result)) {
                bell.ring("inner");
              }
            });
    bell.subscribe((InlineCallback) (event, result, error) -> calls.add("b" + result));
    bell.ring("outer");
    assertThat(calls).containsExactly("aouter", "ainner", "binner", "bouter");
  }

  @Test
  void unsubscribe_ofSomethingThatIsNotThere_changesNothing() {
    bell.subscribe(log("a"));
    bell.unsubscribe(log("b"));
    assertThat(bell.subscribers()).isOne();
  }

  // ---- start and stop ----

  @Test
  @Tag("trap-9")
  void starts_ofASharedEvent_armOnceAndOnlyTheLastStopDisarms() {
    bell.start();
    bell.start();
    bell.stop();
    assertThat(bell.arms).isOne();
    assertThat(bell.disarms).isZero();
    bell.stop();
    assertThat(bell.disarms).isOne();
  }

  @Test
  @Tag("trap-9")
  void stop_withoutAStart_isRefused() {
    assertThatThrownBy(bell::stop)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a bell");
    assertThat(bell.disarms).isZero();
  }

  @Test
  @Tag("trap-10")
  void activeCount_ofAVisibleEvent_changesWithTheFirstStartAndTheLastStop() {
    bell.start();
    bell.start();
    assertThat(home.armed).isOne();
    bell.stop();
    assertThat(home.armed).isOne();
    bell.stop();
    assertThat(home.armed).isZero();
  }

  @Test
  @Tag("trap-11")
  void activeCount_ofAHiddenEvent_neverChanges() {
    EventSource hidden =
        new EventSource(home) {
          @Override
          public String info() {
            return "hidden";
          }
        };
    hidden.start();
    assertThat(home.armed).isZero();
    hidden.stop();
    assertThat(home.armed).isZero();
  }

  @Test
  void replay_ofAnEventThatIsNotClosed_isRefused() {
    assertThatThrownBy(() -> bell.replay(log("a"))).isInstanceOf(IllegalStateException.class);
  }

  // ---- custom callbacks ----

  @Test
  @Tag("trap-64")
  void notification_withACustomCallback_isPutOffAsAWhole() {
    bell.subscribe(log("inline"));
    EventCallback custom = (event, result, error) -> calls.add("custom");
    bell.subscribe(custom);
    bell.ring(null);
    assertThat(calls).isEmpty();
    later.forEach(Runnable::run);
    assertThat(calls).containsExactly("inline", "custom");
  }

  @Test
  @Tag("trap-64")
  void notification_afterTheCustomCallbackHasLeft_runsAtOnce() {
    EventCallback custom = (event, result, error) -> calls.add("custom");
    bell.subscribe(log("inline"));
    bell.subscribe(custom);
    bell.unsubscribe(custom);
    bell.ring(null);
    assertThat(calls).containsExactly("inline");
  }

  @Test
  void hook_addedLast_isNotifiedFirst() {
    bell.subscribe(log("inline"));
    EventCallback custom = (event, result, error) -> calls.add("custom");
    bell.subscribe(custom);
    NotifyHook hook = (event, result, error) -> calls.add("hook got " + result);
    bell.subscribe(hook);
    bell.ring("x");
    assertThat(calls).isEmpty();
    later.forEach(Runnable::run);
    assertThat(calls).containsExactly("hook got x", "inline", "custom");
  }

  @Test
  void hook_addedDuringANotification_isNotifiedOfTheNextOne() {
    NotifyHook added = (event, result, error) -> calls.add("added got " + result);
    NotifyHook late = (event, result, error) -> calls.add("late got " + result);
    bell.subscribe((NotifyHook) (event, result, error) -> bell.subscribe(added));
    bell.subscribe((InlineCallback) (event, result, error) -> bell.subscribe(late));
    bell.ring("1");
    later.removeFirst().run();
    assertThat(calls).containsExactly("added got 1"); // the hooks' own pass
    bell.ring("2");
    later.removeFirst().run();
    assertThat(calls.subList(1, calls.size())).startsWith("added got 2", "late got 2");
  }

  @Test
  void hook_takesNoFailure() {
    assertThat(InlineCallback.accepts((NotifyHook) (event, result, error) -> {})).isFalse();
    bell.subscribe((NotifyHook) (event, result, error) -> {});
    assertThat(bell.hasObserver()).isFalse();
    bell.subscribe((event, result, error) -> {});
    assertThat(bell.hasObserver()).isTrue();
  }

  @Test
  @Tag("loop-32")
  @Tag("trap-64")
  void customCallback_ofACoroutinesEnd_runsInACoroutineOfItsOwn() {
    Heddle.run(() -> {
      var worker = Heddle.spawn("worker", () -> "done");
      EventCallback callback =
          (event, result, error) -> {
            calls.add(Heddle.current().name() + " got " + result);
            Heddle.yieldNow();
            calls.add("callback went on");
          };
      worker.event().subscribe(callback);
      worker.await();
    });
    assertThat(calls).containsExactly("notification got done", "callback went on");
  }

  @Test
  @Tag("trap-64")
  void customCallback_thatWaitsForALockOfACoroutine_doesNotStopTheLoop() {
    ReentrantLock lock = new ReentrantLock();
    Heddle.run(() -> {
      EventSource timer = EventSource.of(Heddle.timer(Duration.ofMillis(1)));
      EventCallback callback =
          (event, result, error) -> {
            lock.lock();
            calls.add("callback has the lock");
            lock.unlock();
          };
      timer.subscribe(callback);
      timer.start();
      lock.lock();
      // the timer fires on this coroutine's stack while it holds the lock
      Heddle.delay(Duration.ofMillis(5));
      Heddle.yieldNow();
      calls.add("owner lets go");
      lock.unlock();
      timer.stop();
    });
    assertThat(calls).containsExactly("owner lets go", "callback has the lock");
  }

  @Test
  @Tag("trap-13")
  void customCallback_thatThrows_endsItsNotificationAndLeavesTheListSound() {
    EventCallback removed = (event, result, error) -> calls.add("removed");
    EventCallback removedToo = (event, result, error) -> calls.add("removed, too");
    EventCallback broken =
        (event, result, error) -> {
          bell.unsubscribe(removed);
          bell.unsubscribe(removedToo);
          throw new IllegalStateException("broken");
        };
    bell.subscribe(removed);
    bell.subscribe(removedToo);
    bell.subscribe(broken);
    bell.subscribe(log("behind"));
    bell.ring(null);
    assertThatThrownBy(() -> later.removeFirst().run()).hasMessage("broken");
    assertThat(calls).containsExactly("removed", "removed, too");
    assertThat(bell.add(log("d"))).as("the holes are closed").isEqualTo(2);
  }

  @Test
  @Tag("trap-13")
  void customCallback_thatThrows_endsTheRunWithItsException() {
    IllegalStateException broken = new IllegalStateException("broken callback");
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              EventSource timer = EventSource.of(Heddle.timer(Duration.ofMillis(1)));
              EventCallback callback =
                  (event, result, error) -> {
                    throw broken;
                  };
              timer.subscribe(callback);
              timer.subscribe((event, result, error) -> calls.add("behind it"));
              Heddle.await(timer);
              Heddle.yieldNow();
            }))
        .isSameAs(broken);
    assertThat(calls).isEmpty();
  }

  @Test
  @Tag("trap-6")
  void await_ofATimerThatHasFired_returnsAtOnce() {
    Heddle.run(() -> {
      EventSource timer = EventSource.of(Heddle.timer(Duration.ofMillis(1)));
      Heddle.await(timer);
      long switches = Heddle.counters().switches();
      Heddle.await(timer);
      assertThat(timer.isClosed()).isTrue();
      assertThat(Heddle.counters().switches()).isEqualTo(switches);
    });
  }

  @Test
  @Tag("trap-10")
  void watch_armsButCountsNoWaiter_andTakesNoWaitersCount() {
    Bell bell = new Bell(home);
    bell.startDaemon();
    assertThat(home.armed).isZero();
    bell.start();
    bell.start();
    assertThat(home.armed).isOne();
    bell.stop();
    bell.stopDaemon();
    assertThat(home.armed).isOne();
    bell.startDaemon();
    bell.stop();
    assertThat(home.armed).isZero();
    assertThatThrownBy(bell::stop).isInstanceOf(IllegalStateException.class);
    bell.stopDaemon();
    assertThat(bell.arms).isEqualTo(bell.disarms).isOne();
  }
}
