// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.internal.StackGuard;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;

/// Lets the stack of a coroutine end in the middle of a wait, wherever in its course that may be.
///
/// For the interpreter only (`-Xint`): the JDK does not survive such a wait in compiled frames, as
/// [StockStackEndProgram] shows.
final class StackEndProgram {
  private static final int ROUNDS = 3;

  // small, so that its end is reached soon; the many waits that fail there hold the loop
  private static final HeddleOptions SMALL =
      HeddleOptions.defaults().withStackSize(256 << 10).withHoldLimit(Duration.ZERO);

  private final Wait wait;
  private boolean waited;

  private StackEndProgram(Wait wait) {
    this.wait = wait;
  }

  /// What a coroutine does near the end of its stack.
  @FunctionalInterface
  interface Wait {
    void once() throws Exception;
  }

  /// Says `sound` when every round has ended as it should.
  public static void main(String[] args) {
    for (int i = Integer.getInteger("looks", 0); i > 0; i--) {
      StackGuard.requireRoom(); // so often that it is compiled, and its frames are small
    }
    for (int round = 0; round < ROUNDS; round++) {
      int shift = round;
      int turns = Loop.start(SMALL, () -> Heddle.supervise(s -> turnsBeside(s, shift))).join();
      expect(turns == Beside.TURNS, "turns beside: " + turns);
    }
    System.out.println("sound");
  }

  private static int turnsBeside(Scope scope, int shift) {
    BlockingQueue<Integer> queue = new SynchronousQueue<>();
    scope.background("feeder", () -> feed(queue));
    Coroutine<Integer> other = scope.spawn(() -> turns(Beside.TURNS));
    StackEndProgram program = new StackEndProgram(named(System.getProperty("wait"), queue));
    expectOverflow(scope.spawn(() -> program.run(shift)));
    return other.await();
  }

  private static Wait named(String name, BlockingQueue<Integer> queue) {
    return switch (name) {
      case "suspend" -> Heddle::yieldNow;
      case "delay" -> () -> Heddle.delay(Duration.ofNanos(1));
      case "spawn" -> () -> Heddle.spawn(() -> 1);
      case "await" -> () -> Heddle.spawn(() -> 1).await();
      case "scope" -> () -> Heddle.scope(s -> s.spawn(() -> 1).await());
      case "background" ->
          () ->
              Heddle.scope(s -> {
                s.background("never ends by itself", () -> Heddle.delay(Duration.ofHours(1)));
                return null;
              });
      case "jdk" -> queue::take;
      default -> throw new IllegalArgumentException("no wait is called " + name);
    };
  }

  private static void expectOverflow(Coroutine<?> deep) {
    try {
      deep.await();
    } catch (StackOverflowError e) {
      return;
    }
    throw new AssertionError("the stack did not end");
  }

  private static void expect(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }

  private static int turns(int turns) {
    for (int i = 0; i < turns; i++) {
      Heddle.yieldNow();
    }
    return turns;
  }

  @SuppressWarnings("InfiniteLoopStatement") // cancelled when everything else is done
  private static void feed(BlockingQueue<Integer> queue) {
    while (true) {
      // never put: a taker whose stack ends in the JDK may have left its claim in the queue
      boolean _ = queue.offer(1);
      Heddle.yieldNow();
    }
  }

  private int run(int shift) throws Exception {
    // a class whose initialiser meets the end of a stack is lost to the whole JVM
    wait.once();
    try {
      return shifted(shift, 1, 2, 3, 4);
    } catch (StackOverflowError e) {
      expect(waited, "no wait had room enough");
      wait.once();
      throw e;
    }
  }

  /// Begins the dive `frames` frames of another size further down, so that the end comes elsewhere.
  private int shifted(int frames, long a, long b, long c, long d) throws Exception {
    return frames == 0 ? dive() : shifted(frames - 1, b, c, d, a) + 1;
  }

  /// Goes down to the end of the stack and waits on the way up, frame by frame: the end comes in
  /// the middle of these waits, each time a frame's size later in their course, until one has room
  /// enough.
  private int dive() throws Exception {
    try {
      return dive() + 1;
    } catch (StackOverflowError e) {
      if (!waited) {
        wait.once();
        waited = true;
      }
      throw e;
    }
  }
}
