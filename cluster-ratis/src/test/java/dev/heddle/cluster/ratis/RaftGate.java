// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Ownership;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Rounds in which four nodes race for names while voters are harmed.
final class RaftGate {
  /*
   * Each node asks for each name once, in the same order. It repeats a request, with its number, at
   * one voter or another until it is answered. So of four answers exactly one grants the name, and
   * the other three tell its owner. In between the nodes take turns with one name, `mayor`: who has
   * it sees that no other has it, and gives it back.
   *
   * A round ends when all harm is undone, each node has been granted a name that is asked for
   * afterwards, and all voters have the same state, with all that was granted.
   */

  private static final String MAYOR = "mayor";
  private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");
  private static final int NAMES_A_ROUND = 12;
  private static final int TRIES_MILLIS = 3_000; // then another voter is asked

  private final GateVoters voters;
  private final Random random;
  private final Map<String, Outcome.Registered> granted = new ConcurrentHashMap<>();
  private final Map<String, Pid> owners = new ConcurrentHashMap<>();
  private final Map<String, Long> admissions = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable String> mayor = new AtomicReference<>();
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicInteger mayors = new AtomicInteger();
  private final List<String> story = Collections.synchronizedList(new ArrayList<>());

  RaftGate(GateVoters voters, long seed) {
    this.voters = voters;
    this.random = new Random(seed);
    story.add("seed " + seed);
  }

  void run(int rounds) throws Exception {
    for (String node : NODES) {
      Outcome outcome = ask(node, new Command.Renew(node, 1, null), new Random(1));
      admissions.put(node, ((Outcome.Admitted) outcome).admission());
    }
    for (int round = 0; round < rounds; round++) {
      try {
        round(round);
      } catch (Exception | AssertionError e) {
        throw new AssertionError(
            "in round %d of %s: %s%n%s".formatted(round, story, states(), voters.describe()), e);
      }
    }
    assertThat(granted).hasSize(rounds * (NAMES_A_ROUND + NODES.size()));
    assertThat(mayors).hasPositiveValue();
  }

  private void round(int round) throws Exception {
    List<CompletableFuture<Void>> races = new ArrayList<>();
    for (String node : NODES) {
      Random own = new Random(random.nextLong());
      races.add(background(() -> race(node, round, own)));
    }
    harm(round * (NAMES_A_ROUND + NODES.size()) + NAMES_A_ROUND);
    for (CompletableFuture<Void> race : races) {
      race.get(300, TimeUnit.SECONDS);
    }
    for (String node : NODES) { // progress
      register(node, "progress-" + round + "-" + node, new Random(1));
    }
    awaitEqual();
  }

