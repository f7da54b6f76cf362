// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.SoakEvents.Kind;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What happens in the soak of a cluster.
@Tag("C6")
class SoakEventsTest {
  private static SoakEvents events(boolean hasNames) {
    return new SoakEvents(new Random(1), hasNames);
  }

  @Test
  void eachKind_comesBeforeThePackIsShuffledAnew() {
    SoakEvents events = events(true);
    for (int i = 0; i < 13; i++) {
      events.happened(events.next(), i);
    }
    assertThat(events.missing()).containsExactly("restart");
  }

  @Test
  void kindThatHasNotHappened_isMissing() {
    SoakEvents events = events(true);
    for (Kind each : Kind.values()) {
      if (each != Kind.LEADER_KILLED && each != Kind.LEADER_STOPPED) {
        events.happened(each, 0);
      }
    }
    assertThat(events.missing()).containsExactly("leader killed");
  }

  @Test
  void withoutNames_nothingNeedsThem() {
    SoakEvents events = events(false);
    List<Kind> ofNames = List.of(Kind.LEADER_KILLED, Kind.OWNER_STOPPED, Kind.OWNER_CUT_OFF);
    for (int i = 0; i < 40; i++) {
      Kind next = events.next();
      assertThat(ofNames).doesNotContain(next);
      events.happened(next, i);
    }
    assertThat(events.missing()).containsExactly("restart");
  }

  @Test
  void longestGap_isThatWithinARound() {
    SoakEvents events = events(true);
    events.begin(0);
    events.happened(Kind.KILL, 3_000_000);
    events.happened(Kind.RESTART, 10_000_000);
    events.begin(90_000_000);
    events.happened(Kind.PAUSE, 92_000_000);
    assertThat(events.longestGapMillis()).isEqualTo(7);
  }
}
