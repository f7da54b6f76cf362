// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.singleton;

import dev.heddle.cluster.name.NameService;
import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.roster.Command.FinishSingleton;
import dev.heddle.cluster.roster.Command.OfferSingletons;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.OfferPlan;
import dev.heddle.cluster.roster.Ownership;
import dev.heddle.cluster.roster.Rendezvous;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.SingletonTable;
import dev.heddle.cluster.roster.SingletonTable.Declared;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The singletons at one node: it starts those whose node it is, and ends those whose node it is no
/// more.
///
/// **Thread** the agent of the node, but for [#isRunning].
public final class Singletons implements RosterAccess.Part {
  /*
   * Each node offers in the log the singletons that it can run. Of the nodes that offer one, the
   * highest rendezvous hash runs it. All nodes read the same log, so they choose the same node; one
   * that is behind may choose another. That costs time, and never makes a second instance: the
   * name of the singleton has one owner, and only its owner runs.
   *
   * States of a singleton at this node.
   *
   * from      event                                     to        what follows
   * IDLE      this node is chosen, the name is free,    STARTING  a process is made that waits, and
   *           the lease is held, no delay                         the name is asked for it
   * STARTING  the name is granted                       RUNNING   the process begins
   * STARTING  the name is not granted; the node leaves  ENDING    the process is ended
   * STARTING  the process cannot be made, or has ended  IDLE      a delay
   * RUNNING   another node is chosen; the node leaves;  ENDING    the process is asked to end, and
   *           the singleton is not declared any more              terminated 1/8 of a lease later
   * RUNNING   the lease is over                         same      names ask it to end
   * RUNNING   the process has failed                    IDLE      a delay
   * RUNNING   the process has ended on purpose, and the IDLE      finished: the log is told so
   *           lease was held all the time since it began          until it has it, or tells of a
   *                                                               later run
   * RUNNING   the process has ended, the lease was not  IDLE      it may have ended for that reason
   *           held at some time since it began
   * ENDING    the process has ended                     IDLE
   *
   * Names give a name back when its process has ended. So the next node gets it then, and not
   * before.
   *
   * A choice counts at once when nodes have only gone, so that a singleton is not down for longer
   * than its name is. When a node has come, the choice counts 2 s later: several nodes that start
   * together cost one move. A delay doubles with each failure, from 250 ms to 32 s; a process that
   * has run for a minute begins anew.
   *
   * I1. A process begins only while this node owns the name. It ends before the log gives the name
   *     to another node. [SingletonSimulationTest]
   * I2. When nothing changes any more, a singleton runs once, at the chosen node.
   *     [SingletonSimulationTest]
   * I3. A singleton that has finished is not started again by a command that comes late: Finish
   *     names the declaration and the ownership that it is about. [SingletonTableTest]
   *
   * Rejected. Labels and entries of other nodes from their greetings: nodes that do not see each
   * other would choose differently for as long. A process that relays to the one that works: it
   * would be one more hop, and has to end after the other.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.singleton");

  private static final long SETTLE_NANOS = 2_000_000_000L;
  private static final long REPEAT_NANOS = 1_000_000_000L;
  private static final long FIRST_DELAY_NANOS = 250_000_000L;
  private static final int DOUBLINGS = 7;
  private static final long STABLE_NANOS = 60_000_000_000L;
  private static final int GRACE = 8; // of a lease, as names have it

  private enum State {
    IDLE,
    STARTING,
    RUNNING,
    ENDING
  }

  private final String node;
  private final NameService names;
  private final SingletonPort port;
  private final LongSupplier clock;
  private final long graceNanos;

  private volatile Set<String> running = Set.of(); // written by the agent

  // the agent
  private final Map<String, Singleton> all = new TreeMap<>();
  private long offeredAt;
  private @Nullable OfferSingletons offered; // last
  private @Nullable CompletableFuture<@Nullable Void> leaving;

  /// @param clock nanoseconds that only grow
  public Singletons(
      String node, NameService names, SingletonPort port, LeaseTimes times, LongSupplier clock) {
    this.node = node;
    this.names = names;
    this.port = port;
    this.clock = clock;
    this.graceNanos = times.holdNanos() / GRACE;
  }

  /// Whether a name is that of a singleton of which this node has a process. Any thread.
  public boolean isRunning(String name) {
    return running.contains(name);
  }

  // ---- what the log says ----

  @Override
  public void applied(Roster roster) {}

  @Override
  public void tick(Roster roster) {
    long now = clock.getAsLong();
    SingletonTable table = roster.singletons();
    for (Declared it : table.all()) {
      all.computeIfAbsent(it.spec().name(), name -> new Singleton(name, it, now)).declared(it, now);
    }
    offer(roster, now);
    for (var each = all.values().iterator(); each.hasNext(); ) {
      Singleton it = each.next();
      it.look(roster, now);
      if (it.state == State.IDLE && table.get(it.name) == null) {
        each.remove();
      }
    }
  }

  @Override
  public boolean isIdle() {
    return all.isEmpty() && leaving == null;
  }

  /// Says what this node can run, until the log has it.
  private void offer(Roster roster, long now) {
    SortedSet<String> can = new TreeSet<>();
    if (leaving == null) {
      for (Singleton it : all.values()) {
        if (it.canRun) {
          can.add(it.name);
        }
      }
    }
    long admission = names.admission();
    SortedSet<String> known = roster.singletons().offer(node);
    OfferSingletons next = OfferPlan.next(node, admission, can, known, roster.format());
    boolean isRepeated = next != null && next.equals(offered) && now - offeredAt < REPEAT_NANOS;
    if (next != null && !isRepeated && admission != 0) {
      offered = next;
      offeredAt = now;
      names.submit(next);
    }
  }

  private void publish() {
    Set<String> now = new HashSet<>();
    for (Singleton it : all.values()) {
      if (it.run != null) {
        now.add(it.name);
      }
    }
    running = Set.copyOf(now);
  }

  // ---- one singleton ----

  /// One start, to tell a late report of another one.
  private final class Start implements SingletonPort.Run {
    final Singleton of;
    SingletonPort.@Nullable Waiting process;
    long token;
    long began;
    long term; // of the lease when it began; 0 if its name was lost by then

    Start(Singleton of) {
      this.of = of;
    }

    @Override
    public void made(SingletonPort.Waiting made) {
      names.execute(() -> of.made(this, made));
    }

    @Override
    public void ended(@Nullable String failure) {
      names.execute(() -> of.ended(this, failure));
    }
  }

  private final class Singleton {
    final String name;
    private Declared declared;
    boolean canRun;
    State state = State.IDLE;
    @Nullable Start run;
    private Collection<String> candidates = Set.of();
    private @Nullable String choice; // among these
    private long grownAt;
    private int failures;
    private long notBefore;

    // of the declaration that has finished
    private long finished; // by token; 0 for none
    private long finishedAt;

    Singleton(String name, Declared declared, long now) {
      this.name = name;
      this.declared = declared;
      begin(now);
    }

    private void begin(long now) {
      canRun = port.canRun(declared.spec());
      candidates = Set.of();
      choice = null;
      grownAt = now;
      failures = 0;
      notBefore = now;
      finished = 0;
    }

    /// It may have finished, and been declared again.
    void declared(Declared latest, long now) {
      if (latest.index() != declared.index() && state == State.IDLE) {
        declared = latest;
        begin(now);
      }
    }

    void look(Roster roster, long now) {
      Declared latest = roster.singletons().get(name);
      boolean isDeclared = latest != null && latest.index() == declared.index();
      String chosen = chosen(roster.singletons().candidates(name), now);
      Start mine = run;
      switch (state) {
        case IDLE -> {
          if (latest != null && isDeclared && finished >= Math.max(1, latest.lastToken())) {
            finish(now);
          } else if (isDeclared && node.equals(chosen) && mayStart(roster.owner(name), now)) {
            start();
          }
        }
        case RUNNING -> {
          if (mine != null) {
            stay(mine, isDeclared, chosen);
          }
        }
        case STARTING, ENDING -> {} // an answer or an end comes
      }
    }

    private void stay(Start mine, boolean isDeclared, @Nullable String chosen) {
      if (names.token(name).orElse(0) != mine.token) {
        return; // names have asked it to end, unless the lease goes on after all
      }
      if (!isDeclared) {
        end(mine, "singleton '%s' is not declared any more".formatted(name), graceNanos);
      } else if (chosen != null && !chosen.equals(node)) {
        end(mine, "singleton '%s' moves to node '%s'".formatted(name, chosen), graceNanos);
      }
    }

    /// @return null when there is none, or nodes have come just now
    private @Nullable String chosen(SortedSet<String> latest, long now) {
      if (candidates != latest) { // else nothing has changed, as at most looks
        grownAt = candidates.containsAll(latest) ? grownAt : now;
        candidates = latest;
        choice = Rendezvous.choose(name, latest);
      }
      return now - grownAt < SETTLE_NANOS ? null : choice;
    }

    private boolean mayStart(@Nullable Ownership owner, long now) {
      return owner == null
          && leaving == null
          && now - notBefore >= 0
          && names.mayAct(names.admission());
    }

    private void start() {
      Start next = new Start(this);
      run = next;
      state = State.STARTING;
      publish();
      port.make(declared.spec(), next);
    }

    void made(Start of, SingletonPort.Waiting process) {
      of.process = process;
      if (run != of) {
        return; // it has ended
      }
      if (leaving != null) {
        end(of, "node '%s' leaves the cluster".formatted(node), 0);
        return;
      }
      var _ =
          names
              .register(name, process.pid())
              .handle((token, failure) -> {
                names.execute(() -> registered(of, process, token, failure));
                return true;
              });
    }

    private void registered(
        Start of,
        SingletonPort.Waiting process,
        @Nullable Long token,
        @Nullable Throwable failure) {
      if (run != of || state != State.STARTING) {
        return; // it ends; names give the name back
      }
      if (token == null) {
        notBefore = clock.getAsLong() + REPEAT_NANOS;
        end(of, "singleton '%s' does not have its name: %s".formatted(name, failure), 0);
        return;
      }
      state = State.RUNNING;
      of.token = token;
      of.term = names.token(name).orElse(0) == token ? names.leaseTerm() : 0;
      of.began = clock.getAsLong();
      process.begin(token);
    }

    void end(Start of, String reason, long nanos) {
      state = State.ENDING;
      if (of.process != null) {
        port.cancel(of.process.pid(), reason, nanos);
      }
    }

    void ended(Start of, @Nullable String failure) {
      if (run != of) {
        return;
      }
      long now = clock.getAsLong();
      State last = state;
      run = null;
      state = State.IDLE;
      publish();
      if (failure != null && last != State.ENDING) {
        delay(last == State.RUNNING && now - of.began >= STABLE_NANOS, now, failure);
      } else if (last == State.RUNNING && of.term != 0 && of.term == names.leaseTerm()) {
        finished = of.token;
        finishedAt = now - REPEAT_NANOS;
      }
      checkLeft();
    }

    private void delay(boolean wasStable, long now, String failure) {
      failures = wasStable ? 0 : failures;
      long delay = FIRST_DELAY_NANOS << Math.min(failures, DOUBLINGS);
      failures++;
      notBefore = now + delay;
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s': singleton '%s' has failed, and may start again in %d ms: %s"
              .formatted(node, name, delay / 1_000_000, failure));
    }

    private void finish(long now) {
      if (now - finishedAt >= REPEAT_NANOS) {
        finishedAt = now;
        names.submit(new FinishSingleton(name, declared.index(), finished));
      }
    }
  }

  // ---- the end ----

  @Override
  public CompletableFuture<@Nullable Void> leave() {
    CompletableFuture<@Nullable Void> left = new CompletableFuture<>();
    leaving = left;
    long admission = names.admission();
    if (admission != 0) { // first: others choose without this node as soon as a name is free
      names.submit(new OfferSingletons(node, admission, Set.of()));
    }
    for (Singleton it : all.values()) {
      Start mine = it.run;
      if (mine != null && it.state != State.ENDING) {
        long nanos = it.state == State.RUNNING ? graceNanos : 0;
        it.end(mine, "node '%s' leaves the cluster".formatted(node), nanos);
      }
    }
    checkLeft();
    return left;
  }

  private void checkLeft() {
    if (leaving != null && all.values().stream().allMatch(it -> it.run == null)) {
      leaving.complete(null);
    }
  }
}