  private static CompletableFuture<Void> background(java.util.concurrent.Callable<?> task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            task.call();
            done.complete(null);
          } catch (Throwable t) {
            done.completeExceptionally(t);
          }
        });
    return done;
  }

  // ---- harm ----

  /// @param most names that can be granted before the end of this round's races
  private void harm(int most) throws Exception {
    List<String> order = new ArrayList<>(voters.names());
    Collections.shuffle(order, random);
    List<String> harmed = new ArrayList<>(order.subList(0, random.nextInt(5) == 0 ? 2 : 1));
    if (random.nextBoolean()) {
      harmed.set(0, leader());
    }
    TreeSet<String> killed = new TreeSet<>();
    TreeSet<String> paused = new TreeSet<>();
    for (String voter : new TreeSet<>(harmed)) {
      int kind = random.nextInt(3);
      story.add(List.of("isolate ", "kill ", "pause ").get(kind) + voter);
      if (kind == 2 && voters.pause(voter)) {
        paused.add(voter);
      } else if (kind == 1) {
        voters.kill(voter);
        killed.add(voter);
      } else {
        voters.isolate(voter);
      }
    }
    // long enough for the others to elect a leader, and sometimes not
    int more = harmed.size() > 1 ? 0 : random.nextInt(NAMES_A_ROUND / 2);
    int answers = Math.min(most, granted.size() + more);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(4_000));
    TestVoters.await("answers", () -> granted.size() >= answers && System.nanoTime() - end > 0);
    for (String voter : killed) {
      voters.start(voter);
    }
    for (String voter : paused) {
      voters.resume(voter);
    }
    voters.heal();
    story.add("heal");
  }

  private String leader() throws Exception {
    for (String voter : voters.names()) {
      if (voters.leads(voter)) {
        return voter;
      }
    }
    return voters.names().getFirst();
  }

  // ---- the nodes ----

  private @Nullable Void race(String node, int round, Random own) throws Exception {
    for (int i = 0; i < NAMES_A_ROUND; i++) {
      register(node, "round-" + round + "-" + i, own);
      if (own.nextInt(3) == 0) {
        beMayor(node, own);
      }
    }
    return null;
  }

  private void register(String node, String name, Random own) throws Exception {
    Command.Origin origin = origin(node);
    Pid pid = new Pid(node, "h", origin.number(), 1);
    switch (ask(node, new Command.Register(origin, name, pid), own)) {
      case Outcome.Registered outcome -> {
        assertThat(granted.put(name, outcome)).as("granted twice: '%s'", name).isNull();
        owned(name, pid);
      }
      case Outcome.Taken(Pid owner, long _) -> owned(name, owner);
      case Outcome other -> throw new AssertionError(name + ": " + other);
    }
  }

  private void owned(String name, Pid owner) {
    Pid known = owners.putIfAbsent(name, owner);
    assertThat(known == null ? owner : known).as("the owner of '%s'", name).isEqualTo(owner);
  }

  private void beMayor(String node, Random own) throws Exception {
    Command.Origin origin = origin(node);
    Pid pid = new Pid(node, "h", origin.number(), 1);
    if (ask(node, new Command.Register(origin, MAYOR, pid), own)
        instanceof Outcome.Registered(long token)) {
      assertThat(mayor.getAndSet(node)).as("a second mayor: " + node).isNull();
      mayors.incrementAndGet();
      Thread.onSpinWait();
      assertThat(mayor.getAndSet(null)).isEqualTo(node);
      ask(node, new Command.Unregister(origin(node), MAYOR, token), own);
    }
  }

  private Command.Origin origin(String node) {
    return new Command.Origin(node, admissions.get(node), numbers.incrementAndGet(), 0);
  }

  /// Repeats a command until it is answered.
  private Outcome ask(String node, Command command, Random own) throws Exception {
    List<String> names = voters.names();
    int at = NODES.indexOf(node); // the last one is no voter: it asks any
    String voter = at < names.size() ? names.get(at) : names.get(own.nextInt(names.size()));
    long start = System.nanoTime();
    while (true) {
      try {
        return voters.submit(voter, command).get(TRIES_MILLIS, TimeUnit.MILLISECONDS);
      } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
        if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(240)) {
          throw new AssertionError("no answer to " + command, e);
        }
        voter = names.get(own.nextInt(names.size()));
        java.util.concurrent.locks.LockSupport.parkNanos(10_000_000); // a voter that is down
      }
    }
  }

  // ---- judgement ----

  private List<String> states() {
    List<String> states = new ArrayList<>();
    for (String voter : voters.names()) {
      try {
        Roster roster = RosterCodec.RELEASE.restore(voters.state(voter));
        states.add(
            "%s has applied %d, has %d owners, leads: %s"
                .formatted(voter, roster.applied(), roster.owners().size(), voters.leads(voter)));
      } catch (Exception e) {
        states.add(voter + ": " + e);
      }
    }
    return states;
  }

  private void awaitEqual() throws Exception {
    TestVoters.await(
        "equal states",
        () -> {
          try {
            byte[] first = voters.state(voters.names().getFirst());
            for (String voter : voters.names()) {
              if (!Arrays.equals(voters.state(voter), first)) {
                return false;
              }
            }
            return true;
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    Roster roster = RosterCodec.RELEASE.restore(voters.state(voters.names().getFirst()));
    owners.forEach((name, pid) -> {
      Ownership owner = roster.owner(name);
      assertThat(owner).as("lost: '%s'", name).isNotNull();
      assertThat(owner.pid()).as("the owner of '%s'", name).isEqualTo(pid);
      assertThat(owner.token()).as("the token of '%s'", name).isEqualTo(granted.get(name).token());
    });
  }
}
