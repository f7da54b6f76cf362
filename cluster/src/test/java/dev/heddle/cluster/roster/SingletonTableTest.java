// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.Command.DeclareSingleton;
import dev.heddle.cluster.roster.Command.FinishSingleton;
import dev.heddle.cluster.roster.Command.Leave;
import dev.heddle.cluster.roster.Command.OfferSingletons;
import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Command.Register;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Command.Unregister;
import dev.heddle.cluster.roster.Outcome.Reason;
import dev.heddle.cluster.roster.SingletonSpec.Input;
import dev.heddle.process.Pid;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("C6")
class SingletonTableTest {
  private static final Input INPUT = new Input("a", "h", 7, List.of("Job(int)"), new byte[] {9, 1});
  private static final SingletonSpec SPEC =
      new SingletonSpec("billing", "worker", null, Map.of("role", "back", "zone", "eu"), INPUT);

  private final Roster roster = new Roster();
  private long index;
  private long requests;

  private Outcome apply(Command command) {
    index += 2; // a log has entries of its own in between
    return roster.apply(
        index, RosterCodec.RELEASE.decodeCommand(RosterCodec.RELEASE.encode(command)));
  }

  private long admit(String node) {
    return ((Outcome.Admitted) apply(new Renew(node, 7, null))).admission();
  }

  private Origin origin(String node, long admission) {
    return new Origin(node, admission, ++requests, requests);
  }

  private long take(String node, long admission) {
    Pid pid = new Pid(node, "h", 1, 7);
    Outcome outcome = apply(new Register(origin(node, admission), "billing", pid));
    return ((Outcome.Registered) outcome).token();
  }

  private List<String> candidates() {
    return List.copyOf(roster.singletons().candidates("billing"));
  }

  @Test
  void declare_aSecondTime_keepsAndTellsTheFirstSpec() {
    long a = admit("a");
    SingletonSpec other = new SingletonSpec("billing", "other", "b", Map.of(), INPUT);

    assertThat(apply(new DeclareSingleton(origin("a", a), SPEC)))
        .isEqualTo(new Outcome.Declared(SPEC));
    Outcome second = apply(new DeclareSingleton(origin("a", a), other));
    assertThat(RosterCodec.RELEASE.decodeOutcome(RosterCodec.RELEASE.encode(second)))
        .isEqualTo(new Outcome.Declared(SPEC));
    assertThat(roster.singletons().all())
        .containsExactly(new SingletonTable.Declared(SPEC, index - 2, 0));
  }

  @Test
  void declare_ofANodeThatIsNotAdmitted_isRefused() {
    assertThat(apply(new DeclareSingleton(origin("a", 3), SPEC)))
        .isEqualTo(new Outcome.Refused(Reason.NOT_ADMITTED));
  }

  @Test
  void offers_countWithinOneAdmission_andTheLastOneCounts() {
    long a = admit("a");
    long b = admit("b");
    apply(new OfferSingletons("b", b, Set.of("billing", "more")));
    apply(new OfferSingletons("a", a, Set.of("billing")));
    assertThat(candidates()).containsExactly("a", "b");

    apply(new OfferSingletons("a", a, Set.of()));
    assertThat(candidates()).containsExactly("b");
    apply(new Leave("b", b));
    assertThat(candidates()).isEmpty();
    assertThat(apply(new OfferSingletons("b", b, Set.of("billing"))))
        .isEqualTo(new Outcome.Refused(Reason.NOT_ADMITTED));
    assertThat(candidates()).isEmpty();
  }

  @Test
  void finish_endsItsDeclaration_andNoOther() {
    long a = admit("a");
    apply(new DeclareSingleton(origin("a", a), SPEC));
    final long declared = index;
    long token = take("a", a);
    apply(new FinishSingleton("billing", declared, token));
    assertThat(roster.singletons().get("billing")).isNull();

    apply(new DeclareSingleton(origin("a", a), SPEC));
    apply(new FinishSingleton("billing", declared, token)); // again
    assertThat(roster.singletons().get("billing")).isNotNull();
  }

  @Test
  void finish_thatComesWhenItRunsAgain_isVoid() {
    long a = admit("a");
    apply(new DeclareSingleton(origin("a", a), SPEC));
    final long declared = index;
    long first = take("a", a);
    apply(new Unregister(origin("a", a), "billing", first));
    long second = take("a", a);
    apply(new FinishSingleton("billing", declared, first));
    assertThat(roster.singletons().get("billing")).isNotNull();
    apply(new FinishSingleton("billing", declared, second));
    assertThat(roster.singletons().get("billing")).isNull();
  }

  @Test
  void finish_ofAnEarlierOwnership_isVoidAlsoWhenNobodyOwnsTheName() {
    long a = admit("a");
    apply(new DeclareSingleton(origin("a", a), SPEC));
    final long declared = index;
    long first = take("a", a);
    apply(new Unregister(origin("a", a), "billing", first));
    long second = take("a", a);
    apply(new Unregister(origin("a", a), "billing", second)); // it moves

    Roster restored = RosterCodec.RELEASE.restore(RosterCodec.RELEASE.snapshot(roster));
    restored.apply(index + 1, new FinishSingleton("billing", declared, first));
    assertThat(restored.singletons().get("billing")).isNotNull();
    restored.apply(index + 2, new FinishSingleton("billing", declared, second));
    assertThat(restored.singletons().get("billing")).isNull();
  }

  @Test
  void snapshot_ofSingletons_restoresThem_andACutOneIsRefused() {
    long a = admit("a");
    apply(new DeclareSingleton(origin("a", a), SPEC));
    SingletonSpec pinned = new SingletonSpec("mayor", "worker", "b", Map.of(), INPUT);
    apply(new DeclareSingleton(new Origin("a", a, ++requests, 0), pinned)); // its outcome is kept
    apply(new OfferSingletons("a", a, Set.of("billing", "mayor")));
    byte[] snapshot = RosterCodec.RELEASE.snapshot(roster);

    Roster restored = RosterCodec.RELEASE.restore(snapshot);
    assertThat(restored.singletons().all()).containsExactlyElementsOf(roster.singletons().all());
    assertThat(restored.singletons().candidates("billing")).containsExactly("a");
    assertThat(restored.singletons().offer("a")).containsExactlyInAnyOrder("billing", "mayor");
    assertThat(RosterCodec.RELEASE.snapshot(restored)).isEqualTo(snapshot);
    for (int length = 1; length < snapshot.length; length++) {
      byte[] cut = Arrays.copyOf(snapshot, length);
      assertThatThrownBy(() -> RosterCodec.RELEASE.restore(cut))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
