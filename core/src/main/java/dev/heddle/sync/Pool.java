// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Body;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.PoolClosedException;
import dev.heddle.Registration;
import dev.heddle.Transform;
import dev.heddle.coroutine.ItemAction;
import dev.heddle.coroutine.ItemTest;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Nanos;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackGuard;
import dev.heddle.observe.PoolSnapshot;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue;
import dev.heddle.scheduler.WaitQueue.Waiter;
import dev.heddle.sync.CircuitBreaker.Permit;
import dev.heddle.sync.CircuitBreaker.State;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Resources that are expensive to make and that one coroutine at a time uses, such as connections:
/// a limited number, lent again and again to the coroutines of one loop.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=pool}
///
/// Any coroutine of the loop may close a lease; [Lease#holder()] acquired it. [#use] and
/// try-with-resources close it in any case. An idle resource that was used last is lent first, so
/// that a pool larger than needed shrinks ([PoolOptions#withMaxIdle]). A pool that is not closed
/// keeps its resources until the JVM ends: close it, or register it by
/// [dev.heddle.Heddle#onShutdown(AutoCloseable)].
///
/// **Thread** the loop on which it was opened. **Suspends** while all resources are lent, and in
/// the factory and the hooks. **Cancelled** nothing is left behind: a resource that a waiter was
/// given, but that is cancelled before it continues, goes to the next waiter or is idle again.
/// **Order** first come, first served, without barging: a released resource, or the place of a
/// destroyed one, goes to the oldest waiter, and no other coroutine can take it in between, not
/// even the one that released it. An acquirer that makes a resource waits for its own, and may be
/// overtaken; give both limits of [PoolOptions#withSize] the same number to exclude that. **Cost**
/// of a lease without contention: its object and an entry in a table; no switch.
///
/// @param <R> the type of the resources
/// @since 0.1
public final class Pool<R> implements AutoCloseable {
  /*
   * A pool has up to `max` places. A place is empty or has a resource, and is in one hand:
   *
   *   from     event                                    to       who
   *   -        acquire(), none idle, fewer than max     FILLING  the acquirer
   *   IDLE     acquire()                                FILLING  the acquirer
   *   GIVEN    the waiter continues                     FILLING  the waiter
   *   FILLING  there is a resource, and it passed       LENT     the acquirer
   *   FILLING  factory or hook threw; cancelled         given back
   *   LENT     the lease is closed                      KEPT     the coroutine that closes it
   *   KEPT     beforeRelease has ended                  given back
   *   IDLE     overdue, or a health check               KEPT     the housekeeper
   *   GIVEN    its wait ended otherwise                 given back
   *
   * A place that is given back goes to the oldest waiter: GIVEN, with its resource or empty. The
   * waiter fills an empty one. Without a waiter, a place with a resource is IDLE, and an empty one
   * is gone.
   *
   * A place counts before the factory is called, and until its resource is destroyed, so that there
   * are never more than `max`, however long these hooks suspend. If the factory fails, the next
   * waiter gets the place and tries itself.
   *
   * Circuit breaker. An open one is asked before the wait, so that an acquirer learns it at once,
   * and again when there is a place, because many may wait while the service fails. Its permit is
   * taken then, so that no waiter has a trial that it does not use. A resource that the pool makes
   * by itself is a call, too; the housekeeper makes none unless the circuit breaker is CLOSED.
   *
   * Hooks. Each is called with the place in no list, so that no other coroutine can reach it, and
   * nothing of the pool changes half before the call. An Exception of a check rejects the resource.
   * Anything else, a cancellation above all, is thrown on after the place was given back.
   *
   * Eviction. A resource has the generation that the pool had when its factory was called. One of
   * an earlier generation is destroyed when its place is given back, so none of them is ever IDLE.
   *
   * Closing. Waiters and acquirers that have not returned throw, and give their places back. A
   * place that is given back to a closed pool loses its resource.
   *
   * Threads. The loop's.
   *
   * I1. While a coroutine waits, no place is IDLE, and there are `max` of them. [PoolModelTest]
   * I2. Each resource that the factory made is in exactly one place until it is destroyed, and is
   *     destroyed at most once; at the latest when the pool is closed and it was released.
   *     [PoolModelTest]
   * I3. There are never more than `max` resources, those being made and destroyed included.
   *     [PoolModelTest]
   * I4. Waiters are served in the order of arrival. [PoolModelTest]
   *
   * Rejected. A coroutine that makes resources for all, so that an acquirer could take one that is
   * released earlier: its failure belongs to no acquirer, and no cancellation or deadline ends it.
   * Waking a waiter to try again: others take what it was woken for.
   *
   * Sources. trap-1, trap-2, trap-3, trap-11, trap-17, trap-25, trap-26; WaitQueue has the states
   * of a waiter.
   */
  final Scheduler home;
  final CoroutineTree tree;
  final PoolOptions<R> options;
  private final WaitQueue waiters = new Waiters();
  private final Registration inDump;
  private final PoolHousekeeper<R> housekeeper;
  private final Lender lender = new Lender();

