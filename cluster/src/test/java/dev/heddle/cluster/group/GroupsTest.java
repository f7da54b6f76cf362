// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.peer.FakeNode;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Groups of two nodes in session, without a thread.
class GroupsTest {
  private static final int SEEDS = 2_000;
  private static final long GUARD_SECONDS = 240; // after this it is stuck; nothing is measured

  private final FakeNode a = new FakeNode("a", "b", 3);
  private final FakeNode b = new FakeNode("b", "a", 3);
  private final List<GroupChange> changes = new ArrayList<>();

  private static void settle(FakeNode one, FakeNode other) {
    while (one.deliver(other) || other.deliver(one)) {}
  }

  @Test
  @Tag("C7")
  void members_ofBothNodes_areSeenByBoth() {
    a.groups().join("chat", a.pid(0));
    settle(a, b);
    b.groups().join("chat", b.pid(0));
    settle(a, b);
    assertThat(a.groups().members("chat")).containsExactly(a.pid(0), b.pid(0));
    assertThat(b.groups().members("chat")).containsExactly(b.pid(0), a.pid(0));
    assertThat(a.groups().names()).containsExactly("chat");
  }

  @Test
  @Tag("proc-202")
  void memberThatJoinedTwice_leavesTwice_andIsToldOnce() {
    b.groups().onChange(changes::add);
    a.groups().join("chat", a.pid(0));
    a.groups().join("chat", a.pid(0));
    assertThat(a.groups().leave("chat", a.pid(0))).isTrue();
    settle(a, b);
    assertThat(b.groups().members("chat")).containsExactly(a.pid(0));
    assertThat(a.groups().leave("chat", a.pid(0))).isTrue();
    assertThat(a.groups().leave("chat", a.pid(0))).isFalse();
    settle(a, b);
    assertThat(changes)
        .containsExactly(
            new GroupChange("chat", List.of(a.pid(0)), List.of()),
            new GroupChange("chat", List.of(), List.of(a.pid(0))));
    assertThat(b.groups().names()).isEmpty();
  }

  @Test
  @Tag("proc-202")
  @Tag("C7")
  void memberThatEnds_leavesAllGroups_withOneChangeEach() {
    a.groups().join("one", a.pid(0));
    a.groups().join("one", a.pid(0));
    a.groups().join("two", a.pid(0));
    settle(a, b);
    a.groups().onChange(changes::add);
    b.groups().onChange(changes::add);
    a.end(a.pid(0), Exit.Reason.FAILED);
    settle(a, b);
    assertThat(changes)
        .containsExactlyInAnyOrder(
            new GroupChange("one", List.of(), List.of(a.pid(0))),
            new GroupChange("two", List.of(), List.of(a.pid(0))),
            new GroupChange("one", List.of(), List.of(a.pid(0))),
            new GroupChange("two", List.of(), List.of(a.pid(0))));
  }

  @Test
  @Tag("C7")
  void membersOfANodeThatIsLost_areGone_withOneChangeAGroup() {
    b.groups().join("chat", b.pid(0));
    b.groups().join("chat", b.pid(1));
    settle(a, b);
    a.groups().onChange(changes::add);
    a.endSession();
    assertThat(a.groups().members("chat")).isEmpty();
    assertThat(changes)
        .containsExactly(new GroupChange("chat", List.of(), List.of(b.pid(0), b.pid(1))));
    b.groups().join("chat", b.pid(2)); // it does not know yet
    while (b.deliver(a)) {}
    assertThat(a.groups().members("chat")).isEmpty();
  }

  @Test
  @Tag("C7")
  void listener_forWhichNoThreadCanBeMade_hearsOfAllChangesWhenThereIsOne() {
    a.groups().onChange(changes::add);
    a.callbacks = FakeNode.NO_THREAD;
    a.groups().join("chat", a.pid(0));
    a.groups().join("chat", a.pid(1));
    assertThat(changes).isEmpty();

    a.callbacks = Runnable::run;
    a.retry();

    assertThat(changes)
        .containsExactly(
            new GroupChange("chat", List.of(a.pid(0)), List.of()),
            new GroupChange("chat", List.of(a.pid(1)), List.of()));
  }

  @Test
  void publish_reachesAllMembers_andSaysHowMany() {
    a.groups().join("chat", a.pid(0));
    b.groups().join("chat", b.pid(0));
    b.groups().join("chat", b.pid(1));
    settle(a, b);
    assertThat(a.groups().publish("chat", "hello")).isEqualTo(3);
    assertThat(a.groups().publish("nobody", "hello")).isZero();
  }

