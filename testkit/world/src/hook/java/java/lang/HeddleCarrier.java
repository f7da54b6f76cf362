// SPDX-License-Identifier: Apache-2.0
package java.lang;

/// A thread that runs the coroutines of one world. Code that runs on it, or is mounted there,
/// belongs to that world; all other code of the JVM belongs to none.
public final class HeddleCarrier extends Thread {
  final HeddleWorld world;

  // carrier only, and what is mounted there
  int outside; // more than 0: the current code is not the program's, see HeddleOutside
  final HeddleHashCodes.State hashes = new HeddleHashCodes.State(); // as the program left them

  public HeddleCarrier(HeddleWorld world, String name, Runnable loop) {
    super(null, loop, name, 0, false);
    this.world = world;
  }

  @Override
  public void run() {
    world.onCarrier(this);
    super.run();
  }
}
