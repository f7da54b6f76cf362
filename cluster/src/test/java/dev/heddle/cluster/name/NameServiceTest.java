// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Command.Leave;
import dev.heddle.cluster.roster.Command.Lost;
import dev.heddle.cluster.roster.Command.Register;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Command.Unregister;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Outcome.Registered;
import dev.heddle.process.Pid;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Stories of one node in virtual time.
@Tag("C6")
class NameServiceTest {
  private static final long HOUR = 3_600_000_000_000L;

  private final OneNode node = new OneNode();

  private Pid owner(long admission, long token) {
    Pid pid = node.spawn();
    node.admit(admission);
    CompletableFuture<Long> answer = node.service.register("mayor", pid);
    node.run(0);
    node.take(Register.class).answer(new Registered(token));
    node.run(0);
    assertThat(answer).isCompletedWithValue(token);
    return pid;
  }

  /// The node was paused while its lease ended, and is told of its next admission before it has
  /// looked at what it owns.
  private Pid ownerThatIsReadmittedLate() {
    Pid first = owner(1, 10);
    node.atOnce = _ -> null;
    node.run(6_000); // no answers any more
    node.pass(4_000); // the lease is over, and the log gives the name away
    node.all(Renew.class).getLast().answer(new Outcome.Admitted(20));
    return first;
  }

  @Test
  void register_afterALateReadmission_waitsForTheEndOfTheLastOwner() {
    Pid first = ownerThatIsReadmittedLate();
    node.atOnce = command -> command instanceof Register ? new Registered(21) : null;
    CompletableFuture<Long> answer = node.service.register("mayor", node.spawn());
    node.run(0);
    assertThat(node.cancelled).containsExactly(first);
    assertThat(answer).as("the last owner lives").isNotDone();

    node.end(first);
    node.run(0);
    assertThat(answer).isCompletedWithValue(21L);
    assertThat(node.service.token("mayor")).hasValue(21);
  }

  @Test
  void admission_thatIsAnother_endsTheOwnersBeforeAnythingElseIsDone() {
    Pid first = ownerThatIsReadmittedLate();
    boolean[] isReached = new boolean[1];
    node.service.execute(() -> isReached[0] = node.cancelled.contains(first));
    node.run(0);
    assertThat(isReached[0]).isTrue();
  }

  /// What it had seen by then may be of the next leader, who renews leases without the log.
  @Test
  void leaderThatIsReplacedWhileItLooks_namesNobodyAsLost() {
    node.terms = () -> 1;
    node.apply(1, new Renew("b", 3, null));
    node.pass(60_000);
    Iterator<Long> terms = List.of(1L, 0L).iterator();
    node.terms = terms::next;
    long _ = node.service.run();
    assertThat(terms.hasNext()).isFalse();
    assertThat(node.all(Lost.class)).isEmpty();

    node.terms = () -> 1;
    node.run(1_000); // the command may have been lost, and is due again
    assertThat(node.all(Lost.class)).extracting(OneNode.Try::command).contains(new Lost("b", 3, 1));
  }

  @Test
  void idleLeader_looksOnceASecond_andWhenANodeIsLost() {
    node.admit(1);
    node.terms = () -> 1;
    node.apply(1, new Renew("b", 3, null));
    assertThat(node.millisToTheNextLook()).isEqualTo(1_000);
    node.pass(10_200);
    assertThat(node.millisToTheNextLook()).isEqualTo(300);
    node.pass(300);
    assertThat(node.millisToTheNextLook()).as("if that is not applied").isEqualTo(200);
    assertThat(node.all(Lost.class)).extracting(OneNode.Try::command).contains(new Lost("b", 3, 1));
  }

  @Test
  void voterThatBeginsToLead_looksAtOnce() {
    int before = node.wakes;
    node.lead();
    assertThat(node.wakes).isGreaterThan(before);
  }

  /// The agent ran without a pause then, and logged the failure each time.
  @Test
  void failureOfWhatComesBeforeTheLease_isNotTriedAgainAtOnce() {
    node.apply(1, new Renew("b", 3, null));
    node.pass(60_000); // the next renewal of this node is due
    Iterator<LongSupplier> looks =
        List.<LongSupplier>of(
                () -> 1,
                () -> {
                  throw new IllegalStateException("on purpose");
                })
            .iterator();
    node.terms = () -> looks.next().getAsLong();
    assertThat(node.service.run()).isGreaterThan(node.service.now());
    assertThat(looks.hasNext()).isFalse();
  }

  /// The log says that a process owns the name, and this node knows of another one that lives.
  @Test
  void registered_whileAnotherOwnerOfThisNodeLives_isGivenBack() {
    Pid first = owner(1, 10);
    CompletableFuture<Long> answer = node.service.register("mayor", node.spawn());
    node.run(0);
    node.take(Register.class).answer(new Registered(11));
    node.run(0);

    assertThat(answer).isCompletedExceptionally();
    assertThatThrownBy(answer::get).hasCauseInstanceOf(NoQuorumException.class);
    assertThat(node.cancelled).containsExactly(first);
    assertThat(node.service.token("mayor")).isEmpty();
    Command back = node.take(Unregister.class).command();
    assertThat(((Unregister) back).token()).isEqualTo(11);
  }

