// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The switch protocol with the test's thread as the carrier.
@Tag("T1")
@Tag("once")
@Timeout(300)
class ExecutionContextTest {
  private final HandHost host = new HandHost();
  private final ContextPool pool = new ContextPool(host, host.arrivals::add, true);
  private final List<String> log = new ArrayList<>();

  private static Runnable taskOf(ExecutionContext context) throws Exception {
    Field task = ExecutionContext.class.getDeclaredField("task");
    task.setAccessible(true);
    return (Runnable) task.get(context);
  }

  @Test
  void guest_runsOnTheCarrierUntilItSuspends() {
    Thread carrier = Thread.currentThread();
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self -> {
              log.add("started");
              self.suspend();
              log.add("resumed");
            }));
    assertThat(context.mount()).isTrue();
    assertThat(log).containsExactly("started");
    assertThat(context.isActive()).isFalse();
    context.mount();
    assertThat(log).containsExactly("started", "resumed");
    assertThat(Thread.currentThread()).isSameAs(carrier);
  }

  @Test
  @Tag("trap-7")
  @Tag("trap-60")
  void execute_onASuspendedContext_isNoResume() throws Exception {
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self -> {
              self.suspend();
              log.add("resumed");
            }));
    context.mount();
    Runnable task = taskOf(context);
    Thread foreign = Thread.ofPlatform().start(() -> context.execute(task));
    foreign.join();
    assertThat(host.inbox.isEmpty()).isTrue();
    assertThat(log).isEmpty();
    context.mount();
    assertThat(log).containsExactly("resumed");
  }

  @Test
  void suspend_afterAMountForIt_saysThatItWasResumed() {
    List<Boolean> resumed = new ArrayList<>();
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self -> {
              resumed.add(self.suspend());
              resumed.add(self.suspend());
            }));
    context.mount();
    context.mount();
    context.mount();
    assertThat(resumed).containsExactly(true, true);
  }

  @Test
  @Tag("trap-41")
  void suspend_inAPinnedFrame_saysThatNothingHappened() {
    List<Boolean> resumed = new ArrayList<>();
    ExecutionContext context =
        pool.acquire(HandHost.guest(self -> resumed.add(Pinning.suspendPinned(self))));
    assertThat(context.mount()).isTrue();
    assertThat(resumed).containsExactly(false);
  }

  /// A class initialiser is a pinned frame.
  private static final class Pinning {
    static @Nullable ExecutionContext self;

    static boolean suspendPinned(ExecutionContext context) {
      self = context;
      return Initialised.RESUMED;
    }

    private static final class Initialised {
      static final boolean RESUMED = Objects.requireNonNull(self).suspend();
    }
  }

  @Test
  void unpark_afterTheLoopHasCrashed_doesNotContinueTheGuestElsewhere() throws Exception {
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self -> {
              LockSupport.park();
              log.add("went on");
            }));
    context.mount();
    pool.drop(Runnable::run);
    host.inbox.close();
    LockSupport.unpark(context.thread());
    JdkScheduler.runWhatItHas();
    assertThat(log).isEmpty();
  }

  @Test
  void foreignPark_leavesTheContextWithTheJdkUntilAnUnparkPosts() throws Exception {
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self -> {
              LockSupport.park();
              log.add("unparked");
            }));
    context.mount();
    assertThat(context.isActive()).isTrue();
    Thread.ofPlatform().start(() -> LockSupport.unpark(context.thread())).join();
    host.awaitArrival();
    assertThat(host.arrivals).containsExactly(context);
    assertThat(log).isEmpty();
    context.clearPosted();
    context.mount();
    assertThat(log).containsExactly("unparked");
  }

  @Test
  void yieldOfUserCode_postsTheContext() {
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self -> {
              Thread.yield();
              log.add("went on");
            }));
    context.mount();
    assertThat(context.isActive()).isTrue();
    host.inbox.drain();
    assertThat(host.arrivals).containsExactly(context);
    context.clearPosted();
    context.mount();
    assertThat(log).containsExactly("went on");
  }

  @Test
  @Tag("trap-59")
  void virtualThreadBornInside_runsOnTheDefaultScheduler() throws Exception {
    CompletableFuture<Boolean> onCarrier = new CompletableFuture<>();
    Thread carrier = Thread.currentThread();
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self ->
                Thread.startVirtualThread(() ->
                    onCarrier.complete(
                        ExecutionContext.current() != null || Thread.currentThread() == carrier))));
    context.mount();
    assertThat(onCarrier.get()).isFalse();
    assertThat(host.arrivals).isEmpty();
  }

  @Test
  @Tag("trap-38")
  void unpark_afterTheLoopHasEnded_letsTheOccupantContinueElsewhere() throws Exception {
    CountDownLatch wentOn = new CountDownLatch(1);
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self -> {
              LockSupport.park();
              wentOn.countDown();
            }));
    context.mount();
    pool.close();
    host.inbox.close();
    LockSupport.unpark(context.thread());
    wentOn.await();
    assertThat(host.arrivals).isEmpty();
  }

  @Test
  @Tag("trap-38")
  void abandon_ofAContextThatArrived_letsItGoOnElsewhere() throws Exception {
    CountDownLatch wentOn = new CountDownLatch(1);
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self -> {
              LockSupport.park();
              wentOn.countDown();
            }));
    context.mount();
    LockSupport.unpark(context.thread());
    host.awaitArrival();
    pool.close();
    host.inbox.close();
    context.abandon();
    wentOn.await();
    context.thread().join();
    assertThat(context.thread().isAlive()).isFalse();
  }

  @Test
  @Tag("trap-38")
  void execute_ofAParkedContext_allocatesNothing() throws Exception {
    ExecutionContext context = pool.acquire(HandHost.guest(self -> LockSupport.park()));
    context.mount();
    Runnable task = taskOf(context);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Runnable tenThousand =
        () -> {
          for (int i = 0; i < 10_000; i++) {
            context.execute(task);
            context.clearPosted();
          }
        };
    tenThousand.run();
    long allocated = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) { // the compiler may come in between
      long before = threads.getCurrentThreadAllocatedBytes();
      tenThousand.run();
      allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
    }
    // one byte an execute would be ten thousand
    assertThat(allocated).isLessThan(10_000);
  }

  @Test
  void current_insideAnOccupant_isItsContextAndNowhereElse() throws Exception {
    List<Boolean> answers = new ArrayList<>();
    ExecutionContext context =
        pool.acquire(HandHost.guest(self -> answers.add(ExecutionContext.current() == self)));
    context.mount();
    assertThat(answers).containsExactly(true);
    assertThat(ExecutionContext.current()).isNull();
    CompletableFuture<Boolean> stock = new CompletableFuture<>();
    Thread.startVirtualThread(() -> stock.complete(ExecutionContext.current() == null));
    assertThat(stock.get()).isTrue();
  }

  @Test
  @Tag("trap-60")
  void mounts_whileAnotherThreadTakesStacks_areAllMadeInTheEnd() throws Exception {
    int rounds = 20_000;
    int[] resumes = new int[1];
    ExecutionContext context =
        pool.acquire(
            HandHost.guest(self -> {
              for (int i = 0; i < rounds; i++) {
                self.suspend();
                resumes[0]++;
              }
            }));
    boolean[] stop = new boolean[1];
    Thread dumper =
        Thread.ofPlatform()
            .start(() -> {
              while (!stop[0] && !Thread.currentThread().isInterrupted()) {
                var _ = context.thread().getStackTrace();
              }
            });
    context.mount();
    for (int done = 0; done < rounds; done++) {
      if (!context.mount()) {
        awaitRetry(context);
      }
    }
    dumper.interrupt();
    dumper.join();
    assertThat(resumes[0]).isEqualTo(rounds);
  }

  // a resume that mounted nothing stays pending, and an execute() follows: without it this hangs
  private void awaitRetry(ExecutionContext context) {
    do {
      host.awaitArrival();
      host.arrivals.clear();
      context.clearPosted();
    } while (!context.isResumePending() || !context.mount());
  }
}
