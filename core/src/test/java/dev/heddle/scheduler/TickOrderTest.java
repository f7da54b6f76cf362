// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.event.source.InlineCallback;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Subscriptions.Role;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The exact order of a suspension and of a tick, and on whose stack each part runs.
@Tag("T2")
@Tag("T5")
@Tag("once")
@Timeout(300)
class TickOrderTest {
  private static final long MILLI = 1_000_000; // after which a look is due
  private static final long SLOW = 300_000; // between two reads: then each tick reads the clock

  private final List<String> trace = new ArrayList<>();
  private final QuietOwner owner = new QuietOwner();
  private final StillDriver driver = new StillDriver();
  private long now;
  private final Scheduler scheduler =
      new Scheduler(
          owner,
          new SchedulerParts(driver, () -> now += SLOW, ReadyPicker.FIFO, () -> note("heartbeat")),
          true);

  TickOrderTest() {
    driver.onLook = () -> note("look");
    driver.onSleep = () -> note("sleep");
  }

  /// What happens, and on whose stack.
  private void note(String what) {
    ExecutionContext context = ExecutionContext.current();
    String where =
        context == null
            ? "trampoline"
            : context.occupant() instanceof Waker waker ? waker.describe() : "nobody's";
    trace.add(what + " | " + where);
  }

  private Sleeper sleeper(String name, Runnable body) {
    return new Sleeper(scheduler, name, body).watchedBy(this::note);
  }

  /// One of each that a tick works off.
  private void giveTheTickWork() {
    scheduler.post(
        new Microtask() {
          @Override
          protected void run() {
            note("microtask");
          }
        });
    scheduler
        .inbox()
        .post(
            new Inbox.Node() {
              @Override
              public void onArrival() {
                note("inbox");
              }
            });
    timer(0).start(); // long due
  }

  private TimerEvent timer(long deadline) {
    TimerEvent timer = new TimerEvent(scheduler, scheduler.timers(), deadline, false);
    InlineCallback due = (event, result, error) -> note("timer");
    timer.subscribe(due);
    return timer;
  }

  private void run() {
    scheduler.run();
    trace.add("end");
    scheduler.close();
    assertThat(owner.failures).isEmpty();
  }

  private List<String> traceFrom(String mark) {
    return trace.subList(trace.indexOf(mark) + 1, trace.indexOf("end"));
  }

  // ---- suspend ----

  @Test
  @Tag("T10")
  void suspend_besideOneThatIsReady_leavesTicksOnItsStackLooksOnTheTrampolineAndEnters() {
    Sleeper[] a = new Sleeper[1];
    a[0] =
        sleeper(
            "a",
            () -> {
              driver.armed = true;
              giveTheTickWork();
              now += 2 * MILLI;
              trace.add("mark");
              scheduler.yieldFrom(a[0]);
              note("goes on");
              scheduler.finish();
            });
    a[0].enqueue();
    sleeper("b", () -> note("runs")).enqueue();
    run();
    assertThat(traceFrom("mark"))
        .containsExactly(
            "leave a | a",
            "heartbeat | a",
            "microtask | a",
            "inbox | a",
            "timer | a",
            // the switch
            "heartbeat | trampoline",
            "enter b | b",
            "runs | b",
            "finish b | b",
            "heartbeat | nobody's",
            // the switch
            "heartbeat | trampoline",
            "look | trampoline",
            "enter a | a",
            "goes on | a",
            "finish a | a",
            "heartbeat | nobody's");
  }

  @Test
  @Tag("T3")
  void suspend_ofTheOnlyOneReady_ticksOnItsStackAndNeverLeavesIt() {
    Sleeper[] a = new Sleeper[1];
    a[0] =
        sleeper(
            "a",
            () -> {
              giveTheTickWork();
              now += 2 * MILLI;
              trace.add("mark");
              scheduler.yieldFrom(a[0]);
              trace.add("end");
              scheduler.finish();
            });
    a[0].enqueue();
    run();
    assertThat(traceFrom("mark"))
        .containsExactly(
            "leave a | a",
            "heartbeat | a",
            "microtask | a",
            "inbox | a",
            "timer | a",
            "enter a | a");
  }

