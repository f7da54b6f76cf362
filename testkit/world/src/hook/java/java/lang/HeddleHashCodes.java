// SPDX-License-Identifier: Apache-2.0
package java.lang;

import jdk.internal.misc.Unsafe;

/// Identity hash codes that follow from a seed.
public final class HeddleHashCodes {
  /*
   * HotSpot (-XX:hashCode=5, the default) draws the identity hash code of an object from a
   * generator of the JVM thread that first asks for it: xorshift over four words, _hashStateX, Y, Z
   * and W, that lie side by side in the JVM's own structure for the thread. Y, Z and W start with
   * the same values in every thread, so a thread that has drawn nothing yet shows where they are
   * (find()). From then on the words can be written before a turn, and read and restored around
   * work that is not the program's.
   *
   * I1. find() is believed only after a proof: the same words written twice give the same two hash
   *     codes, and other words give others. A JVM with another -XX:hashCode, or with another
   *     layout, fails the proof and is refused when the agent starts. [WorldAgentTest]
   * I2. Nothing else is written: the words found are the only ones, and they take any value.
   *
   * Rejected. -XX:hashCode=2 (all codes 1): programs that compare them behave as nowhere else, and
   * it needs a flag. Adding hashCode() to classes: not possible for those of the JDK.
   */
  private static final int STRUCTURE_BYTES = 4_096; // of a JavaThread; 1.5 kB to 2 kB in JDK 25
  private static final int Y = 842_502_087; // Thread::Thread() in thread.cpp
  private static final int Z = 0x8767;
  private static final int W = 273_326_509;

  private static final Unsafe UNSAFE = Unsafe.getUnsafe();

  private static volatile int offset = -1; // within the structure; the same in every thread

  private HeddleHashCodes() {}

  /// The words as somebody left them.
  static final class State {
    private long low;
    private long high;

    void take() {
      long at = HeddleInternals.nativeThread() + offset;
      low = UNSAFE.getLong(at);
      high = UNSAFE.getLong(at + 8);
    }

    void restore() {
      long at = HeddleInternals.nativeThread() + offset;
      UNSAFE.putLong(at, low);
      UNSAFE.putLong(at + 8, high);
    }
  }

  /// Looks for the words in the current thread, a platform thread that has asked for no hash code
  /// yet.
  ///
  /// @return whether they were found and do what they should
  public static boolean find() {
    long address = HeddleInternals.nativeThread();
    for (int at = 0; at < STRUCTURE_BYTES - 16; at += 4) {
      if (isStart(address + at)) {
        offset = at;
        return isProved();
      }
    }
    return false;
  }

  // W comes first in memory: X is seeded by the JVM, Y and Z follow it
  private static boolean isStart(long at) {
    return UNSAFE.getInt(at) == W && UNSAFE.getInt(at + 8) == Y && UNSAFE.getInt(at + 12) == Z;
  }

  private static boolean isProved() {
    seed(1);
    int first = System.identityHashCode(new Object());
    int second = System.identityHashCode(new Object());
    seed(2);
    int other = System.identityHashCode(new Object());
    seed(1);
    return first == System.identityHashCode(new Object())
        && second == System.identityHashCode(new Object())
        && first != other;
  }

  /// Makes the hash codes that the current carrier gives from now on follow from `seed`.
  static void seed(long seed) {
    long at = HeddleInternals.nativeThread() + offset;
    UNSAFE.putInt(at, W ^ (int) (seed >>> 32));
    UNSAFE.putInt(at + 4, (int) seed);
    UNSAFE.putInt(at + 8, Y);
    UNSAFE.putInt(at + 12, Z);
  }
}
