// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.gates;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.gates.WaitingPlaces.Place;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Nothing that can wait runs on the trampoline: each place of the core and of the Netty bridge at
/// which a thread may wait stands in `waits.txt`, with the threads that come there.
///
/// It looks for calls of the JDK that are named in [WaitingCall], and for monitors. What libraries
/// do when they are called, Netty's handlers among them, it does not see.
@Tag("once")
class WaitsTest {
  private static final String ROOM = "dev.heddle.netty.gates";

  @Test
  @Tag("trap-42")
  void placeThatMayWait_eachOfCoreAndNetty_standsInTheTableWithItsThreads() {
    Set<Place> there = new TreeSet<>(WaitingPlaces.ofModuleOf(Heddle.class));
    there.addAll(WaitingPlaces.ofModuleOf(HeddleEventLoop.class));
    assertThat(there)
        .as("the classes were found: one that waits in each module")
        .contains(new Place("dev.heddle.reactor", "DeferredDriver#tick", "LockSupport.park"))
        .contains(new Place("dev.heddle.netty.handler", "DrivenHandler#park", "LockSupport.park"));
    assertThat(WaitTable.read().problems(there)).isEmpty();
  }

  /// One of each kind; it is looked at, and never run.
  @SuppressWarnings("unused") // the class file is read
  private static final class Waiter {
    private static final System.Logger LOG = System.getLogger("nobody's");
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();

    synchronized void method() {}

    void monitor() {
      synchronized (lock) {
        lock.unlock();
      }
    }

    void locks() throws InterruptedException {
      lock.lock();
      boolean _ = lock.tryLock(1, TimeUnit.DAYS);
    }

    void queues() throws InterruptedException {
      queue.put("");
      var _ = queue.poll(1, TimeUnit.DAYS);
    }

    Runnable lambda(CountDownLatch latch) {
      return () -> {
        try {
          latch.await();
        } catch (InterruptedException _) {
          // never run
        }
      };
    }

    Callable<String> reference(CompletableFuture<String> future) {
      return future::get;
    }

    void log() {
      LOG.log(System.Logger.Level.INFO, "");
    }

    // none of these waits
    void goesOn() {
      boolean _ = lock.tryLock();
      boolean _ = queue.offer("");
      var _ = queue.poll();
      Thread.onSpinWait();
    }
  }

  @Test
  void waitOfEachKind_alsoInALambdaOrByReference_isFound() throws IOException {
    try (InputStream in = WaitsTest.class.getResourceAsStream("WaitsTest$Waiter.class")) {
      assertThat(WaitingPlaces.of(in.readAllBytes()).stream().map(Place::line))
          .containsExactlyInAnyOrder(
              "WaitsTest$Waiter#<clinit> | System.getLogger",
              "WaitsTest$Waiter#method | synchronized",
              "WaitsTest$Waiter#monitor | synchronized",
              "WaitsTest$Waiter#locks | ReentrantLock.lock",
              "WaitsTest$Waiter#locks | ReentrantLock.tryLock",
              "WaitsTest$Waiter#queues | LinkedBlockingQueue.put",
              "WaitsTest$Waiter#queues | LinkedBlockingQueue.poll",
              "WaitsTest$Waiter#lambda | CountDownLatch.await",
              "WaitsTest$Waiter#reference | CompletableFuture.get",
              "WaitsTest$Waiter#log | System.Logger.log");
    }
  }

  @Test
  void table_withoutAPlaceOrWithOneTooMany_saysWhatToDo() {
    Place known = new Place(ROOM, "A#a", "Thread.sleep");
    Place unknown = new Place(ROOM, "B#b", "System.Logger.log");
    WaitTable table =
        WaitTable.parse(
            "[%s]\n%s | beside\nC#c | Thread.join | coroutine\n".formatted(ROOM, known.line()));
    assertThat(table.problems(Set.of(known, unknown)))
        .satisfiesExactly(
            missing ->
                assertThat(missing)
                    .startsWith("B#b may wait (System.Logger.log)")
                    .contains("AsyncLog"),
            more -> assertThat(more).contains("C#c").contains("remove the line"));
  }

  @Test
  void table_onTheTrampolineWithoutAReason_orOnAThreadThatIsNone_isRefused() {
    WaitTable table =
        WaitTable.parse(
            """
            [room]
            A#a | Thread.sleep | trampoline
            B#b | Thread.sleep | trampoline | it does not
            C#c | Thread.sleep | somewhere
            """);
    Set<Place> there =
        Set.of(
            new Place("room", "A#a", "Thread.sleep"),
            new Place("room", "B#b", "Thread.sleep"),
            new Place("room", "C#c", "Thread.sleep"));
    assertThat(table.problems(there))
        .satisfiesExactly(
            first -> assertThat(first).contains("A#a").contains("why it does not wait"),
            second -> assertThat(second).contains("C#c").contains("somewhere"));
  }
}
