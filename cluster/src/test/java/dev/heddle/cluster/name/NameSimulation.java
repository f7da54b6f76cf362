// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.NameTakenException;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.name.SimulatedTime.Scale;
import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.cluster.roster.Ownership;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.StorageProof;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One random history of the services of five nodes, of which three vote, in virtual time. Nodes
/// are cut off from each other, paused, killed and started again, or leave and start again at once;
/// the log is a [SimulatedMajority]. Sessions are a model of them, or real ones over a network that
/// fails: see [SimulatedSessions].
///
/// At each act of an owner the log may have no later ownership of that name. An owner acts when it
/// was told its token and lives; within 100 ms after a pause of its node, when it has asked for its
/// token just before. Each answer of `whereis` was true at a moment of the call. Where no fault
/// stands, all nodes know that a node that leaves owns nothing, 1 s after its owners have ended;
/// and the log does not have it admitted. Acts of singletons are judged in the same way, by the
/// tokens of their names.
final class NameSimulation {
  private static final List<String> NAMES = List.of("mayor", "clerk");
  private static final List<String> VOTERS = List.of("a", "b", "c");
  private static final long EXCUSED_NANOS = 100 * SimulatedTime.MILLI; // after a pause
  private static final int LEAVE_MILLIS = 3_000; // then a node has left, whatever the log says
  private static final int FREE_MILLIS = 1_000; // then all know that its names are free

  private record Told(String name, long token) {}

  final SimulatedTime time;
  final long seed;
  final SimulatedMajority majority;
  final List<Node> nodes = new ArrayList<>();
  private final SimulatedSessions sessions;
  private boolean isQuiet; // no fault stands
  private @Nullable AssertionError failed;

  long acts;
  long calmActs;
  long reads;
  long refusals;
  long taken;
  long cancelled;
  long leaves; // after which it was looked whether all is free
  final SingletonHistory singletons = new SingletonHistory();

  /// Over a model of sessions.
  NameSimulation(long seed, Scale scale) {
    this(seed, scale, ModelledSessions::new);
  }

  NameSimulation(long seed, Scale scale, Function<NameSimulation, SimulatedSessions> open) {
    this.seed = seed;
    time = new SimulatedTime(seed, scale);
    sessions = open.apply(this);
    majority = new SimulatedMajority(seed, time, this::hasMajority);
    for (String name : scale.names()) {
      nodes.add(new Node(name));
    }
    nodes.forEach(Node::begin);
    time.after(10, this::faults);
  }

  void run(long millis) {
    time.runFor(millis);
    if (failed != null) {
      throw failed;
    }
  }

  /// A future keeps what its stages throw.
  ///
  /// @return whether all was well
  boolean check(Runnable stage) {
    try {
      stage.run();
    } catch (AssertionError e) {
      failed = failed == null ? e : failed;
    }
    return failed == null;
  }

  /// Ends all faults.
  void calm() {
    time.calm();
    sessions.calm();
    nodes.forEach(Node::resume);
  }

  /// Ends all faults; later nodes leave in turns.
  void heal() {
    calm();
    time.after(
        sessions.calmMillis(),
        () -> {
          isQuiet = true;
          leaveInTurns();
        });
  }

  /// One node after the other leaves and comes back, while all is well but for one lost command.
  private void leaveInTurns() {
    if (time.random.nextBoolean()) {
      majority.loseNextLeave();
    }
    Node node = nodes.get(time.random.nextInt(nodes.size()));
    boolean leavesAgain = time.random.nextBoolean(); // before it knows whether it is admitted
    node.leave(() -> {
      if (leavesAgain) {
        majority.whenRenewing(node.life.self, () -> node.leave(() -> {}));
      }
    });
    time.after(LEAVE_MILLIS + FREE_MILLIS + 1_000, this::leaveInTurns);
  }

  Node node(String name) {
    return nodes.stream().filter(it -> it.name.equals(name)).findFirst().orElseThrow();
  }

  /// When no fault has an effect any more, ms after [#heal].
  long calmMillis() {
    return sessions.calmMillis();
  }

  private boolean hasMajority(String voter) {
    long reached =
        VOTERS.stream()
            .filter(other -> other.equals(voter) || sessions.reaches(voter, other))
            .count();
    return reached >= 2;
  }

  // ---- faults ----

