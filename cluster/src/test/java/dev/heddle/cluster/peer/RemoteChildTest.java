// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.engine.LogLines;
import dev.heddle.process.Exit;
import dev.heddle.process.Exit.Reason;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A process here that stands for one at the other node.
@Timeout(300)
class RemoteChildTest {
  private static final Duration SOON = Duration.ofSeconds(TwoNodes.GUARD_SECONDS);
  private static final Duration NO_GRACE = Duration.ZERO;

  private record Unknown() {}

  private final TwoNodes nodes = new TwoNodes();
  private final TwoNodes.Node a = nodes.a;
  private final TwoNodes.Node b = nodes.b;

  @AfterEach
  void end() {
    nodes.close();
  }

  private dev.heddle.process.Process child(String entry, String name, Duration grace) {
    return RemoteChild.of(
        entry, StartOptions.defaults().withInput("begun").withName(name), a.remote()::spawn, grace);
  }

  private Pid started(Duration grace) {
    Pid pid = a.runtime.spawn(child("obedient", "w", grace));
    assertThat(TwoNodes.get(a.runtime.whenStarted(pid))).isTrue();
    assertThat(b.got.remove()).isEqualTo("begun");
    return pid;
  }

  @Test
  @Tag("C2")
  void child_getsMessagesAndRequestsInOrder_andItsResultIsThatOfTheRelay() throws Exception {
    Pid relay = started(NO_GRACE);
    for (int i = 0; i < 100; i++) {
      a.runtime.send(relay, i);
    }
    assertThat(a.runtime.<String>ask(relay, "hello", SOON)).isEqualTo("hello");
    assertThat(b.got).hasSize(100);
    assertThat(b.got.stream().toList()).isSorted();
    a.runtime.send(relay, "done");
    assertThat(a.exit(relay)).isEqualTo(new Exit(relay, Reason.NORMAL, "result", null));
  }

  @Test
  @Tag("C5")
  void askerThatGivesUp_isClosedAtTheChild() throws Exception {
    Pid relay = started(NO_GRACE);
    CompletableFuture<Object> answer = a.runtime.request(relay, "silence");
    Request request = (Request) b.take();
    answer.cancel(false); // the relay, on a thread of its own, may just have forwarded it
    while (request.reply().isOpen()) {
      assertThat(Thread.interrupted()).as("open until the limit").isFalse();
    }
  }

  @Test
  void relayThatIsCancelled_letsTheChildEnd() {
    Pid relay = started(NO_GRACE);
    Pid there = b.runtime.whereIs("w");
    a.runtime.cancel(relay, "enough", SOON);
    assertThat(a.exit(relay).isFailure()).isFalse();
    assertThat(b.exit(there).isFailure()).isFalse();
  }

  @Test
  void relayThatIsTerminated_endsTheChild() {
    Pid relay = started(NO_GRACE);
    Pid there = b.runtime.whereIs("w");
    a.runtime.terminate(relay);
    assertThat(b.exit(there).isAbnormal()).isTrue();
  }

  @Test
  void startThatIsRefused_failsTheRelay() {
    Pid relay = a.runtime.spawn(child("nothing", "w", NO_GRACE));
    Exit exit = a.exit(relay);
    assertThat(exit.cause()).isInstanceOf(StartRefusedException.class);
    assertThat(TwoNodes.get(a.runtime.whenStarted(relay))).isFalse();
  }

  @Test
  @Tag("C10")
  void connectionThatIsLost_endsTheChildFirst_andFailsTheRelayAfterTheGrace() {
    Duration grace = Duration.ofMillis(200);
    Pid relay = started(grace);
    Pid there = b.runtime.whereIs("w");
    long lost = System.nanoTime();
    nodes.loseSession();
    assertThat(b.exit(there).reason()).isEqualTo(Reason.LINKED);
    Exit exit = a.exit(relay);
    assertThat(System.nanoTime() - lost).isGreaterThanOrEqualTo(grace.toNanos());
    assertThat(exit.reason()).isEqualTo(Reason.LINKED);
    assertThat(exit.cause()).hasMessageContaining("NO_CONNECTION");
  }

  @Test
  @Tag("C10")
  void connectionThatIsLostDuringTheStart_failsTheRelayAfterTheGrace() {
    Duration grace = Duration.ofMillis(200);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    a.line.execute(gate::join);
    Pid relay = a.runtime.spawn(child("obedient", "w", grace));
    while (a.remote().counters().outgoingCalls() == 0) {
      Thread.onSpinWait();
    }
    long lost = System.nanoTime();
    a.loseSession();
    Exit exit = a.exit(relay);
    assertThat(System.nanoTime() - lost).isGreaterThanOrEqualTo(grace.toNanos());
    assertThat(exit.cause()).isInstanceOf(StartRefusedException.class);
    gate.complete(null);
  }

