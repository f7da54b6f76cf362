// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.RemoteFailure;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.Exit;
import dev.heddle.process.Exit.Reason;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Two runtimes in session: messages, requests, links, monitors, orders.
@Timeout(300)
class RemoteNodeTest {
  private static final Duration SOON = Duration.ofSeconds(TwoNodes.GUARD_SECONDS);

  private final TwoNodes nodes = new TwoNodes();
  private final TwoNodes.Node a = nodes.a;
  private final TwoNodes.Node b = nodes.b;

  @AfterEach
  void end() {
    nodes.close();
  }

  private static boolean monitor(ProcessContext self, Pid other) {
    return self.monitor(other) > 0;
  }

  private static boolean link(ProcessContext self, Pid other) {
    self.link(other);
    return true;
  }

  private Pid trapping(TwoNodes.Node node) {
    Pid pid = node.obedient();
    return node.in(
        pid,
        self -> {
          self.trapExits();
          return pid;
        });
  }

  // ---- messages and requests ----

  @Test
  @Tag("C2")
  void messages_ofOneSender_arriveInOrder() throws Exception {
    Pid to = b.obedient();
    for (int i = 0; i < 1_000; i++) {
      a.runtime.send(to, i);
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(b.take()).isEqualTo(i);
    }
  }

  @Test
  void message_thatCannotBeEncoded_isRefusedInTheCall() {
    Pid to = b.obedient();
    assertThatThrownBy(() -> a.runtime.send(to, new Object()))
        .isInstanceOf(NotSendableException.class);
    assertThat(a.runtime.offer(to, new Object())).isEqualTo(SendResult.NOT_SENDABLE);
  }

  @Test
  @Tag("C3")
  void message_toADeadProcess_isReportedToItsNode() {
    Pid dead = b.obedient();
    b.runtime.send(dead, "done");
    b.exit(dead);
    assertThat(a.runtime.offer(dead.address(), "late")).isEqualTo(SendResult.ACCEPTED);
    nodes.settle();
    assertThat(a.remote().counters().refusedThere()).isEqualTo(1);
    assertThat(b.remote().counters().refusedHere()).isEqualTo(1);
  }

  @Test
  void ask_returnsTheReply() throws Exception {
    Pid to = b.obedient();
    assertThat(a.runtime.<String>ask(to, "hello", SOON)).isEqualTo("hello");
    nodes.settle();
    assertThat(a.remote().counters().outgoingCalls()).isZero();
    assertThat(b.remote().counters().incomingCalls()).isZero();
  }

  @Test
  void ask_thatFails_failsWithTheTextOfTheFailure() {
    Pid to = b.obedient();
    assertThatThrownBy(() -> a.runtime.ask(to, "fail", SOON))
        .isInstanceOf(AskFailedException.class)
        .cause()
        .isInstanceOfSatisfying(
            RemoteFailure.class,
            failure -> {
              assertThat(failure.node()).isEqualTo("b");
              assertThat(failure.type()).isEqualTo(IllegalStateException.class.getName());
              assertThat(failure.remoteMessage()).isEqualTo("boom");
              assertThat(failure.remoteTrace()).contains("TwoNodes");
            });
  }

  @Test
  @Tag("C5")
  void ask_whenTheProcessEnds_failsWithItsEnd() {
    Pid to = b.obedient();
    CompletableFuture<Object> answer = a.runtime.request(to, "silence");
    a.runtime.send(to, "fail");
    assertThatThrownBy(() -> TwoNodes.get(answer))
        .cause()
        .isInstanceOfSatisfying(
            NoReplyException.class, e -> assertThat(e.exit().reason()).isEqualTo(Reason.FAILED));
  }

  @Test
  @Tag("C5")
  void ask_ofADeadProcess_fails() {
    Pid dead = b.obedient();
    b.runtime.send(dead, "done");
    b.exit(dead);
    assertThatThrownBy(() -> a.runtime.ask(dead.address(), "hello", SOON))
        .isInstanceOfSatisfying(
            SendFailedException.class, e -> assertThat(e.result()).isEqualTo(SendResult.NOT_FOUND));
  }