  private void faults() {
    time.after(100, this::faults);
    sessions.faults();
    if (time.rarely(8)) {
      sessions.cutOff(nodes.get(time.random.nextInt(nodes.size())).name);
    }
    if (time.rarely(5)) {
      majority.loseLeader();
    }
    for (Node node : nodes) {
      if (time.rarely(1)) {
        node.pause();
      } else if (time.rarely(1)) {
        node.restart(time.scale.millis(6_000));
      } else if (time.rarely(1)) {
        node.leave(() -> {});
      }
    }
  }

  // ---- nodes ----

  final class Node {
    final String name;
    final long directory = time.random.nextLong();
    final boolean hasDirectory;
    private final List<Runnable> deferred = new ArrayList<>(); // until the end of a pause
    private boolean isPaused;
    private long pauses;
    private long resumed;
    long starts;
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
      if (!isPaused) {
        isPaused = true;
        Life paused = life;
        sessions.pause(life);
        deferred.add(() -> paused.whenRunning(paused::act)); // it goes on where it stood
        long pause = ++pauses;
        time.after(
            time.between(100, time.scale.millis(25_000)),
            () -> {
              if (pause == pauses) {
                resume();
              }
            });
      }
    }

    void resume() {
      if (isPaused) {
        isPaused = false;
        pauses++;
        resumed = time.now();
        sessions.resume(life);
        List<Runnable> due = List.copyOf(deferred);
        deferred.clear();
        due.forEach(Runnable::run);
      }
    }

    /// Whether it was paused since a time.
    boolean wasPaused(long since) {
      return isPaused || resumed - since >= 0;
    }

    /// @param most until another node notices it, ms
    void restart(int most) {
      end(most);
      life = new Life(this);
      life.begin();
    }

    void end(int most) {
      life.dead = true;
      sessions.end(life, most);
    }

    boolean isPaused() {
      return isPaused;
    }