  // loop only
  final ArrayDeque<Pooled<R>> idle = new ArrayDeque<>(); // the one used last is first
  final Set<Lease<R>> leases = new LinkedHashSet<>();
  int size; // places
  private boolean closed;
  private @Nullable String closedBy; // null: it is open
  private @Nullable Throwable lastRejection;
  private int generation; // the number of evictions; wraps
  private long acquired;
  private long timedOut;
  private long created;
  private long destroyed;

  private Pool(PoolOptions<R> options) {
    this.tree = CoroutineNode.current().tree();
    this.home = tree.scheduler();
    this.options = options;
    this.inDump = tree.addDumpPart(this::snapshot);
    this.housekeeper = new PoolHousekeeper<>(this);
  }

  /// Opens a pool on the current loop, and makes its first resources. **Suspends** in the factory.
  ///
  /// @throws CoroutineException when the factory threw a checked exception; unchecked exceptions
  ///   and errors are thrown as they are. The pool is closed then, and resources that were made are
  ///   destroyed
  /// @throws dev.heddle.ServiceUnavailableException when the circuit breaker refuses to make the
  ///   first resources; the pool is closed then, too
  /// @throws IllegalStateException outside a coroutine, or when the pool needs a housekeeper and
  ///   the loop is past its shutdown deadline
  public static <R> Pool<R> open(PoolOptions<R> options) {
    StackGuard.requireRoom(); // an overflow half-way would leave resources that no caller has
    Pool<R> pool = new Pool<>(options);
    try {
      while (pool.size < options.min) {
        pool.addOne();
      }
      pool.housekeeper.start();
    } catch (Throwable e) {
      throw closingAfter(pool, e);
    }
    return pool;
  }

  // ---- acquiring ----

  /// Acquires a resource. **Suspends** while all are lent, and in the factory or `beforeAcquire`.
  ///
  /// @return the lease, which the caller must close
  /// @throws PoolClosedException when the pool is closed, now or while it waits
  /// @throws DeadlineException when [PoolOptions#withAcquireTimeout] is over first
  /// @throws dev.heddle.ServiceUnavailableException when the circuit breaker refuses it
  /// @throws dev.heddle.Cancellation when the current coroutine is cancelled meanwhile
  /// @throws CoroutineException when the factory threw a checked exception; unchecked exceptions
  ///   and errors are thrown as they are
  /// @throws IllegalStateException when the pool belongs to another loop
  public Lease<R> acquire() {
    return acquire(ownDeadline(), null);
  }

  /// Acquires a resource, but waits no longer than a deadline, which also ends a factory or hook
  /// that runs for it. A resource that needs neither is lent even after the deadline. Otherwise as
  /// [#acquire()].
  ///
  /// @throws DeadlineException when the deadline runs out first
  public Lease<R> acquire(Deadline deadline) {
    return acquire(deadline, null);
  }

