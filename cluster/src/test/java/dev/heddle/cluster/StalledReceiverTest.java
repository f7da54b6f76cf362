// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ports.TestPorts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Three nodes in JVMs of their own: `a` floods a process of `b` that takes nothing. `b` and `c`
/// have one each that takes what it gets.
@Timeout(300)
class StalledReceiverTest {
  private static final int MESSAGES = 3_000_000;

  /// The sender is told to wait when the mailbox is at three quarters. Its outbox holds more.
  private static final int LEAST_ACCEPTED = FlowProgram.MAILBOX / 4 * 3;

  private static final long MOST_KIB = 32 * 1024; // for a peer

  private final List<NodeJvm> jvms = new ArrayList<>();

  @AfterEach
  void end() {
    jvms.forEach(NodeJvm::close);
  }

  private static long memory(NodeJvm node) throws InterruptedException {
    node.say("memory");
    return Long.parseLong(node.waitFor("MEMORY").text().split(" ")[1]);
  }

  private static void pass(NodeJvm from, NodeJvm to, String group) throws InterruptedException {
    from.say("pass " + group);
    from.waitFor("PASSED " + group);
    to.waitFor("GOT Item[number=7]");
  }

  @Test
  @Tag("C3")
  @Tag("C9")
  void flood_ofAProcessThatTakesNothing_takesBoundedMemory_harmsNobody_andLosesNothing()
      throws Exception {
    List<Integer> ports = List.of(TestPorts.next(), TestPorts.next(), TestPorts.next());
    for (int i = 0; i < ports.size(); i++) {
      List<Object> arguments = new ArrayList<>(List.of("abc".substring(i, i + 1), ports.get(i)));
      arguments.addAll(ports);
      jvms.add(NodeJvm.start(FlowProgram.class, List.of(), arguments.toArray()));
    }
    NodeJvm a = jvms.get(0);
    NodeJvm b = jvms.get(1);
    NodeJvm c = jvms.get(2);
    b.say("stall");
    b.say("prompt at-b");
    c.say("prompt at-c");
    b.waitFor("PROMPT");
    c.waitFor("PROMPT");
    pass(a, b, "at-b"); // all are in touch, and have what a first message loads
    pass(a, c, "at-c");
    pass(c, b, "at-b");
    long restOfA = memory(a);
    long restOfB = memory(b);

    a.say("flood " + MESSAGES);
    a.say("paused");
    a.waitFor("PAUSED");
    pass(a, b, "at-b"); // while it floods: it goes on until it is told that this is enough
    pass(a, c, "at-c");
    pass(c, b, "at-b");
    a.say("enough");
    String flooded = a.waitFor("FLOODED").text();
    assertThat(flooded).matches("FLOODED \\d+ \\d+ \\d+");
    int accepted = Integer.parseInt(flooded.split(" ")[1]);
    int offered = Integer.parseInt(flooded.split(" ")[2]);
    assertThat(accepted).isGreaterThanOrEqualTo(LEAST_ACCEPTED).isLessThan(MESSAGES);
    long moreAtA = memory(a) - restOfA;
    long moreAtB = memory(b) - restOfB;
    System.out.printf(
        "%d accepted of %d; KiB more at the sender %d, at the receiver %d%n",
        accepted, offered, moreAtA, moreAtB);
    assertThat(moreAtA).isLessThanOrEqualTo(MOST_KIB);
    assertThat(moreAtB).isLessThanOrEqualTo(MOST_KIB);

    b.say("take");
    assertThat(b.waitFor("TAKEN").text()).isEqualTo("TAKEN all " + accepted);
  }
}
