// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.FloorSwitch;
import java.util.Map;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.YieldKt;
import org.jspecify.annotations.Nullable;

/// Coroutines that `yield()` in turn.
///
/// Measured from the moment the last one is warm until the first one ends: on one loop they go
/// round in order, so that is a whole number of laps.
public final class KotlinSwitch implements Program {
  private final int actors;

  /// A program of so many coroutines.
  public KotlinSwitch(int actors) {
    this.actors = actors;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var round = new Round(actors, Math.max(2, operations / actors));
    SuspendingLambda.run(new Main(round, null));
    return round.sample;
  }

  /// What the coroutines share; one thread.
  private static final class Round {
    private final int actors;
    private final long laps;
    private final Meter meter = new Meter();
    private int warm;
    private boolean stopped;
    private Sample sample = new Sample(1, 0, 0, Map.of());

    Round(int actors, long laps) {
      this.actors = actors;
      this.laps = laps;
    }

    void isWarm() {
      if (++warm == actors) {
        meter.start();
      }
    }

    void ended() {
      if (!stopped) {
        stopped = true;
        sample = meter.stop((laps - 1) * actors + 1);
      }
    }
  }

  /// The lambda of `runBlocking`, which waits for the others at its end.
  private static final class Main extends SuspendingLambda {
    private final Round round;

    Main(Round round, @Nullable Continuation<Object> completion) {
      super(completion);
      this.round = round;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      for (int i = 0; i < round.actors; i++) {
        launch(scope, new Actor(round, null));
      }
      return new Main(round, completion);
    }

    @Override
    Object step(Object value) {
      return Unit.INSTANCE;
    }
  }

  /// `{ repeat(warm) { yield() }; repeat(laps) { yield() } }`.
  private static final class Actor extends SuspendingLambda {
    private final Round round;
    private long yielded;

    Actor(Round round, @Nullable Continuation<Object> completion) {
      super(completion);
      this.round = round;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      return new Actor(round, completion);
    }

    @Override
    Object step(Object value) {
      while (yielded < FloorSwitch.WARM_LAPS + round.laps) {
        if (yielded == FloorSwitch.WARM_LAPS) {
          round.isWarm();
        }
        yielded++;
        if (isSuspended(YieldKt.yield(this))) {
          return SUSPENDED;
        }
      }
      round.ended();
      return Unit.INSTANCE;
    }
  }
}