  @Test
  void processOfAnotherNode_cannotJoinHere() {
    assertThatThrownBy(() -> a.groups().join("chat", b.pid(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at its own node");
  }

  @Test
  @Tag("C7")
  void membersThatFillSeveralFrames_areAllTold() {
    FakeNode large = new FakeNode("a", "b", 40_000);
    FakeNode other = new FakeNode("b", "a", 1);
    for (int i = 0; i < 40_000; i++) {
      large.groups().join("chat", large.pid(i));
    }
    List<Frame.Members> frames = new ArrayList<>();
    large.groups().opened(other.peer(), frame -> frames.add((Frame.Members) frame));
    assertThat(frames).hasSize(2);
    assertThat(frames.stream().mapToInt(it -> it.groups().get("chat").size()).sum())
        .isEqualTo(40_000);
  }

  @Test
  @Tag("C7")
  void frames_areEncodedWithoutTheLock_soOthersMayJoinMeanwhile_andKeepTheirOrder() {
    List<Frame> frames = new ArrayList<>();
    a.groups().join("chat", a.pid(0));
    a.groups()
        .opened(
            b.peer(),
            frame -> {
              frames.add(frame);
              if (frames.size() == 1) {
                CompletableFuture.runAsync(() -> a.groups().join("chat", a.pid(1)))
                    .orTimeout(GUARD_SECONDS, TimeUnit.SECONDS)
                    .join();
              }
            });
    assertThat(frames)
        .containsExactly(
            new Frame.Members(Map.of("chat", List.of(a.pid(0)))),
            new Frame.Joined("chat", a.pid(1)));
  }

  @Test
  @Tag("proc-202")
  void memberThatLeavesWhileItJoins_isListenedToNoMore() {
    a.groups().onChange(change -> change.joined().forEach(pid -> a.groups().leave("chat", pid)));
    a.groups().join("chat", a.pid(0));
    assertThat(a.groups().members("chat")).isEmpty();
    assertThat(Objects.requireNonNull(a.find(a.pid(0))).processLinks().isTied()).isFalse();
  }

  @Test
  void nameThatIsTooLong_isRefused() {
    assertThatThrownBy(() -> a.groups().join("x".repeat(1_025), a.pid(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 1024 bytes");
  }

  /// Joins, leaves, ends and frames in random order: when nothing is on its way, both agree, and
  /// the changes that each has reported lead to what it has.
  @Test
  @Tag("C7")
  @Tag("proc-202")
  void histories_thatAreRandom_leadBothNodesToTheSameMembers() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      FakeNode one = new FakeNode("a", "b", 3);
      FakeNode two = new FakeNode("b", "a", 3);
      List<Set<Pid>> reported = List.of(new HashSet<>(), new HashSet<>());
      one.groups().onChange(change -> apply(change, reported.get(0)));
      two.groups().onChange(change -> apply(change, reported.get(1)));
      for (int step = 0; step < 40; step++) {
        step(random, random.nextBoolean() ? one : two, random.nextBoolean() ? one : two, two, one);
      }
      settle(one, two);
      Set<Pid> members = Set.copyOf(one.groups().members("chat"));
      assertThat(members).as("seed %d", seed).isEqualTo(Set.copyOf(two.groups().members("chat")));
      assertThat(reported).as("seed %d", seed).containsExactly(members, members);
      one.endSession();
      assertThat(one.groups().members("chat")).as("seed %d", seed).allMatch(one::isHere);
      assertThat(reported.get(0)).isEqualTo(Set.copyOf(one.groups().members("chat")));
    }
  }

  private static void step(
      Random random, FakeNode at, FakeNode sender, FakeNode two, FakeNode one) {
    Pid pid = at.pid(random.nextInt(3));
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        if (at.find(pid) != null) {
          at.groups().join("chat", pid);
        }
      }
      case 3, 4 -> at.groups().leave("chat", pid);
      case 5 -> {
        if (at.find(pid) != null && random.nextInt(4) == 0) {
          at.end(pid, Exit.Reason.NORMAL);
        }
      }
      default -> sender.deliver(sender == one ? two : one);
    }
  }

  private static void apply(GroupChange change, Set<Pid> members) {
    members.addAll(change.joined());
    change.left().forEach(members::remove);
  }
}
