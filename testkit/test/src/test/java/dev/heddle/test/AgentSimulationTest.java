// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.DatagramSocket;
import java.net.SocketException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Unmodified blocking code in simulations, with the agent.
@Tag("agent")
@Timeout(300)
class AgentSimulationTest {
  @Test
  @Tag("sim-8")
  @SuppressWarnings("WaitNotInLoop") // it must last
  void waitsOfTheJdk_takeVirtualTime() {
    var result =
        Simulation.run(() -> {
          Instant began = Instant.now();
          Thread.sleep(Duration.ofHours(1));
          assertThat(new LinkedBlockingQueue<>().poll(1, TimeUnit.HOURS)).isNull();
          Object monitor = new Object();
          synchronized (monitor) {
            monitor.wait(Duration.ofHours(1).toMillis());
          }
          return Duration.between(began, Instant.now());
        });
    assertThat(result.elapsed()).isBetween(Duration.ofHours(3), Duration.ofHours(3).plusMillis(1));
    assertThat(result.value()).isEqualTo(result.elapsed());
  }

  @Test
  @Tag("sim-8")
  void timeoutOfHeddle_cutsASleepOfTheJdk() {
    var result =
        Simulation.run(() -> {
          assertThatThrownBy(
                  () -> Heddle.withTimeout(Duration.ofMinutes(5), () -> Thread.sleep(600_000)))
              .isInstanceOf(DeadlineException.class);
        });
    assertThat(result.elapsed()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  @Tag("sim-8")
  void executorsAndFutures_runInVirtualTime() {
    var result =
        Simulation.run(() -> {
          try (var pool = Executors.newFixedThreadPool(3)) {
            var slow = pool.submit(() -> sleep(Duration.ofHours(1)));
            assertThat(slow.get()).isEqualTo("slept");
          }
          assertThatThrownBy(() ->
                  CompletableFuture.supplyAsync(() -> sleep(Duration.ofHours(2)))
                      .orTimeout(1, TimeUnit.HOURS)
                      .get())
              .isInstanceOf(ExecutionException.class)
              .hasCauseInstanceOf(TimeoutException.class);
        });
    assertThat(result.elapsed()).isEqualTo(Duration.ofHours(2));
  }

  private static String sleep(Duration time) {
    try {
      Thread.sleep(time);
      return "slept";
    } catch (InterruptedException _) {
      return "interrupted";
    }
  }

  @Test
  @Tag("sim-8")
  void loopThatWaitsForTheClock_ends() {
    var result =
        Simulation.run(() -> {
          long until = System.nanoTime() + Duration.ofMillis(50).toNanos();
          while (System.nanoTime() < until) {
            Thread.onSpinWait();
          }
        });
    assertThat(result.elapsed()).isGreaterThanOrEqualTo(Duration.ofMillis(50));
  }

  @Test
  @Tag("sim-8")
  void methodReferences_readTheClockOfTheSimulation() {
    Simulation.run(() -> {
      LongSupplier nanos = System::nanoTime;
      LongSupplier millis = System::currentTimeMillis;
      Supplier<Thread> current = Thread::currentThread;
      long nanosBefore = nanos.getAsLong();
      long millisBefore = millis.getAsLong();
      Thread.sleep(3_600_000);
      assertThat(nanos.getAsLong() - nanosBefore).isBetween(3_600_000_000_000L, 3_601_000_000_000L);
      assertThat(millis.getAsLong() - millisBefore).isBetween(3_600_000L, 3_601_000L);
      assertThat(current.get()).isSameAs(Thread.currentThread());
    });
  }

  private static final class Worker extends Thread {
    LongSupplier id() {
      return this::threadId;
    }
  }

  @Test
  @Tag("sim-8")
  void methodReferences_withAReceiver_leadToIt() {
    checkReferencesWithAReceiver(); // the class is rewritten for production, too
    Simulation.run(AgentSimulationTest::checkReferencesWithAReceiver);
  }

  private static void checkReferencesWithAReceiver() {
    Worker worker = new Worker();
    ToLongFunction<Thread> id = Thread::threadId;
    IntSupplier processors = Runtime.getRuntime()::availableProcessors;
    Thread thread = worker;
    assertThat(worker.id().getAsLong()).isEqualTo(thread.threadId());
    assertThat(id.applyAsLong(worker)).isEqualTo(thread.threadId());
    assertThat(processors.getAsInt()).isEqualTo(Runtime.getRuntime().availableProcessors());
  }

  @Test
  @Tag("sim-8")
  void methodReferences_thatAreSerialized_canBeReadBack() throws Exception {
    LongSupplier clock = (LongSupplier & Serializable) System::nanoTime;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(clock);
    }
    try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(in.readObject()).isInstanceOf(LongSupplier.class);
    }
  }

