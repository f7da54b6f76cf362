// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.Command.Leave;
import dev.heddle.cluster.roster.Command.Lost;
import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Command.Register;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Command.Unregister;
import dev.heddle.cluster.roster.Outcome.Reason;
import dev.heddle.process.Pid;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RosterTest {
  private static final int FIRST = 7;
  private static final int SECOND = 3;
  private final Roster roster = new Roster();
  private long index;

  private Outcome apply(Command command) {
    index += 2; // a log has entries of its own in between
    return roster.apply(index, command);
  }

  private long admit(String node, int life) {
    return ((Outcome.Admitted) apply(new Renew(node, life, null))).admission();
  }

  private static Pid pid(String node, long id) {
    return new Pid(node, "h", id, FIRST);
  }

  private static Register register(String node, long admission, long number) {
    return new Register(new Origin(node, admission, number, 0), "mayor", pid(node, number));
  }

  private static Outcome refused(Reason reason) {
    return new Outcome.Refused(reason);
  }

  @Test
  @Tag("C6")
  void register_ofATakenName_isToldWhoOwnsIt_andATokenIsTheIndexOfItsEntry() {
    long a = admit("a", FIRST);
    long b = admit("b", FIRST);

    assertThat(apply(register("a", a, 1))).isEqualTo(new Outcome.Registered(6));
    assertThat(apply(register("b", b, 1))).isEqualTo(new Outcome.Taken(pid("a", 1), 6));
    apply(new Unregister(new Origin("a", a, 2, 0), "mayor", 6));
    assertThat(apply(register("b", b, 2))).isEqualTo(new Outcome.Registered(12));
  }

  @Test
  void register_repeated_getsTheFirstOutcome_evenWhenTheNameWasGivenBack() {
    long a = admit("a", FIRST);
    Outcome first = apply(register("a", a, 1));
    apply(new Unregister(new Origin("a", a, 2, 0), "mayor", index));

    assertThat(apply(register("a", a, 1))).isEqualTo(first);
    assertThat(roster.owner("mayor")).isNull();
  }

  @Test
  void register_whoseAnswerTheSenderKnows_isRefused() {
    long a = admit("a", FIRST);
    apply(register("a", a, 1));
    apply(new Unregister(new Origin("a", a, 2, 2), "mayor", index));

    assertThat(apply(register("a", a, 1))).isEqualTo(refused(Reason.SETTLED));
    assertThat(roster.owner("mayor")).isNull();
  }

  @Test
  void register_forAProcessOfAnotherNode_cannotBeMade() {
    Origin origin = new Origin("a", 1, 1, 0);

    assertThatThrownBy(() -> new Register(origin, "mayor", pid("b", 1)))
        .hasMessageContaining("'a'")
        .hasMessageContaining("'mayor'");
  }

  @Test
  void unregister_ofAnEarlierOwnership_leavesTheLaterOne() {
    long a = admit("a", FIRST);
    apply(register("a", a, 1));
    long token = index;
    apply(new Unregister(new Origin("a", a, 2, 0), "mayor", token));
    apply(register("a", a, 3));

    apply(new Unregister(new Origin("a", a, 4, 0), "mayor", token));

    assertThat(Objects.requireNonNull(roster.owner("mayor")).token()).isGreaterThan(token);
  }

  @Test
  @Tag("C6")
  void lost_releasesTheNames_andEndsTheAdmission() {
    long a = admit("a", FIRST);
    apply(register("a", a, 1));

    apply(new Lost("a", FIRST, a));

    assertThat(roster.owner("mayor")).isNull();
    assertThat(roster.admission("a", FIRST)).isZero();
    assertThat(apply(register("a", a, 1))).isEqualTo(refused(Reason.NOT_ADMITTED));
    assertThat(admit("a", FIRST)).isGreaterThan(a);
    assertThat(apply(register("a", a, 1))).isEqualTo(refused(Reason.NOT_ADMITTED));
  }

  @Test
  @Tag("C6")
  void lost_behindARenewalThatItsJudgeHasNotSeen_isVoid() {
    long a = admit("a", FIRST);
    apply(register("a", a, 1));
    apply(new Renew("a", FIRST, null));

    apply(new Lost("a", FIRST, a));

    assertThat(roster.owner("mayor")).isNotNull();
    assertThat(roster.admission("a", FIRST)).isEqualTo(a);
  }

  @Test
  void renew_ofAnotherLife_withoutProof_isRefusedUntilTheFirstIsLost() {
    long a = admit("a", FIRST);

    assertThat(apply(new Renew("a", SECOND, null))).isEqualTo(refused(Reason.NODE_TAKEN));
    apply(new Lost("a", FIRST, a));
    assertThat(admit("a", SECOND)).isGreaterThan(a);
    apply(new Lost("a", FIRST, a));
    assertThat(roster.admission("a", SECOND)).isNotZero();
  }

  @Test
  void renew_withTheLockOfTheDirectory_releasesTheNamesAtOnce_andTheOldLifeNeverReturns() {
    apply(new Renew("a", FIRST, new StorageProof(5, 1)));
    apply(register("a", index, 1));

    assertThat(apply(new Renew("a", SECOND, new StorageProof(6, 2))))
        .isEqualTo(refused(Reason.NODE_TAKEN));
    assertThat(apply(new Renew("a", SECOND, new StorageProof(5, 2))))
        .isEqualTo(new Outcome.Admitted(index));
    assertThat(roster.owner("mayor")).isNull();
    assertThat(apply(new Renew("a", FIRST, new StorageProof(5, 1))))
        .isEqualTo(refused(Reason.SUPERSEDED));
    apply(new Lost("a", SECOND, index - 2));
    assertThat(apply(new Renew("a", FIRST, new StorageProof(5, 1))))
        .isEqualTo(refused(Reason.SUPERSEDED));
  }

  @Test
  void leave_releasesTheNames_andALateRenewalDoesNotUndoIt() {
    long a = admit("a", FIRST);
    apply(register("a", a, 1));

    apply(new Leave("a", a));

    assertThat(roster.owner("mayor")).isNull();
    assertThat(apply(new Renew("a", FIRST, null))).isEqualTo(refused(Reason.LEFT));
    assertThat(admit("a", SECOND)).isGreaterThan(a);
  }

  @Test
  void apply_ofAnEntryThatIsNotTheNext_isRefused() {
    admit("a", FIRST);

    assertThatThrownBy(() -> roster.apply(index, new Leave("a", 1)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void follow_ofAGap_asksForASnapshot_andThatLeadsOn() {
    Roster follower = new Roster();
    long a = admit("a", FIRST);
    assertThat(follower.follow(new Delta(0, index, new Renew("a", FIRST, null)))).isTrue();
    apply(register("a", a, 1));
    long before = index;
    Command last = register("a", a, 2);
    apply(last);

    assertThat(follower.follow(new Delta(before, index, last))).isFalse();
    Roster replaced = RosterCodec.RELEASE.restore(RosterCodec.RELEASE.snapshot(roster));
    assertThat(replaced.follow(new Delta(before, index, last))).isTrue();
    assertThat(RosterCodec.RELEASE.snapshot(replaced))
        .isEqualTo(RosterCodec.RELEASE.snapshot(roster));
  }

  @Test
  void bytes_cutOff_orOfAnotherFormat_orWithARest_areRefused() {
    long a = admit("a", FIRST);
    apply(register("a", a, 1));
    byte[] snapshot = RosterCodec.RELEASE.snapshot(roster);
    byte[] before = snapshot.clone();
    before[0] = 1; // singletons without their last tokens
    byte[] other = snapshot.clone();
    other[0] = 9;

    for (int length = 0; length < snapshot.length; length++) {
      byte[] cut = Arrays.copyOf(snapshot, length);
      assertThatThrownBy(() -> RosterCodec.RELEASE.restore(cut))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> RosterCodec.RELEASE.restore(other))
        .hasMessageContaining("format 9")
        .hasMessageEndingWith("start a later release");
    assertThatThrownBy(() -> RosterCodec.RELEASE.restore(before))
        .hasMessage(
            "format 1 of the names' log is unknown, this release reads formats 2 to 3; start an"
                + " earlier release");
    assertThatThrownBy(() -> RosterCodec.RELEASE.decodeCommand(before))
        .hasMessageContaining("format 1");
    assertThatThrownBy(
            () -> RosterCodec.RELEASE.restore(Arrays.copyOf(snapshot, snapshot.length + 1)))
        .hasMessageContaining("1 bytes are left");
  }

  @Test
  void expiry_namesANode_onlyWhenItsLastRenewalIsOldEnough_andAgainUntilItIsApplied() {
    LeaseExpiry expiry = new LeaseExpiry(LeaseTimes.DEFAULT);
    long a = admit("a", FIRST);
    long lost = LeaseTimes.DEFAULT.lostNanos();

    assertThat(expiry.poll(roster, 5)).isEmpty();
    assertThat(expiry.poll(roster, 4 + lost)).isEmpty();
    apply(new Renew("a", FIRST, null));
    assertThat(expiry.poll(roster, 5 + lost)).isEmpty();
    assertThat(expiry.poll(roster, 5 + 2 * lost)).containsExactly(new Lost("a", FIRST, index));
    assertThat(expiry.poll(roster, 6 + 2 * lost)).as("each time is an entry of the log").isEmpty();
    long again = 5 + 2 * lost + 200_000_000;
    assertThat(expiry.poll(roster, again - 1)).isEmpty();
    assertThat(expiry.poll(roster, again)).containsExactly(new Lost("a", FIRST, index));
    apply(new Lost("a", FIRST, index));
    assertThat(expiry.poll(roster, 2 * again)).isEmpty();
    assertThat(a).isNotZero();
  }

  /// While the log was busy the loss was never submitted: each look at what is applied took it.
  @Test
  @Tag("C6")
  void expiry_namesANode_alsoWhileOthersRenew() {
    LeaseExpiry expiry = new LeaseExpiry(LeaseTimes.DEFAULT);
    long _ = admit("a", FIRST);
    expiry.see(roster, 5);
    long over = 5 + LeaseTimes.DEFAULT.lostNanos();
    expiry.see(roster, over); // a command of another node is applied
    assertThat(expiry.poll(roster, over)).hasSize(1);
  }

  @Test
  @Tag("C6")
  void expiry_saysHowLongItIsUntilTheNextLoss() {
    LeaseExpiry expiry = new LeaseExpiry(LeaseTimes.DEFAULT);
    assertThat(expiry.left(0)).isEqualTo(Long.MAX_VALUE);
    long _ = admit("a", FIRST);
    expiry.see(roster, 5);
    long _ = admit("b", FIRST);
    expiry.see(roster, 9);
    long lost = LeaseTimes.DEFAULT.lostNanos();
    assertThat(expiry.left(7)).isEqualTo(lost - 2);
    assertThat(expiry.left(5 + lost)).isZero();
    assertThat(expiry.poll(roster, 5 + lost)).extracting(Lost::node).containsExactly("a");
    assertThat(expiry.left(5 + lost)).as("that of b").isEqualTo(4);
    assertThat(expiry.poll(roster, 9 + lost)).extracting(Lost::node).containsExactly("b");
    assertThat(expiry.left(9 + lost)).as("that of a once more").isEqualTo(200_000_000 - 4);
  }

  /// The agent reads its clock and stands still; meanwhile others have the lease renewed.
  @Test
  @Tag("C6")
  void expiry_countsFromARenewalWithoutTheLog_alsoWhenAnEarlierLookSeesAnEntryAfterIt() {
    long admission = admit("a", FIRST);
    LeaseExpiry expiry = new LeaseExpiry(LeaseTimes.DEFAULT, 7, index);
    Renew renewal = new Renew("a", FIRST, null);
    long lost = LeaseTimes.DEFAULT.lostNanos();
    apply(renewal);
    expiry.see(roster, 0);
    assertThat(expiry.renew(renewal, 7, 100)).isEqualTo(admission);
    apply(renewal);
    expiry.see(roster, 50);
    assertThat(expiry.poll(roster, 99 + lost)).isEmpty();
    assertThat(expiry.poll(roster, 100 + lost)).containsExactly(new Lost("a", FIRST, index));
  }

  @Test
  @Tag("C6")
  void expiry_renewsWithoutTheLog_whatTheLogHasRenewedInItsTerm_andDoesNotNameAsLost() {
    long admission = admit("a", FIRST);
    LeaseExpiry expiry = new LeaseExpiry(LeaseTimes.DEFAULT, 7, index);
    Renew renewal = new Renew("a", FIRST, null);
    long lost = LeaseTimes.DEFAULT.lostNanos();
    expiry.see(roster, 0);
    assertThat(expiry.renew(renewal, 7, 1)).as("its entry is of an earlier term").isZero();
    apply(renewal);
    expiry.see(roster, 2);

    assertThat(expiry.renew(renewal, 7, 3)).isEqualTo(admission);
    assertThat(expiry.renew(renewal, 8, 4)).as("of a later term").isZero();
    assertThat(expiry.renew(new Renew("a", SECOND, null), 7, 4)).as("of another life").isZero();
    assertThat(expiry.renew(new Renew("b", FIRST, null), 7, 4)).as("of another node").isZero();
    assertThat(expiry.poll(roster, 2 + lost)).as("it counts from the last renewal").isEmpty();
    assertThat(expiry.poll(roster, 3 + lost)).containsExactly(new Lost("a", FIRST, index));
    assertThat(expiry.renew(renewal, 7, 4 + lost)).as("it is named as lost").isZero();
    apply(renewal);
    expiry.see(roster, 5 + lost);
    assertThat(expiry.renew(renewal, 7, 6 + lost)).isEqualTo(admission);
    long entry = 5 + lost + 20 * LeaseTimes.DEFAULT.renewNanos();
    assertThat(expiry.renew(renewal, 7, entry - 1)).isEqualTo(admission);
    assertThat(expiry.renew(renewal, 7, entry)).as("an entry is due").isZero();
  }

  @Test
  @Tag("C6")
  void lease_isCountedFromTheStartOfTheRenewal_andBelongsToItsAdmission() {
    Lease lease = new Lease(LeaseTimes.DEFAULT);
    long hold = LeaseTimes.DEFAULT.holdNanos();

    assertThat(lease.isDue(100)).isTrue();
    long start = lease.renewing(100);
    assertThat(lease.isDue(101)).isFalse();
    assertThat(lease.isHeld(0, 101)).isFalse();
    lease.acknowledged(start, 40);
    assertThat(lease.isHeld(40, 99 + hold)).isTrue();
    assertThat(lease.isHeld(40, 100 + hold)).isFalse();
    lease.acknowledged(200, 50);
    lease.acknowledged(300, 40);
    assertThat(lease.isHeld(40, 301)).isFalse();
    assertThat(lease.isHeld(50, 199 + hold)).isTrue();
    assertThat(lease.isHeld(50, 200 + hold)).isFalse();
  }
}
