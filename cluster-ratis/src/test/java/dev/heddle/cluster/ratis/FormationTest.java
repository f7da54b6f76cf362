// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.ratis.VoterStatus.State;
import dev.heddle.cluster.roster.LogFormats;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("C6")
class FormationTest {
  private static final List<String> NAMES = List.of("a", "b", "c");

  @Test
  @Tag("proc-198")
  void randomRuns_useAtMostOneLog_andFormOneInTheEnd() {
    for (long seed = 0; seed < 5_000; seed++) {
      Run run = new Run(seed);
      try {
        run.steps(150);
        run.settle();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + run.story, e);
      }
    }
  }

  @Test
  void voterWithAnEmptyDisk_joinsTheLogOfTheOthers_andIsNotOneOfItsVoters() {
    Run run = new Run(1);
    run.settle();
    SortedSet<String> first = run.voters.get("a").formation.started();
    run.loseDisk("a");
    run.settle();

    assertThat(run.voters.get("a").formation.started()).isEqualTo(first);
    assertThat(first).doesNotContain(run.voters.get("a").id);
  }

  @Test
  void proposalWithOtherNames_isNotAccepted() {
    Formation formation = new Formation("b#1", Set.of("a", "b", "c"));
    TreeSet<String> ids = new TreeSet<>(Set.of("a#1", "b#1", "d#1"));

    assertThat(formation.received(status("a#1", ids, new TreeSet<>()))).isFalse();
    assertThat(formation.received(status("a#1", ids, ids))).isFalse();
    assertThat(formation.started()).isEmpty();
  }

  @Test
  void status_isTheSameAfterTheWire_andNothingElseIsUnderstood() throws IOException {
    TreeSet<String> ids = new TreeSet<>(Set.of("a#1", "b#1", "c#1"));
    VoterStatus status = new VoterStatus("a#1", ids, new TreeSet<>(), State.FOLLOWS);
    byte[] bytes = status.encode(LogFormats.RELEASE.newest());

    assertThat(VoterStatus.decode(bytes, LogFormats.RELEASE)).isEqualTo(status);
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(bytes, length);
      org.assertj.core.api.Assertions.assertThatThrownBy(
              () -> VoterStatus.decode(cut, LogFormats.RELEASE))
          .isInstanceOf(IOException.class);
    }
  }

  private static VoterStatus status(
      String id, SortedSet<String> accepted, SortedSet<String> started) {
    return new VoterStatus(id, accepted, started, State.SEARCHES);
  }

  /// One life of a voter.
  private static final class Voter {
    final String node;
    final String id;
    final Formation formation;
    VoterStatus disk;

    Voter(String node, long directory, VoterStatus disk) {
      this.node = node;
      this.id = VoterId.of(node, directory);
      this.formation = new Formation(id, Set.copyOf(NAMES));
      this.disk = disk;
      if (disk != null) {
        formation.restore(disk);
      }
    }
  }

  private record Packet(Voter from, Voter to, VoterStatus status) {}

  private static final class Run {
    final Random random;
    final Map<String, Voter> voters = new TreeMap<>();
    final List<String> story = new ArrayList<>();
    private final Map<String, Long> directories = new HashMap<>();
    private final Map<String, Deque<Packet>> links = new TreeMap<>(); // by both names
    private final Map<SortedSet<String>, Set<String>> started = new HashMap<>();
    private final Set<SortedSet<String>> used = new HashSet<>();
    private long next = 1;

    Run(long seed) {
      random = new Random(seed);
      NAMES.forEach(name -> start(name, next++, null));
    }

    private void start(String name, long directory, VoterStatus disk) {
      directories.put(name, directory);
      voters.put(name, new Voter(name, directory, disk));
      links.values().forEach(link -> link.removeIf(this::isOfAnEndedSession));
    }

    private boolean isOfAnEndedSession(Packet packet) {
      return voters.get(packet.from.node) != packet.from || voters.get(packet.to.node) != packet.to;
    }

    void steps(int count) {
      for (int i = 0; i < count; i++) {
        String name = NAMES.get(random.nextInt(NAMES.size()));
        switch (random.nextInt(12)) {
          case 0 -> restart(name);
          case 1 -> {
            if (random.nextInt(4) == 0) {
              loseDisk(name);
            }
          }
          case 2, 3, 4, 5 -> tell(voters.get(name));
          default -> deliver(random.nextInt(8) == 0);
        }
      }
    }

    private void restart(String name) {
      story.add("restart " + name);
      start(name, directories.get(name), voters.get(name).disk);
    }

    /// Only while a majority of each log is left: what a majority has lost is lost.
    void loseDisk(String name) {
      if (voters.values().stream().allMatch(voter -> outlives(voter.formation.started(), name))) {
        story.add("lose the disk of " + name);
        start(name, next++, null);
      }
    }

    private boolean outlives(SortedSet<String> log, String lost) {
      List<Voter> others =
          voters.values().stream().filter(voter -> !voter.node.equals(lost)).toList();
      // then those that came later have been taken in
      boolean isKnown =
          used.contains(log)
              && others.stream().allMatch(voter -> voter.formation.started().equals(log));
      long left = others.stream().filter(voter -> log.contains(voter.id)).count();
      return log.isEmpty() || left * 2 > log.size() || isKnown;
    }

    private void tell(Voter voter) {
      for (Voter other : voters.values()) {
        if (other != voter) {
          links
              .computeIfAbsent(voter.node + other.node, _ -> new ArrayDeque<>())
              .add(new Packet(voter, other, voter.formation.status(State.SEARCHES)));
        }
      }
    }

    private void deliver(boolean isLost) {
      List<Deque<Packet>> full = links.values().stream().filter(link -> !link.isEmpty()).toList();
      if (full.isEmpty()) {
        return;
      }
      Packet packet = full.get(random.nextInt(full.size())).remove();
      if (isLost) {
        return;
      }
      Voter to = packet.to;
      if (to.formation.received(packet.status)) {
        to.disk = to.formation.status(State.SEARCHES);
        story.add(to.id + " " + to.disk.accepted() + " " + to.disk.started());
        judge(to);
        tell(to);
      }
    }

    private void judge(Voter voter) {
      SortedSet<String> log = new TreeSet<>(voter.formation.started());
      if (!log.contains(voter.id)) {
        return; // none, or it joins as another voter
      }
      Set<String> users = started.computeIfAbsent(log, _ -> new HashSet<>());
      users.add(voter.id);
      if (users.size() * 2 > log.size()) {
        used.add(log);
      }
      assertThat(used).hasSizeLessThanOrEqualTo(1);
    }

    /// Without further harm all belong to one log.
    void settle() {
      for (int i = 0; i < 20; i++) {
        voters.values().forEach(this::tell);
        while (links.values().stream().anyMatch(link -> !link.isEmpty())) {
          deliver(false);
        }
      }
      Set<SortedSet<String>> logs = new HashSet<>();
      voters.values().forEach(voter -> logs.add(new TreeSet<>(voter.formation.started())));
      assertThat(logs).hasSize(1).isEqualTo(used);
    }
  }
}
