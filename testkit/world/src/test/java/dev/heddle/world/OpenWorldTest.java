// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.heddle.world.programs.AdoptedThreads;
import dev.heddle.world.programs.Environment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a loop does with its world.
@Tag("sim-8")
class OpenWorldTest {
  @Test
  void severalCarriers_areOfOneWorld() throws Exception {
    FifoWorld world = new FifoWorld(1);
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 2; i++) {
      Thread carrier =
          world
              .open()
              .newCarrier(
                  "carrier",
                  () -> {
                    assertThat(OpenWorld.current()).isSameAs(world);
                    seen.add(Environment.nanoTime() + " " + new Thread(() -> {}).getName());
                  });
      carrier.start();
      carrier.join();
    }
    world.open().close();
    assertThat(seen)
        .containsExactly(FifoWorld.ORIGIN + " Thread-0", FifoWorld.ORIGIN + " Thread-1");
  }

  @Test
  void twoWorldsAtOnce_areApart() throws Exception {
    FifoWorld one = new FifoWorld(1);
    FifoWorld two = new FifoWorld(1);
    List<Object> seen = Collections.synchronizedList(new ArrayList<>());
    one.runMain(() -> {
      Thread other = new Thread(() -> seen.add(namesIn(two)), FifoWorld.NOT_ADOPTED);
      other.start();
      OpenWorld.outside(() -> awaitEnd(other));
      seen.add(AdoptedThreads.names());
      return null;
    });
    assertThat(seen)
        .containsExactly(
            List.of("Thread-0", "pool-1-thread-1", "Thread-1", "pool-2-thread-1"),
            List.of("Thread-0", "pool-1-thread-1", "Thread-1", "pool-2-thread-1"));
  }

  private static Object namesIn(FifoWorld world) {
    try {
      return world.runMain(AdoptedThreads::names).result();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A coroutine that waits while it is outside is outside when it continues; the others are not.
  @Test
  void outside_belongsToTheCoroutine() throws Exception {
    FifoWorld world = new FifoWorld(1);
    List<String> seen = new ArrayList<>();
    world.runMain(() -> {
      Thread waiter =
          Thread.ofVirtual()
              .start(() -> {
                OpenWorld.outside(() -> {
                  LockSupport.park();
                  seen.add("still outside " + (OpenWorld.current() == null));
                });
                seen.add("back " + (OpenWorld.current() == world));
              });
      Thread.sleep(1);
      seen.add("the other inside " + (OpenWorld.current() == world));
      LockSupport.unpark(waiter);
      waiter.join();
      return null;
    });
    assertThat(seen).containsExactly("the other inside true", "still outside true", "back true");
  }

  @Test
  void commonPool_isTheWorlds_alsoForForkedTasks() throws Exception {
    Set<Object> pools = new HashSet<>();
    pools.add(ForkJoinPool.commonPool());
    for (int run = 0; run < 2; run++) {
      List<?> seen = (List<?>) FifoWorld.run(Environment::commonPools).result();
      assertThat(seen).hasSize(2);
      assertThat(seen.getLast()).isSameAs(seen.getFirst());
      pools.add(seen.getFirst());
    }
    assertThat(pools).hasSize(3);
  }

  @Test
  void instants_areThoseOfTheWorld() throws Exception {
    assertThat(FifoWorld.run(() -> Instant.now().truncatedTo(ChronoUnit.DAYS)).result())
        .isEqualTo(Instant.parse("2030-01-01T00:00:00Z"));
  }

  @Test
  void threadThatIsNotAdopted_runsOutside() throws Exception {
    FifoWorld world = new FifoWorld(1);
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    world.runMain(() -> {
      Thread real =
          new Thread(() -> seen.add("world " + OpenWorld.current()), FifoWorld.NOT_ADOPTED);
      real.start();
      OpenWorld.outside(() -> awaitEnd(real));
      seen.add("virtual " + real.isVirtual());
      assertThat(world.open().bodyOf(real)).isSameAs(real);
      return null;
    });
    assertThat(seen).containsExactly("world null", "virtual false");
  }

  // holds the carrier: in the world a join would wait for ever, for the thread is not part of it
  private static void awaitEnd(Thread real) {
    while (real.isAlive()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void close_letsTheJvmForgetTheThreadsThatAreLeft() throws Exception {
    FifoWorld world = new FifoWorld(1);
    List<String> dumps = Collections.synchronizedList(new ArrayList<>());
    world.runMain(() -> {
      for (int i = 0; i < 3_000; i++) {
        Thread.startVirtualThread(() -> {}).join();
      }
      Thread.ofVirtual().name("left-over").start(LockSupport::park);
      Thread.sleep(1);
      OpenWorld.outside(() -> dumps.add(dumpOfThreads()));
      return null;
    });
    assertThat(dumps.getFirst()).contains("left-over");
    assertThat(dumpOfThreads()).doesNotContain("left-over");
  }

  // with the virtual threads that the JVM keeps reachable
  private static String dumpOfThreads() {
    try {
      Path file = Files.createTempDirectory("heddle").resolve("threads.txt");
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
      String dump = Files.readString(file);
      Files.delete(file);
      Files.delete(file.getParent());
      return dump;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
