// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes in JVMs of their own: `a` floods processes of `b` that take nothing. `b` and `c` have one
/// each that takes what it gets.
///
/// The first flood stops when `b` says that the mailbox is nearly full, so most messages are
/// refused by `a` itself. The others do not heed that, as if the news were on its way: so all that
/// `b` holds for `a`, and all that may wait at `a`, is there, whatever the speed of the machine.
/// Only messages that were accepted count.
@Timeout(600) // more than twice GUARD_NANOS
class StalledReceiverTest {
  private static final int MESSAGES = 3_000_000;

  /// The sender is told to wait when the mailbox is at three quarters. Its outbox holds more.
  private static final int LEAST_ACCEPTED = FlowProgram.MAILBOX / 4 * 3;

  private static final long MOST_KIB = 32 * 1024; // for a peer
  private static final int REFUSED = 1_000_000; // at the least
  private static final int HELD_BYTES = 24 << 20; // then a node gives no more credit
  private static final long GUARD_NANOS =
      180_000_000_000L; // only memory that is kept lasts so long

  private final List<NodeJvm> jvms = new ArrayList<>();

  @AfterEach
  void end() {
    jvms.forEach(NodeJvm::close);
  }

  private void start(Integer... ports) throws IOException {
    for (int i = 0; i < ports.length; i++) {
      List<Object> arguments = new ArrayList<>(List.of("abc".substring(i, i + 1), ports[i]));
      arguments.addAll(List.of(ports));
      jvms.add(NodeJvm.start(FlowProgram.class, List.of(), arguments.toArray()));
    }
  }

  private static long memory(NodeJvm node) throws InterruptedException {
    return number(node, "memory");
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
    start(TestPorts.next(), TestPorts.next(), TestPorts.next());
    NodeJvm a = jvms.get(0);
    NodeJvm b = jvms.get(1);
    NodeJvm c = jvms.get(2);
    b.say("stall 1 " + FlowProgram.MAILBOX);
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
    System.out.println(flooded);
    int accepted = Integer.parseInt(flooded.split(" ")[1]);
    assertThat(accepted).isGreaterThanOrEqualTo(LEAST_ACCEPTED).isLessThan(MESSAGES);
    checkMemory("the sender", a, restOfA);
    checkMemory("the receiver", b, restOfB);

    b.say("take");
    assertThat(b.waitFor("TAKEN").text()).isEqualTo("TAKEN all " + accepted);
  }

  // ---- as much as can be held ----

  /// @param stall what is said to `b`
  private void meet(String stall) throws Exception {
    start(TestPorts.next(), TestPorts.next());
    NodeJvm b = jvms.get(1);
    b.say(stall);
    b.say("prompt at-b");
    b.waitFor("PROMPT");
    pass(jvms.get(0), b, "at-b");
  }

  /// Fills all that is between `a` and mailboxes of `b`, and has `b` take it then.
  ///
  /// @param bytes of a message
  private void overflow(int mailboxes, int capacity, int bytes) throws Exception {
    overflow(mailboxes, capacity, bytes, "messages");
  }

  /// @param what messages or requests
  private void overflow(int mailboxes, int capacity, int bytes, String what) throws Exception {
    meet("stall %d %d".formatted(mailboxes, capacity));
    NodeJvm a = jvms.get(0);
    NodeJvm b = jvms.get(1);
    long restOfA = memory(a);
    long restOfB = memory(b);
    a.say("overflow %d %d %d %s".formatted(mailboxes, bytes, 0, what));
    b.say("held " + HELD_BYTES);
    b.waitFor("HELD");
    a.say("full");
    a.waitFor("FULL");
    a.say("enough");
    int accepted = Integer.parseInt(a.waitFor("FLOODED").text().split(" ")[1]);
    System.out.println(accepted + " accepted");
    checkMemory("the sender", a, restOfA);
    checkMemory("the receiver", b, restOfB);

    a.say("last");
    b.say("take");
    assertThat(b.waitFor("TAKEN").text()).isEqualTo("TAKEN all " + accepted);
  }

  /// JGroups keeps what it has sent until the other node acknowledges it, which may last longer on
  /// a slow machine. So this waits until the memory is below the bound. What is held stays held.
  private static void checkMemory(String whose, NodeJvm node, long rest)
      throws InterruptedException {
    long end = System.nanoTime() + GUARD_NANOS;
    long more = memory(node) - rest;
    while (more > MOST_KIB && System.nanoTime() - end < 0) {
      more = memory(node) - rest;
    }
    System.out.printf("KiB more at %s: %d%n", whose, more);
    assertThat(more).as("KiB more at %s", whose).isLessThanOrEqualTo(MOST_KIB);
  }

  @Test
  @Tag("C3")
  @Tag("C9")
  void smallMessages_behindOneMailbox_takeBoundedMemory_andAreAllTaken() throws Exception {
    overflow(1, FlowProgram.MAILBOX, 0);
  }

  @Test
  @Tag("C3")
  @Tag("C9")
  void messages_behindManyMailboxes_takeBoundedMemory_andAreAllTaken() throws Exception {
    overflow(1_000, 4, 100);
  }

  @Test
  @Tag("C3")
  @Tag("C9")
  void largeMessages_behindManyMailboxes_takeBoundedMemory_andAreAllTaken() throws Exception {
    overflow(8, 1, 200_000);
  }

  @Test
  @Tag("C3")
  @Tag("C9")
  void requests_behindOneMailbox_takeBoundedMemory_andAreAllTaken() throws Exception {
    overflow(1, 100, 40, "requests"); // what the mailbox contains comes on top
  }

  /// Nothing is held: what the mailboxes do not take is counted at the sender.
  @Test
  @Tag("C3")
  @Tag("C9")
  void messages_toManyMailboxesThatReject_takeBoundedMemory_andAreTakenOrRefused()
      throws Exception {
    int mailboxes = 100;
    meet("reject %d %d".formatted(mailboxes, 100));
    NodeJvm a = jvms.get(0);
    NodeJvm b = jvms.get(1);
    long restOfA = memory(a);
    long restOfB = memory(b);
    a.say("overflow %d %d %d messages".formatted(mailboxes, 0, REFUSED));
    a.say("enough"); // when so many were accepted
    int accepted = Integer.parseInt(a.waitFor("FLOODED").text().split(" ")[1]);
    System.out.println(accepted + " accepted");
    checkMemory("the sender", a, restOfA);
    checkMemory("the receiver", b, restOfB);

    b.say("take");
    long known = 0;
    while (known < accepted) { // a lost one lets the test run out of time
      known = number(b, "taken") + number(a, "refused");
    }
    assertThat(known).isEqualTo(accepted);
    assertThat(number(a, "refused")).isPositive();
  }

  private static long number(NodeJvm of, String what) throws InterruptedException {
    of.say(what);
    String answer = of.waitFor(what.toUpperCase(Locale.ROOT)).text();
    return Long.parseLong(answer.split(" ")[1]);
  }
}
