// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A process that does something else in each step, to itself or to others.
final class RandomLife implements Process {
  private static final List<Priority> PRIORITIES = List.of(Priority.values());

  private final RandomWorld world;
  private final Random random;
  private final AtomicInteger closes = new AtomicInteger();
  private volatile boolean toBeClosed;
  private volatile @Nullable ProcessContext context;

  /// Whom it watches, by monitor; its own also after an upgrade.
  private volatile Map<Long, Pid> watched = Map.of();

  private int steps;
  private boolean asked; // to end
  private long lastTag;

  RandomLife(RandomWorld world, Random random) {
    this.world = world;
    this.random = random;
    this.steps = 5 + random.nextInt(20);
  }

  /// What processes of this world throw: without a stack, there are many.
  private static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;

    Fault() {
      super("at random", null, false, false);
    }
  }

  // ---- what is known of it ----

  /// It was started: somebody must close it.
  void expectClose() {
    toBeClosed = true;
  }

  @Nullable String wronglyClosed() {
    int times = closes.get();
    return times > 1 || (toBeClosed && times == 0)
        ? self() + " was closed " + times + " times"
        : null;
  }

  /// Of whose ends it has not been told; nobody when it has ended, or was replaced.
  Collection<Pid> watched() {
    return closes.get() > 0 ? List.of() : watched.values();
  }

  @Nullable Pid self() {
    ProcessContext known = context;
    return known == null ? null : known.self();
  }

  // ---- its life ----

  @Override
  @SuppressWarnings("unchecked") // nobody else uses this key
  public void init(ProcessContext self, String method, @Nullable Object input) {
    context = self;
    if (random.nextInt(4) == 0) {
      self.trapExits();
    }
    String key = "watched by " + self.self();
    Object before = self.attribute(key);
    if (before == null) {
      before = new ConcurrentHashMap<Long, Pid>();
      self.setAttribute(key, before);
    }
    watched = (Map<Long, Pid>) before;
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput out) {
    ProcessContext me = Objects.requireNonNull(context);
    for (ProcessEvent event : events) {
      take(me, event);
    }
    if (asked) {
      out.done();
    } else if (world.quiet.get()) {
      out.idle();
    } else if (--steps < 0) {
      out.done();
    } else if (random.nextInt(3) == 0) {
      actOnOthers(me, out);
    } else {
      act(me, out);
    }
  }

  private void take(ProcessContext me, ProcessEvent event) {
    switch (event.data()) {
      case Long number when event.isMessage() -> world.delivered(me.self(), number);
      case ProcessSignal.Cancel _ -> asked = true;
      case ProcessSignal.Down down -> {
        if (watched.remove(down.monitor()) == null) {
          world.fault(me.self() + " was told twice of the end of " + down.exit().pid());
        }
      }
      case null, default -> {
        // a result, or a word to itself
      }
    }
  }

  private void act(ProcessContext me, StepOutput out) {
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> {
        spawn(me);
        out.continueNow();
      }
      case 3 -> {
        if (random.nextInt(20) == 0) {
          throw new Fault();
        }
        out.continueNow();
      }
      case 4 -> out.upgrade("random", RUN, null);
      case 5 -> me.register("name " + random.nextInt(20));
      case 6 -> out.execute(++lastTag, Commands.sleep(Duration.ofNanos(random.nextInt(1_000_000))));
      case 7 -> {
        out.execute(++lastTag, Commands.send(world.someone(random), "by command"));
        out.awaitCommands();
      }
      default -> {
        for (int i = 0; i < 4; i++) {
          world.send(world.someone(random));
        }
        me.offer(me.self(), "go on");
      }
    }
  }

  private void actOnOthers(ProcessContext me, StepOutput out) {
    Pid other = world.someone(random);
    switch (random.nextInt(6)) {
      case 0 -> me.link(other);
      case 1 -> me.unlink(other);
      case 2 -> watch(me, other);
      case 3 -> {
        for (Long monitor : List.copyOf(watched.keySet())) {
          if (me.demonitor(monitor)) {
            watched.remove(monitor);
          }
        }
      }
      default -> {
        try {
          if (random.nextBoolean()) {
            me.runtime().terminate(other);
          } else {
            me.runtime().cancel(other, "at random", Duration.ofMillis(random.nextInt(5)));
          }
        } catch (SendFailedException _) {
          // it has ended
        }
      }
    }
    out.continueNow();
  }

  private void watch(ProcessContext me, Pid other) {
    watched.put(me.monitor(other), other);
  }

  private void spawn(ProcessContext me) {
    RandomLife child = world.life();
    StartOptions tied =
        random.nextInt(8) == 0 ? StartOptions.defaults().linked() : StartOptions.defaults();
    try {
      me.spawn(child, tied.withPriority(PRIORITIES.get(random.nextInt(PRIORITIES.size()))));
      child.expectClose();
    } catch (StartRefusedException _) {
      steps = 0; // the world ends
    }
  }

  @Override
  public void close() {
    closes.incrementAndGet();
  }
}
