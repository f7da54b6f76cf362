// SPDX-License-Identifier: Apache-2.0
package java.lang;

/// Randomness, and the numbers that the JDK draws from counters of the whole JVM.
public final class HeddleChance {
  private static final double DOUBLE_UNIT = 0x1.0p-53; // a double has 53 bits of precision

  private HeddleChance() {}

  /// Filters a seed that the JDK takes from the clock or from the JVM.
  public static long seed(long jdk, String use) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : world.nextRandom(use);
  }

  /// Filters the salt by which immutable collections order their elements: one for a world.
  public static long salt(long jdk) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : world.salt & 0xFFFF_FFFFL;
  }

  /// Filters whether immutable collections iterate backwards: the same in all of a world.
  public static boolean reverse(boolean jdk) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : world.salt < 0;
  }

  /// Instead of `Math.random()`.
  public static double random() {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? Math.random() : (world.nextRandom("Math.random") >>> 11) * DOUBLE_UNIT;
  }

  /// After a `SecureRandom` has filled `bytes`.
  public static void fill(byte[] bytes) {
    HeddleWorld world = HeddleWorld.current();
    if (world != null && bytes != null) {
      for (int i = 0; i < bytes.length; i += Long.BYTES) {
        long random = world.nextRandom("java.security.SecureRandom");
        for (int j = i; j < Math.min(i + Long.BYTES, bytes.length); j++, random >>>= Byte.SIZE) {
          bytes[j] = (byte) random;
        }
      }
    }
  }

  /// Filters what a `SecureRandom` returns.
  public static byte[] filled(byte[] bytes) {
    fill(bytes);
    return bytes;
  }

  /// Filters a number that the JDK draws for a name, from a counter that starts at 0.
  public static int numberFrom0(int jdk, String use) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : world.count(use);
  }

  /// As [#numberFrom0], for a counter that starts at 1.
  public static int numberFrom1(int jdk, String use) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : 1 + world.count(use);
  }

  /// Filters the id of a new thread.
  public static long threadId(long jdk) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : world.nextThreadId();
  }

  /// Gives a thread that has not started the state of `ThreadLocalRandom` that follows from `seed`.
  static void seedThread(Thread thread, long seed) {
    thread.threadLocalRandomSeed = seed;
    thread.threadLocalRandomProbe = (int) (seed >>> 32) | 1; // 0 means not seeded
    thread.threadLocalRandomSecondarySeed = (int) seed | 1;
  }
}
