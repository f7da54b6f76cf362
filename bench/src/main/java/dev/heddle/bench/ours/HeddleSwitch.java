// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.FloorSwitch;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Switch;
import dev.heddle.coroutine.SwitchHandler;
import java.util.Map;

/// Coroutines that suspend in turn.
///
/// Measured from the moment the last one is warm until the first one ends: they go round in order,
/// so that is a whole number of laps, and the count of mounts says so.
public final class HeddleSwitch implements Program {
  private final int actors;
  private final HeddleOptions options;
  private final boolean handled;
  private final boolean observed;

  /// A program of so many coroutines.
  public HeddleSwitch(int actors) {
    this(actors, HeddleOptions.defaults(), false);
  }

  /// A program of so many coroutines.
  ///
  /// @param handled whether each has a switch handler
  public HeddleSwitch(int actors, HeddleOptions options, boolean handled) {
    this(actors, options, handled, false);
  }

  private HeddleSwitch(int actors, HeddleOptions options, boolean handled, boolean observed) {
    this.actors = actors;
    this.options = options;
    this.handled = handled;
    this.observed = observed;
  }

  /// A program of so many coroutines that an observer looks at ten times a second.
  public static HeddleSwitch watched(int actors) {
    return new HeddleSwitch(actors, HeddleOptions.defaults(), false, true);
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var round = new Round(actors, Math.max(2, operations / actors));
    LoopObserver observer =
        Heddle.run(
            options,
            () -> {
              for (int i = 0; i < actors; i++) {
                Coroutine<?> actor = Heddle.spawn(round::run);
                if (handled) {
                  actor.addSwitchHandler(round);
                }
              }
              return observed ? LoopObserver.ofCurrentLoop(1) : null;
            });
    if (observer != null) {
      observer.close();
    }
    if (handled && round.left < operations) {
      throw new IllegalStateException("the handlers were told of " + round.left + " switches");
    }
    return round.sample;
  }

  private static final class Round implements SwitchHandler {
    private final int actors;
    private final long laps;
    private final Meter meter = new Meter();
    private int warm;
    private boolean stopped;
    private long left;
    private long switches;
    private Sample sample = new Sample(1, 0, 0, Map.of());

    Round(int actors, long laps) {
      this.actors = actors;
      this.laps = laps;
    }

    @Override
    public boolean onSwitch(Coroutine<?> coroutine, Switch kind) {
      left += kind == Switch.ENTER ? 0 : 1;
      return true;
    }

    boolean run() {
      for (int i = 0; i < FloorSwitch.WARM_LAPS; i++) {
        Heddle.yieldNow();
      }
      if (++warm == actors) {
        switches = Heddle.counters().switches();
        meter.start();
      }
      for (long i = 0; i < laps; i++) {
        Heddle.yieldNow();
      }
      if (!stopped) {
        stopped = true;
        long resumed = (laps - 1) * actors + 1;
        sample = meter.stop(resumed);
        switches = Heddle.counters().switches() - switches;
        sample = sample.with("switches", (double) switches / resumed);
      }
      return true;
    }
  }
}
