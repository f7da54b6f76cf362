// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.FloorSwitch;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Switch;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.loop.feed.LoopFeed;
import dev.heddle.loop.trace.LoopRecording;
import dev.heddle.observe.trace.TraceRing;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/// Coroutines that suspend in turn.
///
/// Measured from the moment the last one is warm until the first one ends: they go round in order,
/// so that is a whole number of laps, and the count of mounts says so.
public final class HeddleSwitch implements Program {
  private final int actors;
  private final HeddleOptions options;
  private final boolean handled;
  private final Observer observer;

  /// Who looks on.
  private enum Observer {
    NONE,
    WATCHES,
    KEEPS_ACCOUNTS,
    RECORDS
  }

  /// A program of so many coroutines.
  public HeddleSwitch(int actors) {
    this(actors, HeddleOptions.defaults(), false);
  }

  /// A program of so many coroutines.
  ///
  /// @param handled whether each has a switch handler
  public HeddleSwitch(int actors, HeddleOptions options, boolean handled) {
    this(actors, options, handled, Observer.NONE);
  }

  private HeddleSwitch(int actors, HeddleOptions options, boolean handled, Observer observer) {
    this.actors = actors;
    this.options = options;
    this.handled = handled;
    this.observer = observer;
  }

  /// A program of so many coroutines that an observer looks at ten times a second.
  public static HeddleSwitch watched(int actors) {
    return new HeddleSwitch(actors, HeddleOptions.defaults(), false, Observer.WATCHES);
  }

  /// A program of so many coroutines of which a trace is recorded.
  public static HeddleSwitch traced(int actors) {
    return new HeddleSwitch(actors, HeddleOptions.defaults(), false, Observer.RECORDS);
  }

  /// A program of so many coroutines whose use of the loop an observer has counted.
  public static HeddleSwitch accounted(int actors) {
    return new HeddleSwitch(actors, HeddleOptions.defaults(), false, Observer.KEEPS_ACCOUNTS);
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var round = new Round(actors, Math.max(2, operations / actors));
    if (observer == Observer.RECORDS || observer == Observer.KEEPS_ACCOUNTS) {
      return recorded(round, operations);
    }
    LoopObserver looking =
        Heddle.run(
            options,
            () -> {
              for (int i = 0; i < actors; i++) {
                Coroutine<?> actor = Heddle.spawn(round::run);
                if (handled) {
                  actor.addSwitchHandler(round);
                }
              }
              return observer == Observer.WATCHES ? LoopObserver.ofCurrentLoop(1) : null;
            });
    if (looking != null) {
      looking.close();
    }
    if (handled && round.left < operations) {
      throw new IllegalStateException("the handlers were told of " + round.left + " switches");
    }
    return round.sample;
  }

  private Sample recorded(Round round, long operations) throws InterruptedException {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch recording = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(
            options,
            () -> {
              tree.complete(CoroutineNode.current().tree());
              recording.await();
              for (int i = 0; i < actors; i++) {
                Heddle.spawn(round::run);
              }
              return true;
            });
    if (observer == Observer.KEEPS_ACCOUNTS) {
      try (LoopFeed feed = new LoopFeed(tree.join(), HashMap::new)) {
        List<Map<String, String>> begun = feed.detail("accounts");
        recording.countDown();
        loop.join();
        if (begun.isEmpty()) {
          throw new IllegalStateException("there are no accounts");
        }
      }
      return round.sample;
    }
    try (LoopRecording recorded = new LoopRecording(tree.join(), TraceRing.USUAL)) {
      recording.countDown();
      loop.join();
      long entries = recorded.recorded();
      if (entries < operations) {
        throw new IllegalStateException(entries + " entries of " + operations + " switches");
      }
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
