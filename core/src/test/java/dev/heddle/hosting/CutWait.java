// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Heddle;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/// Waits that nothing but a cancellation ends.
enum CutWait {
  DELAY("`Heddle.delay`", false) {
    @Override
    void begin(CleanUpWorld world) {
      Heddle.delay(Duration.ofHours(1));
    }
  },
  SLEEP("`Thread.sleep`", false) {
    @Override
    void begin(CleanUpWorld world) throws Exception {
      Thread.sleep(Duration.ofHours(1));
    }
  },
  TAKE("`BlockingQueue.take`", false) {
    @Override
    void begin(CleanUpWorld world) throws Exception {
      new LinkedBlockingQueue<String>().take();
    }
  },
  GET("`Future.get`", false) {
    @Override
    void begin(CleanUpWorld world) throws Exception {
      new CompletableFuture<String>().get();
    }
  },
  LOCK_INTERRUPTIBLY("`Lock.lockInterruptibly`", false) {
    @Override
    void begin(CleanUpWorld world) throws Exception {
      world.taken().lockInterruptibly();
    }
  },
  LOCK("`Lock.lock`, and the wait behind it", false) {
    @Override
    void begin(CleanUpWorld world) {
      ReentrantLock lock = world.takenUntilCut();
      lock.lock();
      lock.unlock();
      Heddle.delay(Duration.ofHours(1));
    }
  },
  CONDITION("`Condition.await`", false) {
    @Override
    @SuppressWarnings("WaitNotInLoop") // nobody signals
    void begin(CleanUpWorld world) throws Exception {
      ReentrantLock lock = new ReentrantLock();
      lock.lock();
      try {
        lock.newCondition().await();
      } finally {
        lock.unlock();
      }
    }
  },
  OBJECT_WAIT("`Object.wait`", false) {
    @Override
    @SuppressWarnings("WaitNotInLoop") // nobody notifies
    void begin(CleanUpWorld world) throws Exception {
      Object monitor = new Object();
      synchronized (monitor) {
        monitor.wait();
      }
    }
  },
  RESTORED("`take`, whose caller restores the interrupt", false) {
    @Override
    void begin(CleanUpWorld world) {
      try {
        new LinkedBlockingQueue<String>().take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("as libraries say it", e);
      }
    }

    @Override
    boolean leavesInterrupted() {
      return true;
    }
  },
  PROCESS("`Process.waitFor`", false) {
    @Override
    void begin(CleanUpWorld world) throws Exception {
      world.child().waitFor();
    }
  },
  HTTP_CLIENT("`HttpClient.send`", false) {
    @Override
    void begin(CleanUpWorld world) throws Exception {
      world.http().send(world.unanswered(), HttpResponse.BodyHandlers.discarding());
    }
  },
  SOCKET("`Socket` read", true) {
    @Override
    void begin(CleanUpWorld world) throws Exception {
      try (var socket = world.silentSocket()) {
        socket.getInputStream().read();
      }
    }
  },
  CHANNEL("`SocketChannel` read", true) {
    @Override
    void begin(CleanUpWorld world) throws Exception {
      try (var channel = world.silentChannel()) {
        channel.read(java.nio.ByteBuffer.allocate(1));
      }
    }
  };

  private final String name;
  private final boolean leavesInterrupted;

  CutWait(String name, boolean leavesInterrupted) {
    this.name = name;
    this.leavesInterrupted = leavesInterrupted;
  }

  abstract void begin(CleanUpWorld world) throws Exception;

  boolean leavesInterrupted() {
    return leavesInterrupted;
  }

  @Override
  public String toString() {
    return name;
  }
}
