// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.engine.TestPorts;
import java.util.ArrayList;
import java.util.List;

/// Measures how long two nodes take to see that a third was killed: `DetectionTimes ROUNDS`.
final class DetectionTimes {
  private DetectionTimes() {}

  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    List<Integer> ports = List.of(TestPorts.next(), TestPorts.next(), TestPorts.next());
    List<Long> times = new ArrayList<>();
    try (NodeJvm a = start("a", 0, ports);
        NodeJvm b = start("b", 1, ports)) {
      a.waitFor("READY");
      b.waitFor("READY");
      for (int i = 0; i < rounds; i++) {
        List<Long> both = round(List.of(a, b), ports);
        System.out.println("round " + i + ": " + both + " ms");
        times.addAll(both);
      }
    }
    long within = times.stream().filter(time -> time <= 2_000).count();
    System.out.printf(
        "DOWN after kill -9: %d of %d within 2,000 ms, most %d ms%n",
        within, times.size(), times.stream().mapToLong(it -> it).max().orElse(0));
  }

  private static List<Long> round(List<NodeJvm> watchers, List<Integer> ports) throws Exception {
    try (NodeJvm c = start("c", 2, ports)) {
      for (NodeJvm one : watchers) {
        one.waitFor("UP c");
        one.say("watch c");
        one.waitFor("WATCHES c");
      }
      long from = System.currentTimeMillis();
      c.kill();
      List<Long> times = new ArrayList<>();
      for (NodeJvm one : watchers) {
        times.add(one.waitFor("DOWN c NO_CONNECTION").millis() - from);
      }
      return times;
    }
  }

  private static NodeJvm start(String name, int index, List<Integer> ports) throws Exception {
    List<Object> arguments = new ArrayList<>(List.of(name, ports.get(index)));
    arguments.addAll(ports);
    return NodeJvm.start(List.of(), arguments.toArray());
  }
}
