// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

/// Looks, on a thread that has drawn no identity hash code yet, where the JVM keeps what they
/// follow from.
final class HashCodeProbe extends Thread {
  private boolean found; // written by this thread, read after join

  private HashCodeProbe() {
    super(null, null, "heddle-world-probe", 0, false);
  }

  @Override
  public void run() {
    found = HeddleHashCodes.find();
  }

  /// @throws IllegalStateException when identity hash codes cannot be seeded in this JVM
  static void check() {
    HashCodeProbe probe = new HashCodeProbe();
    probe.start();
    boolean interrupted = false;
    while (probe.isAlive()) {
      try {
        probe.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!probe.found) {
      throw new IllegalStateException(
          "this JVM ("
              + Runtime.version()
              + ") computes identity hash codes in a way that a simulation cannot repeat; start it"
              + " without -XX:hashCode=..., on HotSpot");
    }
  }
}
