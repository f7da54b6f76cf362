// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.LogAppender;

/// Whether this voter still leads, by the word of a majority.
///
/// **Thread** any; nothing here waits.
final class Leadership {
  /*
   * A voter that was cut off takes itself for the leader until it notices, some seconds later, and
   * the others may have elected another one by then. Ratis asks the others before it answers a
   * read, but not when they have answered one at the same index before: then the leader of before
   * answers with what it has, although another one has written since. So each answer that needs the
   * present leader waits for this confirmation, too.
   *
   * Argument. A call of the leader of term T was sent after the question, and a voter has answered
   * it in term T. To elect the leader of a later term takes the votes of a majority, which has one
   * of those voters in common with the majority that has answered. That one has answered before it
   * voted: a voter in a later term refuses the call. So the next leader is elected after the
   * question, and what was acknowledged before the question, this leader has.
   *
   * While the voters change, a majority of those of before and one of those of afterwards answer.
   *
   * Entries go on. Ratis sends one call at a time to a voter, and one without entries when a
   * heartbeat was asked for. So questions one after the other would keep back entries for ever.
   * After a heartbeat none is asked for while there are entries: the call with them is as good an
   * answer. A question may come too late for the call that is under way, so each answer asks again
   * while one is open. [RatisNameStoreTest]
   *
   * Order. A question comes before what it is asked for: an answer that was made before it may be
   * of a term that is over, and this voter may lead again by now. [LeadershipTest]
   *
   * Cost. One heartbeat to each other voter; questions that are open at the same time share it.
   */

  /// Has something answered that needs the present leader.
  interface Source<T> {
    CompletableFuture<T> answer() throws IOException;
  }

  /// The last call that a voter has answered in a term.
  private record Answer(long term, long sentNanos) {}

  /// What sends to a voter.
  private static final class Sender {
    final LogAppender appender;
    volatile boolean hasSentHeartbeat; // the last call had no entries; written by its thread

    Sender(LogAppender appender) {
      this.appender = appender;
    }

    /// Has it send a call soon.
    void send() {
      if (!hasSentHeartbeat || !appender.hasAppendEntries()) {
        appender.triggerHeartbeat();
      }
    }
  }

  private final class Question {
    final RaftServer.Division division;
    final long term;
    final long sinceNanos = System.nanoTime();
    final CompletableFuture<Long> answer = new CompletableFuture<>();

    Question(RaftServer.Division division) {
      this.division = division;
      this.term = division.getInfo().getCurrentTerm();
    }

    void check() {
      RaftConfiguration now = division.getRaftConf();
      if (has(now.getCurrentPeers()) && has(now.getPreviousPeers())) {
        answer.complete(term);
      }
    }

    private boolean has(Collection<RaftPeer> voters) {
      long answered = voters.stream().filter(this::hasAnswered).count();
      return voters.isEmpty() || answered > voters.size() / 2;
    }

    private boolean hasAnswered(RaftPeer voter) {
      Answer last = answers.get(voter.getId().toString());
      boolean isNew = last != null && last.term == term && last.sentNanos - sinceNanos >= 0;
      return isNew || voter.getId().equals(division.getId());
    }
  }

  private final Duration limit;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>(); // by id of the voter
  private final Set<Question> open = ConcurrentHashMap.newKeySet();
  private final Map<String, Sender> senders = new ConcurrentHashMap<>(); // the last ones

  /// @param limit after which a question has failed
  Leadership(Duration limit) {
    this.limit = limit;
  }

  /// A leader has begun to send entries and heartbeats to a voter.
  void sendsBy(LogAppender appender) {
    forgetEnded();
    senders.put(appender.getFollowerId().toString(), new Sender(appender));
  }

  /// A call of this one goes to a voter.
  void sends(String voter, boolean isHeartbeat) {
    Sender sender = senders.get(voter);
    if (sender != null) {
      sender.hasSentHeartbeat = isHeartbeat;
    }
  }

  /// A voter has answered a call of this one, which leads in a term, within that term.
  ///
  /// @param sentNanos before the call was sent
  void answered(String voter, long term, long sentNanos) {
    // an answer that was held up, perhaps by a new connection, is not the last one
    answers.merge(
        voter,
        new Answer(term, sentNanos),
        (last, now) -> now.sentNanos - last.sentNanos >= 0 ? now : last);
    List.copyOf(open).forEach(Question::check);
    Sender sender = senders.get(voter);
    if (sender != null && !open.isEmpty()) {
      sender.send();
    }
  }

  /// Those of earlier leaders, and to voters of before, would keep all that these had.
  private void forgetEnded() {
    senders.values().removeIf(sender -> !sender.appender.isRunning());
  }

  /// Has something answered, and asks the others whether this voter leads.
  ///
  /// @param isGood whether an answer needs that; others, as that of a voter that knows that it does
  ///   not lead, are not waited for
  /// @return completes with the answer, when this one has led at a moment after the call
  <T> CompletableFuture<T> confirmed(
      RaftServer.Division division, Predicate<T> isGood, Source<T> source) throws IOException {
    CompletableFuture<Long> confirmed = confirm(division);
    return source
        .answer()
        .thenCompose(answer ->
            isGood.test(answer)
                ? confirmed.thenApply(_ -> answer)
                : CompletableFuture.completedFuture(answer));
  }

  /// Asks the others whether this voter leads.
  ///
  /// @return completes with the term, when it has led at a moment after the call; fails when it
  ///   does not lead, or no majority answers in time
  CompletableFuture<Long> confirm(RaftServer.Division division) {
    Question question = new Question(division);
    DivisionInfo info = division.getInfo(); // after the term: a leader of a later one is no answer
    if (!info.isLeader()) {
      forgetEnded();
      return CompletableFuture.failedFuture(
          new IllegalStateException("voter '%s' does not lead".formatted(division.getId())));
    }
    open.add(question);
    question.check(); // it may be the only one
    if (!question.answer.isDone()) {
      senders.values().forEach(Sender::send);
    }
    return question
        .answer
        .orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS)
        .whenComplete((_, _) -> open.remove(question));
  }
}
