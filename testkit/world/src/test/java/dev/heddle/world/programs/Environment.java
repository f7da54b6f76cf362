// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Phaser;
import java.util.concurrent.SynchronousQueue;

/// What a program asks of its machine.
public final class Environment {
  private Environment() {}

  public static int processors() {
    return Runtime.getRuntime().availableProcessors();
  }

  /// Names and addresses that it looks up.
  public static List<String> names() throws IOException {
    InetAddress local = InetAddress.getLocalHost();
    InetAddress loopback = InetAddress.getByName("localhost");
    InetAddress literal = InetAddress.getByAddress(new byte[] {10, 0, 0, 7});
    return List.of(
        local.toString(), loopback.toString(), literal.getHostName(), literal.getHostAddress());
  }

  /// Asks for a host that a world does not know.
  public static InetAddress[] unknown() throws IOException {
    return InetAddress.getAllByName("db.heddle.example");
  }

  /// The common pool, and the pool of a task that is forked outside of any.
  public static List<ForkJoinPool> commonPools() throws InterruptedException {
    List<ForkJoinPool> seen = Collections.synchronizedList(new ArrayList<>());
    seen.add(ForkJoinPool.commonPool());
    ForkJoinTask<?> task = ForkJoinTask.adapt(() -> seen.add(ForkJoinTask.getPool())).fork();
    Thread.sleep(1); // a worker takes it; a join would run it here
    task.join();
    return seen;
  }

  /// Uses what depends on the number of processors: a table that grows, a phase that is awaited.
  public static Map<Integer, Integer> useProcessors() throws InterruptedException {
    Map<Integer, Integer> table = new ConcurrentHashMap<>();
    for (int i = 0; i < 1_000; i++) {
      table.put(i, i);
    }
    Phaser phaser = new Phaser(2);
    Thread other = Thread.ofVirtual().start(phaser::arriveAndAwaitAdvance);
    phaser.arriveAndAwaitAdvance();
    other.join();
    return table;
  }

  /// The name of a worker of a pool of its own.
  public static String workerName() throws Exception {
    try (ForkJoinPool pool = new ForkJoinPool(1)) {
      return pool.submit(() -> Thread.currentThread().getName()).get();
    }
  }

  /// The name of the thread of a timer.
  public static String timerName() throws InterruptedException {
    SynchronousQueue<String> name = new SynchronousQueue<>();
    Timer timer = new Timer();
    timer.schedule(
        new TimerTask() {
          @Override
          public void run() {
            name.offer(Thread.currentThread().getName());
          }
        },
        1);
    String found = name.take();
    timer.cancel();
    return found;
  }

  public static long nanoTime() {
    return System.nanoTime();
  }

  public static long currentTimeMillis() {
    return System.currentTimeMillis();
  }

  public static Thread currentThread() {
    return Thread.currentThread();
  }

  public static long threadId() {
    return Thread.currentThread().threadId();
  }
}
