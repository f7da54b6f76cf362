// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.NameTakenException;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.StorageProof;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One random history of the services of five nodes, of which three vote, in virtual time. Nodes
/// are cut off from each other, paused, killed and started again, and leave; the log is a
/// [SimulatedMajority].
///
/// At each act of an owner the log may have no later ownership of that name. An owner acts when it
/// was told its token and lives; in a life that was paused, when it has asked for its token just
/// before. Each answer of `whereis` was true at a moment of the call. The same goes for singletons,
/// by the tokens of their names.
final class NameSimulation {
  private static final List<String> NAMES = List.of("mayor", "clerk");
  private static final List<String> VOTERS = List.of("a", "b", "c");

  private record Told(Pid pid, long token) {}

  /// What two nodes have between them.
  private static final class Pair {
    boolean isCut;
    int session; // 0 for none; a number for each
    final Set<String> open = new HashSet<>(); // who takes it for open
    final Map<String, Long> last = new HashMap<>(); // arrival of the last message, by receiver
  }

  final SimulatedTime time;
  final long seed;
  private final SimulatedMajority majority;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<Set<String>, Pair> pairs = new HashMap<>();
  private int sessions;
  private @Nullable AssertionError failed;

  long acts;
  long calmActs;
  long reads;
  long refusals;
  long taken;
  long cancelled;
  long singletonActs;
  long begins;
  long singletonMoves;
  long finished;
  final Set<String> declared = new HashSet<>(); // singletons that were, at some time
  private final Map<String, String> lastAt = new HashMap<>(); // of singletons

  NameSimulation(long seed) {
    this.seed = seed;
    time = new SimulatedTime(seed);
    majority = new SimulatedMajority(time, this::hasMajority);
    for (String name : List.of("a", "b", "c", "d", "e")) {
      for (Node other : nodes) {
        pairs.put(Set.of(name, other.name), new Pair());
      }
      nodes.add(new Node(name));
    }
    nodes.forEach(Node::begin);
    time.after(10, this::faults);
  }

  long moves() {
    return majority.moves;
  }

  void run(long millis) {
    time.runFor(millis);
    if (failed != null) {
      throw failed;
    }
  }

  /// A future keeps what its stages throw.
  void check(Runnable stage) {
    try {
      stage.run();
    } catch (AssertionError e) {
      failed = failed == null ? e : failed;
    }
  }

  /// Ends all faults but pauses that have begun: what waits for the end of one keeps its order.
  void heal() {
    time.calm();
    pairs.values().forEach(pair -> pair.isCut = false);
  }

  // ---- singletons ----

  /// A singleton begins at a node.
  void begun(Life at, String name, SimulatedSingletons.@Nullable Begun last) {
    check(() -> {
      if (last != null) {
        throw new AssertionError("seed %d: %s twice at %s".formatted(seed, name, at.self));
      }
      begins++;
      String before = lastAt.put(name, at.node.name);
      singletonMoves += before != null && !before.equals(at.node.name) ? 1 : 0;
    });
  }

  boolean isDeclared(String name) {
    return majority.isDeclared(name);
  }

  /// Where a singleton runs.
  List<String> runningAt(String name) {
    return nodes.stream()
        .filter(node -> node.life.singletons.begun(name) != null)
        .map(node -> node.name)
        .toList();
  }

  /// A node leaves, and does not come back.
  void leave(String name) {
    Node it = node(name);
    it.leave(_ -> it.end());
  }

  void kill(String name) {
    node(name).end();
  }

  private Node node(String name) {
    return nodes.stream().filter(it -> it.name.equals(name)).findFirst().orElseThrow();
  }

  private boolean hasMajority(String voter) {
    long reached =
        VOTERS.stream()
            .filter(other -> other.equals(voter) || !pairs.get(Set.of(voter, other)).isCut)
            .count();
    return reached >= 2;
  }

  // ---- faults ----

  private void faults() {
    time.after(100, this::faults);
    pairs.forEach((names, pair) -> {
      if (pair.isCut ? time.chance(6) : time.chance(2)) {
        pair.isCut = !pair.isCut;
      }
      meet(names, pair);
    });
    if (time.chance(8)) { // one is cut off from all
      String alone = nodes.get(time.random.nextInt(nodes.size())).name;
      pairs.forEach((names, pair) -> pair.isCut |= names.contains(alone));
    }
    if (time.chance(5)) {
      majority.loseLeader();
    }
    for (Node node : nodes) {
      if (time.chance(1)) {
        node.pause();
      } else if (time.chance(1)) {
        node.restart();
      } else if (time.chance(1)) {
        node.leave(_ -> node.restart());
      }
    }
  }

