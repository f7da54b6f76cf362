// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.attach;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// The registry of what observers may see in this JVM. **Thread** any.
public final class Attachables {
  /// The system property whose value is the pattern of the loops' names in the MBean server.
  public static final String LOOPS = "dev.heddle.loops";

  /// The system property with the number of process runtimes.
  public static final String PROCESS_RUNTIMES = "dev.heddle.processes";

  private static final CopyOnWriteArrayList<Attachable> REGISTERED = new CopyOnWriteArrayList<>();

  private Attachables() {}

  /// Announces by a system property, which tools can read at almost no cost, that this JVM has
  /// loops.
  public static void announceLoops() {
    System.setProperty(LOOPS, "dev.heddle:type=Loop,name=*");
  }

  public static void withdrawLoops() {
    System.clearProperty(LOOPS);
  }

  public static void add(Attachable shown) {
    REGISTERED.add(shown);
  }

  public static void remove(Attachable shown) {
    REGISTERED.remove(shown);
  }

  /// What is there now, in the order in which it was added.
  public static List<Attachable> all() {
    return List.copyOf(REGISTERED);
  }
}
