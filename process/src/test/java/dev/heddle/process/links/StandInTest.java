// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What an owner that no worker runs is told, so that it can stand for a process of another node.
@Tag("P13")
@Tag("proc-164")
class StandInTest {
  private static final int ROUNDS = 1_000;

  /// Records what it is told.
  private static final class StandIn implements ProcessLinks.Owner {
    final List<String> told = new CopyOnWriteArrayList<>();
    int failures;
    private final Pid pid;
    private final ProcessLinks processLinks = new ProcessLinks(null);

    StandIn(long id) {
      this.pid = new Pid("n", "h", id, 1);
    }

    @Override
    public ProcessLinks processLinks() {
      return processLinks;
    }

    @Override
    public Pid self() {
      return pid;
    }

    @Override
    public boolean decideLinkExit(Exit exit) {
      return true;
    }

    @Override
    public void applyLinkExit(ProcessLinks.Link link, Exit exit, boolean bySignal) {
      told.add("broken by " + exit.pid().id());
      assertThat(processLinks.consumeLink(link, this)).isTrue();
    }

    @Override
    public void linkEnded(Exit exit) {
      if (failures-- > 0) {
        throw new OutOfMemoryError("as if");
      }
      told.add("ended " + exit.pid().id());
    }

    @Override
    public void untied() {
      told.add("untied");
    }

    @Override
    public void monitorFired(long monitor, Exit exit) {
      told.add("fired " + exit.pid().id());
    }

    boolean ends(Exit.Reason reason) {
      return processLinks.exited(this, new Exit(pid, reason, null, null), (_, _) -> {});
    }
  }

  private final StandIn one = new StandIn(1);
  private final StandIn two = new StandIn(2);

  @Test
  void normalEnd_ofALinkedProcess_isTold_andLeavesNoLink() {
    ProcessLinks.link(one, two);
    two.ends(Exit.Reason.NORMAL);
    assertThat(one.told).containsExactly("ended 2");
    assertThat(one.processLinks().links()).isEmpty();
    assertThat(one.processLinks().isTied()).isFalse();
  }

  @Test
  void normalEnd_afterAnUnlink_isNotTold() {
    ProcessLinks.link(one, two);
    ProcessLinks.unlink(one, two);
    two.ends(Exit.Reason.NORMAL);
    assertThat(one.told).containsExactly("untied");
  }

  @Test
  void abnormalEnd_isToldAsABrokenLinkOnly() {
    ProcessLinks.link(one, two);
    two.ends(Exit.Reason.FAILED);
    assertThat(one.told).containsExactly("broken by 2");
    assertThat(one.processLinks().isTied()).isFalse();
  }

  @Test
  @Tag("proc-249")
  void normalEnd_whoseTellingLacksMemory_isToldOnceByTheNextCall() {
    one.failures = 1;
    ProcessLinks.link(one, two);
    Exit exit = new Exit(two.self(), Exit.Reason.NORMAL, null, null);
    assertThatThrownBy(() -> two.processLinks().exited(two, exit, (_, _) -> {}))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(two.processLinks().exited(two, exit, (_, _) -> {})).isTrue();
    assertThat(two.processLinks().exited(two, exit, (_, _) -> {})).isFalse();
    assertThat(one.told).containsExactly("ended 2");
  }

  @Test
  void untied_comesWithTheLastOfItsTies() {
    ProcessLinks.link(one, two);
    long first = ProcessLinks.monitor(one, two);
    long second = ProcessLinks.monitor(one, two);
    assertThat(ProcessLinks.demonitor(one, first)).isTrue();
    ProcessLinks.unlink(one, two);
    assertThat(two.told).isEmpty();
    assertThat(one.told).as("it holds a monitor, but none holds it").containsExactly("untied");
    assertThat(two.processLinks().isTied()).isTrue();
    assertThat(ProcessLinks.demonitor(one, second)).isTrue();
    assertThat(two.told).containsExactly("untied");
    assertThat(two.processLinks().isTied()).isFalse();
  }

  @Test
  void untied_comesWithTheEndOfTheLastWatcher() {
    var _ = ProcessLinks.monitor(one, two);
    one.ends(Exit.Reason.NORMAL);
    assertThat(two.told).containsExactly("untied");
  }

  @Test
  void untied_isNotMissed_whenTwoWatchersLeaveAtOnce() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      StandIn target = new StandIn(3);
      long first = ProcessLinks.monitor(one, target);
      long second = ProcessLinks.monitor(two, target);
      Thread other = Thread.ofPlatform().start(() -> ProcessLinks.demonitor(two, second));
      ProcessLinks.demonitor(one, first);
      other.join();
      assertThat(target.told).contains("untied");
      assertThat(target.processLinks().isTied()).isFalse();
    }
  }

  @Test
  void listeners_areTies_andTheirOwnerRemovesThem() {
    Consumer<Exit> listener = _ -> {};
    long monitor = ProcessLinks.monitor(one, two);
    two.processLinks().onExit(listener);
    assertThat(ProcessLinks.demonitor(one, monitor)).isTrue();
    assertThat(two.told).isEmpty();
    two.processLinks().offExit(listener);
    assertThat(two.processLinks().isTied()).isFalse();
  }

  @Test
  @Tag("proc-162")
  @Tag("proc-163")
  void end_tellsEachWatcherAndLinkedProcessOnce_andIsNoUntying() {
    ProcessLinks.link(one, two);
    var _ = ProcessLinks.monitor(one, two);
    assertThat(two.ends(Exit.Reason.NO_CONNECTION)).isTrue();
    assertThat(two.ends(Exit.Reason.FAILED)).isFalse();
    ProcessLinks.unlink(one, two);
    assertThat(one.told).containsOnlyOnce("broken by 2", "fired 2");
    assertThat(two.told).isEmpty();
    assertThat(two.processLinks().isTied()).isTrue();
  }
}
