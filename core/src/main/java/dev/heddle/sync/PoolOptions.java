// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Body;
import dev.heddle.coroutine.ItemAction;
import dev.heddle.coroutine.ItemTest;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Configures a [Pool]: how it makes its resources, how many, and how it keeps them. An immutable
/// value.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=options}
///
/// The factory and the hooks run as plain blocking code in the coroutine that needs them: that
/// which acquires, that which releases, that which closes the pool, or the pool's housekeeper. They
/// may suspend. A cancellation of that coroutine reaches them, and the deadline or the token of an
/// `acquire` bounds those that it calls. They must not acquire from the same pool. A check that
/// throws an exception rejects the resource, as one that returns false does.
///
/// @param <R> the type of the resources
/// @since 0.1
public final class PoolOptions<R> {
  private static final int MAX = 10;

  final Body<? extends R> factory;
  @Nullable String name;
  int min;
  int max = MAX;
  @Nullable ItemTest<? super R> beforeAcquire;
  @Nullable ItemTest<? super R> beforeRelease;
  @Nullable ItemTest<? super R> healthCheck;
  @Nullable ItemAction<? super R> destroy;
  @Nullable Duration healthPeriod;
  @Nullable Duration idleTime;
  @Nullable Duration lifetime;
  @Nullable Duration leakTime;
  @Nullable Duration acquireTime;
  @Nullable CircuitBreaker breaker;

  private PoolOptions(Body<? extends R> factory) {
    this.factory = factory;
  }

  private PoolOptions(PoolOptions<R> other) {
    this.factory = other.factory;
    this.name = other.name;
    this.min = other.min;
    this.max = other.max;
    this.beforeAcquire = other.beforeAcquire;
    this.beforeRelease = other.beforeRelease;
    this.healthCheck = other.healthCheck;
    this.destroy = other.destroy;
    this.healthPeriod = other.healthPeriod;
    this.idleTime = other.idleTime;
    this.lifetime = other.lifetime;
    this.leakTime = other.leakTime;
    this.acquireTime = other.acquireTime;
    this.breaker = other.breaker;
  }

  /// Up to ten resources, made when they are needed and kept until the pool is closed, without
  /// checks.
  ///
  /// @param factory makes a resource
  public static <R> PoolOptions<R> of(Body<? extends R> factory) {
    return new PoolOptions<>(Objects.requireNonNull(factory, "factory"));
  }

  /// The same with a name for reports.
  public PoolOptions<R> withName(String value) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.name = Objects.requireNonNull(value, "name");
    return copy;
  }

  // ---- how many ----

  /// The same with other limits.
  ///
  /// @param min this many are made when the pool opens, and are kept although they are idle; at
  ///   least 0
  /// @param max never more than this many exist, including those being created; at least 1
  /// @throws IllegalArgumentException unless 0 ≤ `min` ≤ `max` and 1 ≤ `max`
  public PoolOptions<R> withSize(int min, int max) {
    if (min < 0 || max < 1 || max < min) {
      throw new IllegalArgumentException(
          "a pool of %d to %d resources: give 0 <= min <= max and 1 <= max".formatted(min, max));
    }
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.min = min;
    copy.max = max;
    return copy;
  }

  /// The same with a bound for each `acquire`, `use` or `run` that has no deadline or token of its
  /// own: it then lasts no longer than this, a factory that runs for it included, and throws a
  /// [dev.heddle.DeadlineException].
  ///
  /// @throws IllegalArgumentException unless the time is positive
  public PoolOptions<R> withAcquireTimeout(Duration time) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.acquireTime = positive(time, "limit of the time to acquire");
    return copy;
  }

  // ---- hooks ----

  /// The same with a check of each resource that was used before, when it is acquired again. One
  /// that fails the check is destroyed, and the next or a new one is acquired instead.
  public PoolOptions<R> withBeforeAcquire(ItemTest<? super R> check) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.beforeAcquire = Objects.requireNonNull(check, "check");
    return copy;
  }

  /// The same with a check of each resource that is released, which may also reset it (roll back a
  /// transaction). One that fails the check is destroyed.
  public PoolOptions<R> withBeforeRelease(ItemTest<? super R> check) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.beforeRelease = Objects.requireNonNull(check, "check");
    return copy;
  }

  /// The same with a hook that ends a resource. What it throws is reported, and thrown only by
  /// [Pool#close()].
  public PoolOptions<R> withDestroy(ItemAction<? super R> hook) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.destroy = Objects.requireNonNull(hook, "hook");
    return copy;
  }

  // ---- upkeep ----

  /// The same with a check of each idle resource, again and again. One that fails it is destroyed.
  ///
  /// @throws IllegalArgumentException unless the period is positive
  public PoolOptions<R> withHealthCheck(Duration period, ItemTest<? super R> check) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.healthPeriod = positive(period, "period between health checks");
    copy.healthCheck = Objects.requireNonNull(check, "check");
    return copy;
  }

  /// The same with a limit of how long a resource stays unused: then it is destroyed, unless only
  /// `min` are left.
  ///
  /// @throws IllegalArgumentException unless the time is positive
  public PoolOptions<R> withMaxIdle(Duration time) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.idleTime = positive(time, "limit of the idle time");
    return copy;
  }

  /// The same with a limit of a resource's age: then it is destroyed, when it is idle or as soon as
  /// it is released.
  ///
  /// @throws IllegalArgumentException unless the time is positive
  public PoolOptions<R> withMaxLifetime(Duration time) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.lifetime = positive(time, "limit of the lifetime");
    return copy;
  }

  /// The same with a time after which a lease is taken for a leak: the log names its holder, once.
  /// The lease stays valid.
  ///
  /// @throws IllegalArgumentException unless the time is positive
  public PoolOptions<R> withLeakThreshold(Duration time) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.leakTime = positive(time, "leak threshold");
    return copy;
  }

  /// The same with a circuit breaker. A lease is a call: it failed if the factory threw or met the
  /// deadline of its acquirer, or if the resource was rejected by `beforeRelease` or discarded; it
  /// succeeded if the resource came back. It counts as neither if its acquirer was cancelled, or if
  /// the deadline was over before the factory was called.
  ///
  /// A resource that the pool makes by itself, for its minimum, is a call as well. Only while the
  /// circuit breaker is closed does the housekeeper make any.
  ///
  /// While the circuit breaker is half open, an `acquire` that calls the factory or `beforeAcquire`
  /// is a trial. The trial has succeeded when these have; it does not last as long as the lease. An
  /// idle resource that needs neither is lent without a trial.
  ///
  /// @param value of the loop on which the pool is opened
  public PoolOptions<R> withCircuitBreaker(CircuitBreaker value) {
    PoolOptions<R> copy = new PoolOptions<>(this);
    copy.breaker = Objects.requireNonNull(value, "circuit breaker");
    return copy;
  }

  private static Duration positive(Duration value, String what) {
    if (!value.isPositive()) {
      throw new IllegalArgumentException("a " + what + " of " + value + "; it must be positive");
    }
    return value;
  }
}
