// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import java.util.ArrayList;
import java.util.List;

/// Many threads, some monitors.
public final class Monitors {
  private Monitors() {}

  /// Contends for monitors, waits in them with and without a limit, and notifies.
  ///
  /// @return what happened, in its order
  public static List<String> contend(int threads, int rounds) throws InterruptedException {
    List<String> course = new ArrayList<>();
    Object[] monitors = {new Object(), new Object(), new Object()};
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      Thread thread =
          i % 2 == 0
              ? new Thread(() -> contend(number, rounds, monitors, course))
              : Thread.ofVirtual().unstarted(() -> contend(number, rounds, monitors, course));
      all.add(thread);
      thread.start();
    }
    for (Thread thread : all) {
      thread.join();
    }
    return course;
  }

  @SuppressWarnings({"WaitNotInLoop", "ThreadPriorityCheck"}) // any end of the wait will do
  private static void contend(int number, int rounds, Object[] monitors, List<String> course) {
    try {
      for (int round = 0; round < rounds; round++) {
        Object monitor = monitors[(number + round) % monitors.length];
        synchronized (monitor) {
          course.add(number + "." + round);
          switch ((number + round) % 4) {
            case 0 -> Thread.sleep(1);
            case 1 -> monitor.wait(2);
            case 2 -> monitor.notifyAll();
            default -> Thread.yield();
          }
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Waits until it is woken; in a world without reasons for that, until that happens for none.
  @SuppressWarnings("WaitNotInLoop") // the end of the wait is what is tested
  public static String waitUntimed() throws InterruptedException {
    Object monitor = new Object();
    synchronized (monitor) {
      monitor.wait();
    }
    return "woken";
  }
}