  /// Ends and opens the session of two nodes.
  private void meet(Set<String> names, Pair pair) {
    if (pair.isCut && pair.session != 0) {
      close(names, pair);
    } else if (!pair.isCut
        && pair.session == 0
        && pair.open.isEmpty()
        && lives(names).stream().noneMatch(Life::isDead)) {
      int session = ++sessions;
      pair.session = session;
      pair.last.clear();
      List<Life> lives = lives(names);
      for (int i = 0; i < 2; i++) {
        Life life = lives.get(i);
        NodeLife other = lives.get(1 - i).self;
        pair.open.add(life.node.name);
        arrive(pair, session, life, () -> life.service.opened(other));
      }
    }
  }

  private List<Life> lives(Set<String> names) {
    return nodes.stream().filter(it -> names.contains(it.name)).map(it -> it.life).toList();
  }

  private void close(Set<String> names, Pair pair) {
    pair.session = 0;
    List<Life> lives = lives(names);
    for (int i = 0; i < 2; i++) {
      Life life = lives.get(i);
      NodeLife other = lives.get(1 - i).self;
      if (pair.open.contains(life.node.name)) {
        time.after(
            time.between(1, 6_000),
            () -> {
              if (!life.dead) { // a later life may have opened the next session
                pair.open.remove(life.node.name);
                life.whenRunning(() -> life.service.ended(other));
              }
            });
      }
    }
  }

  /// In order, in its session only.
  private void arrive(Pair pair, int session, Life at, Runnable run) {
    long earliest = pair.last.getOrDefault(at.node.name, 0L) + 1;
    long when = Math.max(earliest, time.now() + time.delay() * SimulatedTime.MILLI);
    pair.last.put(at.node.name, when);
    time.at(
        when,
        () ->
            at.whenRunning(() -> {
              if (pair.session == session) {
                run.run();
              }
            }));
  }

  // ---- nodes ----

  final class Node {
    final String name;
    final long directory = time.random.nextLong();
    final boolean hasDirectory;
    long starts;
    long resumed;
    Life life;

    Node(String name) {
      this.name = name;
      this.hasDirectory = VOTERS.contains(name) || time.random.nextBoolean();
      life = new Life(this);
    }

    void begin() {
      life.begin();
    }

    void pause() {
      resumed = Math.max(resumed, time.now() + time.between(100, 25_000) * SimulatedTime.MILLI);
      life.wasPaused = true;
      Life paused = life;
      time.at(resumed, () -> paused.whenRunning(paused::act)); // it goes on where it stood
    }

    /// It ends when it has left, or after 2 s.
    void leave(Consumer<Life> end) {
      Life leaving = life;
      Runnable once =
          () -> {
            if (!leaving.dead) {
              end.accept(leaving);
            }
          };
      leaving.whenRunning(() -> {
        leaving.hasLeft = true;
        var _ = leaving.service.leave().whenComplete((_, _) -> time.after(0, once));
        time.after(2_000, once);
      });
    }

    void restart() {
      end();
      life = new Life(this);
      life.begin();
    }

    void end() {
      life.dead = true;
      pairs.forEach((names, pair) -> {
        if (names.contains(name)) {
          if (pair.session != 0) {
            close(names, pair);
          }
          pair.open.remove(name);
        }
      });
    }
  }

  /// One life of a node, with its program.
  final class Life implements NodePort {
    final Node node;
    final NodeLife self;
    final NameService service;
    private final Map<Pid, List<Runnable>> processes = new HashMap<>(); // alive, with watchers
    private final Map<String, Told> told = new HashMap<>();
    private final Map<String, CompletableFuture<Long>> asked = new HashMap<>();
    private final @Nullable StorageProof proof;
    private boolean isWoken;
    private long numbers;
    boolean wasPaused;
    boolean hasLeft;
    boolean dead;
    final SimulatedSingletons singletons;

    Life(Node node) {
      this.node = node;
      self = new NodeLife(node.name, "h", time.random.nextInt(Integer.MAX_VALUE));
      proof = node.hasDirectory ? new StorageProof(node.directory, ++node.starts) : null;
      boolean isVoter = VOTERS.contains(node.name);
      service =
          new NameService(
              new NameService.Setup(self, Set.copyOf(VOTERS), proof, LeaseTimes.DEFAULT),
              this,
              time::now,
              this::wake,
              isVoter
                  ? listener -> majority.new Store(node.name, listener, this::whenRunning)
                  : null);
      singletons = new SimulatedSingletons(NameSimulation.this, this);
    }

    boolean isDead() {
      return dead;
    }

    Pid newProcess() {
      Pid pid = new Pid(node.name, "h", ++numbers, self.life());
      processes.put(pid, new ArrayList<>());
      return pid;
    }

    void begin() {
      agent();
      program();
    }

    boolean whenRunning(Runnable run) {
      if (dead) {
        return false;
      }
      if (time.now() < node.resumed) {
        time.at(node.resumed, () -> whenRunning(run));
      } else {
        run.run();
      }
      return true;
    }

