// SPDX-License-Identifier: Apache-2.0
package dev.heddle.eventloop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The turns of an event loop that is hosted on a loop.
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventLoopTurnsTest {
  /// An event loop with nothing but tasks, one a turn.
  private static final class Tasks implements HostedEventLoop {
    final Queue<Runnable> tasks = new ArrayDeque<>();
    final List<String> frames = new ArrayList<>();
    final EventLoopTurns turns = EventLoopTurns.onCurrentLoop("hosted", this);
    boolean over;

    void add(Runnable task) {
      tasks.add(task);
      turns.request();
    }

    @Override
    public void takeTurn() {
      Runnable task = tasks.poll();
      if (task != null) {
        task.run();
      }
    }

    @Override
    public boolean hasWork() {
      return !tasks.isEmpty();
    }

    @Override
    public boolean isOver() {
      return over;
    }

    @Override
    public void frame(Runnable all) {
      frames.add("in");
      all.run();
      frames.add("out");
    }
  }

  @Test
  void turns_followEachOtherOnOneThread_whichKeepsItsLocals() {
    Heddle.run(() -> {
      Tasks hosted = new Tasks();
      ThreadLocal<String> local = new ThreadLocal<>();
      List<Object> seen = new ArrayList<>();
      hosted.add(() -> local.set("kept"));
      hosted.add(() -> seen.add(local.get()));
      hosted.add(() -> seen.add(Thread.currentThread() == hosted.turns.thread()));
      hosted.add(() -> seen.add(EventLoopTurns.isCurrent()));
      while (hosted.turns.isActive()) {
        Heddle.yieldNow();
      }
      assertThat(seen).containsExactly("kept", true, true);
      assertThat(hosted.frames).containsExactly("in");
      assertThat(EventLoopTurns.isCurrent()).isFalse();
    });
  }

  @Test
  void turnThatIsParked_delaysTheNext_andNothingElse() {
    Heddle.run(() -> {
      Tasks hosted = new Tasks();
      ReentrantLock lock = new ReentrantLock();
      List<String> ran = new ArrayList<>();
      lock.lock();
      hosted.add(() -> {
        lock.lock();
        ran.add("first");
        lock.unlock();
      });
      hosted.add(() -> ran.add("second"));
      Heddle.delay(Duration.ofMillis(1));
      assertThat(hosted.turns.isActive()).isTrue();
      assertThat(ran).isEmpty();
      lock.unlock();
      while (hosted.turns.isActive()) {
        Heddle.yieldNow();
      }
      assertThat(ran).containsExactly("first", "second");
    });
  }

  @Test
  void interruptThatATurnLeaves_isNotTheNextOnes() {
    Heddle.run(() -> {
      Tasks hosted = new Tasks();
      List<Boolean> interrupted = new ArrayList<>();
      hosted.add(() -> Thread.currentThread().interrupt());
      hosted.add(() -> interrupted.add(Thread.currentThread().isInterrupted()));
      while (hosted.turns.isActive()) {
        Heddle.yieldNow();
      }
      assertThat(interrupted).containsExactly(false);
    });
  }

  @Test
  void turnsAtRest_areNoReasonToWait() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Tasks hosted = new Tasks();
              hosted.add(() -> {});
              Promise<Void> never = Heddle.promise("never");
              never.future().await();
            }))
        .isInstanceOf(DeadlockError.class);
  }

  @Test
  void loop_waitsForTheTurnThatIsUnderWay_andEndsItsThread() throws Exception {
    Tasks[] made = new Tasks[1];
    List<String> ran = new ArrayList<>();
    Heddle.run(() -> {
      made[0] = new Tasks();
      made[0].add(() -> {
        Heddle.delay(Duration.ofMillis(1));
        ran.add("after main");
      });
    });
    assertThat(ran).containsExactly("after main");
    made[0].turns.thread().join();
    assertThat(made[0].frames).containsExactly("in", "out");
  }

  @Test
  void eventLoopThatIsOver_givesItsThreadBack() throws Exception {
    Heddle.run(() -> {
      Tasks hosted = new Tasks();
      hosted.add(() -> hosted.over = true);
      while (hosted.turns.isActive()) {
        Heddle.yieldNow();
      }
      hosted.turns.thread().join();
      assertThat(hosted.frames).containsExactly("in", "out");
    });
  }
}
