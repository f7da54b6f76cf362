// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import java.util.stream.Stream;

/// Threads that are no loop's. They allocate from the allocator that all channels have by default,
/// take a lock, and log; [#meet()] takes the same lock and logger.
///
/// A meeting starts their next round, so they work as much as the loops do, and take no processor
/// from them without need.
final class OtherThreads {
  private static final int THREADS = 2;
  private static final int BUFFERS = 100;
  private static final int RARELY = 4; // a handler that always met them would be as slow as they

  private static final Object MONITOR = new Object();
  private static final Logger LOG = logger(); // kept: java.util.logging forgets loggers
  private static final Semaphore ROUNDS = new Semaphore(0);

  private final List<Thread> threads =
      Stream.generate(() -> Thread.ofPlatform().daemon().start(this::allocateAndLog))
          .limit(THREADS)
          .toList();
  private volatile boolean over;

  private static Logger logger() {
    Logger logger = Logger.getLogger("dev.heddle.libraries.netty");
    logger.setUseParentHandlers(false);
    logger.setLevel(Level.ALL);
    logger.addHandler(new StreamHandler(OutputStream.nullOutputStream(), new SimpleFormatter()));
    return logger;
  }

  /// Takes the lock and logs, now and then: whoever calls may wait for another thread.
  static void meet() {
    if (ThreadLocalRandom.current().nextInt(RARELY) == 0) {
      ROUNDS.release();
      lockAndLog("a handler");
    }
  }

  private static void lockAndLog(String who) {
    synchronized (MONITOR) {
      LOG.info(who);
    }
  }

  private void allocateAndLog() {
    ByteBuf[] taken = new ByteBuf[BUFFERS];
    while (!over) {
      ROUNDS.acquireUninterruptibly();
      for (int i = 0; i < BUFFERS; i++) {
        taken[i] = ByteBufAllocator.DEFAULT.directBuffer(64 + i * 32);
      }
      for (ByteBuf each : taken) {
        each.release();
      }
      lockAndLog("another thread");
    }
  }

  /// Ends them, and waits until they have ended.
  void end() throws InterruptedException {
    over = true;
    ROUNDS.release(THREADS);
    for (Thread each : threads) {
      each.join();
    }
  }
}