  @Test
  @Tag("sim-8")
  void methodReferences_drawFromTheSeed() {
    DoubleSupplier random = Math::random;
    var options = SimulationOptions.defaults().withSeed(7);
    Double first = Simulation.run(options, () -> random.getAsDouble()).value();
    assertThat(Simulation.run(options, () -> random.getAsDouble()).value()).isEqualTo(first);
  }

  @Test
  @Tag("sim-16")
  void contendedMonitor_isHandedOver_inTheSameOrderInEachRun() {
    long first = Simulation.run(AgentSimulationTest::contend).fingerprint();
    for (int i = 0; i < 20; i++) {
      assertThat(Simulation.run(AgentSimulationTest::contend).fingerprint()).isEqualTo(first);
    }
  }

  private static void contend() throws InterruptedException {
    Object monitor = new Object();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Thread thread =
          new Thread(() -> {
            for (int turn = 0; turn < 20; turn++) {
              synchronized (monitor) {
                Thread.yield();
              }
              Thread.yield();
            }
          });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  @Tag("sim-5")
  void deadlockOfMonitors_isReportedAtOnce() {
    Object one = new Object();
    Object other = new Object();
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              Heddle.launch("ab", () -> lockBoth(one, other));
              Heddle.launch("ba", () -> lockBoth(other, one));
            }))
        .hasCauseInstanceOf(DeadlockError.class)
        .hasMessageContaining("'ab'")
        .hasMessageContaining("'ba'");
  }

  private static void lockBoth(Object first, Object second) throws InterruptedException {
    synchronized (first) {
      Thread.sleep(1_000);
      synchronized (second) {
        Thread.yield();
      }
    }
  }

  @Test
  @Tag("sim-5")
  void latchThatNobodyOpens_isADeadlock() {
    assertThatThrownBy(() -> Simulation.run(() -> new CountDownLatch(1).await()))
        .hasCauseInstanceOf(DeadlockError.class)
        .hasMessageContaining("CountDownLatch");
  }

  @Test
  @Tag("sim-5")
  void threadThatIsLeft_isALeak() {
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              new Thread(() -> sleep(Duration.ofDays(1)), "forgotten").start();
            }))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining(
            "a thread runs: forgotten, started at dev.heddle.test.AgentSimulationTest.");
  }

  @Test
  @Tag("sim-5")
  void failureOfAThread_failsTheRun() {
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              Thread thread =
                  new Thread(() -> {
                    throw new IllegalStateException("in a thread");
                  });
              thread.start();
              thread.join();
            }))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("in a thread");
  }

  @Test
  @Tag("sim-6")
  void childProcess_isRefusedAndNamedWithItsStack() {
    var result =
        Simulation.record(
            SimulationOptions.defaults(),
            () -> {
              assertThatThrownBy(() -> new ProcessBuilder("true").start())
                  .isInstanceOf(UnsupportedOperationException.class);
              return 0;
            });
    assertThat(result.uncontrolled()).hasSize(1);
    assertThat(result.uncontrolled().getFirst()).contains("AgentSimulationTest");
  }

  @Test
  @Tag("sim-6")
  void refusedCall_thatTheProgramSwallows_failsTheRun() {
    assertThatThrownBy(() -> Simulation.explore(AgentSimulationTest::exitInAPool))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("a call that was refused")
        .hasMessageContaining("the end of the JVM (System.exit) cannot be part of a simulation")
        .hasMessageContaining("at dev.heddle.test.AgentSimulationTest.exit(");
    assertThatThrownBy(() -> Simulation.run(AgentSimulationTest::datagramThatIsSwallowed))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("a socket of the operating system");
  }

  private static void exitInAPool() {
    try (var pool = Executors.newFixedThreadPool(1)) {
      var _ = pool.submit(AgentSimulationTest::exit);
    }
  }

  private static void exit() {
    System.exit(0);
  }

  private static void datagramThatIsSwallowed() {
    try (var socket = new DatagramSocket()) {
      assertThat(socket).isNull();
    } catch (UnsupportedOperationException | SocketException _) {
      // as a library that tries another way
    }
  }

  @Test
  @Tag("sim-8")
  void forgottenTimeout_isFoundAndShrunk() {
    assertThatThrownBy(() ->
            Simulation.explore(() -> {
              LinkedBlockingQueue<String> replies = new LinkedBlockingQueue<>();
              Thread server = new Thread(() -> serve(replies));
              server.start();
              assertThat(replies.poll(10, TimeUnit.MILLISECONDS)).isNotNull();
              server.join();
            }))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("./heddle test --seed ");
  }

  @Test
  @Tag("sim-8")
  void agent_thatIsNotThere_isAttachedWhenAsked() throws Exception {
    assertThat(OtherJvm.lines(Attaching.class, "-XX:+EnableDynamicAgentLoading")).contains("PT1H");
  }

  /// Prints the virtual time of a sleep.
  static final class Attaching {
    private Attaching() {}

    public static void main(String[] args) {
      SimulationOptions options = SimulationOptions.defaults().withAgent();
      System.out.println(Simulation.run(options, () -> sleep(Duration.ofHours(1))).elapsed());
    }
  }

  @Test
  @Tag("sim-1")
  void secondProgram_ofALambdaThatHasRun_takesTheSameCourseTheFirstTime() {
    record(() -> 1L);
    long first = record(AgentSimulationTest::initialiseAClass);
    assertThat(record(AgentSimulationTest::initialiseAClass)).isEqualTo(first);
  }

  @Test
  @Tag("sim-14")
  void chance_followsFromTheSeed() {
    assertThat(drawn(1)).isEqualTo(drawn(1)).doesNotContainAnyElementsOf(drawn(2));
  }

  // one coroutine: the seed decides nothing else
  private static List<Object> drawn(long seed) {
    return Objects.requireNonNull(
        Simulation.run(
                SimulationOptions.defaults().withSeed(seed),
                () ->
                    List.<Object>of(
                        new Random().nextLong(), UUID.randomUUID(), new Object().hashCode()))
            .value());
  }

  @Test
  @Tag("sim-14")
  void hashCodes_ofAStep_doNotDependOnTheStepsBefore() {
    assertThat(hashCodeAfter(5)).isEqualTo(hashCodeAfter(0));
  }

  private static int hashCodeAfter(int others) {
    return Objects.requireNonNull(
        Simulation.run(
                () -> {
                  for (int i = 0; i < others; i++) {
                    int _ = System.identityHashCode(new Object());
                  }
                  Heddle.yieldNow();
                  return System.identityHashCode(new Object());
                })
            .value());
  }

  // each program has the class of this lambda
  private static long record(LongSupplier program) {
    return Objects.requireNonNull(Simulation.run(() -> program.getAsLong()).value());
  }

  private static long initialiseAClass() {
    int length = DrawsWhenInitialised.NUMBER.length(); // draws once in a JVM
    return new Random().nextLong() + length;
  }

  /// Takes a number of the simulation's.
  private static final class DrawsWhenInitialised {
    private static final String NUMBER = String.valueOf(new Random().nextInt(1, 9));
  }

  @Test
  void runsOfSeveralThreads_takeTurns() throws Exception {
    AtomicInteger running = new AtomicInteger();
    try (var pool = Executors.newFixedThreadPool(4)) {
      List<Future<Integer>> most = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        most.add(pool.submit(() -> running(running)));
      }
      for (Future<Integer> one : most) {
        assertThat(one.get()).isEqualTo(1);
      }
    }
  }

  private static int running(AtomicInteger running) {
    return Objects.requireNonNull(
        Simulation.run(
                () -> {
                  int now = running.incrementAndGet();
                  sleep(Duration.ofHours(1));
                  running.decrementAndGet();
                  return now;
                })
            .value());
  }

  private static void serve(LinkedBlockingQueue<String> replies) {
    sleep(Duration.ofMillis(ThreadLocalRandom.current().nextInt(5, 15)));
    replies.add("reply");
  }
}
