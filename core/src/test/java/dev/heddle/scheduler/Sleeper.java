// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.Cancellation;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.scheduler.context.Inheritance;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A waker with as little of a coroutine as the scheduler can bear.
final class Sleeper extends Waker {
  private final String name;
  private final Runnable body;
  boolean finishedIgnored;
  @Nullable Cancellation pending;
  private Consumer<String> observer = what -> {};

  Sleeper(Scheduler scheduler, String name, Runnable body) {
    super(scheduler);
    this.name = name;
    this.body = body;
  }

  Sleeper(Scheduler scheduler) {
    this(scheduler, "sleeper", () -> {});
  }

  /// Tells `told` of each of its switches.
  Sleeper watchedBy(Consumer<String> told) {
    observer = told;
    setHasSwitchHandlers(true);
    return this;
  }

  void cancelWith(Cancellation cancellation) {
    pending = cancellation;
    setCancellationPending(true);
  }

  boolean ignored() {
    return ignore();
  }

  boolean woken() {
    return interruptWait();
  }

  void begun(ExecutionContext context) {
    begin(context);
  }

  @Override
  protected @Nullable Cancellation pollCancellation() {
    Cancellation taken = pending;
    pending = null;
    setCancellationPending(false);
    return taken;
  }

  @Override
  protected void finishIgnored() {
    finishedIgnored = true;
  }

  @Override
  protected void onSwitch(boolean enter, boolean finishing) {
    observer.accept((finishing ? "finish " : enter ? "enter " : "leave ") + name);
  }

  @Override
  public String describe() {
    return name;
  }

  @Override
  public void runOn(ExecutionContext context) {
    begin(context);
    body.run();
    end();
    Occupant next = context.nextOccupant();
    if (next != null) {
      next.runOn(context);
    }
  }

  @Override
  public @Nullable Inheritance inheritance() {
    return null;
  }

  @Override
  protected void interruptForeignWait() {}

  @Override
  protected boolean clearOwnInterrupt() {
    return false;
  }

  @Override
  protected boolean isShielded() {
    return false;
  }

  @Override
  protected boolean isForceCancelled() {
    return false;
  }
}
