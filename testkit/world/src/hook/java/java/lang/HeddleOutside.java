// SPDX-License-Identifier: Apache-2.0
package java.lang;

/// Work that a program causes but that is not its own: loading, rewriting and linking of classes.
/// Meanwhile the code sees no world, and it leaves no trace in the hash codes that the program gets
/// later: so the first run of a program in a JVM goes as every other one.
public final class HeddleOutside {
  private HeddleOutside() {}

  /// From here to [#leave()] the current code is outside. Calls nest.
  public static void enter() {
    if (Thread.currentCarrierThread() instanceof HeddleCarrier carrier && carrier.outside++ == 0) {
      carrier.hashes.take();
    }
  }

  public static void leave() {
    // safe: 0 when the agent changed a method that was already running
    if (Thread.currentCarrierThread() instanceof HeddleCarrier carrier
        && carrier.outside > 0
        && --carrier.outside == 0) {
      carrier.hashes.restore();
    }
  }
}
