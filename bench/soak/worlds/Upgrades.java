// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// A stream of numbers runs to a process that is replaced by its next version all the time.
///
/// *Invariant*: the numbers arrive, once, in order, whichever version takes them. Each version that
/// has begun is closed once.
final class Upgrades extends World {
  private static final String SOURCE = "reader";
  private static final String WORLD = "world"; // an attribute
  private static final int BURST = 30;
  private static final long ENOUGH = 20_000; // numbers

  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong received = new AtomicLong(); // the last one
  private final AtomicInteger versions = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private Pid reader;

  private enum Order {
    UPGRADE
  }

  Upgrades(Round round) {
    super(round, "upgrades", ENOUGH);
  }

  /// What the factory of the runtime makes.
  static Process made(String source) {
    if (!source.equals(SOURCE)) {
      throw new IllegalArgumentException("nobody asks for " + source);
    }
    return new Reader();
  }

  @Override
  void begin() {
    reader = spawn(new Reader(), StartOptions.defaults().withAttributes(Map.of(WORLD, this)));
    thread(this::send);
  }

  private void send() throws InterruptedException {
    while (goesOn()) {
      for (int i = 0; i < BURST; i++) {
        if (runtime().offer(reader, sent.get() + 1) == SendResult.ACCEPTED) {
          sent.incrementAndGet();
        }
      }
      runtime().offer(reader, Order.UPGRADE);
      Thread.sleep(1);
    }
  }

  private void take(long number) {
    long before = received.get();
    check(number == before + 1, () -> number + " comes behind " + before);
    received.set(number);
    did();
  }

  private static final class Reader extends Actor {
    private Upgrades world;

    @Override
    public void init(ProcessContext context, String method, Object input) {
      super.init(context, method, input);
      world = (Upgrades) context.attribute(WORLD);
      world.versions.incrementAndGet();
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() == Order.UPGRADE) {
          out.upgrade(SOURCE, RUN, null);
        } else {
          world.take((Long) event.data());
        }
      }
    }

    @Override
    public void close() {
      if (world != null) {
        world.closed.incrementAndGet();
      }
    }
  }

  @Override
  void end() throws InterruptedException {
    awaitThreads();
    await("all numbers", () -> received.get() >= sent.get());
    terminate(reader);
    awaitExit(reader);
    check(
        versions.get() == closed.get(),
        () -> versions + " versions have begun, " + closed + " were closed");
  }
}
