// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The processes of one life of a node, and who watches them.
final class SimulatedProcesses {
  private final NodeLife self;
  private final Map<Pid, List<Runnable>> alive = new HashMap<>(); // with watchers
  private long last;

  SimulatedProcesses(NodeLife self) {
    this.self = self;
  }

  Pid spawn() {
    Pid pid = new Pid(self.node(), self.host(), ++last, self.life());
    alive.put(pid, new ArrayList<>());
    return pid;
  }

  boolean isAlive(Pid pid) {
    return alive.containsKey(pid);
  }

  /// As [NodePort#watch].
  Runnable watch(Pid pid, Runnable ended) {
    List<Runnable> watchers = alive.get(pid);
    if (watchers == null) {
      ended.run();
      return () -> {};
    }
    watchers.add(ended);
    return () -> watchers.remove(ended);
  }

  /// Ends a process, if it is alive, and tells its watchers.
  void end(Pid pid) {
    List<Runnable> watchers = alive.remove(pid);
    if (watchers != null) {
      List.copyOf(watchers).forEach(Runnable::run);
    }
  }
}