    void leave(Runnable restarted) {
      Life leaver = life;
      leaver.leave(() -> {
        if (life == leaver) {
          restart(100);
          restarted.run();
        }
      });
    }
  }

  /// One life of a node, with its program.
  final class Life implements NodePort {
    final Node node;
    final NodeLife self;
    final RosterCodec codec; // the first lives of half of the nodes are of the release before
    final NameService service;
    private final SimulatedProcesses processes;
    private final Map<Pid, Told> told = new HashMap<>();
    private final Map<String, CompletableFuture<Long>> asked = new HashMap<>();
    private final @Nullable StorageProof proof;
    private boolean isWoken;
    private boolean isLeaving;
    private long ends; // of processes
    boolean dead;
    final SimulatedSingletons singletons;

    Life(Node node) {
      this.node = node;
      self = new NodeLife(node.name, "h", time.random.nextInt(Integer.MAX_VALUE));
      processes = new SimulatedProcesses(self);
      proof = node.hasDirectory ? new StorageProof(node.directory, node.starts + 1) : null;
      boolean isOld = node.starts++ == 0 && (seed + node.name.charAt(0)) % 2 == 0;
      codec = isOld ? new RosterCodec(new LogFormats(2, 2)) : RosterCodec.RELEASE;
      boolean isVoter = VOTERS.contains(node.name);
      service =
          new NameService(
              new NameService.Setup(self, Set.copyOf(VOTERS), proof, time.scale.lease(), codec),
              this,
              time::now,
              this::wake,
              isVoter
                  ? listener -> majority.new Store(node.name, listener, codec, this::whenRunning)
                  : null);
      singletons = new SimulatedSingletons(NameSimulation.this, this);
    }

    boolean isDead() {
      return dead;
    }

    Pid newProcess() {
      return processes.spawn();
    }

    void begin() {
      sessions.begin(this);
      agent();
      program();
    }

    boolean whenRunning(Runnable run) {
      if (dead) {
        return false;
      }
      if (node.isPaused) {
        node.deferred.add(() -> whenRunning(run));
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
      return sessions.send(this, to, content);
    }

    @Override
    public CompletableFuture<@Nullable Void> room(String to) {
      return sessions.room(this, to);
    }

    @Override
    public int logFormat(String other) {
      return sessions.logFormat(this, other);
    }

    boolean isAlive(Pid pid) {
      return processes.isAlive(pid);
    }

    @Override
    public Runnable watch(Pid pid, Runnable ended) {
      return processes.watch(pid, ended);
    }

    @Override
    public void cancel(Pid pid, String reason, long nanos) {
      cancelled++;
      time.at(
          time.now() + (long) (nanos * time.random.nextDouble()),
          () -> whenRunning(() -> end(pid)));
    }

    void end(Pid pid) {
      told.remove(pid);
      ends++;
      processes.end(pid);
      checkFree();
    }

    // ---- the end ----

    /// @param left is called when the log has it, or the limit is over
    void leave(Runnable left) {
      if (!isLeaving) {
        isLeaving = true;
        whenRunning(() -> {
          var _ =
              service
                  .leave(SimulatedTime.HOUR, SimulatedTime.HOUR)
                  .whenComplete((_, _) -> time.after(0, () -> left(left)));
          time.after(LEAVE_MILLIS, () -> left(left));
          checkFree();
        });
      }
    }

    private void left(Runnable left) {
      whenRunning(() -> {
        service.close();
        left.run();
      });
    }

    private void checkFree() {
      if (isLeaving && isQuiet && told.isEmpty()) {
        long last = ends;
        time.after(
            FREE_MILLIS,
            () -> {
              if (last == ends) {
                leaves++;
                nodes.forEach(this::checkFreeAt);
                majority.checkNotAdmitted(self);
              }
            });
      }
    }

    private void checkFreeAt(Node other) {
      for (String name : NAMES) {
        Ownership owner = other.life.service.isReady() ? other.life.service.lookup(name) : null;
        if (owner != null && owner.pid().incarnation() == self.life()) {
          throw new AssertionError(
              "seed %d: %s has left, and is the owner of %s at %s"
                  .formatted(seed, node.name, name, other.name));
        }
      }
    }

    // ---- the program ----

    private void program() {
      whenRunning(() -> {
        act();
        NAMES.forEach(this::use);
        if (!isLeaving) {
          singletons.program();
        }
        time.after(time.between(20, 150), this::program);
      });
    }

    private void use(String name) {
      CompletableFuture<Long> open = asked.get(name);
      List<Pid> mine =
          told.keySet().stream().filter(pid -> told.get(pid).name.equals(name)).toList();
      if (open != null) {
        if (time.chance(10)) {
          open.cancel(false);
        }
      } else if (mine.isEmpty() ? time.random.nextInt(10) == 0 : time.chance(10)) {
        ask(name); // also beside a process that has it
      } else if (!mine.isEmpty() && time.chance(5)) {
        told.keySet().removeAll(mine); // they act no more
        var _ = service.unregister(name);
      } else if (!mine.isEmpty() && time.chance(5)) {
        end(mine.getFirst());
      }
      if (time.chance(30)) {
        read(name);
      }
    }

    private void ask(String name) {
      Pid pid = newProcess();
      long since = time.now();
      CompletableFuture<Long> asking = service.register(name, pid);
      asked.put(name, asking);
      var _ =
          asking.handle((token, failure) ->
              check(() -> {
                checkTime(since);
                registered(name, pid, token, failure);
              }));
    }

    /// No answer takes longer than a lease, whatever the log does.
    private void checkTime(long since) {
      long millis = (time.now() - since) / SimulatedTime.MILLI;
      if (millis > time.scale.millis(8_000) + 200 && !node.wasPaused(since)) {
        throw new AssertionError(
            "seed %d: %s has answered after %d ms".formatted(seed, node.name, millis));
      }
    }

    private void registered(
        String name, Pid pid, @Nullable Long token, @Nullable Throwable failure) {
      asked.remove(name);
      if (token != null) {
        told.put(pid, new Told(name, token));
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
              .handle((owner, failure) ->
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
      told.values()
          .forEach(mine -> {
            if (isAct(mine.name, mine.token)) {
              acts++;
              calmActs += time.isCalm() ? 1 : 0;
            }
          });
      singletons.act();
    }

    /// Whether an owner acts: within a time after a pause it asks before.
    boolean isAct(String name, long token) {
      boolean asks = node.wasPaused(time.now() - EXCUSED_NANOS);
      if (asks && service.token(name).orElse(0) != token) {
        return false;
      }
      if (majority.lastToken(name) != token) {
        throw new AssertionError(
            "seed %d: %s acts for %s by token %d, a later one is %d"
                .formatted(seed, node.name, name, token, majority.lastToken(name)));
      }
      return true;
    }
  }
}