  @Test
  @Tag("C5")
  void ask_whenTheSessionEnds_fails() throws Exception {
    Pid to = b.obedient();
    CompletableFuture<Object> answer = a.runtime.request(to, "silence");
    assertThat(b.take()).isInstanceOf(Request.class);
    a.loseSession();
    assertThatThrownBy(() -> TwoNodes.get(answer))
        .cause()
        .isInstanceOfSatisfying(
            NoReplyException.class,
            e -> assertThat(e.exit().reason()).isEqualTo(Reason.NO_CONNECTION));
  }

  @Test
  @Tag("C5")
  void ask_thatIsGivenUp_isClosedAtTheOtherNode() throws Exception {
    Pid to = b.obedient();
    CompletableFuture<Object> answer = a.runtime.request(to, "silence");
    Request request = (Request) b.take();
    assertThat(request.reply().isOpen()).isTrue();
    answer.cancel(false);
    nodes.settle();
    assertThat(request.reply().isOpen()).isFalse();
    assertThat(b.remote().counters().incomingCalls()).isZero();
  }

  @Test
  @Tag("C5")
  void requests_ofANodeThatIsLost_areClosed() throws Exception {
    Pid to = b.obedient();
    CompletableFuture<Object> answer = a.runtime.request(to, "silence");
    Request request = (Request) b.take();
    b.loseSession();
    a.awaitDelivered(); // b may have been delivering a frame, and ends the session after it
    assertThat(request.reply().isOpen()).isFalse();
    assertThat(answer).isNotDone(); // its own node does not know yet
  }

  @Test
  void replyThatCannotBeEncoded_failsTheAsk() throws Exception {
    Pid to = b.obedient();
    CompletableFuture<Object> answer = a.runtime.request(to, "silence");
    Request request = (Request) b.take();
    request.reply().complete(new Object());
    assertThatThrownBy(() -> TwoNodes.get(answer))
        .cause()
        .isInstanceOfSatisfying(
            RemoteFailure.class,
            failure -> assertThat(failure.type()).isEqualTo(NotSendableException.class.getName()));
  }

  // ---- links and monitors ----

  @Test
  @Tag("C4")
  @Tag("proc-219")
  void monitor_reportsTheRealExit_afterTheLastMessage() throws Exception {
    Pid watcher = a.obedient();
    Pid target = b.obedient();
    a.in(watcher, self -> monitor(self, target));
    nodes.settle();
    b.in(target, self -> self.offer(watcher, "last"));
    b.runtime.send(target, "done");
    assertThat(a.take()).isEqualTo("last");
    assertThat(a.take())
        .isInstanceOfSatisfying(
            ProcessSignal.Down.class,
            down ->
                assertThat(down.exit()).isEqualTo(new Exit(target, Reason.NORMAL, "result", null)));
  }

  @Test
  @Tag("C4")
  @Tag("proc-220")
  @Tag("proc-162")
  void monitors_whenTheNodeIsLost_reportNoConnection_andTheWatcherLives() throws Exception {
    Pid watcher = a.obedient();
    Pid target = b.obedient();
    a.in(watcher, self -> monitor(self, target));
    a.in(watcher, self -> monitor(self, target));
    nodes.loseSession();
    for (int i = 0; i < 2; i++) {
      assertThat(((ProcessSignal.Down) a.take()).exit().reason()).isEqualTo(Reason.NO_CONNECTION);
    }
    b.runtime.send(target, "done");
    b.exit(target);
    assertThat(a.in(watcher, ProcessContext::monitored)).isEmpty();
    assertThat(a.got).isEmpty();
  }

  @Test
  @Tag("C4")
  @Tag("proc-159")
  void monitorsOfOneTarget_areOneRequest_andTheLastRemovalTakesItBack() {
    Pid watcher = a.obedient();
    Pid target = b.obedient();
    long one = a.in(watcher, self -> self.monitor(target));
    long two = a.in(watcher, self -> self.monitor(target));
    a.in(watcher, self -> self.demonitor(one));
    assertThat(a.sent).contains(new Frame.Monitor(target));
    assertThat(a.sent).doesNotContain(new Frame.Demonitor(target));
    a.in(watcher, self -> self.demonitor(two));
    assertThat(a.sent.stream().filter(new Frame.Monitor(target)::equals)).hasSize(1);
    assertThat(a.sent).endsWith(new Frame.Demonitor(target));
  }

