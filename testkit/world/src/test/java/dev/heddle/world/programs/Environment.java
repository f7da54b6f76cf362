// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

/// What a program asks of its machine.
public final class Environment {
  private Environment() {}

  public static int processors() {
    return Runtime.getRuntime().availableProcessors();
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
