// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.observe.PoolSnapshot.LeaseSnapshot;
import dev.heddle.sync.CircuitBreaker.Permit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A resource that a [Pool] has lent; closing the lease returns it.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=lease}
///
/// **Thread** the pool's loop. Any of its coroutines may close the lease, not only the one that
/// acquired it.
///
/// @param <R> the type of the resource
/// @since 0.1
public final class Lease<R> implements AutoCloseable {
  private final Lender<R> pool;
  private final Pooled<R> entry;
  private final R resource;
  private final CoroutineNode<?> holder;
  private final long since;
  private final @Nullable Permit permit;

  // loop only
  boolean leakReported;
  private boolean released;

  Lease(
      Lender<R> pool,
      Pooled<R> entry,
      R resource,
      CoroutineNode<?> holder,
      @Nullable Permit permit) {
    this.pool = pool;
    this.entry = entry;
    this.resource = resource;
    this.holder = holder;
    this.since = pool.now();
    this.permit = permit;
  }

  /// The resource. The caller must not keep it beyond [#close()].
  ///
  /// @throws IllegalStateException when it was released
  public R resource() {
    if (released) {
      throw new IllegalStateException(
          "the lease of " + describe() + " was closed; acquire another one");
    }
    return resource;
  }

  /// Releases the resource: to the oldest waiter, or as idle. It is destroyed instead if
  /// `beforeRelease` rejects it, if it is too old, or if the pool is closed. **Suspends** only in
  /// these hooks. **Cancelled** in a hook: the resource is destroyed. A second call does nothing.
  ///
  /// @throws IllegalStateException outside the pool's loop
  @Override
  public void close() {
    if (!released) {
      pool.checkRelease();
      released = true;
      pool.release(this);
    }
  }

  /// Destroys the resource, which has turned out to be broken, instead of returning it. Does
  /// nothing after [#close()]. Otherwise as [#close()].
  public void discard() {
    if (!released) {
      pool.checkRelease();
      released = true;
      pool.discard(this);
    }
  }

  /// Whether it was closed or discarded.
  public boolean isReleased() {
    return released;
  }

  /// The coroutine that acquired it.
  public Coroutine<?> holder() {
    return holder;
  }

  /// The time since it was acquired.
  public Duration held() {
    return Duration.ofNanos(pool.now() - since);
  }

  @Override
  public String toString() {
    return released ? describe() + ", released" : snapshot().toString();
  }

  LeaseSnapshot snapshot() {
    return new LeaseSnapshot(describe(), holder.describe(), holder.isDone(), held());
  }

  CoroutineNode<?> holderNode() {
    return holder;
  }

  Pooled<R> entry() {
    return entry;
  }

  @Nullable Permit permit() {
    return permit;
  }

  long since() {
    return since;
  }

  // never by toString(): it is the user's, and may do anything
  private String describe() {
    return resource.getClass().getName()
        + "@"
        + Integer.toHexString(System.identityHashCode(resource));
  }

  /// What a lease needs of the pool that it belongs to.
  interface Lender<R> {
    /// The time, in nanoseconds on the scale of the loop's clock.
    long now();

    /// Throws unless a lease can be closed here and now.
    void checkRelease();

    /// Takes the resource back: for the oldest waiter, or as idle. Called once, or
    /// [#discard(Lease)] is.
    void release(Lease<R> lease);

    /// Destroys the resource.
    void discard(Lease<R> lease);
  }
}
