// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.internal.SpinLock;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Ties of several at once: nobody waits in a circle, both sides agree, each is told once.
@Timeout(300)
@Tag("P13")
class ProcessLinksModelTest {
  private static final int ROUNDS = 2_000;
  private static final int LOOKS = 20; // in a row: who takes a free lock is gone before
  private static final long SEED = Long.getLong("heddle.seed", 20_261_122);

  /// Counts what it is told.
  private static class Someone implements ProcessLinks.Owner {
    final AtomicInteger decided = new AtomicInteger();
    final AtomicInteger broken = new AtomicInteger();
    Runnable onBroken = () -> {};
    final AtomicInteger fired = new AtomicInteger();
    private final Pid pid;
    private final ProcessLinks processLinks = new ProcessLinks(null);

    Someone(long id) {
      this.pid = new Pid("", "h", id, 1);
    }

    @Override
    public ProcessLinks processLinks() {
      return processLinks;
    }

    @Override
    public Pid self() {
      return pid;
    }

    @Override
    public boolean decideLinkExit(Exit exit) {
      decided.incrementAndGet();
      return true;
    }

    @Override
    public void applyLinkExit(ProcessLinks.Link link, Exit exit, boolean bySignal) {
      broken.incrementAndGet();
      onBroken.run();
    }

    @Override
    public void monitorFired(long monitor, Exit exit) {
      fired.incrementAndGet();
    }

    Exit failed() {
      return new Exit(pid, Exit.Reason.FAILED, null, null);
    }
  }

  private final NameRegistry nameRegistry = new NameRegistry();

  private void end(Someone one) {
    assertThat(one.processLinks.exited(one, one.failed(), nameRegistry::release)).isTrue();
  }