    private void wake() {
      if (!isWoken) {
        isWoken = true;
        time.after(
            0,
            () ->
                whenRunning(() -> {
                  isWoken = false;
                  long _ = service.run();
                }));
      }
    }

    private void agent() {
      whenRunning(() -> time.at(service.run(), this::agent));
    }

    // ---- what the service needs ----

    @Override
    public boolean send(String to, byte[] content) {
      Pair pair = pairs.get(Set.of(node.name, to));
      if (!pair.open.contains(node.name) || time.chance(1)) {
        return false;
      }
      Life other = nodes.stream().filter(it -> it.name.equals(to)).findFirst().orElseThrow().life;
      if (pair.session != 0) {
        arrive(pair, pair.session, other, () -> other.service.received(self, content));
      }
      return true;
    }

    @Override
    public boolean isAlive(Pid pid) {
      return processes.containsKey(pid);
    }

    @Override
    public Runnable watch(Pid pid, Runnable ended) {
      List<Runnable> watchers = processes.get(pid);
      if (watchers == null) {
        ended.run();
        return () -> {};
      }
      watchers.add(ended);
      return () -> watchers.remove(ended);
    }

    @Override
    public void cancel(Pid pid, String reason, long nanos) {
      cancelled++;
      time.at(
          time.now() + (long) (nanos * time.random.nextDouble()),
          () -> whenRunning(() -> end(pid)));
    }

    void end(Pid pid) {
      List<Runnable> watchers = processes.remove(pid);
      told.values().removeIf(it -> it.pid.equals(pid));
      if (watchers != null) {
        List.copyOf(watchers).forEach(Runnable::run);
      }
    }

    // ---- the program ----

    private void program() {
      whenRunning(() -> {
        act();
        if (!hasLeft) {
          NAMES.forEach(this::use);
          singletons.program();
        }
        time.after(time.between(20, 150), this::program);
      });
    }

    private void use(String name) {
      CompletableFuture<Long> open = asked.get(name);
      Told mine = told.get(name);
      if (open != null) {
        if (time.chance(10)) {
          open.cancel(false);
        }
      } else if (mine == null) {
        if (time.random.nextInt(10) > 0) {
          return;
        }
        Pid pid = newProcess();
        long since = time.now();
        CompletableFuture<Long> asking = service.register(name, pid);
        asked.put(name, asking);
        var _ =
            asking.whenComplete((token, failure) ->
                check(() -> {
                  checkTime(since);
                  registered(name, pid, token, failure);
                }));
      } else if (time.chance(5)) {
        told.remove(name); // it acts no more
        var _ = service.unregister(name);
      } else if (time.chance(5)) {
        end(mine.pid);
      }
      if (time.chance(30)) {
        read(name);
      }
    }

    /// No answer takes longer than a lease, whatever the log does.
    private void checkTime(long since) {
      long millis = (time.now() - since) / SimulatedTime.MILLI;
      if (millis > 8_200 && !wasPaused) {
        throw new AssertionError(
            "seed %d: %s has answered after %d ms".formatted(seed, node.name, millis));
      }
    }

    private void registered(
        String name, Pid pid, @Nullable Long token, @Nullable Throwable failure) {
      asked.remove(name);
      if (token != null) {
        told.put(name, new Told(pid, token));
        act();
        return;
      }
      end(pid);
      switch (failure) {
        case NameTakenException _ -> taken++;
        case NoQuorumException _ -> refusals++;
        case CancellationException _ -> {}
        case null, default -> throw new AssertionError("seed " + seed, failure);
      }
    }

    private void read(String name) {
      long since = time.now();
      var _ =
          service
              .whereis(name)
              .whenComplete((owner, failure) ->
                  check(() -> {
                    checkTime(since);
                    if (failure == null) {
                      reads++;
                      long token = owner == null ? 0 : owner.token();
                      if (!majority.had(name, token, since)) {
                        throw new AssertionError(
                            "seed %d: %s read %s of %s".formatted(seed, node.name, owner, name));
                      }
                    } else if (!(failure instanceof NoQuorumException)) {
                      throw new AssertionError("seed " + seed, failure);
                    }
                  }));
    }

    private void act() {
      told.forEach((name, mine) -> {
        acts++;
        calmActs += time.isCalm() ? 1 : 0;
        checkAct(this, name, mine.token);
      });
      singletons.act();
    }
  }

  /// An owner acts, unless it was paused and sees that it may not.
  void checkAct(Life at, String name, long token) {
    boolean sees = at.wasPaused && at.service.token(name).orElse(0) != token;
    if (!sees && majority.lastToken(name) != token) {
      throw new AssertionError(
          "seed %d: %s acts for %s by token %d, a later one is %d"
              .formatted(seed, at.node.name, name, token, majority.lastToken(name)));
    }
  }
}