  @Test
  @Tag("C4")
  void watcherThatEnds_leavesNoWatch() {
    Pid watcher = a.obedient();
    Pid target = b.obedient();
    a.in(watcher, self -> monitor(self, target));
    a.in(watcher, self -> link(self, target));
    a.runtime.send(watcher, "done");
    a.exit(watcher);
    nodes.settle();
    assertThat(a.remote().counters().standIns()).isZero();
    assertThat(b.remote().counters().watches()).isZero();
    assertThat(b.in(target, ProcessContext::links)).isEmpty();
  }

  @Test
  @Tag("C4")
  void monitor_ofADeadProcess_andOfAnOldLife_reportsNotFound() throws Exception {
    Pid watcher = a.obedient();
    Pid dead = b.obedient();
    b.runtime.send(dead, "done");
    b.exit(dead);
    Pid old = new Pid("b", "main", 1, dead.incarnation() ^ 1);
    for (Pid target : new Pid[] {dead.address(), old}) {
      a.in(watcher, self -> monitor(self, target));
      assertThat(((ProcessSignal.Down) a.take()).exit())
          .isEqualTo(new Exit(target, Reason.NOT_FOUND, null, null));
    }
    assertThat(a.runtime.offer(old, "x")).isEqualTo(SendResult.NOT_FOUND);
  }

  @Test
  @Tag("C4")
  void link_endsTheOtherProcess_onTheOtherNode() {
    Pid one = a.obedient();
    Pid other = b.obedient();
    a.in(one, self -> link(self, other));
    nodes.settle();
    b.runtime.send(other, "fail");
    Exit exit = a.exit(one);
    assertThat(exit.reason()).isEqualTo(Reason.LINKED);
    assertThat(exit.origin()).isEqualTo(other);
  }

  @Test
  @Tag("C4")
  void link_worksBothWays_untilItIsUndone() throws Exception {
    Pid one = trapping(a);
    Pid other = trapping(b);
    a.in(one, self -> link(self, other));
    nodes.settle();
    assertThat(b.in(other, ProcessContext::links)).containsExactly(one);
    b.in(
        other,
        self -> {
          self.unlink(one);
          return true;
        });
    nodes.settle();
    assertThat(a.in(one, ProcessContext::links)).isEmpty();
    b.in(other, self -> link(self, one));
    nodes.settle();
    a.runtime.send(one, "fail");
    assertThat(((ProcessSignal.LinkDown) b.take()).exit().reason()).isEqualTo(Reason.FAILED);
    nodes.settle();
    assertThat(a.remote().counters().standIns()).isZero();
    assertThat(b.remote().counters().standIns()).isZero();
  }

  @Test
  @Tag("C10")
  @Tag("proc-163")
  void links_whenTheSessionEnds_breakAtBothNodes_once() throws Exception {
    Pid trapping = trapping(a);
    Pid child = b.obedient();
    a.in(trapping, self -> link(self, child));
    nodes.settle();
    nodes.loseSession();
    nodes.loseSession();
    assertThat(((ProcessSignal.LinkDown) a.take()).exit().reason()).isEqualTo(Reason.NO_CONNECTION);
    assertThat(b.exit(child).reason()).isEqualTo(Reason.LINKED);
    assertThat(a.got).isEmpty();
  }

  @Test
  @Tag("C4")
  void afterTheEnd_nothingIsReachable_andTiesReportNoConnectionAtOnce() throws Exception {
    Pid watcher = trapping(a);
    Pid target = b.obedient();
    nodes.loseSession();
    assertThat(a.runtime.offer(target, "x")).isEqualTo(SendResult.UNREACHABLE);
    assertThatThrownBy(() -> a.runtime.terminate(target)).isInstanceOf(SendFailedException.class);
    assertThat(a.exit(target).reason()).isEqualTo(Reason.NO_CONNECTION);
    a.in(watcher, self -> monitor(self, target));
    assertThat(((ProcessSignal.Down) a.take()).exit().reason()).isEqualTo(Reason.NO_CONNECTION);
    a.in(watcher, self -> link(self, target));
    assertThat(((ProcessSignal.LinkDown) a.take()).exit().reason()).isEqualTo(Reason.NO_CONNECTION);
  }

