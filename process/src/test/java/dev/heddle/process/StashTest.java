// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.behavior.Stash;
import dev.heddle.process.behavior.StashFullException;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The stash of a body.
@Tag("proc-278")
class StashTest {
  private final Stash<Integer> stash = new Stash<>(3);

  private List<Integer> ready() {
    List<Integer> all = new ArrayList<>();
    while (stash.hasNext()) {
      all.add(stash.next());
    }
    return all;
  }

  @Test
  void order_isKept_andOnlyWhatWasUnstashedIsReady() {
    stash.add(1);
    stash.add(2);
    assertThat(ready()).isEmpty();
    stash.unstashAll();
    stash.add(3);
    assertThat(ready()).containsExactly(1, 2);
    assertThat(stash.size()).isEqualTo(1);
    stash.unstashAll();
    stash.add(4);
    stash.unstashAll();
    assertThat(ready()).containsExactly(3, 4);
  }

  @Test
  void aboveTheBound_isRefused_alsoWhenSomeAreReady() {
    stash.add(1);
    stash.unstashAll();
    stash.add(2);
    stash.add(3);
    assertThatThrownBy(() -> stash.add(4))
        .isInstanceOf(StashFullException.class)
        .hasMessageContaining("3 messages");
    assertThat(stash.next()).isEqualTo(1);
    stash.add(4);
    assertThat(stash.size()).isEqualTo(3);
  }

  @Test
  void nextOfNothing_andABoundOfNothing_areRefused() {
    assertThatThrownBy(stash::next).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(() -> new Stash<>(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
