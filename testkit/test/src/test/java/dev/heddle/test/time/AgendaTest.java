// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What happens at which time, and in which order.
class AgendaTest {
  private final Agenda whole = new Agenda();
  private final List<String> ran = new ArrayList<>();

  private void add(Agenda to, long time, String name) {
    var _ = to.add(time, () -> ran.add(name));
  }

  @Test
  void entriesOfParts_runAmongAll_byTimeAndThenAsTheyWereAdded() {
    Agenda one = whole.part(ClockDrift.NONE);
    Agenda other = whole.part(ClockDrift.NONE);
    add(other, 2, "a");
    add(whole, 1, "b");
    add(one, 2, "c");
    add(whole, 2, "d");
    add(one, 1, "e");
    assertThat(whole.next()).isEqualTo(1);
    assertThat(whole.runDue(2)).isEqualTo(5);
    assertThat(ran).containsExactly("b", "e", "a", "c", "d");
    assertThat(whole.isEmpty()).isTrue();
  }

  @Test
  void partThatIsDropped_runsNothing_alsoWhatIsAddedLater() {
    Agenda part = whole.part(ClockDrift.NONE);
    add(part, 1, "a");
    part.drop();
    add(part, 1, "b");
    add(whole, 3, "c");
    assertThat(whole.next()).isEqualTo(3);
    whole.runDue(9);
    assertThat(ran).containsExactly("c");
  }

  @Test
  void timesOfAPart_areThoseOfItsClock() {
    Agenda fast = whole.part(new ClockDrift(100, 1_000_000)); // twice as fast
    add(fast, 120, "a");
    assertThat(whole.next()).isEqualTo(10);
  }

  @Test
  void entryThatIsCancelled_doesNotRun() {
    Agenda part = whole.part(ClockDrift.NONE);
    part.add(1, () -> ran.add("a")).cancel();
    assertThat(part.isEmpty()).isTrue();
    assertThat(whole.runDue(9)).isZero();
  }
}
