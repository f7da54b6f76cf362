// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.scheduler.context.ContextPool;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Host;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.scheduler.context.Inheritance;
import dev.heddle.scheduler.inbox.Inbox;
import dev.heddle.scheduler.inbox.Wakeup;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// For how many contexts the prefetcher reads ahead.
@Tag("T1")
class ContextPrefetcherTest {
  private int looks; // at what waits in the ready queue

  private final class Waiting implements Occupant {
    @Override
    public @Nullable ExecutionContext context() {
      looks++;
      return null;
    }

    @Override
    public void runOn(ExecutionContext context) {}

    @Override
    public void interrupted() {}

    @Override
    public @Nullable Inheritance inheritance() {
      return null;
    }
  }

  /// Of contexts that never run.
  private static final class IdleHost implements Host {
    private final Inbox inbox = new Inbox(new Wakeup(() -> {}));

    @Override
    public Inbox inbox() {
      return inbox;
    }

    @Override
    public boolean isCarrier(Thread thread) {
      return true;
    }

    @Override
    public boolean hasEnded() {
      return false;
    }

    @Override
    public void runBorn(Runnable turn, @Nullable Thread thread) {}

    @Override
    public @Nullable Occupant nextOn(ExecutionContext context) {
      return null;
    }

    @Override
    public void trimDue() {}

    @Override
    public void broken(ExecutionContext context, Throwable failure) {
      throw new AssertionError(failure);
    }
  }

  @ParameterizedTest
  @CsvSource({"1,false", "255,false", "256,true", "32767,true", "32768,false"})
  void contextsThatStayInTheCache_andVeryMany_areNotPrefetched(int contexts, boolean prefetched) {
    ContextPool pool = new ContextPool(new IdleHost(), _ -> {}, true);
    Waiting waiting = new Waiting();
    for (int i = 0; i < contexts; i++) {
      pool.acquire(waiting);
    }
    ReadyQueue ready = new ReadyQueue();
    ready.add(waiting);

    new ContextPrefetcher(ready, pool).beforePoll();
    assertThat(looks > 0).isEqualTo(prefetched);
  }
}