  /// Its directory has another life: others may own what this one has owned.
  @Test
  void lifeThatIsSuperseded_actsNoMore() {
    Pid mayor = owner(1, 10);
    node.atOnce = _ -> new Outcome.Refused(Outcome.Reason.SUPERSEDED);
    node.run(1_600);
    assertThat(node.service.token("mayor")).isEmpty();
    assertThat(node.cancelled).containsExactly(mayor);
  }

  @Test
  void leave_thatIsLost_isRepeated_untilTheLogHasIt() {
    node.admit(1);
    CompletableFuture<?> left = node.service.leave(HOUR, HOUR);
    node.run(100);
    assertThat(node.take(Leave.class).command()).isEqualTo(new Leave("a", 1)); // and no answer
    node.run(300);
    node.take(Leave.class).fail();
    node.run(300);
    assertThat(left).isNotDone();
    node.take(Leave.class).answer(new Outcome.Done());
    node.run(1_000);
    assertThat(left).isCompleted();
    assertThat(node.all(Leave.class)).hasSizeLessThan(2);
  }

  @Test
  void leave_whoseAnswerIsLost_endsWithWhatTheLogHasApplied() {
    node.admit(1);
    node.apply(1, new Renew("a", OneNode.LIFE, null));
    CompletableFuture<?> left = node.service.leave(HOUR, HOUR);
    node.run(0);
    assertThat(left).isNotDone();
    node.apply(2, new Leave("a", 1));
    assertThat(left).isCompleted();
  }

  /// Otherwise the node that has left is admitted, until its lease is over.
  @Test
  void leave_beforeTheFirstRenewalIsAnswered_endsTheAdmissionThatItBrings() {
    node.run(0);
    OneNode.Try renewal = node.take(Renew.class);
    CompletableFuture<?> left = node.service.leave(HOUR, HOUR);
    node.run(300);
    assertThat(left).as("the renewal is under way").isNotDone();
    renewal.answer(new Outcome.Admitted(3));
    node.run(300);
    assertThat(left).as("the node is admitted").isNotDone();
    OneNode.Try leave = node.take(Leave.class);
    assertThat(leave.command()).isEqualTo(new Leave("a", 3));
    leave.answer(new Outcome.Done());
    node.run(0);
    assertThat(left).isCompleted();
    assertThat(node.all(Renew.class)).isEmpty();
  }

  @Test
  void leave_ofALeaseThatTheLogHasLost_endsTheAdmissionThatTheLastRenewalBrings() {
    node.admit(1);
    node.atOnce = _ -> null;
    node.run(30_000); // the lease is over, and the log has declared the loss
    OneNode.Try renewal = node.take(Renew.class);
    while (!node.all(Renew.class).isEmpty()) {
      node.take(Renew.class).fail();
    }
    CompletableFuture<?> left = node.service.leave(HOUR, HOUR);
    node.run(0);
    OneNode.Try leave = node.take(Leave.class);
    assertThat(leave.command()).isEqualTo(new Leave("a", 1));
    leave.answer(new Outcome.Done());
    renewal.answer(new Outcome.Admitted(9));
    node.run(300);
    assertThat(left).as("the node is admitted again").isNotDone();
    OneNode.Try second = node.take(Leave.class);
    assertThat(second.command()).isEqualTo(new Leave("a", 9));
    second.answer(new Outcome.Done());
    node.run(0);
    assertThat(left).isCompleted();
  }

  @Test
  void leave_whileARenewalIsLost_endsTheAdmissionThatTheLogShows() {
    node.run(0);
    OneNode.Try renewal = node.take(Renew.class);
    CompletableFuture<?> left = node.service.leave(HOUR, HOUR);
    node.run(0);
    node.apply(1, new Renew("a", OneNode.LIFE, null));
    renewal.fail();
    node.run(300);
    assertThat(left).as("the node is admitted").isNotDone();
    OneNode.Try leave = node.take(Leave.class);
    assertThat(leave.command()).isEqualTo(new Leave("a", 1));
    leave.answer(new Outcome.Done());
    node.run(0);
    assertThat(left).isCompleted();
  }

  @Test
  void leave_endsTheOwnersFirst_andThenTheLease() {
    Pid mayor = owner(1, 10);
    CompletableFuture<?> left = node.service.leave(HOUR, HOUR);
    node.run(0);
    assertThat(node.cancelled).containsExactly(mayor);
    assertThat(node.all(Leave.class)).as("the owner lives").isEmpty();
    node.end(mayor);
    node.run(0);
    assertThat(node.all(Leave.class)).hasSize(1);
    assertThat(left).isNotDone();
  }

  @Test
  void leave_handsTheLeadOver_whenTheLogHasAllElse() {
    node.admit(1);
    CompletableFuture<?> left = node.service.leave(HOUR, HOUR);
    node.run(0);
    OneNode.Try leave = node.take(Leave.class);
    assertThat(node.handOvers).as("its leave needs the log").isZero();
    leave.answer(new Outcome.Done());
    node.run(0);
    assertThat(node.handOvers).isOne();
    assertThat(left).isCompleted();
  }
}
