// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Switch;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.observe.LoopCounters;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The counts that the design promises, to the unit. A count does not jitter, so these do not
/// either.
@Tag("loop-306")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwitchCountTest {
  private static final int ROUNDS = 100;

  /// What something in a coroutine costs.
  private record Cost(LoopCounters before, LoopCounters after) {
    static Cost of(Action action) throws Exception {
      LoopCounters before = Heddle.counters();
      action.run();
      return new Cost(before, Heddle.counters());
    }

    long switches() {
      return after.switches() - before.switches();
    }

    long selfResumes() {
      return after.selfResumes() - before.selfResumes();
    }

    long reusedStarts() {
      return after.reusedStarts() - before.reusedStarts();
    }

    long immediateWaits() {
      return after.immediateWaits() - before.immediateWaits();
    }

    long sleeps() {
      return after.sleeps() - before.sleeps();
    }

    long looks() {
      return after.polls() - before.polls();
    }

    long contexts() {
      return after.contexts() - before.contexts();
    }
  }

  /// On a thread of its own, whose park permit nobody else has given.
  private static <T> T inALoop(Body<T> main) {
    return Loop.start(HeddleOptions.defaults(), main).join();
  }

  private static int turns(int turns) {
    for (int i = 0; i < turns; i++) {
      Heddle.yieldNow();
    }
    return turns;
  }

  // ---- suspend ----

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 10, 200})
  @Tag("T3")
  void suspend_whileOthersAreReady_costsOneSwitchEach(int coroutines) {
    Cost cost =
        inALoop(() -> {
          for (int i = 1; i < coroutines; i++) {
            Heddle.spawn(() -> turns(ROUNDS + 2));
          }
          Heddle.yieldNow(); // all have started
          return Cost.of(() -> turns(ROUNDS));
        });
    assertThat(cost.switches()).isEqualTo((long) coroutines * ROUNDS);
    assertThat(cost.selfResumes()).isZero();
  }

  @Test
  @Tag("T3")
  void suspend_ofTheOnlyReadyCoroutine_costsNoSwitch() {
    Cost cost = inALoop(() -> Cost.of(() -> turns(ROUNDS)));
    assertThat(cost.switches()).isZero();
    assertThat(cost.selfResumes()).isEqualTo(ROUNDS);
  }

  @Test
  @Tag("T3")
  void suspend_ofTheOnlyReadyCoroutine_costsASwitchOnlyForALookAtTheReactor() {
    Cost cost =
        inALoop(() -> {
          InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
          Listener listener = Tcp.listen(anyPort); // the loop closes it
          Heddle.background("acceptor", () -> listener.accept().close());
          Heddle.yieldNow();
          return Cost.of(() -> turns(20_000));
        });
    assertThat(cost.looks()).isPositive();
    assertThat(cost.switches()).isEqualTo(cost.looks());
    assertThat(cost.selfResumes()).isEqualTo(20_000 - cost.looks());
  }

  @Test
  @Tag("T3")
  void pingPong_ofTwoCoroutinesThroughAwait_costsOneSwitchPerResume() {
    Cost cost =
        inALoop(() -> {
          Heddle.spawn(() -> 0).await();
          return Cost.of(() -> {
            for (int i = 0; i < ROUNDS; i++) {
              Heddle.spawn(() -> 1).await();
            }
          });
        });
    // per round: one mount to start the child, one to resume main
    assertThat(cost.switches()).isEqualTo(2L * ROUNDS);
    assertThat(cost.selfResumes()).isZero();
  }

  // ---- await of what is over ----

  @Test
  @Tag("T8")
  void await_ofAFinishedCoroutine_costsNoSwitch() {
    Cost cost =
        inALoop(() -> {
          Coroutine<Integer> done = Heddle.spawn(() -> 1);
          done.await();
          Heddle.spawn(() -> turns(ROUNDS)); // somebody else is ready
          return Cost.of(() -> {
            for (int i = 0; i < ROUNDS; i++) {
              done.await();
            }
          });
        });
    assertThat(cost.switches()).isZero();
    assertThat(cost.selfResumes()).isZero();
  }

  @Test
  @Tag("T8")
  void await_ofATimerThatHasFired_costsNoSwitch() {
    Cost cost =
        inALoop(() -> {
          Event timer = Heddle.timer(Duration.ofNanos(1));
          Heddle.await(timer);
          Heddle.spawn(() -> turns(ROUNDS));
          return Cost.of(() -> Heddle.await(timer));
        });
    assertThat(cost.switches()).isZero();
    assertThat(cost.immediateWaits()).isOne();
  }

  @Test
  @Tag("T8")
  void await_ofACompletedStage_costsNoSwitch() {
    Cost cost =
        inALoop(() -> {
          CompletableFuture<Integer> done = CompletableFuture.completedFuture(1);
          Heddle.spawn(() -> turns(ROUNDS));
          return Cost.of(() -> {
            for (int i = 0; i < ROUNDS; i++) {
              Heddle.await(done);
            }
          });
        });
    assertThat(cost.switches()).isZero();
  }

  // ---- starts ----

  private static HeddleOptions options(boolean reuse) {
    HeddleOptions usual = HeddleOptions.defaults();
    return reuse ? usual.withReuse() : usual.withoutReuse();
  }

  private static Cost costOfSpawningAndJoining(boolean reuse, int coroutines) {
    return Heddle.run(
        options(reuse),
        () ->
            Cost.of(() ->
                Heddle.scope(s -> {
                  for (int i = 0; i < coroutines; i++) {
                    s.spawn(() -> 1);
                  }
                  return null;
                })));
  }

  @Test
  @Tag("T4")
  @Tag("once")
  void start_afterAFinishedCoroutineWithReuse_costsNoSwitch() {
    Cost cost = costOfSpawningAndJoining(true, ROUNDS);
    // one mount starts the first, the others take over its context, one mount resumes main
    assertThat(cost.switches()).isEqualTo(2);
    assertThat(cost.reusedStarts()).isEqualTo(ROUNDS - 1);
    assertThat(cost.contexts()).isOne();
  }

  @Test
  @Tag("T4")
  @Tag("once")
  void start_afterAFinishedCoroutineWithoutReuse_costsOneSwitchAndAContext() {
    Cost cost = costOfSpawningAndJoining(false, ROUNDS);
    assertThat(cost.switches()).isEqualTo(ROUNDS + 1);
    assertThat(cost.reusedStarts()).isZero();
    assertThat(cost.contexts()).isEqualTo(ROUNDS);
  }

  // ---- timers ----

  // a carrier that loses its processor for longer than that finds the delay over, and does not
  // sleep: zero sleeps are allowed, as long as there is one
  private static final Duration LONG = Duration.ofMillis(50);

  @Test
  @Tag("T15")
  void delay_withNothingElseReady_costsOneSwitchAndOneSleep() {
    List<Cost> costs =
        inALoop(() -> {
          Heddle.delay(Duration.ofMillis(1));
          List<Cost> each = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            each.add(Cost.of(() -> Heddle.delay(LONG)));
          }
          return each;
        });
    assertThat(costs).extracting(Cost::switches).containsOnly(1L);
    assertThat(costs).extracting(Cost::sleeps).contains(1L).isSubsetOf(0L, 1L);
    assertThat(costs).extracting(Cost::looks).containsOnly(0L);
  }

  @Test
  @Tag("T15")
  void sleepOfTheJdk_withNothingElseReady_costsOneSwitchAndOneSleep() {
    List<Cost> costs =
        inALoop(() -> {
          Thread.sleep(1);
          List<Cost> each = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            each.add(Cost.of(() -> Thread.sleep(LONG)));
          }
          return each;
        });
    assertThat(costs).extracting(Cost::switches).containsOnly(1L);
    assertThat(costs).extracting(Cost::sleeps).contains(1L).isSubsetOf(0L, 1L);
    assertThat(costs).extracting(Cost::looks).containsOnly(0L);
  }

  /// It looks at the clock itself, too, so that one whose time is over by then does not wait.
  @Test
  @Tag("T15")
  void pollOfTheJdk_withNothingElseReady_costsOneSwitchAndOneSleep() {
    BlockingQueue<String> empty = new LinkedBlockingQueue<>();
    List<Cost> costs =
        inALoop(() -> {
          List<Cost> each = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            each.add(Cost.of(() -> empty.poll(LONG.toNanos(), TimeUnit.NANOSECONDS)));
          }
          return each;
        });
    assertThat(costs).extracting(Cost::switches).contains(1L).isSubsetOf(0L, 1L);
    assertThat(costs).extracting(Cost::sleeps).contains(1L).isSubsetOf(0L, 1L);
    assertThat(costs).extracting(Cost::looks).containsOnly(0L);
  }

  @Test
  @Tag("T15")
  void pollsOfTheJdk_thatAreServedInTime_costOneSwitchEach_andLeaveNoTimer() {
    BlockingQueue<Integer> there = new LinkedBlockingQueue<>();
    BlockingQueue<Integer> back = new LinkedBlockingQueue<>();
    Cost cost =
        inALoop(() -> {
          Heddle.background("echo", () -> echo(there, back));
          Heddle.yieldNow(); // it waits
          return Cost.of(() -> {
            for (int i = 0; i < ROUNDS; i++) {
              there.add(i);
              assertThat(back.poll(1, TimeUnit.HOURS)).isEqualTo(i);
            }
          });
        });
    // per round: one mount for the echo, one for main
    assertThat(cost.switches()).isEqualTo(2L * ROUNDS);
    assertThat(cost.sleeps()).isZero();
    assertThat(cost.after.timers()).as("that of the echo").isOne();
  }

  @SuppressWarnings("InfiniteLoopStatement") // cancelled when everything else is done
  private static void echo(BlockingQueue<Integer> there, BlockingQueue<Integer> back)
      throws InterruptedException {
    while (true) {
      back.add(Objects.requireNonNull(there.poll(1, TimeUnit.HOURS)));
    }
  }

  @Test
  @Tag("T15")
  void awaits_whoseLimitDoesNotCome_costNoSwitchMore_andLeaveNoTimer() {
    Cost cost =
        inALoop(() -> {
          Heddle.spawn(() -> 0).await();
          Deadline limit = Deadline.after(Duration.ofHours(1));
          return Cost.of(() -> {
            for (int i = 0; i < ROUNDS; i++) {
              Heddle.spawn(() -> 1).await(limit);
            }
          });
        });
    assertThat(cost.switches()).isEqualTo(2L * ROUNDS);
    assertThat(cost.sleeps()).isZero();
    assertThat(cost.after.timers()).isZero();
  }

  /// In virtual time, so that all are armed before the first is due.
  @ParameterizedTest
  @ValueSource(ints = {1, 10, 1_000})
  @Tag("T15")
  void delays_thatAreOverTogether_costOneSleep_andASwitchEach(int coroutines) {
    Cost cost =
        VirtualTime.run(() -> {
          for (int i = 0; i < coroutines; i++) {
            Heddle.spawn(() -> Heddle.delay(LONG));
          }
          Heddle.yieldNow(); // all wait
          assertThat(Heddle.counters().timers()).isEqualTo(coroutines);
          return Cost.of(() -> Heddle.delay(LONG));
        });
    assertThat(cost.switches()).isEqualTo(coroutines + 1L); // main comes last
    assertThat(cost.sleeps()).isOne();
    assertThat(cost.after.timers()).isZero();
  }

  @Test
  @Tag("T15")
  void delay_whileASocketIsAwaited_costsOneSwitchAndOneSleep() {
    List<Cost> costs =
        inALoop(() -> {
          InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
          Listener listener = Tcp.listen(anyPort); // the loop closes it
          Heddle.background("acceptor", () -> listener.accept().close());
          Cost opening; // the first sleep opens the driver, and only looks
          do {
            opening = Cost.of(() -> Heddle.delay(LONG));
          } while (opening.sleeps() == 0);
          List<Cost> each = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            each.add(Cost.of(() -> Heddle.delay(LONG)));
          }
          return each;
        });
    assertThat(costs).extracting(Cost::switches).containsOnly(1L);
    assertThat(costs).extracting(Cost::sleeps).contains(1L).isSubsetOf(0L, 1L);
  }

  @Test
  @Tag("trap-11")
  void hiddenTimer_ofADay_addsNoReactorCallAndDoesNotKeepTheLoop() {
    Cost cost =
        inALoop(() -> {
          EventSource.of(Heddle.daemonTimer(Duration.ofHours(24))).start();
          Heddle.delay(Duration.ofMillis(1));
          return Cost.of(() -> {
            for (int i = 0; i < 5; i++) {
              Heddle.delay(LONG);
            }
          });
        });
    // inALoop came back: the timer did not keep it
    assertThat(cost.sleeps()).isBetween(1L, 5L);
    assertThat(cost.looks()).isZero();
    assertThat(cost.after.timers()).isOne();
  }

  /// A server that had waited before each request gave way all the same, at every 32nd.
  @Test
  void echo_ofARequest_costsOneSwitch() {
    int requests = 5 * ROUNDS;
    int[] enters = new int[1];
    Cost all =
        inALoop(() -> {
          var anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
          Listener listener = Tcp.listen(anyPort); // the loop closes it
          AsyncIo client = Tcp.connect((InetSocketAddress) listener.localAddress());
          AsyncIo served = listener.accept();
          Heddle.background("echo", () -> echo(served, enters));
          ByteBuffer buffer = ByteBuffer.allocate(64);
          return Cost.of(() -> {
            for (int i = 0; i < requests; i++) {
              client.write(buffer.clear());
              client.readFully(buffer.clear());
            }
          });
        });
    assertThat(enters[0]).isBetween(requests, requests + 1); // and its end
    assertThat(all.selfResumes()).isZero();
  }

  private static void echo(AsyncIo served, int[] enters) throws IOException {
    Heddle.current()
        .addSwitchHandler((coroutine, kind) -> {
          enters[0] += kind == Switch.ENTER ? 1 : 0;
          return true;
        });
    ByteBuffer buffer = ByteBuffer.allocate(64);
    while (served.read(buffer.clear()) >= 0) {
      served.write(buffer.flip());
    }
  }

  // ---- switch handlers ----

  @Test
  @Tag("T10")
  void enterHandlers_runAsOftenAsLeaveHandlersPlusStarts() {
    int[] enters = new int[1];
    int[] leaves = new int[1];
    int[] finishes = new int[1];
    int coroutines = 10;
    inALoop(() ->
        Heddle.scope(s -> {
          Event timer = Heddle.timer(Duration.ofMillis(1));
          Coroutine<Integer> done = s.spawn(() -> 1);
          done.await();
          for (int i = 0; i < coroutines; i++) {
            s.spawn(() -> waitInManyWays(timer, done))
                .addSwitchHandler((coroutine, kind) -> {
                  (kind == Switch.ENTER ? enters : kind == Switch.FINISH ? finishes : leaves)[0]++;
                  return true;
                });
          }
          return 0;
        }));
    assertThat(leaves[0]).isGreaterThan(coroutines * ROUNDS);
    assertThat(enters[0]).isEqualTo(leaves[0] + coroutines);
    assertThat(finishes[0]).isEqualTo(coroutines);
  }

  private static int waitInManyWays(Event timer, Coroutine<?> done) {
    turns(ROUNDS);
    Heddle.await(timer);
    done.await();
    Heddle.delay(Duration.ofNanos(1));
    Heddle.spawn(() -> turns(3)).await();
    return turns(ROUNDS);
  }

  @Test
  @Tag("T8")
  void switchHandlers_forAWaitThatIsOverAtOnce_doNotRun() {
    int[] calls = new int[1];
    inALoop(() -> {
      Event timer = Heddle.timer(Duration.ofNanos(1));
      Coroutine<Integer> done = Heddle.spawn(() -> 1);
      done.await();
      Heddle.await(timer);
      Heddle.current()
          .addSwitchHandler((coroutine, kind) -> {
            calls[0] += kind == Switch.FINISH ? 0 : 1;
            return true;
          });
      Heddle.await(timer);
      return done.await();
    });
    assertThat(calls[0]).isZero();
  }
}
