// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Completable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// What one coroutine of a random program waits for. Each wait ends when it should, with what it
/// should, and throws the cancellation that it has to.
final class Waits {
  private final Life life;
  private final RandomProgram program;
  private final Random random;
  private final Shields shields;
  private boolean holdsMutex;

  Waits(Life life, RandomProgram program, Random random, Shields shields) {
    this.life = life;
    this.program = program;
    this.random = random;
    this.shields = shields;
  }

  // ---- time ----

  void suspend() {
    waitFor("suspend", Heddle::yieldNow);
  }

  void check() {
    meeting("check", Heddle::checkCancelled);
  }

  void delay() {
    Duration delay =
        switch (random.nextInt(12)) {
          case 0 -> Duration.ofSeconds(6); // longer than the grace period
          case 1 -> Duration.ofHours(1);
          default -> Duration.ofMillis(1 + random.nextInt(20));
        };
    long until = program.now() + delay.toNanos();
    waitFor("delay " + delay, () -> Heddle.delay(delay));
    program.check(
        program.isExact() ? program.now() == until : program.now() >= until,
        () -> life + ": delay(" + delay + ") ended " + (program.now() - until) + " ns late");
  }

  // ---- others ----

  void awaitChild() {
    if (!life.children().isEmpty()) {
      Life child = life.children().get(random.nextInt(life.children().size()));
      await(child, "await " + child, child.handle(), Coroutine::await);
    }
  }

  void awaitAnybody() {
    Life other = program.anyLife(random);
    if (other == life || other.isMain() || !other.hasHandle()) {
      return;
    }
    Duration limit = program.newLimit(random);
    String what = "await " + other + " for " + limit;
    bounded(
        other,
        limit,
        () -> {
          if (random.nextBoolean()) {
            Deadline deadline = Deadline.after(limit);
            await(other, what, other.handle(), coroutine -> coroutine.await(deadline));
          } else {
            Event token = program.timer(limit);
            await(other, what, other.handle(), coroutine -> coroutine.await(token));
          }
        });
  }

  private interface Await {
    @Nullable Object of(Coroutine<?> target);
  }

  private void await(Life target, String what, Coroutine<?> coroutine, Await await) {
    boolean early = !coroutine.isDone();
    Step wait =
        () -> {
          try {
            Object result = await.of(coroutine);
            program.check(
                coroutine.isDone() && coroutine.failure() == null && target.isResult(result),
                () -> life + ": " + what + " returned " + result);
          } catch (Throwable e) {
            target.hadAwaiter(life, early, e);
            throw e;
          }
        };
    if (early) {
      waitFor(what, wait);
    } else {
      note(what, wait);
    }
  }

  // ---- promises and triggers ----

  void usePledge() {
    Pledge pledge = program.anyPledge(random);
    switch (random.nextInt(6)) {
      case 0 -> pledge.promise.tryComplete("kept");
      case 1 -> {
        Fault fault = new Fault(life + " breaks " + program.nextSerial());
        if (pledge.promise.tryFail(fault)) {
          pledge.failedWith = fault;
        }
      }
      case 2 -> {
        pledge.promise.future().ignore();
        pledge.ignored = true;
      }
      default -> awaitPledge(pledge);
    }
  }

  private void awaitPledge(Pledge pledge) {
    Duration limit = program.newLimit(random);
    Completable<Object> future = pledge.promise.future();
    boolean done = future.isDone();
    Step wait =
        () -> {
          try {
            future.await(Deadline.after(limit));
          } catch (Fault e) {
            pledge.received += e == pledge.failedWith ? 1 : 0;
            throw e;
          }
        };
    String what = "await promise for " + limit;
    bounded(
        null,
        limit,
        () -> {
          if (done) {
            note(what, wait);
          } else {
            waitFor(what, wait);
          }
        });
  }

  void useTrigger() {
    if (random.nextBoolean()) {
      program.trigger().fire();
      return;
    }
    Duration limit = program.newLimit(random);
    Awaitable<Object> trigger = program.trigger();
    // one that was pulled before is over at once
    boolean kept = trigger.event().isClosed();
    Step wait = () -> Heddle.await(trigger, Deadline.after(limit));
    bounded(
        null,
        limit,
        () -> {
          if (kept) {
            meeting("await kept trigger", wait);
          } else {
            waitFor("await trigger for " + limit, wait);
          }
        });
  }

  // ---- the mutex ----

  void locked() {
    if (holdsMutex) {
      return;
    }
    Duration limit = program.newLimit(random);
    bounded(
        null,
        limit,
        () -> {
          meeting(
              "lock",
              () -> {
                if (random.nextBoolean()) {
                  program.mutex().lock();
                } else {
                  program.mutex().lock(Deadline.after(limit));
                }
              });
          holdsMutex = true;
          program.entered();
          try {
            for (int i = random.nextInt(4); i > 0; i--) {
              waitFor("suspend with mutex", Heddle::yieldNow);
            }
          } finally {
            holdsMutex = false;
            program.left();
            program.mutex().unlock();
          }
        });
  }

  // ---- what holds of each ----

  /// A wait that does suspend.
  private void waitFor(String what, Step wait) {
    boolean mustThrow = shields.mustThrow();
    meeting(what, wait);
    program.check(!mustThrow, () -> life + ": " + what + " lost a cancellation");
  }

  /// Something that may throw a cancellation.
  private void meeting(String what, Step step) {
    try {
      step.take();
      program.note(life, what);
    } catch (Throwable e) {
      program.note(life, what + " throws " + Step.nameOf(e));
      if (e instanceof Cancellation c) {
        shields.met(c, what);
      }
      throw Step.<RuntimeException>sneaky(e);
    }
  }

  /// Something that is over already.
  private void note(String what, Step step) {
    try {
      step.take();
    } catch (Throwable e) {
      program.note(life, what + " throws " + Step.nameOf(e));
      throw Step.<RuntimeException>sneaky(e);
    }
  }

  /// What throws at the limit, and never early.
  private void bounded(@Nullable Life target, Duration limit, Step step) {
    long until = program.now() + limit.toNanos();
    try {
      step.take();
    } catch (DeadlineException | WaitCancelledException e) {
      program.check(
          program.now() >= until || (target != null && target.thrown() == e),
          () -> life + ": ended " + (until - program.now()) + " ns early: " + e);
      if (random.nextBoolean()) {
        throw e;
      }
    } catch (Exception e) {
      throw Step.<RuntimeException>sneaky(e);
    }
  }
}
