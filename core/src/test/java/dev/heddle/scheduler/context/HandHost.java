// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.scheduler.inbox.Inbox;
import dev.heddle.scheduler.inbox.Wakeup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A loop turned by hand: the test's thread is the carrier.
final class HandHost implements ExecutionContext.Host {
  final Inbox inbox = new Inbox(new Wakeup(() -> {}));
  final List<ExecutionContext> arrivals = new ArrayList<>();
  final List<Throwable> failures = new ArrayList<>();
  private final Thread carrier = Thread.currentThread();
  boolean trimDue;
  boolean ended;

  /// A guest that runs `body` on its context.
  static Occupant guest(Consumer<ExecutionContext> body) {
    return new Occupant() {
      @Override
      public void runOn(ExecutionContext context) {
        body.accept(context);
        Occupant next = context.nextOccupant();
        if (next != null) {
          next.runOn(context);
        }
      }

      @Override
      public @Nullable ExecutionContext context() {
        return null;
      }

      @Override
      public void interrupted() {}

      @Override
      public @Nullable Inheritance inheritance() {
        return null;
      }
    };
  }

  /// Lets arrive what is in the inbox, waiting for the first arrival.
  void awaitArrival() {
    while (arrivals.isEmpty()) {
      if (Thread.currentThread().isInterrupted()) { // the test's limit
        throw new AssertionError("no context has arrived");
      }
      inbox.drain();
      Thread.onSpinWait();
    }
  }

  @Override
  public Inbox inbox() {
    return inbox;
  }

  @Override
  public @Nullable Occupant nextOn(ExecutionContext context) {
    return null;
  }

  @Override
  public boolean isCarrier(Thread thread) {
    return thread == carrier;
  }

  @Override
  public boolean hasEnded() {
    return ended;
  }

  @Override
  public void runBorn(Runnable turn, @Nullable Thread thread) {
    VirtualThreads.defaultScheduler().execute(turn);
  }

  @Override
  public void trimDue() {
    trimDue = true;
  }

  @Override
  public void broken(ExecutionContext context, Throwable failure) {
    failures.add(failure);
  }
}
