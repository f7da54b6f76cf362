// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import dev.heddle.process.simulation.ProcessWorld;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Timers in the virtual time of a simulation, without a thread: the wheel turns when the
/// simulation says that a time has come.
public final class SimulatedTimers extends Timers {
  private static final long NEVER = Long.MAX_VALUE;

  private final ProcessWorld world;
  private long turnsAt = NEVER; // by now(): the earliest turn that the simulation has

  public SimulatedTimers(String name, ProcessWorld world) {
    super(name, world::nanoTime);
    this.world = world;
  }

  /// There is no thread to start.
  @Override
  public void start() {}

  @Override
  public boolean isLate() {
    return false;
  }

  /// Makes the wheel turn at a time, at the latest.
  @Override
  void wakeBefore(long time) {
    long due = Math.max(time, now());
    if (due < turnsAt) {
      turnsAt = due;
      world.at(nanoTime() + due - now(), this::turn);
    }
  }

  private void turn() {
    turnsAt = NEVER;
    long rest = 0;
    while (rest == 0 && !closed) {
      rest = runOnce();
    }
    if (!closed && rest != NEVER) {
      wakeBefore(now() + rest);
    }
  }

  /// Waits for a future, up to a virtual time.
  @Override
  public <T extends @Nullable Object> T await(CompletableFuture<T> future, long nanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!Thread.currentThread().isVirtual()) {
      throw new IllegalStateException(
          Thread.currentThread() + " would hold its simulation; wait in a process or a coroutine");
    }
    CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    var _ = future.whenComplete((_, _) -> over.complete(null));
    WaitTimeout limit = new WaitTimeout(this, () -> over.complete(null));
    limit.start(Duration.ofNanos(nanos));
    try {
      if (nanos > 0) {
        var _ = over.get();
      }
    } finally {
      limit.close();
    }
    if (!future.isDone()) {
      throw new TimeoutException();
    }
    return future.get();
  }
}
