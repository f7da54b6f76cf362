// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.PoolClosedException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs of coroutines that acquire, with and without waiting, with tokens, deadlines and
/// cancellations, that return or discard, while factory and hooks suspend, reject and fail, and the
/// pool is closed or the loop shut down at any step. A ledger knows each resource that was made.
/// `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-2")
@Tag("trap-3")
@Tag("trap-25")
@Timeout(300)
class PoolModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int WORKERS = 6;
  private static final int STEPS = 8;

  @Test
  void randomPrograms_loseNoResourceAndForgetNoWaiter() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int handedOn = 0;
    int failed = 0;
    int inTurn = 0;
    for (long seed = first; seed < last; seed++) {
      Program program = new Program(seed);
      program.run();
      handedOn += program.handedOn;
      failed += program.failed;
      inTurn += program.inTurn;
    }
    // else the programs never met the windows that they are for
    assertThat(only != null || handedOn > PROGRAMS / 20).as("%s handed on", handedOn).isTrue();
    assertThat(only != null || failed > PROGRAMS / 20).as("%s failed", failed).isTrue();
    assertThat(only != null || inTurn > PROGRAMS).as("%s in turn", inTurn).isTrue();
  }

  private static final class Item {
    final int number;
    @Nullable Worker user;
    boolean ended;

    Item(int number) {
      this.number = number;
    }
  }

  private static final class Worker {
    final int number;
    @Nullable Coroutine<?> coroutine;
    @Nullable Promise<String> token; // of the wait it is in
    boolean cancelled;

    Worker(int number) {
      this.number = number;
    }
  }

  /// A failure that the program has ordered.
  private static final class Ordered extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static final class Program {
    private final long seed;
    private final Random random;
    private final int max;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Item> made = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private @Nullable Pool<Item> opened;
    private int making;
    private int ending;
    private boolean shutDown;
    int handedOn;
    int failed;
    int inTurn;

    Program(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.max = 1 + (int) (seed % 3);
    }

    void run() {
      try {
        VirtualTime.run(this::play);
      } catch (RuntimeException | Error e) {
        if (!shutDown) {
          throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
        }
      }
      Pool<Item> pool = Objects.requireNonNull(opened);
      require(pool.lent() == 0 && pool.waiting() == 0, "something is left: " + pool);
      require(pool.size() == pool.idle(), "a place is in no hand: " + pool);
      require(shutDown || pool.size() == 0, "a place is left: " + pool);
      require(shutDown || made.stream().allMatch(item -> item.ended), "not destroyed");
      assertThat(problems).as("-Dheddle.seed=%d repeats it", seed).isEmpty();
    }

    // noted, because a shutdown takes the failure with it
    private void require(boolean met, String what) {
      if (!met) {
        problems.add(what);
      }
    }

    private PoolOptions<Item> options() {
      PoolOptions<Item> options =
          PoolOptions.<Item>of(this::make).withSize(0, max).withDestroy(this::end);
      if (random.nextBoolean()) {
        options = options.withBeforeAcquire(this::check);
      }
      if (random.nextBoolean()) {
        options = options.withBeforeRelease(this::check);
      }
      if (random.nextInt(4) == 0) {
        options = options.withHealthCheck(Duration.ofNanos(3), this::check);
      }
      return random.nextInt(4) == 0 ? options.withMaxLifetime(Duration.ofNanos(5)) : options;
    }

    // ---- what the pool calls ----

    private Item make() {
      making++;
      checkLimit();
      try {
        perhapsWait();
        if (random.nextInt(8) == 0) {
          failed++;
          throw new Ordered();
        }
        Item item = new Item(made.size());
        made.add(item);
        return item;
      } finally {
        making--;
      }
    }

    private boolean check(Item item) {
      assertUnused(item);
      perhapsWait();
      assertUnused(item);
      if (random.nextInt(10) == 0) {
        throw new Ordered();
      }
      return random.nextInt(10) > 0;
    }

    private void end(Item item) {
      assertUnused(item);
      item.ended = true;
      ending++;
      try {
        perhapsWait();
      } finally {
        ending--;
      }
    }

    private void perhapsWait() {
      switch (random.nextInt(4)) {
        case 0 -> Heddle.yieldNow();
        case 1 -> Heddle.delay(Duration.ofNanos(1));
        default -> {}
      }
    }

    private void assertUnused(Item item) {
      require(!item.ended, "destroyed and used: " + item.number);
      require(item.user == null, "in two hands: " + item.number);
    }

    private void checkLimit() {
      long alive = made.stream().filter(item -> !item.ended).count();
      require(
          alive + making + ending <= max, "too many: %d, %d, %d".formatted(alive, making, ending));
    }

    // ---- the program ----

    private void play() {
      Pool<Item> pool = Pool.open(options());
      opened = pool;
      Heddle.supervise(s -> {
        for (int i = 0; i < WORKERS; i++) {
          Worker worker = new Worker(i);
          workers.add(worker);
          worker.coroutine =
              s.spawn(() -> {
                live(worker, pool);
                return worker.number;
              });
        }
        return null; // a worker that is forgotten makes this a deadlock
      });
      for (Worker worker : workers) {
        Throwable failure = worker.coroutine.failure();
        require(failure == null || worker.cancelled || shutDown, "failed: " + failure);
      }
      pool.close();
      Heddle.delay(Duration.ofNanos(10)); // a health check may have one in its hands
    }

    private void live(Worker self, Pool<Item> pool) {
      for (int step = 0; step < STEPS; step++) {
        try {
          act(self, pool);
        } catch (WaitCancelledException | DeadlineException | PoolClosedException | Ordered _) {
          // as ordered
        }
        checkLimit();
        require(pool.size() <= max, "too many places: " + pool);
        require(pool.waiting() == 0 || pool.idle() == 0, "waits beside an idle one: " + pool);
      }
    }

    private void act(Worker self, Pool<Item> pool) {
      switch (random.nextInt(14)) {
        case 0, 1, 2, 3, 4, 5, 6 -> acquire(self, pool);
        case 7, 8 -> {
          Lease<Item> lease = pool.tryAcquire();
          if (lease != null) {
            use(self, lease);
          }
        }
        case 9, 10 -> fireToken();
        case 11 -> cancel();
        default -> {
          Heddle.yieldNow();
          switch (random.nextInt(60)) {
            case 0, 1 -> pool.close();
            case 2 -> shutDown();
            default -> {}
          }
        }
      }
    }

    private void shutDown() {
      shutDown = true;
      Heddle.shutdown(Duration.ofSeconds(1));
    }

    private void acquire(Worker self, Pool<Item> pool) {
      int waiting = pool.waiting();
      boolean waits = pool.idle() == 0 && pool.size() == max && !pool.isClosed();
      int madeBefore = made.size();
      Lease<Item> lease;
      try {
        lease =
            switch (random.nextInt(3)) {
              case 0 -> pool.acquire();
              case 1 -> pool.acquire(Deadline.after(Duration.ofNanos(2)));
              default -> pool.acquire(tokenOf(self));
            };
      } catch (Throwable e) {
        handedOn += waiting > 0 || made.size() > madeBefore ? 1 : 0;
        throw e;
      }
      inTurn += waits ? 1 : 0;
      use(self, lease);
    }

    private Future<String> tokenOf(Worker self) {
      Promise<String> token = new Promise<>();
      self.token = token;
      return token.future();
    }

    private void use(Worker self, Lease<Item> lease) {
      Item item = lease.resource();
      assertUnused(item);
      item.user = self;
      try {
        perhapsWait();
        require(item.user == self, "used by two: " + item.number);
      } finally {
        item.user = null;
        if (random.nextInt(8) == 0) {
          lease.discard();
        } else {
          lease.close();
        }
      }
    }

    private void fireToken() {
      Worker one = workers.get(random.nextInt(workers.size()));
      Promise<String> token = one.token;
      if (token != null) {
        var _ = token.tryComplete("enough");
      }
    }

    private void cancel() {
      Worker one = workers.get(random.nextInt(workers.size()));
      if (one.coroutine != null && random.nextInt(2) == 0) {
        one.cancelled = true;
        one.coroutine.cancel("by the program");
      }
    }
  }

  /// Without hooks that suspend, the order of service is the order of arrival, whoever leaves
  /// meanwhile.
  @Test
  void waiters_ofRandomPrograms_areServedInTheOrderOfArrival() {
    for (long seed = 0; seed < PROGRAMS / 10; seed++) {
      Random random = new Random(seed);
      String program = "seed " + seed;
      VirtualTime.run(() -> {
        Pool<Integer> pool =
            Pool.open(PoolOptions.<Integer>of(() -> 1).withSize(0, 1 + random.nextInt(2)));
        List<Lease<Integer>> lent = new ArrayList<>();
        for (Lease<Integer> l = pool.tryAcquire(); l != null; l = pool.tryAcquire()) {
          lent.add(l);
        }
        List<Integer> served = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        List<Coroutine<?>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          int number = i;
          all.add(
              Heddle.spawn(() -> {
                Lease<Integer> lease = pool.acquire();
                served.add(number);
                Heddle.yieldNow();
                if (number % 3 == 0) {
                  lease.discard();
                } else {
                  lease.close();
                }
              }));
          expected.add(number);
        }
        Heddle.yieldNow();
        boolean early = random.nextBoolean();
        if (early) {
          lent.forEach(Lease::close); // the oldest are served and have not run yet
        }
        int gone = random.nextInt(8);
        all.get(gone).cancel("by the program");
        expected.remove((Integer) gone);
        if (!early) {
          lent.forEach(Lease::close);
        }
        for (int i = 0; i < 8; i++) {
          if (i != gone) {
            Heddle.await(all.get(i));
          }
        }
        assertThat(served).as(program).containsExactlyElementsOf(expected);
        pool.close();
      });
    }
  }
}