  /// Acquires a resource, but waits no longer than until `token` fires. Otherwise as
  /// [#acquire(Deadline)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public Lease<R> acquire(Awaitable<?> token) {
    return acquire(Deadline.never(), EventSource.of(token));
  }

  private Lease<R> acquire(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = checkLoop();
    home.consumeBudget(self); // first: it may throw
    StackGuard.requireRoom(); // an overflow while a place is given back would lose it
    checkOpen();
    if (options.breaker != null) {
      options.breaker.checkNotOpen(); // at once, not after a wait
    }
    try {
      Pooled<R> place = reserve();
      return lend(self, place != null ? place : awaitTurn(self, deadline, token), deadline, token);
    } catch (DeadlineException e) {
      if (isOver(deadline)) { // else it is the factory's own
        timedOut++;
      }
      throw e;
    }
  }

  private boolean isOver(Deadline deadline) {
    return !deadline.isNever() && now() - deadline.nanoTime() >= 0;
  }

  private Deadline ownDeadline() {
    return options.acquireTime == null ? Deadline.never() : Deadline.after(options.acquireTime);
  }

  /// Acquires an idle resource if there is one that needs no check, and makes none, so that it
  /// returns null on a fresh pool of `withSize(0, n)`. **Suspends** never: it calls neither the
  /// factory nor a hook. So it returns null at any time from a pool with a `beforeAcquire`.
  ///
  /// @return the lease, which the caller must close; null when no resource is idle, when
  ///   `beforeAcquire` would have to check it, when the pool is closed, or when the circuit breaker
  ///   is open
  /// @throws IllegalStateException when the pool belongs to another loop
  public @Nullable Lease<R> tryAcquire() {
    CoroutineNode<?> self = checkLoop();
    StackGuard.requireRoom(); // as in acquire()
    CircuitBreaker breaker = options.breaker;
    if (closed || idle.isEmpty() || options.beforeAcquire != null) {
      return null;
    }
    if (breaker != null && breaker.state() == State.OPEN) {
      return null;
    }
    return lend(self, idle.remove(), Deadline.never(), null);
  }

  private @Nullable Pooled<R> reserve() {
    Pooled<R> place = idle.poll();
    if (place == null && size < options.max) {
      size++; // before the factory: it may suspend
      place = new Pooled<>();
    }
    return place;
  }

  private Pooled<R> awaitTurn(
      CoroutineNode<?> self, Deadline deadline, @Nullable EventSource token) {
    Waiter waiter = new Waiter(waiters, home, null);
    try {
      waiters.await(waiter, self, deadline, token);
    } catch (Throwable e) {
      leave(waiter);
      throw e;
    }
    Pooled<R> place = placeOf(waiter);
    if (place == null) {
      throw isClosedNow();
    }
    return place;
  }

  private void leave(Waiter waiter) {
    if (home.hasEnded()) {
      return; // the caller now runs on a JDK thread, perhaps concurrently with others
    }
    waiters.remove(waiter);
    Pooled<R> place = placeOf(waiter);
    if (place != null) {
      giveBack(place);
    }
  }

  @SuppressWarnings("unchecked") // a waiter is given places only
  private @Nullable Pooled<R> placeOf(Waiter waiter) {
    return (Pooled<R>) waiter.item();
  }

  // ---- lending ----

  private Lease<R> lend(
      CoroutineNode<?> self, Pooled<R> place, Deadline deadline, @Nullable EventSource token) {
    try {
      return lend(self, place, permitFor(place), deadline, token);
    } catch (Throwable e) {
      giveBack(place);
      throw e;
    }
  }

  // asked for when there is a place: a waiter takes no trial, and learns what happened meanwhile
  private @Nullable Permit permitFor(Pooled<R> place) {
    CircuitBreaker breaker = options.breaker;
    if (breaker == null) {
      return null;
    }
    return asksTheService(place) ? breaker.acquire() : breaker.acquireWithoutTrial();
  }

  private boolean asksTheService(Pooled<R> place) {
    return place.resource == null || options.beforeAcquire != null;
  }

  private Lease<R> lend(
      CoroutineNode<?> self,
      Pooled<R> place,
      @Nullable Permit permit,
      Deadline deadline,
      @Nullable EventSource token) {
    boolean hadTime = !isOver(deadline);
    try {
      if (asksTheService(place)) {
        bounded(self, deadline, token, () -> fill(place, permit));
        reportReply(permit);
      }
      checkOpen();
      Lease<R> lease = new Lease<>(lender, place, resourceOf(place), self, permit);
      leases.add(lease);
      acquired++;
      return lease;
    } catch (Throwable e) {
      if (permit != null && hadTime && isOver(deadline) && !closed && !permit.isCallersEnd(e)) {
        permit.failure(e); // a service that does not reply is as bad as one that fails
      }
      endUnreported(permit);
      throw e;
    }
  }

  private static void bounded(
      CoroutineNode<?> self, Deadline deadline, @Nullable EventSource token, Runnable fill) {
    Body<@Nullable Void> body =
        () -> {
          fill.run();
          return null;
        };
    Bodies.<@Nullable Void>run(
        () -> token == null ? self.withDeadline(deadline, body) : self.cancelWhen(token, body));
  }

  // until there is a resource that may be lent
  private void fill(Pooled<R> place, @Nullable Permit permit) {
    do {
      checkOpen();
      if (place.resource == null) {
        Pooled<R> other = idle.poll();
        if (other == null) {
          create(place, permit); // a fresh one is not checked
          return;
        }
        place.moveFrom(other);
        giveBack(other);
      }
    } while (!passes(place, options.beforeAcquire));
  }

  private void create(Pooled<R> place, @Nullable Permit permit) {
    try {
      place.generation = generation; // first: the factory may be slow
      R made = options.factory.run();
      place.resource =
          Objects.requireNonNull(made, () -> "the factory of " + describe() + " returned null");
      created++;
      place.createdAt = now();
      place.idleSince = place.createdAt;
    } catch (Throwable e) {
      if (permit != null && !permit.isCallersEnd(e)) { // else lend() asks whether by a deadline
        permit.end(e);
      }
      throw Rethrow.unchecked(CoroutineException.of(e));
    }
  }

  private R resourceOf(Pooled<R> place) {
    return Objects.requireNonNull(place.resource);
  }

  /// Makes a resource that no acquirer has asked for: a call of the circuit breaker, too.
  void addOne() {
    Permit permit = options.breaker == null ? null : options.breaker.acquire(); // first: may throw
    size++;
    Pooled<R> place = new Pooled<>();
    try {
      create(place, permit);
      if (permit != null) {
        permit.returned();
      }
    } finally {
      endUnreported(permit);
      giveBack(place);
    }
  }

  /// Whether it may make resources for later. In HALF_OPEN the trials are for acquirers: their
  /// deadlines bound a factory that hangs, and nothing bounds the housekeeper's.
  boolean mayMakeAhead() {
    return options.breaker == null || options.breaker.state() == State.CLOSED;
  }

  // ---- using ----

  // Two verbs: Java cannot tell use(Transform) from use(ItemAction) in `use(c -> c.query())`.

  /// Acquires a resource, runs `body` with it, and releases it however the body ends. **Suspends**
  /// as [#acquire()] and [Lease#close()]. Throws what they throw, and what `body` throws.
  ///
  /// @throws CoroutineException when the body threw a checked exception
  public <T extends @Nullable Object> T use(Transform<? super R, ? extends T> body) {
    return using(acquire(), body);
  }

  /// Acquires a resource as [#acquire(Deadline)] does, and runs `body` with it. The deadline bounds
  /// the acquiring alone, not the body. Otherwise as [#use(Transform)].
  ///
  /// @throws DeadlineException when the deadline runs out first; `body` was not run
  public <T extends @Nullable Object> T use(
      Transform<? super R, ? extends T> body, Deadline deadline) {
    return using(acquire(deadline), body);
  }

  /// Acquires a resource as [#acquire(Awaitable)] does, and runs `body` with it. The token bounds
  /// the acquiring alone, not the body. Otherwise as [#use(Transform)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first; `body` was not run
  public <T extends @Nullable Object> T use(
      Transform<? super R, ? extends T> body, Awaitable<?> token) {
    return using(acquire(token), body);
  }

  /// Acquires a resource and runs an action with it. Otherwise as [#use(Transform)].
  public void run(ItemAction<? super R> action) {
    running(acquire(), action);
  }

  /// Acquires a resource and runs an action with it. Otherwise as [#use(Transform, Deadline)].
  ///
  /// @throws DeadlineException when the deadline runs out first; `action` was not run
  public void run(ItemAction<? super R> action, Deadline deadline) {
    running(acquire(deadline), action);
  }

  /// Acquires a resource and runs an action with it. Otherwise as [#use(Transform, Awaitable)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first; `action` was not run
  public void run(ItemAction<? super R> action, Awaitable<?> token) {
    running(acquire(token), action);
  }

  private static <R> void running(Lease<R> lease, ItemAction<? super R> action) {
    Pool.<R, @Nullable Void>using(
        lease,
        resource -> {
          action.accept(resource);
          return null;
        });
  }

  private static <R, T extends @Nullable Object> T using(
      Lease<R> lease, Transform<? super R, ? extends T> body) {
    T result;
    try {
      result = body.apply(lease.resource());
    } catch (Throwable e) {
      throw closingAfter(lease, CoroutineException.of(e));
    }
    lease.close();
    return result;
  }

  // the first failure is thrown; that of the clean-up is in its report
  private static RuntimeException closingAfter(AutoCloseable what, Throwable failure) {
    try {
      what.close();
    } catch (Throwable e) {
      FailureTable.merge(failure, e);
    }
    return Rethrow.unchecked(failure);
  }

  // ---- releasing ----

  private void release(Lease<R> lease) {
    leases.remove(lease);
    Pooled<R> place = lease.entry();
    Permit permit = lease.permit();
    place.idleSince = now();
    try {
      if (closed || isEvicted(place) || isTooOld(place)) {
        destroy(place);
      } else if (!passes(place, options.beforeRelease)) {
        reportFailure(permit);
      }
      reportSuccess(permit);
    } finally {
      endUnreported(permit);
      giveBack(place);
    }
  }

  private void discard(Lease<R> lease) {
    leases.remove(lease);
    try {
      lastRejection = null;
      reportFailure(lease.permit());
      destroy(lease.entry());
    } finally {
      giveBack(lease.entry());
    }
  }

  private void reportFailure(@Nullable Permit permit) {
    if (permit != null) {
      permit.failure(lastRejection);
    }
  }

  // after a report it does nothing
  private static void endUnreported(@Nullable Permit permit) {
    if (permit != null) {
      permit.close();
    }
  }

  private static void reportReply(@Nullable Permit permit) {
    if (permit != null) {
      permit.replied();
    }
  }

  // does nothing after a failure
  private static void reportSuccess(@Nullable Permit permit) {
    if (permit != null) {
      permit.success();
    }
  }

  boolean isTooOld(Pooled<R> place) {
    return options.lifetime != null && now() - Nanos.after(place.createdAt, options.lifetime) >= 0;
  }

  private boolean isEvicted(Pooled<R> place) {
    return place.resource != null && place.generation != generation;
  }

  /// Runs a check; a resource that fails it is destroyed.
  boolean passes(Pooled<R> place, @Nullable ItemTest<? super R> check) {
    if (check == null) {
      return true;
    }
    boolean passed = false;
    Exception rejection = null;
    try {
      passed = check.test(resourceOf(place));
    } catch (Exception e) {
      rejection = e;
    } finally {
      if (!passed) {
        destroy(place);
      }
    }
    lastRejection = rejection;
    if (rejection != null) {
      CoroutineNode.current().checkCancelled(); // a wait in the JDK may have thrown it as a failure
    }
    return passed;
  }

  void destroy(Pooled<R> place) {
    try {
      end(place);
    } catch (Exception e) {
      tree.host().report("destroying a resource of " + describe() + " failed", e);
      CoroutineNode.current().checkCancelled();
    }
  }

  private void end(Pooled<R> place) throws Exception {
    R resource = place.resource;
    place.resource = null; // first: never twice
    destroyed += resource != null ? 1 : 0;
    ItemAction<? super R> hook = options.destroy;
    if (resource != null && hook != null) {
      hook.accept(resource);
    }
  }

  /// Gives a place to the oldest waiter; without one, its resource is idle.
  void giveBack(Pooled<R> place) {
    if (home.hasEnded()) {
      return; // as in leave()
    }
    if (closed) {
      try {
        destroy(place);
      } finally {
        size--;
      }
      return;
    }
    if (isEvicted(place)) {
      try {
        destroy(place);
      } finally {
        giveBack(place); // empty
      }
      return;
    }
    Waiter oldest = waiters.poll();
    if (oldest != null) {
      oldest.serve(place, 0);
    } else if (place.resource != null) {
      idle.addFirst(place);
    } else {
      size--;
    }
  }

  // ---- evicting ----

  /// Destroys all resources that exist: those that are idle now, those that are lent when they are
  /// released. For the time after a failover, when they lead to a server that is gone. The
  /// housekeeper makes the minimum again. **Suspends** only in `destroy`. **Cancelled** the other
  /// resources are destroyed all the same.
  ///
  /// @throws IllegalStateException when the pool belongs to another loop
  public void evictIdle() {
    checkLoop();
    StackGuard.requireRoom(); // as in acquire()
    generation++;
    List<Pooled<R>> evicted = List.copyOf(idle);
    idle.clear(); // before a hook suspends: no acquirer gets one of them
    Throwable first = null;
    for (Pooled<R> place : evicted) {
      try {
        giveBack(place);
      } catch (Throwable e) {
        first = merged(first, e);
      }
    }
    throwUnlessNull(first);
  }

  // ---- closing ----

  /// Closes the pool: waiters throw, idle resources are destroyed, and a resource that is lent is
  /// destroyed when it is released. A second call does nothing. **Suspends** only in `destroy`.
  ///
  /// @throws CoroutineException when `destroy` threw a checked exception; unchecked exceptions and
  ///   errors are thrown as they are. The other resources are destroyed all the same
  /// @throws IllegalStateException when the pool belongs to another loop
  @Override
  public void close() {
    CoroutineNode<?> self = checkLoop();
    if (closed) {
      return;
    }
    StackGuard.requireRoom(); // an overflow half-way would leave a waiter that never wakes
    closed = true;
    closedBy = self.label();
    for (Waiter waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) {
      waiter.serve(null, 0);
    }
    housekeeper.stop();
    inDump.close();
    Throwable failure = null;
    for (Pooled<R> place = idle.poll(); place != null; place = idle.poll()) {
      try {
        end(place);
      } catch (Throwable e) {
        failure = merged(failure, e);
      } finally {
        size--;
      }
    }
    throwUnlessNull(failure);
  }

  private static void throwUnlessNull(@Nullable Throwable failure) {
    if (failure != null) {
      throw Rethrow.unchecked(CoroutineException.of(failure));
    }
  }

  private static Throwable merged(@Nullable Throwable first, Throwable later) {
    if (first == null) {
      return later;
    }
    FailureTable.merge(first, later);
    return first;
  }

  /// Whether it was closed.
  public boolean isClosed() {
    return closed;
  }

  private void checkOpen() {
    if (closed) {
      throw isClosedNow();
    }
  }

  private PoolClosedException isClosedNow() {
    return new PoolClosedException(
        "%s was closed by %s; acquire before that, or open another"
            .formatted(describe(), closedBy));
  }

  // ---- views ----

  /// The number of resources, including those being made or destroyed.
  public int size() {
    return size;
  }

  /// The number of resources that can be lent at once.
  public int idle() {
    return idle.size();
  }

  /// The number of resources that are lent.
  public int lent() {
    return leases.size();
  }

  /// The number of coroutines that wait.
  public int waiting() {
    return waiters.size();
  }

  /// What is lent, the oldest lease first: who holds it, and since when.
  public List<Lease<R>> leases() {
    return List.copyOf(leases);
  }

  /// The pool as it is now, with its leases: what a dump shows of it. **Suspends** never.
  public PoolSnapshot snapshot() {
    return new PoolSnapshot(
        options.name,
        options.max,
        size,
        idle.size(),
        waiters.size(),
        acquired,
        timedOut,
        created,
        destroyed,
        leases.stream().map(Lease::snapshot).toList());
  }

  /// One line for reports: name, numbers, the oldest lease.
  public String info() {
    String numbers =
        "%s%s: %d of at most %d, %d idle, %d lent, %d waiting"
            .formatted(
                describe(),
                closed ? ", closed" : "",
                size,
                options.max,
                idle.size(),
                leases.size(),
                waiters.size());
    return leases.isEmpty() ? numbers : numbers + "; the oldest lease: " + leases.iterator().next();
  }

  @Override
  public String toString() {
    return info();
  }

  String describe() {
    return options.name == null ? "a pool" : "the pool '" + options.name + "'";
  }

  long now() {
    return home.nanoTime();
  }

  private CoroutineNode<?> checkLoop() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; open one on each loop that needs it");
    }
    return self;
  }

  private final class Lender implements Lease.Lender<R> {
    @Override
    public long now() {
      return Pool.this.now();
    }

    @Override
    public void checkRelease() {
      checkLoop();
      StackGuard.requireRoom(); // as in acquire()
    }

    @Override
    public void release(Lease<R> lease) {
      Pool.this.release(lease);
    }

    @Override
    public void discard(Lease<R> lease) {
      Pool.this.discard(lease);
    }
  }

  private final class Waiters extends WaitQueue {
    @Override
    protected String info() {
      return "a resource of %s, which has lent %d of at most %d%s"
          .formatted(describe(), leases.size(), options.max, leaked());
    }

    // the report names the others by holders()
    private String leaked() {
      Stream<CoroutineNode<?>> ended = leases.stream().<CoroutineNode<?>>map(Lease::holderNode);
      return ended
          .filter(CoroutineNode::isDone)
          .findFirst()
          .map(holder -> ", one to " + holder.label() + ", which has ended without releasing it")
          .orElse("");
    }

    @Override
    protected Collection<CoroutineNode<?>> holders() {
      return leases.stream()
          .<CoroutineNode<?>>map(Lease::holderNode)
          .filter(holder -> !holder.isDone())
          .distinct()
          .toList();
    }
  }
}
