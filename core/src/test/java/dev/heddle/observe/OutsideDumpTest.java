// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.observe.CoroutineSnapshot.State;
import dev.heddle.observe.spi.DumpParts;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Dumps that other threads ask for: by a loop's handle, and as management tools do.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutsideDumpTest {
  private static final int DUMPS = 300;

  @Test
  void dump_ofALoopThatSleeps_wakesItForTheAnswer() {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Loop<String> loop = Loop.start(queue::take);
    Dump dump = loop.dump();
    while (dump.coroutines().getFirst().state() != State.FOREIGN) {
      dump = loop.dump();
    }
    queue.add("fed");
    assertThat(loop.join()).isEqualTo("fed");
    assertThat(dump.text()).contains("'main' is parked by the JDK in LinkedBlockingQueue.take");
  }

  @Test
  void partThatCannotBeTaken_saysSoInItsPlace() {
    Supplier<DumpPart> failing =
        () -> {
          throw new IllegalStateException("no \"part\"\tof mine");
        };
    DumpParts.add(failing);
    try {
      Dump dump = Heddle.run(Heddle::dump);
      assertThat(dump.text()).contains("part of the dump has failed").contains("no \"part\"");
      assertThat(dump.json()).contains("IllegalStateException: no  part  of mine\"}");
    } finally {
      DumpParts.remove(failing);
    }
  }

  @Test
  @Tag("trap-60")
  void dumps_ofALoopThatSwitches_loseNoResume() {
    AtomicInteger dumps = new AtomicInteger();
    Loop<Integer> loop =
        Loop.start(() -> {
          var other = Heddle.spawn(() -> switchUntilTaken(dumps));
          return switchUntilTaken(dumps) + other.await();
        });
    while (dumps.get() < DUMPS) {
      var _ = loop.dump();
      dumps.incrementAndGet();
    }
    assertThat(loop.join()).isPositive();
  }

  private static int switchUntilTaken(AtomicInteger dumps) {
    int switches = 0;
    while (dumps.get() < DUMPS) {
      Heddle.yieldNow();
      switches++;
    }
    return switches;
  }

  @Test
  void dump_askedByACoroutineOfTheSameLoop_isTakenInPlace() {
    CompletableFuture<Loop<String>> self = new CompletableFuture<>();
    Loop<String> loop = Loop.start(() -> self.join().dump().coroutines().getFirst().state().name());
    self.complete(loop);
    assertThat(loop.join()).isEqualTo("RUNNING");
  }

  @Test
  void dump_askedByACoroutineOfAnotherLoop_suspendsOnlyThat() {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Loop<String> loop = Loop.start(queue::take);
    int coroutines = Heddle.run(() -> loop.dump().coroutines().size());
    queue.add("fed");
    assertThat(coroutines).isEqualTo(1);
    assertThat(loop.join()).isEqualTo("fed");
  }

  @Test
  void dump_ofALoopThatHasEnded_isRefused() {
    Loop<Integer> loop = Loop.start(() -> 1);
    loop.join();
    assertThatThrownBy(loop::dump)
        .isInstanceOf(LoopEndedException.class)
        .hasMessageContaining("has ended");
  }

  // ---- management ----

  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  private static LoopMXBean bean(String name) throws Exception {
    ObjectName at = new ObjectName("dev.heddle:type=Loop,name=" + name);
    while (!SERVER.isRegistered(at)) {
      Thread.onSpinWait();
    }
    return JMX.newMXBeanProxy(SERVER, at, LoopMXBean.class);
  }

  private static void awaitState(LoopMXBean bean, String state) {
    while (!bean.getState().equals(state)) {
      Thread.onSpinWait();
    }
  }

  private static HeddleOptions named(String name) {
    return HeddleOptions.defaults().withName(name);
  }

  @Test
  void bean_ofALoop_answersAndLeavesWithIt() throws Exception {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Loop<String> loop = Loop.start(named("managed"), queue::take);
    LoopMXBean bean = bean("managed");
    awaitState(bean, "asleep"); // until then main may not have come to the queue
    assertThat(bean.getName()).isEqualTo("managed");
    assertThat(bean.getCarrier()).isEqualTo("managed");
    assertThat(bean.getCoroutines()).isEqualTo(1);
    assertThat(bean.table())
        .contains("Loop 'managed', ", "ID  NAME  STATE", "1   main  in the JDK");
    assertThat(bean.dump()).contains("coroutine-1 'main' is parked by the JDK");
    assertThat(JsonReader.read(bean.dumpJson())).isNotNull();
    queue.add("fed");
    loop.join();
    assertThat(SERVER.isRegistered(new ObjectName("dev.heddle:type=Loop,name=managed"))).isFalse();
  }

  @Test
  void bean_ofALoop_countsWhoDoesWhat() throws Exception {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Loop<String> loop =
        Loop.start(
            named("counted"),
            () -> {
              var taker = Heddle.spawn(queue::take);
              Heddle.launch("sleeper", () -> taker.await());
              return taker.await();
            });
    LoopMXBean bean = bean("counted");
    awaitState(bean, "asleep");
    assertThat(List.of(bean.getCoroutines(), bean.getReady(), bean.getWaiting(), bean.getForeign()))
        .containsExactly(3, 0, 2, 1);
    while (bean.getUptimeMillis() == 0) {
      Thread.onSpinWait(); // less than a millisecond on a quick machine
    }
    assertThat(bean.getHolder()).isNull();
    assertThat(bean.getHeldMillis()).isZero();
    queue.add("fed");
    loop.join();
  }

  @Test
  void jvm_withALoop_announcesWhereItsLoopsAre() throws Exception {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Loop<String> loop = Loop.start(named("announced"), queue::take);
    bean("announced");
    ObjectName pattern = new ObjectName(System.getProperty("dev.heddle.loops"));
    assertThat(SERVER.queryNames(pattern, null))
        .contains(new ObjectName("dev.heddle:type=Loop,name=announced"));
    queue.add("fed");
    loop.join();
  }

  @Test
  void beans_ofLoopsWithOneName_areNumbered() throws Exception {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    List<Loop<String>> loops = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      loops.add(Loop.start(named("twin"), queue::take));
    }
    assertThat(bean("twin-3").getName()).isEqualTo("twin");
    assertThat(bean("twin-2").getName()).isEqualTo("twin");
    assertThat(bean("twin").getName()).isEqualTo("twin");
    queue.addAll(List.of("a", "b", "c"));
    loops.forEach(Loop::join);
  }

  @Test
  void bean_ofALoopThatIsHeld_saysByWhom() throws Exception {
    AtomicReference<String> answer = new AtomicReference<>();
    CountDownLatch holds = new CountDownLatch(1);
    Loop<String> loop =
        Loop.start(
            named("busy"),
            () -> {
              holds.countDown();
              while (answer.get() == null) {
                Thread.onSpinWait();
              }
              return answer.get();
            });
    LoopMXBean bean = bean("busy");
    holds.await(); // before that the loop would answer itself
    String dump = bean.dump();
    awaitState(bean, "held");
    assertThat(bean.getHolder()).startsWith("coroutine-1 'main'");
    while (bean.getHeldMillis() < 2_000) {
      Thread.onSpinWait(); // it counts from the watchdog's first look, which may come after ours
    }
    answer.set(dump);
    assertThat(loop.join())
        .containsPattern(
            "coroutine-1 'main' has held the loop 'busy' for \\d.* so far: it computes")
        .contains("at dev.heddle.observe.OutsideDumpTest.lambda$bean_ofALoopThatIsHeld");
  }
}
