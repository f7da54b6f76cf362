// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Lateness;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.Delays;
import java.time.Duration;
import java.util.Objects;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.DelayKt;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.YieldKt;
import org.jspecify.annotations.Nullable;

/// Coroutines that `delay`: a timer of Kotlin's is one of them. They start at once
/// (`UNDISPATCHED`), and those that are cancelled end when the loop comes to them, every now and
/// then.
public final class KotlinTimers implements Program {
  /// What a round does.
  public enum Work {
    /// Arms one and cancels it.
    ARM_AND_CANCEL,
    /// Cancels the oldest and arms another.
    REPLACE,
    /// Arms many and lets them fire.
    FIRE,
    /// The same, and measures how late each is, of the milliseconds that it has asked for.
    LATE
  }

  private static final int TOGETHER = 1_000; // cancellations, until the loop works them off

  private final int outstanding;
  private final Work work;

  /// A program with so many timers outstanding.
  public KotlinTimers(int outstanding, Work work) {
    this.outstanding = work == Work.FIRE || work == Work.LATE ? 0 : outstanding;
    this.work = work;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    if (work == Work.FIRE || work == Work.LATE) {
      Lateness lateness = work == Work.LATE ? new Lateness() : null;
      var meter = new Meter();
      meter.start();
      SuspendingLambda.run(new Firing(operations, lateness, null));
      Sample sample = meter.stop(operations);
      return lateness == null ? sample : lateness.in(sample);
    }
    return SuspendingLambda.measure(new Main(outstanding, work == Work.REPLACE, operations, null));
  }

  private static Job arm(CoroutineScope scope, long nanos) {
    return arm(scope, nanos, null);
  }

  private static Job arm(CoroutineScope scope, long nanos, @Nullable Lateness lateness) {
    return BuildersKt.launch(
        scope,
        EmptyCoroutineContext.INSTANCE,
        CoroutineStart.UNDISPATCHED,
        new Timer(Duration.ofNanos(nanos).toMillis(), lateness, null));
  }

  /// The lambda of `runBlocking`, which waits for the others at its end.
  private static final class Firing extends SuspendingLambda {
    private final long count;
    private final @Nullable Lateness lateness;

    Firing(long count, @Nullable Lateness lateness, @Nullable Continuation<Object> completion) {
      super(completion);
      this.count = count;
      this.lateness = lateness;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      Delays delays = Delays.soon();
      for (long i = 0; i < count; i++) {
        arm(scope, delays.nanos(i), lateness);
      }
      return new Firing(count, lateness, completion);
    }

    @Override
    Object step(Object value) {
      return Unit.INSTANCE;
    }
  }

  /// The lambda of `runBlocking`.
  private static final class Main extends SuspendingLambda {
    private final Delays delays = Delays.outstanding();
    private final Job[] armed;
    private final boolean replacing;
    private final long operations;
    private final Meter meter = new Meter();
    private @Nullable CoroutineScope scope;
    private long next;
    private long done;

    Main(
        int outstanding,
        boolean replacing,
        long operations,
        @Nullable Continuation<Object> completion) {
      super(completion);
      armed = new Job[outstanding];
      this.replacing = replacing;
      this.operations = operations;
    }

    @Override
    SuspendingLambda copy(CoroutineScope in, Continuation<Object> completion) {
      var main = new Main(armed.length, replacing, operations, completion);
      main.scope = in;
      for (int i = 0; i < armed.length; i++) {
        main.armed[i] = arm(in, delays.nanos(main.next++));
      }
      main.meter.start();
      return main;
    }

    @Override
    Object step(Object value) {
      while (done < operations) {
        one();
        done++;
        if ((done % TOGETHER == 0 || done == operations) && isSuspended(YieldKt.yield(this))) {
          return SUSPENDED;
        }
      }
      Sample sample = meter.stop(operations);
      JobKt.cancelChildren(getContext(), null);
      return sample;
    }

    private void one() {
      CoroutineScope in = Objects.requireNonNull(scope);
      Job job = arm(in, delays.nanos(next++));
      if (replacing) {
        int slot = (int) (next % armed.length);
        armed[slot].cancel(null);
        armed[slot] = job;
      } else {
        job.cancel(null);
      }
    }
  }

  /// `{ delay(millis) }`.
  private static final class Timer extends SuspendingLambda {
    private final long millis;
    private final @Nullable Lateness lateness;
    private boolean armed;
    private long due;

    Timer(long millis, @Nullable Lateness lateness, @Nullable Continuation<Object> completion) {
      super(completion);
      this.millis = millis;
      this.lateness = lateness;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      return new Timer(millis, lateness, completion);
    }

    @Override
    Object step(Object value) {
      if (!armed) {
        armed = true;
        due = lateness == null ? 0 : System.nanoTime() + Duration.ofMillis(millis).toNanos();
        if (isSuspended(DelayKt.delay(millis, this))) {
          return SUSPENDED;
        }
      }
      if (lateness != null) {
        lateness.ran(due);
      }
      return Unit.INSTANCE;
    }
  }
}
