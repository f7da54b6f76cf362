// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.scheduler.Subscriptions.Role;
import dev.heddle.scheduler.WaitQueue.Waiter;
import dev.heddle.scheduler.context.ExecutionContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A waker by itself: no coroutine, no switch.
@Tag("once")
class WakerTest extends WakerFixture {
  private Sleeper in(WakerStatus status) {
    Sleeper made = new Sleeper(scheduler);
    switch (status) {
      case NO_STATUS -> {}
      case WAITING -> {
        made.resumeWhen(bell("never"), Role.RESOLVE);
        made.beginWait();
      }
      case QUEUED -> made.enqueue();
      case IGNORED -> {
        made.enqueue();
        made.ignored();
      }
      case RESULT -> {
        made.resumeWhen(bell("done").closedWith("x", null), Role.RESOLVE);
        made.beginWait();
      }
    }
    assertThat(made.status()).isEqualTo(status);
    return made;
  }

  // ---- the state table ----

  private static void assertAllowedOnlyIn(
      WakerStatus status,
      Sleeper made,
      String transition,
      boolean allowed,
      Consumer<Sleeper> event) {
    if (allowed) {
      event.accept(made);
    } else {
      assertThatThrownBy(() -> event.accept(made))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("sleeper")
          .hasMessageContaining(transition)
          .hasMessageContaining(status.name());
      assertThat(made.status()).isEqualTo(status);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("W3")
  void enqueue_inAnyStatus_isAllowedInNoStatusOnly(WakerStatus status) {
    boolean allowed = status == WakerStatus.NO_STATUS;
    assertAllowedOnlyIn(status, in(status), "enqueue", allowed, Sleeper::enqueue);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("W3")
  void beginWait_inAnyStatus_isAllowedInNoStatusOnly(WakerStatus status) {
    boolean allowed = status == WakerStatus.NO_STATUS;
    assertAllowedOnlyIn(status, in(status), "wait", allowed, Sleeper::beginWait);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("W3")
  void renew_inAnyStatus_isAllowedInNoStatusOnly(WakerStatus status) {
    boolean allowed = status == WakerStatus.NO_STATUS;
    assertAllowedOnlyIn(status, in(status), "renew", allowed, Sleeper::renew);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("W3")
  void deliver_inAnyStatus_isAllowedWhenWokenOnly(WakerStatus status) {
    boolean allowed = status == WakerStatus.QUEUED || status == WakerStatus.RESULT;
    assertAllowedOnlyIn(status, in(status), "deliver", allowed, Sleeper::deliver);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("W3")
  void ignore_inAnyStatus_worksOnAQueuedOneOnly(WakerStatus status) {
    Sleeper made = in(status);
    assertThat(made.ignored()).isEqualTo(status == WakerStatus.QUEUED);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("W3")
  void wake_inAnyStatus_queuesAWaitingOneOnly(WakerStatus status) {
    Sleeper made = in(status);
    made.resolve("late");
    WakerStatus expected = status == WakerStatus.WAITING ? WakerStatus.QUEUED : status;
    assertThat(made.status()).isEqualTo(expected);
  }

  @Test
  @Tag("W3")
  void wait_thatIsWoken_goesThroughWaitingQueuedAndBack() {
    Bell bell = bell("a");
    waker.resumeWhen(bell);
    assertThat(waker.status()).isEqualTo(WakerStatus.NO_STATUS);
    assertThat(waker.beginWait()).isTrue();
    assertThat(waker.status()).isEqualTo(WakerStatus.WAITING);
    bell.ring("value");
    assertThat(waker.status()).isEqualTo(WakerStatus.QUEUED);
    assertThat(waker.deliver()).isEqualTo("value");
    assertThat(waker.status()).isEqualTo(WakerStatus.NO_STATUS);
  }

  @Test
  @Tag("W3")
  void cancellation_beforeTheStart_finishesWithoutRunning() {
    waker.enqueue();
    assertThat(waker.ignored()).isTrue();
    waker.finaliseIgnored();
    assertThat(waker.finishedIgnored).isTrue();
    assertThat(waker.isStarted()).isTrue();
  }

  @Test
  @Tag("trap-1")
  void abandonedWait_leavesAnEntryThatMayNotRunIt() {
    waker.enqueue();
    waker.abandonWait();
    assertThat(waker.status()).isEqualTo(WakerStatus.NO_STATUS);
    assertThat(scheduler.readyCount()).isPositive();
    assertThat(waker.isQueued()).isFalse();
  }

  // ---- subscriptions ----

  @Test
  @Tag("T8")
  void subscription_beforeTheSuspend_armsNothing() {
    List<Bell> bells = awaited(4);
    assertThat(bells).allMatch(bell -> bell.arms == 0 && bell.subscribers() == 0);
    waker.beginWait();
    assertThat(bells).allMatch(bell -> bell.arms == 1 && bell.subscribers() == 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8, 9, 10, 11, 100})
  @Tag("W1")
  void anyOfSeveralEvents_whenItFires_wakes(int count) {
    for (int chosen = 0; chosen < count; chosen++) {
      List<Bell> bells = bells(count);
      waker.renew();
      bells.forEach(bell -> waker.resumeWhen(bell));
      waker.beginWait();
      bells.get(chosen).ring(chosen);
      assertThat(waker.deliver()).isEqualTo(chosen);
    }
  }

  @Test
  @Tag("W1")
  void tenThousandEvents_oneFires_allAreStoppedOnce() {
    List<Bell> bells = awaited(10_000);
    bells.forEach(bell -> waker.resumeWhen(bell));
    waker.beginWait();
    assertThat(bells).allMatch(bell -> bell.arms == 1);
    bells.get(9_999).ring("last");
    assertThat(waker.deliver()).isEqualTo("last");
    assertThat(bells).allMatch(bell -> bell.disarms == 1 && bell.isAtRest());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  @Tag("trap-9")
  void everyStartedEvent_afterTheWait_wasStoppedOnce(int count) {
    List<Bell> bells = awaited(count);
    waker.beginWait();
    bells.getFirst().ring(null);
    waker.deliver();
    assertThat(bells).allMatch(bell -> bell.arms == 1 && bell.disarms == 1 && bell.isAtRest());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 6})
  @Tag("T8")
  @Tag("trap-6")
  void eventThatHasFiredAlready_endsTheArmingThere(int closedAt) {
    List<Bell> bells = bells(7);
    bells.get(closedAt).closedWith("early", null);
    bells.forEach(bell -> waker.resumeWhen(bell));
    assertThat(waker.beginWait()).isFalse();
    assertThat(waker.status()).isEqualTo(WakerStatus.RESULT);
    assertThat(scheduler.readyCount()).isZero();
    assertThat(waker.deliver()).isEqualTo("early");
    assertThat(bells.subList(0, closedAt)).allMatch(bell -> bell.arms == 1 && bell.isAtRest());
    assertThat(bells.subList(closedAt, 7)).allMatch(bell -> bell.arms == 0 && bell.isAtRest());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 12})
  @Tag("loop-52")
  void sameEventTwice_keepsItsFirstRole(int before) {
    bells(before).forEach(bell -> waker.resumeWhen(bell));
    Bell both = bell("both");
    waker.resumeWhen(both, Role.RESOLVE);
    waker.resumeWhen(both, Role.CANCEL);
    waker.beginWait();
    both.ring("value");
    assertThat(waker.deliver()).isEqualTo("value");
    assertThat(both.arms).isOne();
    assertThat(both.isAtRest()).isTrue();
  }

  @Test
  @Tag("loop-301")
  void subscriptions_neverSuspendedOn_areGoneWithTheNextWait() {
    List<Bell> stale = awaited(5);
    waker.renew();
    Bell wanted = bell("wanted");
    waker.resumeWhen(wanted, Role.RESOLVE);
    waker.beginWait();
    assertThat(stale).allMatch(bell -> bell.arms == 0 && bell.subscribers() == 0);
    stale.getFirst().ring("stale");
    assertThat(waker.status()).isEqualTo(WakerStatus.WAITING);
  }

  @Test
  @Tag("loop-301")
  @Tag("trap-5")
  void armedSubscriptions_ofAnAbandonedWait_areStoppedOnce() {
    List<Bell> stale = awaited(5);
    waker.beginWait();
    waker.abandonWait();
    waker.renew();
    assertThat(stale).allMatch(bell -> bell.disarms == 1 && bell.isAtRest());
  }

  @Test
  @Tag("trap-1")
  void eventThatFires_afterTheWait_isIgnored() {
    Bell bell = bell("a");
    waker.resumeWhen(bell);
    waker.beginWait();
    bell.ring("first");
    waker.deliver();
    waker.resolve("late");
    waker.resumeWhen(bell);
    waker.beginWait();
    assertThat(waker.status()).isEqualTo(WakerStatus.WAITING);
    bell.ring("second");
    assertThat(waker.deliver()).isEqualTo("second");
  }

  // ---- what fired ----

  @Test
  @Tag("W2")
  void triggeredEvents_beforeTheResume_areAllThatFiredInTheirOrder() {
    List<Bell> bells = awaited(5);
    waker.beginWait();
    assertThat(waker.triggeredEvents()).isEmpty();
    bells.get(3).ring(null);
    bells.get(1).ring(null);
    bells.get(4).ring(null);
    assertThat(waker.triggeredEvents()).containsExactly(bells.get(1), bells.get(3), bells.get(4));
    assertThat(waker.awaitedEvents()).containsExactlyElementsOf(bells);
    waker.deliver();
    assertThat(waker.triggeredEvents()).isEmpty();
    assertThat(waker.awaitedEvents()).isEmpty();
  }

  // ---- outcomes ----

  @Test
  @Tag("W6")
  @Tag("loop-49")
  void tokenThatFires_endsTheWaitWithItsErrorAsTheCause() {
    Bell token = bell("token");
    waker.resumeWhen(bell("target"), Role.RESOLVE);
    waker.resumeWhen(token, Role.CANCEL);
    waker.beginWait();
    IllegalStateException failure = new IllegalStateException("x");
    token.crack(failure);
    assertThatThrownBy(waker::deliver)
        .isInstanceOf(WaitCancelledException.class)
        .hasMessageContaining("sleeper")
        .hasCause(failure);
  }

  @Test
  @Tag("W6")
  @Tag("loop-49")
  void tokenThatFiresWithAValue_endsTheWaitWithoutACause() {
    Bell token = bell("token");
    waker.resumeWhen(token, Role.CANCEL);
    waker.beginWait();
    token.ring("anything");
    assertThatThrownBy(waker::deliver).isInstanceOf(WaitCancelledException.class).hasNoCause();
  }

  @Test
  @Tag("W6")
  void timeoutThatFires_endsTheWaitWithADeadlineException() {
    Bell timer = bell("timer");
    waker.resumeWhen(timer, Role.TIMEOUT);
    waker.beginWait();
    timer.ring(null);
    assertThatThrownBy(waker::deliver).isInstanceOf(DeadlineException.class);
  }

  @Test
  @Tag("trap-4")
  void finalResult_beatsACancellation_whichStaysPending() {
    Waiter served = new Waiter(new Sendings(), scheduler, "an item");
    served.join(waker);
    waker.beginWait();
    served.serveFinally();
    Cancellation cancellation = new Cancellation("too late");
    waker.cancelWith(cancellation);
    assertThat(waker.deliver()).isNull();
    assertThat(waker.pending).isSameAs(cancellation);
  }

  private static final class Sendings extends WaitQueue {
    @Override
    protected String info() {
      return "sendings";
    }
  }

  @Test
  @Tag("trap-1")
  void interruptedWait_isQueuedOnce() {
    waker.resumeWhen(bell("a"), Role.RESOLVE);
    waker.beginWait();
    assertThat(waker.woken()).isTrue();
    assertThat(waker.woken()).isTrue();
    assertThat(waker.status()).isEqualTo(WakerStatus.QUEUED);
  }

  // ---- custom callbacks ----

  @Test
  @Tag("W5")
  void inlineCustomCallback_decidesWhetherItWakes() {
    Bell bell = bell("a");
    InlineCallback onlyGold =
        (event, result, error) -> {
          if ("gold".equals(result)) {
            waker.resolve(result);
          }
        };
    waker.resumeWhen(bell, onlyGold);
    waker.beginWait();
    bell.ring("lead");
    assertThat(waker.status()).isEqualTo(WakerStatus.WAITING);
    bell.ring("gold");
    assertThat(waker.deliver()).isEqualTo("gold");
    assertThat(bell.isAtRest()).isTrue();
  }

  @Test
  @Tag("W5")
  void customCallback_isReusableForAnotherWait() {
    Bell bell = bell("a");
    InlineCallback callback = (event, result, error) -> waker.resolve(result);
    for (int i = 0; i < 3; i++) {
      waker.renew();
      waker.resumeWhen(bell, callback);
      waker.beginWait();
      bell.ring(i);
      assertThat(waker.deliver()).isEqualTo(i);
    }
  }

  @Test
  @Tag("W5")
  @Tag("trap-64")
  void customCallbackOfAUser_runsWhereTheLoopSays() {
    Bell bell = bell("a");
    EventCallback callback = (event, result, error) -> waker.fail(new IllegalStateException("no"));
    waker.resumeWhen(bell, callback);
    waker.beginWait();
    bell.ring(null);
    assertThat(waker.status()).isEqualTo(WakerStatus.WAITING);
    owner.notifications.forEach(Runnable::run);
    assertThatThrownBy(waker::deliver).hasMessage("no");
  }

  @Test
  @Tag("W2")
  @Tag("W5")
  void triggeredEvents_withCustomCallbacks_areAllThatFired() {
    List<Bell> bells = bells(5);
    InlineCallback inline = (event, result, error) -> waker.resolve(result);
    EventCallback users = (event, result, error) -> waker.resolve(result);
    waker.resumeWhen(bells.get(0), inline);
    waker.resumeWhen(bells.get(1), users);
    waker.resumeWhen(bells.get(2), Role.RESOLVE);
    waker.resumeWhen(bells.get(3), inline);
    waker.resumeWhen(bells.get(4), users);
    waker.beginWait();
    bells.get(0).ring("inline");
    bells.get(1).ring("user's");
    owner.notifications.forEach(Runnable::run);
    bells.get(2).ring("resolve");
    assertThat(waker.triggeredEvents())
        .containsExactlyInAnyOrder(bells.get(0), bells.get(1), bells.get(2));
    assertThat(waker.deliver()).isEqualTo("inline");
    assertThat(bells).allMatch(bell -> bell.arms == 1 && bell.isAtRest());
  }

  @Test
  @Tag("W5")
  void triggeredEvents_beforeAUsersCallbackHasRun_doNotNameItsEvent() {
    Bell bell = bell("a");
    EventCallback users = (event, result, error) -> waker.resolve(result);
    waker.resumeWhen(bell, users);
    waker.beginWait();
    bell.ring("value");
    assertThat(waker.triggeredEvents()).isEmpty();
    owner.notifications.forEach(Runnable::run);
    assertThat(waker.triggeredEvents()).containsExactly(bell);
    assertThat(waker.deliver()).isEqualTo("value");
  }

  // ---- transitions that nobody asks for ----

  @ParameterizedTest
  @EnumSource
  @Tag("W3")
  void begin_inAnyStatus_isAllowedWhenQueuedAndFinishesTheIgnored(WakerStatus status) {
    Sleeper made = in(status);
    ExecutionContext context = scheduler.contexts().acquire(made);
    // one that was ignored while a thread dump held up its first resume gets here
    boolean allowed = status == WakerStatus.QUEUED || status == WakerStatus.IGNORED;
    assertAllowedOnlyIn(status, made, "begin", allowed, sleeper -> sleeper.begun(context));
    assertThat(made.finishedIgnored).isEqualTo(status == WakerStatus.IGNORED);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("W3")
  void finalise_inAnyStatus_isAllowedWhenIgnoredOnly(WakerStatus status) {
    boolean allowed = status == WakerStatus.IGNORED;
    assertAllowedOnlyIn(status, in(status), "finalise", allowed, Sleeper::finaliseIgnored);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 12})
  @Tag("W5")
  void customAndStandardCallback_ofTheSameEvent_areBothCalled(int before) {
    bells(before).forEach(bell -> waker.resumeWhen(bell));
    Bell both = bell("both");
    List<Object> seen = new ArrayList<>();
    InlineCallback looksOn = (event, result, error) -> seen.add(result);
    waker.resumeWhen(both, looksOn);
    waker.resumeWhen(both, Role.RESOLVE);
    waker.beginWait();
    both.ring("value");
    assertThat(seen).containsExactly("value");
    assertThat(waker.status()).isEqualTo(WakerStatus.QUEUED);
    assertThat(waker.deliver()).isEqualTo("value");
    assertThat(both.isAtRest()).isTrue();
  }
}
