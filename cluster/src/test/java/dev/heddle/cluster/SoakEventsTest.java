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
      events.happened(events.next());
    }
    assertThat(events.missing()).containsExactly(Kind.RESTART);
  }

  @Test
  void kindThatHasNotHappened_isMissing() {
    SoakEvents events = events(true);
    for (Kind each : Kind.values()) {
      if (each != Kind.LEADER_KILLED && each != Kind.LEADER_STOPPED) {
        events.happened(each);
      }
    }
    assertThat(events.missing()).containsExactly(Kind.LEADER_KILLED);
  }

  @Test
  void withoutNames_nothingNeedsThem() {
    SoakEvents events = events(false);
    List<Kind> ofNames = List.of(Kind.LEADER_KILLED, Kind.OWNER_STOPPED, Kind.OWNER_CUT_OFF);
    for (int i = 0; i < 40; i++) {
      Kind next = events.next();
      assertThat(ofNames).doesNotContain(next);
      events.happened(next);
    }
    assertThat(events.missing()).containsExactly(Kind.RESTART);
  }
}
