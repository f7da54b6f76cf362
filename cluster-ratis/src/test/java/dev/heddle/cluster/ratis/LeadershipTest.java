// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.LogAppender;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// When a leader asks for heartbeats, at a division that says nothing but what is asked here.
@Tag("C6")
class LeadershipTest {
  private static final long TERM = 3;
  private static final List<RaftPeer> VOTERS = List.of(peer("a"), peer("b"));

  private final Leadership leadership = new Leadership(Duration.ofHours(1));
  private final RaftServer.Division a = leader(VOTERS);
  private boolean hasEntries; // for b
  private boolean isRunning = true; // what sends to b
  private int heartbeats; // that b was to be sent

  LeadershipTest() {
    leadership.sendsBy(
        answering(
            LogAppender.class,
            Map.of(
                "getFollowerId", () -> RaftPeerId.valueOf("b"),
                "hasAppendEntries", () -> hasEntries,
                "isRunning", () -> isRunning,
                "triggerHeartbeat", () -> Integer.valueOf(++heartbeats))));
  }

  private static RaftPeer peer(String id) {
    return RaftPeer.newBuilder().setId(id).build();
  }

  private static RaftServer.Division leader(List<RaftPeer> peers) {
    RaftConfiguration voters =
        answering(
            RaftConfiguration.class,
            Map.of("getCurrentPeers", () -> peers, "getPreviousPeers", List::of));
    DivisionInfo info =
        answering(DivisionInfo.class, Map.of("getCurrentTerm", () -> TERM, "isLeader", () -> true));
    return answering(
        RaftServer.Division.class,
        Map.of(
            "getInfo", () -> info,
            "getRaftConf", () -> voters,
            "getId", () -> RaftPeerId.valueOf("a")));
  }

  private static <T> T answering(Class<T> type, Map<String, Supplier<?>> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, _) -> {
              Object answer = answers.get(method.getName()).get();
              return method.getReturnType() == void.class ? null : answer;
            }));
  }

  /// A call to b is sent and answered.
  private void sends(boolean isHeartbeat) {
    leadership.sends("b", isHeartbeat);
    leadership.answered("b", TERM, System.nanoTime());
  }

  @Test
  void question_isAnsweredByACallThatIsSentAfterIt() {
    CompletableFuture<Long> answer = leadership.confirm(a);
    assertThat(heartbeats).isEqualTo(1);
    sends(true);
    assertThat(answer).isCompletedWithValue(TERM);
  }

  /// It took the place of the one that counts.
  @Test
  void answerThatIsHeldUp_undoesNoLaterOne() {
    long before = System.nanoTime();
    CompletableFuture<Long> answer =
        leadership.confirm(leader(List.of(peer("a"), peer("b"), peer("c"), peer("d"), peer("e"))));
    leadership.answered("b", TERM, System.nanoTime());
    leadership.answered("b", TERM, before - 1);
    assertThat(answer).isNotDone();
    leadership.answered("c", TERM, System.nanoTime());
    assertThat(answer).isCompletedWithValue(TERM);
  }

  /// An answer of a term that was over was taken for one of the term in which this voter led again.
  @Test
  void answer_isOfTheLeader_byAQuestionThatCameBeforeIt() throws IOException {
    CompletableFuture<String> answer =
        leadership.confirmed(
            a,
            _ -> true,
            () -> {
              sends(true);
              return CompletableFuture.completedFuture("it");
            });
    assertThat(answer).isCompletedWithValue("it");
  }

  @Test
  void answer_waitsForTheQuestion_unlessItNeedsNoLeader() throws IOException {
    var it = CompletableFuture.completedFuture("it");
    assertThat(leadership.confirmed(a, _ -> false, () -> it)).isCompletedWithValue("it");
    assertThat(leadership.confirmed(a, _ -> true, () -> it)).isNotDone();
  }

  /// What sent in an earlier lead was kept, with all that that leader had.
  @Test
  void senderThatHasEnded_isForgotten() {
    isRunning = false;
    leadership.sendsBy(
        answering(
            LogAppender.class,
            Map.of("getFollowerId", () -> RaftPeerId.valueOf("c"), "triggerHeartbeat", () -> 0)));
    var _ = leadership.confirm(a);
    assertThat(heartbeats).isZero();
  }

  /// Calls without entries were asked for without end while questions came, and no entry was sent.
  @Test
  void questions_whileThereAreEntries_letThemPass() {
    hasEntries = true;
    CompletableFuture<Long> first = leadership.confirm(a);
    assertThat(heartbeats).as("entries may be on their way, sent before the question").isEqualTo(1);
    leadership.sends("b", true);
    CompletableFuture<Long> second = leadership.confirm(a);
    assertThat(heartbeats).as("entries are next").isEqualTo(1);
    leadership.answered("b", TERM, System.nanoTime());
    sends(false);
    assertThat(List.of(first, second)).allSatisfy(it -> assertThat(it).isCompletedWithValue(TERM));
    assertThat(heartbeats).isEqualTo(1);
  }

  /// The call that was under way is no answer, and nothing else was to be sent.
  @Test
  void question_thatComesTooLateForACall_asksAgainWithItsAnswer() {
    hasEntries = true;
    leadership.sends("b", true);
    leadership.sends("b", false);
    long before = System.nanoTime() - 1;
    CompletableFuture<Long> answer = leadership.confirm(a);
    heartbeats = 0;
    leadership.answered("b", TERM, before);
    assertThat(answer).isNotDone();
    assertThat(heartbeats).isEqualTo(1);
    sends(true);
    assertThat(answer).isCompletedWithValue(TERM);
  }
}
