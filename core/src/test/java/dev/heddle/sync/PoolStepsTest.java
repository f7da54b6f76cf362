// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.PoolClosedException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// One program, in which a factory and all hooks suspend: five coroutines use two resources, again
/// and again. It is run once for each of its steps, at which a wait, the pool or the loop ends.
@Tag("trap-1")
@Tag("trap-3")
@Tag("trap-25")
@Timeout(300)
class PoolStepsTest {
  private static final int STEPS = 100; // more than the program has
  private static final int WORKERS = 5;
  private static final int ROUNDS = 3;
  private static final int VICTIM = 2; // the first that waits
  private static final int PLACES = 2;

  enum End {
    CANCELLATION,
    TOKEN,
    DEADLINE,
    CLOSE,
    SHUTDOWN
  }

  @ParameterizedTest
  @EnumSource
  void end_atEveryStep_losesNoPlaceAndForgetsNoWaiter(End end) {
    int met = 0;
    int missed = 0;
    for (int step = 0; step < STEPS; step++) {
      Story story = new Story(end, step);
      story.run();
      met += story.hasMet ? 1 : 0;
      missed += story.hasMet ? 0 : 1;
    }
    assertThat(met).as("steps at which it ended something").isGreaterThan(5);
    assertThat(missed).as("steps after the last").isPositive();
  }

  private static final class Item {
    boolean used;
    boolean ended;
  }

  private static final class Story {
    private final End end;
    private final int step;
    private final List<Coroutine<?>> workers = new ArrayList<>();
    private final List<Item> made = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final int[] served = new int[WORKERS];
    private @Nullable Pool<Item> opened;
    boolean hasMet; // a worker was ended by it

    Story(End end, int step) {
      this.end = end;
      this.step = step;
    }

    void run() {
      try {
        VirtualTime.run(this::play);
      } catch (RuntimeException | Error e) {
        if (end != End.SHUTDOWN || !(e instanceof Cancellation)) {
          throw new AssertionError(end + " at step " + step, e);
        }
      }
      Pool<Item> pool = Objects.requireNonNull(opened);
      require(pool.lent() == 0 && pool.waiting() == 0, "something is left: " + pool);
      require(pool.size() == pool.idle(), "a place is in no hand: " + pool);
      if (end != End.SHUTDOWN) {
        require(pool.size() == 0, "a place is left: " + pool);
        require(made.stream().allMatch(item -> item.ended), "not destroyed");
      }
      assertThat(problems).as("%s at step %d", end, step).isEmpty();
    }

    private void require(boolean holds, String what) {
      if (!holds) {
        problems.add(what);
      }
    }

    // ---- what the pool calls ----

    private PoolOptions<Item> options() {
      return PoolOptions.<Item>of(
              () -> {
                pause();
                Item item = new Item();
                made.add(item);
                return item;
              })
          .withSize(0, PLACES)
          .withBeforeAcquire(this::check)
          .withBeforeRelease(this::check)
          .withDestroy(item -> {
            require(!item.ended && !item.used, "destroyed twice, or in use");
            item.ended = true;
            pause();
          });
    }

    private boolean check(Item item) {
      require(!item.ended && !item.used, "checked in use, or after its end");
      pause();
      return true;
    }

    // a deadline runs out only when virtual time passes
    private void pause() {
      if (end == End.DEADLINE) {
        Heddle.delay(Duration.ofNanos(1));
      } else {
        Heddle.yieldNow();
      }
    }

    // ---- the program ----

    private void play() {
      Pool<Item> pool = Pool.open(options());
      opened = pool;
      Promise<String> token = new Promise<>();
      Heddle.supervise(s -> {
        for (int i = 0; i < WORKERS; i++) {
          int number = i;
          workers.add(s.spawn(() -> live(number, pool, token)));
        }
        for (int i = 0; i < step; i++) {
          pause();
          check(pool);
        }
        strike(pool, token);
        for (int i = step; i < STEPS; i++) {
          pause();
          check(pool);
        }
        return null; // the scope awaits the others: a forgotten waiter makes that a deadlock
      });
      for (int i = 0; i < WORKERS; i++) {
        boolean victim = i == VICTIM || end == End.CLOSE;
        boolean ended = victim && (hasMet || end == End.CANCELLATION);
        require(served[i] == ROUNDS || ended, "worker %d: %d rounds".formatted(i, served[i]));
      }
      pool.close();
    }

    private void check(Pool<Item> pool) {
      require(pool.size() <= PLACES, "too many places: " + pool);
      require(pool.waiting() == 0 || pool.idle() == 0, "waits beside an idle one: " + pool);
      require(pool.waiting() == 0 || pool.size() == PLACES, "waits beside room: " + pool);
    }

    private void strike(Pool<Item> pool, Promise<String> token) {
      switch (end) {
        case CANCELLATION -> workers.get(VICTIM).cancel("by the program");
        case TOKEN -> token.complete("enough");
        case DEADLINE -> {} // runs by itself
        case CLOSE -> pool.close();
        case SHUTDOWN -> Heddle.shutdown(Duration.ofSeconds(1));
      }
    }

    private void live(int self, Pool<Item> pool, Promise<String> token) {
      Deadline deadline =
          end == End.DEADLINE && self == VICTIM
              ? Deadline.after(Duration.ofNanos(step + 1))
              : Deadline.never();
      try {
        for (int round = 0; round < ROUNDS; round++) {
          if (end == End.TOKEN && self == VICTIM) {
            pool.run(this::use, token.future());
          } else {
            pool.run(this::use, deadline);
          }
          served[self]++;
        }
      } catch (Throwable e) {
        hasMet = true;
        require(isExpected(self, e), "thrown in worker %d: %s".formatted(self, e));
        if (e instanceof Cancellation) {
          throw e;
        }
      }
    }

    private boolean isExpected(int self, Throwable e) {
      return switch (end) {
        case CANCELLATION -> self == VICTIM && e instanceof Cancellation;
        case TOKEN -> self == VICTIM && e instanceof WaitCancelledException;
        case DEADLINE -> self == VICTIM && e instanceof DeadlineException;
        case CLOSE -> e instanceof PoolClosedException;
        case SHUTDOWN -> e instanceof Cancellation;
      };
    }

    private void use(Item item) {
      require(!item.used && !item.ended, "used by two, or after its end");
      item.used = true;
      try {
        pause();
      } finally {
        item.used = false;
      }
    }
  }
}