  /// Runs all at once, again and again.
  private static void race(List<Runnable> all) throws Exception {
    CyclicBarrier together = new CyclicBarrier(all.size());
    List<Throwable> thrown = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (Runnable each : all) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  for (int i = 0; i < ROUNDS; i++) {
                    await(together);
                    each.run();
                  }
                } catch (RuntimeException | AssertionError e) {
                  synchronized (thrown) {
                    thrown.add(e);
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(thrown).isEmpty();
  }

  @Test
  @Tag("proc-148")
  void linksAndMonitors_ofBothInBothDirections_neverWaitInACircle() throws Exception {
    Someone a = new Someone(1);
    Someone b = new Someone(2);
    race(
        List.of(
            () -> linkOften(a, b),
            () -> linkOften(b, a),
            () -> assertThat(ProcessLinks.demonitor(a, ProcessLinks.monitor(a, b))).isTrue(),
            () -> assertThat(ProcessLinks.demonitor(b, ProcessLinks.monitor(b, a))).isTrue()));
    end(a);
    assertThat(b.broken).hasValue(1);
    assertThat(b.fired).hasValue(0);
    end(b);
    assertThat(a.broken).hasValue(0);
  }

  /// Its second look at its ties is within a link, under both locks: it stays there for a while.
  private static final class Slow extends Someone {
    final CountDownLatch in = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);
    private int looks;

    Slow(long id) {
      super(id);
    }

    @Override
    public ProcessLinks processLinks() {
      if (++looks == 2) {
        in.countDown();
        boolean interrupted = false;
        while (go.getCount() > 0) {
          try {
            go.await();
          } catch (InterruptedException _) {
            interrupted = true;
          }
        }
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
      return super.processLinks();
    }
  }

  @Test
  @Tag("proc-148")
  void link_thatWaitsForOneOfTheTwo_leavesTheOtherToAnybody() throws Exception {
    Someone a = new Someone(1);
    Someone b = new Someone(2);
    Slow slow = new Slow(3);
    Thread holdsB = Thread.ofPlatform().start(() -> ProcessLinks.link(b, slow));
    slow.in.await();
    Thread wantsB = Thread.ofPlatform().start(() -> ProcessLinks.link(a, b));
    awaitWaiting(wantsB);
    Thread wantsA = Thread.ofPlatform().start(a.processLinks()::names);
    boolean left = awaitWaiting(wantsA);
    slow.go.countDown();
    for (Thread each : List.of(holdsB, wantsB, wantsA)) {
      each.join();
    }
    assertThat(left).as("a was left, while its link waited for b").isTrue();
    end(b);
    assertThat(a.broken).hasValue(1);
  }

  /// Waits until a thread has ended (true) or waits for a lock.
  private static boolean awaitWaiting(Thread thread) {
    int looks = 0;
    while (thread.isAlive()) {
      looks = isIn(SpinLock.class, thread) ? looks + 1 : 0;
      if (looks == LOOKS) {
        return false;
      }
      Thread.yield();
    }
    return true;
  }

  private static boolean isIn(Class<?> type, Thread thread) {
    return Stream.of(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(type.getName()));
  }

  private static void linkOften(Someone from, Someone to) {
    for (int i = 0; i < 50; i++) {
      ProcessLinks.link(from, to);
    }
  }

  @Test
  @Tag("proc-146")
  @Tag("proc-148")
  void endOfOne_whileTheOtherTiesItself_isReportedOnce() throws Exception {
    Someone[] both = {new Someone(1), new Someone(2)};
    CyclicBarrier tied =
        new CyclicBarrier(
            3,
            () -> {
              assertThat(both[0].broken).hasValue(1);
              assertThat(both[0].fired).hasValue(1);
              both[0] = new Someone(1);
              both[1] = new Someone(2);
            });
    race(
        List.of(
            () -> {
              ProcessLinks.link(both[0], both[1]);
              await(tied);
            },
            () -> {
              ProcessLinks.monitor(both[0], both[1]);
              await(tied);
            },
            () -> {
              end(both[1]);
              await(tied);
            }));
  }

  @Test
  @Tag("proc-146")
  void endOfAWatcher_whileItMonitors_leavesNothing_orRefusesIt() throws Exception {
    Someone[] both = {new Someone(1), new Someone(2)};
    CyclicBarrier over =
        new CyclicBarrier(
            2,
            () -> {
              end(both[1]);
              assertThat(both[0].fired).as("told after its end").hasValue(0);
              both[0] = new Someone(1);
              both[1] = new Someone(2);
            });
    race(
        List.of(
            () -> {
              try {
                ProcessLinks.monitor(both[0], both[1]);
              } catch (IllegalStateException e) {
                assertThat(e)
                    .hasMessageEndingWith(" has ended; it cannot monitor a process any more");
              }
              await(over);
            },
            () -> {
              end(both[0]);
              await(over);
            }));
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @Tag("proc-240")
  void unlink_whileTheEndTellsAnother_isKept() {
    Someone ends = new Someone(1);
    Someone first = new Someone(2);
    Someone second = new Someone(3);
    ProcessLinks.link(first, ends);
    ProcessLinks.link(second, ends);
    first.onBroken = () -> ProcessLinks.unlink(second, ends);
    end(ends);
    assertThat(first.broken).hasValue(1);
    assertThat(second.decided).as("an end of a link that was undone before").hasValue(0);
    assertThat(second.broken).hasValue(0);
  }

  @Test
  @Tag("proc-240")
  void unlink_ofOneThatHasEnded_undoesNothingForOthers() {
    Someone ended = new Someone(1);
    List<ProcessLinks.Link> told = new ArrayList<>();
    Someone other =
        new Someone(2) {
          @Override
          public void applyLinkExit(ProcessLinks.Link link, Exit exit, boolean bySignal) {
            told.add(link);
          }
        };
    ProcessLinks.link(ended, other);
    end(ended);
    ProcessLinks.unlink(ended, other); // as a body does that has left its process
    assertThat(other.processLinks.consumeLink(told.getFirst(), other)).isTrue();
  }

  @Test
  @Tag("proc-240")
  void signalOfALink_isTakenOnce_andNotWhenItWasUndone_orMadeAnew() {
    Someone ended = new Someone(1);
    List<ProcessLinks.Link> told = new ArrayList<>();
    Someone other =
        new Someone(2) {
          @Override
          public void applyLinkExit(ProcessLinks.Link link, Exit exit, boolean bySignal) {
            told.add(link);
          }
        };
    ProcessLinks.link(other, ended);
    end(ended);
    ProcessLinks.unlink(other, ended);
    ProcessLinks.link(other, ended); // at once: it has failed
    ProcessLinks.link(other, ended); // is on its way already
    assertThat(told).hasSize(2);
    assertThat(other.processLinks.consumeLink(told.get(0), other))
        .as("the one that was undone")
        .isFalse();
    assertThat(other.processLinks.consumeLink(told.get(1), other)).isTrue();
    assertThat(other.processLinks.consumeLink(told.get(1), other)).as("once").isFalse();
  }

  @Test
  @Tag("proc-249")
  void telling_thatWasCutShort_goesOnWhereItHasStopped() {
    Someone ends = new Someone(1);
    Someone first = new Someone(2);
    Someone second = new Someone(3);
    AtomicInteger tries = new AtomicInteger();
    for (Someone each : List.of(first, second)) {
      ProcessLinks.link(each, ends);
      var _ = ProcessLinks.monitor(each, ends);
    }
    AtomicInteger listened = new AtomicInteger();
    ends.processLinks.onExit(_ -> listened.incrementAndGet());
    second.onBroken =
        () -> {
          if (tries.incrementAndGet() == 1) {
            throw new OutOfMemoryError("as if");
          }
        };
    Exit exit = ends.failed();
    assertThatThrownBy(() -> ends.processLinks.exited(ends, exit, nameRegistry::release))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(ends.processLinks.exited(ends, exit, nameRegistry::release)).isTrue();
    assertThat(ends.processLinks.exited(ends, exit, nameRegistry::release)).isFalse();
    assertThat(List.of(first.broken.get(), second.broken.get(), tries.get()))
        .containsExactly(1, 2, 2);
    assertThat(second.decided).as("decided once").hasValue(1);
    assertThat(List.of(first.fired.get(), second.fired.get(), listened.get()))
        .containsExactly(1, 1, 1);
  }

  @Test
  @Tag("proc-147")
  void tiesAmongMany_atRandom_agreeOnBothSides() {
    Random random = new Random(SEED);
    for (int round = 0; round < 50; round++) {
      List<Someone> all = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        all.add(new Someone(i));
      }
      boolean[][] linked = new boolean[100][100];
      for (int i = 0; i < 500; i++) {
        int a = random.nextInt(100);
        int b = random.nextInt(100);
        boolean link = random.nextBoolean();
        if (link) {
          ProcessLinks.link(all.get(a), all.get(b));
        } else {
          ProcessLinks.unlink(all.get(a), all.get(b));
        }
        linked[a][b] = link && a != b;
        linked[b][a] = link && a != b;
      }
      int first = random.nextInt(100);
      end(all.get(first));
      for (int i = 0; i < 100; i++) {
        assertThat(all.get(i).broken).as("%d, seed %d", i, SEED).hasValue(linked[first][i] ? 1 : 0);
      }
    }
  }
}