  @Test
  @Tag("C1")
  @Tag("proc-222")
  void sessionAfterALostOne_hasNothingOfIt_andTheSamePids() throws Exception {
    Pid watcher = a.obedient();
    Pid target = b.obedient();
    a.in(watcher, self -> monitor(self, target));
    CompletableFuture<Void> gate = new CompletableFuture<>();
    a.line.execute(gate::join);
    a.runtime.send(target, "on its way");
    nodes.loseSession();
    nodes.connect();
    gate.complete(null);
    a.runtime.send(target, "once");
    assertThat(b.take()).isEqualTo("once");
    assertThat(((ProcessSignal.Down) a.take()).exit().reason()).isEqualTo(Reason.NO_CONNECTION);
    a.in(watcher, self -> monitor(self, target));
    nodes.settle();
    b.runtime.send(target, "done");
    assertThat(((ProcessSignal.Down) a.take()).exit().reason()).isEqualTo(Reason.NORMAL);
    assertThat(b.got).isEmpty();
  }

  @Test
  void exitWithAResultThatCannotBeEncoded_saysSo() {
    Pid target = b.runtime.spawn((_, out) -> out.done(new Object()));
    CompletableFuture<Exit> exit = a.runtime.whenExited(target);
    Exit reported = TwoNodes.get(exit);
    if (reported.reason() == Reason.NORMAL) { // else it had ended before it was asked for
      assertThat(reported.result()).isNull();
      assertThat(reported.cause()).isInstanceOf(RemoteFailure.class);
    }
  }

  // ---- life and orders ----

  @Test
  void whenStarted_isToldOfTheOtherNode() {
    Pid to = b.obedient();
    assertThat(TwoNodes.get(a.runtime.whenStarted(to))).isTrue();
    Pid none = new Pid(to.node(), to.host(), 0, to.incarnation());
    assertThat(TwoNodes.get(a.runtime.whenStarted(none))).isFalse();
  }

  @Test
  void orders_areCarriedOut() throws Exception {
    Pid one = b.obedient();
    Pid two = b.obedient();
    Pid three = trapping(b);
    Pid asker = a.obedient();
    a.runtime.terminate(one);
    a.runtime.cancel(two, "enough", SOON);
    a.in(
        asker,
        self -> {
          self.requestExit(three, "please");
          return true;
        });
    assertThat(b.exit(one).reason()).isEqualTo(Reason.TERMINATED);
    assertThat(b.exit(two).reason()).isEqualTo(Reason.SHUTDOWN);
    assertThat(b.take()).isEqualTo(new ProcessSignal.ExitRequest(asker, "please"));
  }

  @Test
  void orders_whereControlIsOff_areIgnored() {
    try (TwoNodes refusing =
        new TwoNodes(FakeNode.NO_TYPES, FakeNode.NO_TYPES, PeerOptions.ForeignOrders.REFUSED)) {
      Pid target = refusing.b.obedient();
      refusing.a.runtime.terminate(target);
      refusing.a.runtime.cancel(target, "enough", SOON);
      refusing.settle();
      assertThat(refusing.b.in(target, ProcessContext::isEnded)).isFalse();
    }
  }

  @Test
  void waitForAnEnd_thatIsGivenUp_leavesNothing() {
    Pid to = b.obedient();
    CompletableFuture<Exit> exit = a.runtime.whenExited(to);
    assertThat(a.remote().counters().standIns()).isEqualTo(1);
    exit.cancel(false);
    assertThat(a.remote().counters().standIns()).isZero();
    nodes.settle();
    assertThat(b.remote().counters().watches()).isZero();
    assertThat(exit).isCancelled();
  }
}
