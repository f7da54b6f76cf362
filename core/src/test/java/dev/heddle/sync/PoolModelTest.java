// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.PoolClosedException;
import dev.heddle.ServiceUnavailableException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs of coroutines that acquire, with and without waiting, with tokens, deadlines and
/// cancellations, that return or discard, while factory and hooks suspend, reject and fail, the
/// circuit breaker opens and recovers, and the pool is closed or the loop shut down at any step. A
/// ledger knows each resource that was made. [PoolStepsTest] goes through the steps one by one.
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

  private static final List<String> WINDOWS =
      List.of(
          "served after a wait",
          "served, but left",
          "cancelled",
          "token",
          "deadline",
          "factory failed",
          "refused",
          "closed with waiters",
          "closed while one acquires",
          "shut down",
          "tried and got",
          "tried in vain");

  @Test
  void randomPrograms_loseNoResourceAndForgetNoWaiter() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    Map<String, Integer> met = new TreeMap<>();
    for (long seed = first; seed < last; seed++) {
      new Program(seed, met).run();
    }
    if (only == null) {
      // else the programs never met the windows that they are for
      for (String window : WINDOWS) {
        assertThat(met.getOrDefault(window, 0)).as("%s of %s", window, met).isGreaterThan(100);
      }
    }
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
    boolean acquires;
    boolean queued; // it waits for its turn, or its turn has come and it has not run

    /// Whether its turn has come, and it has not run.
    boolean isServed() {
      return queued
          && coroutine instanceof CoroutineNode<?> node
          && node.status() != WakerStatus.WAITING;
    }

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
    private final Map<String, Integer> met;
    private int making;
    private int ending;
    private long steps; // of any coroutine
    private boolean checked; // before a resource is lent again
    private @Nullable CircuitBreaker breaker;
    private boolean shutDown;

    Program(long seed, Map<String, Integer> met) {
      this.seed = seed;
      this.met = met;
      this.random = new Random(seed);
      this.max = 1 + (int) (seed % 3);
    }

    void run() {
      try {
        VirtualTime.run(this::play);
      } catch (RuntimeException | Error e) {
        if (!shutDown || !(e instanceof Cancellation)) {
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
    private void require(boolean holds, String what) {
      if (!holds) {
        problems.add(what);
      }
    }

    private void meet(String window) {
      met.merge(window, 1, Integer::sum);
    }

    private PoolOptions<Item> options() {
      PoolOptions<Item> options =
          PoolOptions.<Item>of(this::make).withSize(0, max).withDestroy(this::end);
      if (random.nextBoolean()) {
        checked = true;
        options = options.withBeforeAcquire(this::check);
      }
      if (random.nextInt(3) == 0) {
        breaker = new CircuitBreaker(breakerOptions());
        options = options.withCircuitBreaker(breaker);
      }
      if (random.nextBoolean()) {
        options = options.withBeforeRelease(this::check);
      }
      if (random.nextInt(4) == 0) {
        options = options.withHealthCheck(Duration.ofNanos(3), this::check);
      }
      return random.nextInt(4) == 0 ? options.withMaxLifetime(Duration.ofNanos(5)) : options;
    }

    private CircuitBreakerOptions breakerOptions() {
      return CircuitBreakerOptions.defaults()
          .withFailures(1, 1 + random.nextInt(2))
          .withTrialCalls(1 + random.nextInt(2))
          .withRecovery(RecoveryStrategy.fixed(Duration.ofNanos(2)));
    }

    // ---- what the pool calls ----

    private Item make() {
      enterHook();
      making++;
      checkLimit();
      try {
        perhapsWait();
        if (random.nextInt(8) == 0) {
          meet("factory failed");
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
      enterHook();
      assertUnused(item);
      perhapsWait();
      assertUnused(item);
      if (random.nextInt(10) == 0) {
        throw new Ordered();
      }
      return random.nextInt(10) > 0;
    }

    private void end(Item item) {
      enterHook();
      assertUnused(item);
      item.ended = true;
      ending++;
      try {
        perhapsWait();
      } finally {
        ending--;
      }
    }

    private void enterHook() {
      steps++;
      for (Worker worker : workers) {
        worker.queued &= worker.coroutine != Heddle.current(); // it runs
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
        boolean ordered = failure instanceof Cancellation && (worker.cancelled || shutDown);
        require(failure == null || ordered, "failed: " + failure);
      }
      pool.close();
      Heddle.delay(Duration.ofNanos(10)); // a health check may have one in its hands
    }

    private void live(Worker self, Pool<Item> pool) {
      for (int step = 0; step < STEPS; step++) {
        steps++;
        try {
          act(self, pool);
        } catch (WaitCancelledException
            | DeadlineException
            | PoolClosedException
            | ServiceUnavailableException
            | Ordered _) {
          // as ordered
        } catch (Throwable e) {
          // noted here, because a shutdown also ends the coroutine that would ask for it
          boolean ordered = e instanceof Cancellation && (self.cancelled || shutDown);
          require(ordered, "thrown: " + e);
          throw e;
        }
        checkPlaces(pool);
      }
    }

    private void checkPlaces(Pool<Item> pool) {
      checkLimit();
      require(pool.size() <= max, "too many places: " + pool);
      require(pool.waiting() == 0 || pool.idle() == 0, "waits beside an idle one: " + pool);
      require(pool.waiting() == 0 || pool.size() == max, "waits beside room: " + pool);
    }

    private void act(Worker self, Pool<Item> pool) {
      switch (random.nextInt(14)) {
        case 0, 1, 2, 3, 4, 5, 6 -> acquire(self, pool);
        case 7, 8 -> {
          tryAcquire(self, pool);
        }
        case 9, 10 -> fireToken();
        case 11 -> cancel();
        default -> {
          Heddle.yieldNow();
          switch (random.nextInt(60)) {
            case 0, 1 -> close(pool);
            case 2 -> shutDown();
            default -> {}
          }
        }
      }
    }

    private void close(Pool<Item> pool) {
      if (!pool.isClosed()) {
        if (pool.waiting() > 0) {
          meet("closed with waiters");
        }
        if (workers.stream().anyMatch(w -> w.acquires)) {
          meet("closed while one acquires");
        }
      }
      pool.close();
    }

    private void shutDown() {
      if (!shutDown) {
        meet("shut down");
      }
      shutDown = true;
      Heddle.shutdown(Duration.ofSeconds(1));
    }

    private void tryAcquire(Worker self, Pool<Item> pool) {
      boolean open = breaker == null || breaker.state() != CircuitBreaker.State.OPEN;
      boolean possible = pool.idle() > 0 && !checked && !pool.isClosed() && open;
      long before = steps;
      Lease<Item> lease = pool.tryAcquire();
      require(steps == before, "another coroutine, or a hook, has run");
      require((lease != null) == possible, "tryAcquire() has given " + lease);
      meet(possible ? "tried and got" : "tried in vain");
      if (lease != null) {
        use(self, lease);
      }
    }

    private void acquire(Worker self, Pool<Item> pool) {
      boolean waits = pool.idle() == 0 && pool.size() == max && !pool.isClosed();
      Lease<Item> lease;
      self.acquires = true;
      self.queued = waits;
      try {
        lease =
            switch (random.nextInt(3)) {
              case 0 -> pool.acquire();
              case 1 -> pool.acquire(Deadline.after(Duration.ofNanos(2)));
              default -> pool.acquire(tokenOf(self));
            };
      } catch (Throwable e) {
        meet(windowOf(e));
        throw e;
      } finally {
        self.acquires = false;
        self.queued = false;
      }
      if (waits) {
        meet("served after a wait");
      }
      use(self, lease);
    }

    private static String windowOf(Throwable e) {
      return switch (e) {
        case WaitCancelledException _ -> "token";
        case DeadlineException _ -> "deadline";
        case Cancellation _ -> "cancelled";
        case ServiceUnavailableException _ -> "refused";
        default -> "thrown";
      };
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
        noteServed(one);
        var _ = token.tryComplete("enough");
      }
    }

    private void noteServed(Worker one) {
      if (one.isServed()) {
        meet("served, but left");
      }
    }

    private void cancel() {
      Worker one = workers.get(random.nextInt(workers.size()));
      if (one.coroutine != null && random.nextInt(2) == 0) {
        noteServed(one);
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
        int most = 1 + random.nextInt(2);
        Pool<Integer> pool = Pool.open(PoolOptions.<Integer>of(() -> 1).withSize(0, most));
        List<Lease<Integer>> lent = new ArrayList<>();
        while (lent.size() < most) {
          lent.add(pool.acquire());
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