  @Test
  @Tag("T8")
  void suspend_onSeveralEventsOfWhichOneHasFired_armsThoseBeforeItAndDoesNothingElse() {
    Sleeper[] a = new Sleeper[1];
    Bell[] bells = {
      new Bell(scheduler, "idle"),
      new Bell(scheduler, "fired").closedWith("early", null),
      new Bell(scheduler, "never asked")
    };
    a[0] =
        sleeper(
            "a",
            () -> {
              for (Bell bell : bells) {
                a[0].resumeWhen(bell, Role.RESOLVE);
              }
              giveTheTickWork();
              trace.add("mark");
              assertThat(scheduler.suspend(a[0])).isEqualTo("early");
              trace.add("end");
              scheduler.finish();
            });
    a[0].enqueue();
    run();
    assertThat(traceFrom("mark")).isEmpty();
    assertThat(bells).extracting(bell -> bell.arms).containsExactly(1, 0, 0);
    assertThat(bells).allMatch(Bell::isAtRest);
  }

  @Test
  @Tag("T10")
  void suspend_insideASwitchHandler_isRefusedBeforeAnythingHappens() {
    Sleeper[] a = new Sleeper[1];
    a[0] =
        new Sleeper(scheduler, "a", () -> scheduler.yieldFrom(a[0]))
            .watchedBy(what -> {
              note(what);
              assertThatThrownBy(() -> scheduler.yieldFrom(a[0]))
                  .hasMessageContaining("inside a switch handler");
            });
    a[0].enqueue();
    sleeper("b", scheduler::finish).enqueue();
    run();
    assertThat(trace)
        .filteredOn(line -> line.endsWith("| a"))
        .containsExactly("enter a | a", "leave a | a", "heartbeat | a");
  }

  // ---- the end, and rest ----

  @Test
  @Tag("T4")
  void end_beforeOneThatHasNotStarted_ticksAndStartsItThere() {
    List<Thread> threads = new ArrayList<>();
    sleeper(
            "a",
            () -> {
              threads.add(Thread.currentThread());
              giveTheTickWork();
              now += 2 * MILLI;
              trace.add("mark");
            })
        .enqueue();
    sleeper(
            "b",
            () -> {
              threads.add(Thread.currentThread());
              trace.add("end");
              scheduler.finish();
            })
        .enqueue();
    run();
    assertThat(traceFrom("mark"))
        .containsExactly(
            "finish a | a",
            "heartbeat | nobody's",
            "microtask | nobody's",
            "inbox | nobody's",
            "timer | nobody's",
            "enter b | b");
    assertThat(threads.get(1)).isSameAs(threads.get(0));
  }

  @Test
  @Tag("T15")
  void loop_withoutAReadyCoroutine_sleepsOnTheTrampolineAndThenTicks() {
    TimerEvent later = timer(5 * MILLI);
    driver.onSleep =
        () -> {
          note("sleep");
          now = 5 * MILLI;
        };
    Sleeper[] a = new Sleeper[1];
    a[0] =
        sleeper(
            "a",
            () -> {
              a[0].resumeWhen(later, Role.RESOLVE);
              trace.add("mark");
              scheduler.suspend(a[0]);
              trace.add("end");
              scheduler.finish();
            });
    a[0].enqueue();
    run();
    assertThat(traceFrom("mark"))
        .containsExactly(
            "leave a | a",
            "heartbeat | a",
            // the switch
            "heartbeat | trampoline",
            "sleep | trampoline",
            "heartbeat | trampoline",
            "timer | trampoline",
            "enter a | a");
  }

  // ---- the last look ----

  @Test
  @Tag("trap-10")
  void arrival_thatTheLastLookBrings_isNoDeadlock() {
    driver.onLook =
        () -> {
          driver.onLook = () -> {};
          scheduler
              .inbox()
              .post(
                  new Inbox.Node() {
                    @Override
                    public void onArrival() {
                      sleeper("found", scheduler::finish).enqueue();
                    }
                  });
        };
    run(); // else the owner hears that nothing can go on
    assertThat(trace).contains("finish found | found");
  }
}