  @Test
  void supervisor_startsAChildAtTheOtherNodeAgain_whenThatHasFailed() throws Exception {
    Pid supervisor =
        a.runtime.spawn(
            Supervisor.builder()
                .child(ChildSpec.of("w", () -> child("obedient", "w", NO_GRACE)))
                .build());
    assertThat(b.take()).isEqualTo("begun");
    Pid first = TwoNodes.get(b.runtime.whenRegistered("w"));
    b.runtime.send(first, "fail");
    assertThat(b.take()).isEqualTo("begun");
    assertThat(TwoNodes.get(b.runtime.whenRegistered("w"))).isNotEqualTo(first);
    a.runtime.cancel(supervisor, "enough", SOON);
    assertThat(a.exit(supervisor).isFailure()).isFalse();
  }

  @Test
  void relay_isAskedToExit_asTheChildIs() throws Exception {
    Pid relay = started(NO_GRACE);
    Pid there = b.runtime.whereIs("w");
    b.in(
        there,
        self -> {
          self.trapExits();
          return true;
        });
    a.runtime.requestExit(relay, "please");
    assertThat(b.take()).isEqualTo(new ProcessSignal.ExitRequest(relay, "please"));
  }

  // ---- what cannot be passed on ----

  @Test
  @Tag("C3")
  void messageThatCannotBeSent_isLoggedOnce_withItsTypeAndTheChild() throws Exception {
    try (LogLines log = new LogLines()) {
      Pid relay = started(NO_GRACE);
      Pid there = b.runtime.whereIs("w");
      a.runtime.send(relay, new Unknown());
      a.runtime.send(relay, new Unknown());
      assertThat(a.runtime.<String>ask(relay, "hello", SOON)).isEqualTo("hello");
      assertThat(log.all())
          .singleElement()
          .asString()
          .contains(
              relay.toString(), there.toString(), Unknown.class.getName(), "is not registered");
      assertThatThrownBy(() -> a.runtime.ask(relay, new Unknown(), SOON))
          .isInstanceOf(NotSendableException.class);
    }
  }

  @Test
  @Tag("C3")
  void detailOfAnExitThatCannotBeSent_isLogged() throws Exception {
    try (LogLines log = new LogLines()) {
      Pid relay = started(NO_GRACE);
      a.runtime.requestExit(relay, new Unknown());
      assertThat(a.runtime.<String>ask(relay, "hello", SOON)).isEqualTo("hello");
      assertThat(log.all())
          .singleElement()
          .asString()
          .contains(relay.toString(), Unknown.class.getName());
    }
  }

  @Test
  @Tag("C3")
  void messagesToAFullMailboxThatRejects_areLogged_whoeverRefusesThem() throws Exception {
    for (boolean isRefusedThere : new boolean[] {false, true}) {
      CompletableFuture<Void> gate = new CompletableFuture<>();
      try (LogLines log = new LogLines()) {
        Pid there = b.obedient(StartOptions.defaults().withMailbox(4, MailboxPolicy.REJECT));
        Pid relay =
            a.runtime.spawn(
                RemoteChild.of(
                    "obedient",
                    StartOptions.defaults(),
                    (_, _) -> CompletableFuture.completedFuture(there),
                    NO_GRACE));
        assertThat(TwoNodes.get(a.runtime.whenStarted(relay))).isTrue();
        CompletableFuture<Void> begun = new CompletableFuture<>();
        TwoNodes.Deed wait =
            _ -> {
              begun.complete(null);
              gate.join();
            };
        b.runtime.send(there, wait);
        TwoNodes.get(begun);
        CompletableFuture<Void> line = new CompletableFuture<>();
        if (isRefusedThere) {
          b.line.execute(line::join); // the news that the mailbox is full comes too late
        }
        for (int i = 0; i < 100; i++) {
          a.runtime.send(relay, i);
        }
        nodes.a.awaitDelivered();
        line.complete(null);
        log.waitFor(relay.toString(), there.toString(), "full");
        gate.complete(null);
        // not linked to its child: nobody tells it of the end, for which a shutdown would wait
        a.runtime.terminate(relay);
      }
      b.got.clear();
    }
  }
}
