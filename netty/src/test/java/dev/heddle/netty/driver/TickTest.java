// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.heddle.netty.driver.HandDriven.Pair;
import dev.heddle.netty.driver.HandDriven.Wait;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ReactorDriver;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// One turn of a driver: how it waits, what ends the wait, what it costs.
@Tag("T14")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TickTest {
  private static final String DRIVERS = "dev.heddle.netty.driver.HandDriven#names";
  private static final int REQUESTS = 20_000;
  private static final Duration GUARD = Duration.ofSeconds(200);
  private static final int OF_NETTY = 16; // bytes: its io_uring handler makes a lambda in each turn

  @Test
  void problem_ofADriver_isOneLineThatSaysWhatToDo() {
    assertThat(HandDriven.all())
        .extracting(DriverProvider::problem)
        .allSatisfy(problem -> {
          if (problem != null) {
            assertThat(problem).isNotBlank().doesNotContain("\n").doesNotContain("Exception");
          }
        });
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void wakeup_beforeTheWait_endsIt(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      Wait input = hand.wait(pair.ours(), Direction.READ);
      hand.driver().poll(ReactorDriver.NO_WAIT);
      for (int i = 0; i < 3; i++) {
        Thread.ofPlatform().start(hand.driver()::wakeup).join();
        hand.driver().poll(ReactorDriver.NO_DEADLINE); // else for ever
        hand.driver().wakeup(); // by the carrier itself
        hand.driver().poll(ReactorDriver.NO_DEADLINE);
      }
      assertThat(input.answers).isZero();
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void wakeup_duringTheWait_endsIt(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      Wait input = hand.wait(pair.ours(), Direction.READ);
      hand.driver().poll(ReactorDriver.NO_WAIT);
      Thread carrier = Thread.currentThread();
      Thread waker =
          Thread.ofPlatform()
              .start(() -> {
                while (carrier.getState() == Thread.State.NEW) {
                  Thread.onSpinWait();
                }
                hand.driver().wakeup();
              });
      hand.driver().poll(ReactorDriver.NO_DEADLINE);
      waker.join();
      assertThat(input.answers).isZero();
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  void deadline_isWaitedForAndNotBeyond(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      hand.wait(pair.ours(), Direction.READ);
      hand.driver().poll(ReactorDriver.NO_WAIT);
      long deadline = System.nanoTime() + 3_000_000;
      while (System.nanoTime() < deadline) {
        hand.driver().poll(deadline); // else for ever
      }
      hand.driver().poll(deadline); // one that is over
      pair.peer().close();
    }
  }

  @ParameterizedTest
  @MethodSource(DRIVERS)
  @Tag("trap-29")
  void close_ofTheDriver_givesAllDescriptorsBack(String driver) throws Exception {
    try (HandDriven warm = HandDriven.open(driver)) {
      warm.pair().peer().close();
    }
    int before = descriptors();
    for (int i = 0; i < 3; i++) {
      Pair pair;
      Pair idle;
      try (HandDriven hand = HandDriven.open(driver)) {
        pair = hand.pair();
        idle = hand.pair();
        hand.wait(pair.ours(), Direction.READ).cancel();
        hand.await(hand.wait(pair.ours(), Direction.WRITE));
      }
      assertThat(pair.peer().read(ByteBuffer.allocate(1))).isEqualTo(-1);
      pair.peer().close();
      idle.peer().close();
    }
    while (descriptors() > before) {
      Thread.onSpinWait(); // other threads of this JVM have some for a while
    }
  }

  private static int descriptors() {
    return new File("/proc/self/fd").list().length;
  }

  /// Neither does the address of a buffer, which is an object until the compiler is warm.
  @ParameterizedTest
  @MethodSource("dev.heddle.netty.driver.HandDriven#byEdge")
  void request_onAConnection_allocatesNothingOfOurs(String driver) throws Exception {
    try (HandDriven hand = HandDriven.open(driver)) {
      Pair pair = hand.pair();
      pair.peer().configureBlocking(false);
      assertThat(leastAllocated(hand, pair, OF_NETTY))
          .as("bytes for each request")
          .isLessThanOrEqualTo(OF_NETTY);
      pair.peer().close();
    }
  }

  /// What is submitted is an object of Netty's, which the compiler takes apart when it is warm.
  @ParameterizedTest
  @MethodSource("dev.heddle.netty.driver.HandDriven#batching")
  void request_answeredTogetherWithOthers_allocatesNothingOfOurs(String driver) throws Exception {
    try (HandDriven hand = HandDriven.openBatching(driver)) {
      Pair pair = hand.pair();
      pair.peer().configureBlocking(false);
      assertThat(leastAllocated(hand, pair, 2 * OF_NETTY))
          .as("bytes for each request")
          .isLessThanOrEqualTo(2 * OF_NETTY); // two turns
      pair.peer().close();
    }
  }

  /// Bytes for each request in the best of many rounds: the compiler may come in between, and under
  /// load it is warm late.
  private static long leastAllocated(HandDriven hand, Pair pair, long enough) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long deadline = System.nanoTime() + GUARD.toNanos();
    long least = Long.MAX_VALUE;
    while (least > enough && System.nanoTime() - deadline < 0) {
      long before = threads.getCurrentThreadAllocatedBytes();
      exchange(hand, pair, REQUESTS);
      long each = (threads.getCurrentThreadAllocatedBytes() - before) / REQUESTS;
      least = Math.min(least, each);
    }
    return least;
  }

  /// The peer asks, the driver's side answers.
  private static void exchange(HandDriven hand, Pair pair, int requests) throws Exception {
    ByteBuffer direct = ByteBuffer.allocateDirect(128);
    ByteBuffer heap = ByteBuffer.allocate(64);
    ByteBuffer peers = ByteBuffer.allocateDirect(64);
    Wait input = new Wait(pair.ours(), Direction.READ);
    for (int i = 0; i < requests; i++) {
      input.begin();
      while (pair.peer().write(peers.clear()) == 0) {
        Thread.onSpinWait();
      }
      hand.await(input);
      ByteBuffer buffer = i % 2 == 0 ? direct.clear() : heap.clear();
      pair.ours().read(buffer);
      pair.ours().write(buffer.flip());
      if (hand.driver().isArmed()) {
        hand.driver().poll(ReactorDriver.NO_WAIT); // what was taken leaves
      }
      peers.clear();
      while (peers.hasRemaining()) {
        pair.peer().read(peers);
      }
    }
  }
}
