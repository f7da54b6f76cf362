// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Ownership;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.SingletonSpec;
import dev.heddle.cluster.roster.SortedNames;
import dev.heddle.cluster.roster.StorageProof;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Names, and the lease, of one node of a cluster with voters.
///
/// **Thread** any, but for [#run]; no method waits.
public final class NameService implements RosterAccess {
  /*
   * All that changes something is a task of a queue, which the agent thread of the node empties;
   * then it does what is due. So the parts below need no locks, and what the log has told is seen
   * here in the order in which it was told: a barrier's answer comes after all that the log had
   * applied.
   *
   * A voter reaches the log by its store (`VoterLog`), and tells others what it applies
   * (`VoterFeed`). Any other node goes by a voter in session (`FollowerLog`).
   *
   * Each voter that takes itself for the leader judges the leases of all nodes: see `LeaseExpiry`
   * for why several may.
   *
   * Waits have an end: a request that has no answer when the time of a lease is over fails with
   * NoQuorumException.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.name");
  private static final long TICK_NANOS = 100_000_000;
  // within a lease, at the least: the agent of a node looks each second anyway
  private static final int IDLE_LOOKS = 8;

  /// What a node is for its names.
  ///
  /// @param voters the names of the nodes that vote
  /// @param proof that earlier lives of the same directory have ended; null without a directory
  /// @param codec with the formats of the log that this node knows
  public record Setup(
      NodeLife self,
      Set<String> voters,
      @Nullable StorageProof proof,
      LeaseTimes times,
      RosterCodec codec) {
    public Setup {
      voters = SortedNames.copyOf(voters);
    }
  }

  private record Read(String name, long deadline, CompletableFuture<@Nullable Ownership> answer) {}

  private final Setup setup;
  private final LongSupplier clock;
  private final Runnable wake;
  private final @Nullable NameStore store;
  private final RosterReplica replica;
  private final LogClient log;
  private final RosterMessageCodec messages;
  private final RosterSender sender;
  private final @Nullable FollowerLog follower;
  private final @Nullable VoterFeed feed;
  private final LeaseJudge judge;
  private final LeaseKeeper lease;
  private final NameTable names;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>(); // any thread
  private final Set<Runnable> open = // they fail what waits, in order; any thread
      Collections.synchronizedSet(new LinkedHashSet<>());
  private volatile boolean isClosed;

  // the agent
  private final List<Part> parts = new ArrayList<>();
  private final List<Read> reads = new ArrayList<>(); // that are open
  private final List<Read> failedReads = new ArrayList<>(); // those of them to try again
  private volatile boolean isLeaving; // written by the agent
  private String failure = "";

  /// @param clock nanoseconds that only grow
  /// @param wake has [#run] called; any thread, never waits
  /// @param open opens the store of a voter with its listener; null at other nodes
  public NameService(
      Setup setup,
      NodePort port,
      LongSupplier clock,
      Runnable wake,
      @Nullable Function<NameStore.Listener, NameStore> open) {
    this.setup = setup;
    this.clock = clock;
    this.wake = wake;
    this.replica = new RosterReplica(setup.self().node(), clock, this::changed);
    this.messages = new RosterMessageCodec(setup.codec());
    this.sender = new RosterSender(setup.self().node(), port, setup.codec());
    if (open == null) {
      store = null;
      feed = null;
      follower =
          new FollowerLog(
              setup.self(), setup.voters(), sender, setup.codec(), replica, setup.times());
      log = follower;
    } else {
      store = open.apply(new FromStore());
      follower = null;
      log = new VoterLog(store, this::execute);
      feed = new VoterFeed(sender, setup.codec(), replica, log, setup.times(), clock, wake);
    }
    Set<String> others = new HashSet<>(setup.voters());
    others.remove(setup.self().node());
    this.judge =
        new LeaseJudge(
            setup.times(), setup.codec(), others, port, replica, this::term, this::trySubmit);
    this.lease =
        new LeaseKeeper(
            setup.self(), setup.proof(), setup.times(), log, clock, this::admissionChanged);
    this.names =
        new NameTable(setup.self().node(), setup.times().holdNanos(), port, log, lease, this);
  }

  // ---- the agent ----

  /// The number of the time for which this node holds its lease without a gap, within one
  /// admission; 0 when it does not hold it now.
  public long leaseTerm() {
    return lease.term(now());
  }

  /// Has the agent run something. Any thread.
  public void execute(Runnable task) {
    tasks.add(task);
    wake.run();
  }

  long now() {
    return clock.getAsLong();
  }

  /// Does all that is to be done now. One thread at a time.
  ///
  /// @return when to call it again, unless it is woken before
  public long run() {
    long term = term(); // first: what is of earlier terms is a task by now
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      guarded(task);
    }
    guarded(() -> due(term));
    return next();
  }

  private long term() {
    return store == null ? 0 : store.term();
  }

  private long next() {
    long soon = now() + TICK_NANOS;
    boolean isIdle =
        replica.isHere()
            && names.isIdle()
            && reads.isEmpty()
            && (feed == null || feed.isIdle())
            && parts.stream().allMatch(Part::isIdle);
    if (!isIdle) {
      return soon;
    }
    long due = lease.dueAt(soon);
    if (due - now() <= 0) {
      return soon; // it was due, and what comes before it has failed: not at once again
    }
    long now = now();
    long longest = Math.max(TICK_NANOS, setup.times().holdNanos() / IDLE_LOOKS);
    long later = now + Math.clamp(judge.left(now), TICK_NANOS, longest);
    return due - later < 0 ? due : later;
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "node '%s' goes on with its names after a failure".formatted(setup.self().node()),
          e);
    }
  }

  private void due(long term) {
    long now = now();
    log.due(now);
    if (feed != null) {
      feed.due();
    }
    judge.due(term, now);
    lease.due(now);
    names.due(now);
    read(now);
    if (replica.isHere()) {
      parts.forEach(part -> guarded(() -> part.tick(replica.roster())));
    }
  }

  private void trySubmit(Command command) {
    log.submit(
        command,
        (_, why) -> {
          if (!why.isEmpty()) {
            failure = why;
          }
        });
  }

  private void admissionChanged() {
    names.due(now());
  }

  /// A part that fails keeps nobody from the log.
  private void changed(Roster roster) {
    lease.applied(roster);
    parts.forEach(part -> guarded(() -> part.applied(roster)));
  }

  /// What the log tells, on its own thread.
  private final class FromStore implements NameStore.Listener {
    @Override
    public void applied(Delta delta, Outcome outcome) {
      execute(() -> {
        boolean isFirst = !replica.isHere();
        if (!replica.follow(delta)) {
          throw new IllegalStateException(
              "entry %d follows entry %d, and entry %d is the last one here"
                  .formatted(delta.index(), delta.previous(), replica.roster().applied()));
        }
        if (feed != null && isFirst) {
          feed.replaced();
        } else if (feed != null) {
          feed.applied(delta);
        }
        judge.applied(now());
      });
    }

    /// The leases of others count from the next look.
    @Override
    public void leads() {
      wake.run();
    }

    @Override
    public long renewed(Command.Renew renewal, long term) {
      return judge.renew(renewal, term, now());
    }

    @Override
    public void replaced(byte[] snapshot) {
      Roster roster = setup.codec().restore(snapshot);
      roster.raise(RosterCodec.formatOf(snapshot)); // as the log does: it is its own snapshot
      execute(() -> {
        replica.replace(roster);
        if (feed != null) {
          feed.replaced();
        }
      });
    }
  }

  // ---- sessions: their threads ----

  /// A session with a node has opened.
  public void opened(NodeLife node) {
    execute(() -> {
      if (follower != null) {
        follower.opened(node.node(), now());
      }
    });
  }

  /// It has ended.
  public void ended(NodeLife node) {
    execute(() -> {
      if (follower != null) {
        follower.ended(node.node(), now());
      }
      if (feed != null) {
        feed.ended(node);
      }
    });
  }

  /// Another node says something, in the order of its session.
  public void received(NodeLife from, byte[] content) {
    RosterMessage message;
    try {
      message = messages.decode(content);
    } catch (IllegalArgumentException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s' does not understand what node '%s' says about names: %s"
              .formatted(setup.self().node(), from.node(), e.getMessage()));
      return;
    }
    execute(() -> {
      if (feed != null) {
        feed.received(from, message);
      } else if (follower != null) {
        received(follower, from, message);
      }
    });
  }

  private void received(FollowerLog to, NodeLife from, RosterMessage message) {
    switch (message) {
      case RosterMessage.Subscribe _,
          RosterMessage.Submit _,
          RosterMessage.Unreadable _,
          RosterMessage.Barrier _ -> {
        String why = "node '%s' has the voters %s".formatted(setup.self().node(), setup.voters());
        var _ = sender.send(from.node(), new RosterMessage.NoVoter(why));
      }
      default -> to.received(from.node(), message, now());
    }
  }

  // ---- names ----

  /// Takes a name for a process of this node.
  ///
  /// @return completes with the token; fails with a `NameTakenException` or a `NoQuorumException`.
  ///   To cancel it gives up: what the log grants nevertheless is given back
  public CompletableFuture<Long> register(String name, Pid pid) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    long deadline = deadline();
    execute(() -> {
      if (isLeaving) {
        answer.completeExceptionally(left("name '" + name + "' is not registered"));
      } else {
        names.register(name, pid, deadline, answer);
      }
    });
    return waits(answer);
  }

  /// Gives a name back that a process of this node owns.
  ///
  /// @return completes with false when none does; fails with a `NoQuorumException`: then the name
  ///   is given back when there is a majority again, or with the lease
  public CompletableFuture<Boolean> unregister(String name) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    long deadline = deadline();
    execute(() -> names.unregister(name, deadline, answer));
    return waits(answer);
  }

  /// Declares a singleton, unless one of its name is.
  ///
  /// @return completes with the spec that counts, which may be another one; fails with a
  ///   `NoQuorumException`: then it may be declared nevertheless
  /// @throws IllegalArgumentException when the log takes no declaration of that size
  public CompletableFuture<SingletonSpec> declare(SingletonSpec spec) {
    Command.Origin any = new Command.Origin(setup.self().node(), 0, 0, 0);
    Command declaration = new Command.DeclareSingleton(any, spec);
    var _ = setup.codec().encodeEntry(declaration, setup.codec().formats().newest());
    CompletableFuture<SingletonSpec> answer = new CompletableFuture<>();
    long deadline = deadline();
    execute(() -> {
      if (isLeaving) {
        answer.completeExceptionally(left("singleton '" + spec.name() + "' is not declared"));
      } else {
        names.declare(spec, deadline, answer);
      }
    });
    return waits(answer);
  }

  /// The owner of a name at a moment between call and answer.
  ///
  /// @return completes with null for none; fails with a `NoQuorumException`
  public CompletableFuture<@Nullable Ownership> whereis(String name) {
    CompletableFuture<@Nullable Ownership> answer = new CompletableFuture<>();
    Read read = new Read(name, deadline(), answer);
    execute(() -> {
      reads.add(read);
      read(read);
    });
    return waits(answer);
  }

  /// The owner of a name, as far as this node knows; null for none.
  ///
  /// @throws NoQuorumException before the state has come to this node
  public @Nullable Ownership lookup(String name) {
    if (!replica.isHere()) {
      throw noQuorum("the owner of name '" + name + "' is not known", "");
    }
    return replica.lookup(name);
  }

  /// Whether the state has come to this node.
  public boolean isReady() {
    return replica.isHere();
  }

  /// The token by which a process of this node owns a name, if it may act for it now.
  public OptionalLong token(String name) {
    return names.token(name, now());
  }

  /// What this node knows of leases and names.
  public NamesStatus status() {
    return new NamesStatus(
        new TreeSet<>(setup.voters()), leaseNow(), lease.obstacle(), replica.members());
  }

  private NamesStatus.Lease leaseNow() {
    if (isLeaving) {
      return NamesStatus.Lease.LEFT;
    }
    if (lease.isHeld(lease.admission(), now())) {
      return NamesStatus.Lease.HELD;
    }
    return lease.wasHeld() ? NamesStatus.Lease.LOST : NamesStatus.Lease.NONE;
  }

  /// Whether this node leads the log.
  public boolean isLeader() {
    return store != null && store.isLeader();
  }

  private long deadline() {
    return now() + setup.times().holdNanos();
  }

  private void read(long now) {
    reads.removeIf(read -> isOver(read, now));
    List<Read> again = List.copyOf(failedReads);
    failedReads.clear();
    again.forEach(this::read);
  }

  private boolean isOver(Read read, long now) {
    if (now - read.deadline() >= 0 && !read.answer().isDone()) {
      read.answer()
          .completeExceptionally(
              noQuorum("the owner of name '" + read.name() + "' is not known", failure));
    }
    return read.answer().isDone();
  }

  private void read(Read read) {
    if (read.answer().isDone()) {
      return;
    }
    log.barrier((index, why) -> {
      if (index == null) {
        failure = why;
        failedReads.add(read);
      } else if (!replica.isHere() || replica.roster().applied() < index) {
        failedReads.add(read); // another voter is followed by now, and its state is not here yet
      } else {
        read.answer().complete(replica.roster().owner(read.name()));
      }
    });
  }

  /// So that what waits is failed at the end.
  @SuppressWarnings("CollectionUndefinedEquality") // identity is meant
  private <T extends @Nullable Object> CompletableFuture<T> waits(CompletableFuture<T> answer) {
    Runnable fail = () -> answer.completeExceptionally(left("nobody answers"));
    open.add(fail);
    var _ = answer.handle((_, _) -> open.remove(fail)); // this stage never fails: one failure less
    if (isClosed) { // close() may have come too early to see it
      fail.run();
    }
    return answer;
  }

  NoQuorumException noQuorum(String what, String last) {
    if (isLeaving) {
      return left(what);
    }
    String why = lease.obstacle().isEmpty() ? last : lease.obstacle();
    String state =
        replica.isHere()
            ? "has no answer of a majority of the voters %s in time".formatted(setup.voters())
            : "has not got the state from the voters %s yet".formatted(setup.voters());
    return new NoQuorumException(
        "%s: node '%s' %s; try again%s"
            .formatted(
                what, setup.self().node(), state, why.isEmpty() ? "" : "; the last try: " + why));
  }

  private NoQuorumException left(String what) {
    return new NoQuorumException(
        "%s: node '%s' has left the cluster".formatted(what, setup.self().node()));
  }

  // ---- other parts ----

  @Override
  public void submit(Command command) {
    execute(() -> trySubmit(command));
  }

  @Override
  public long admission() {
    return lease.admission();
  }

  @Override
  public boolean mayAct(long admission) {
    return lease.isHeld(admission, now());
  }

  @Override
  public void add(Part part) {
    execute(() -> {
      parts.add(part);
      if (replica.isHere()) {
        part.applied(replica.roster());
      }
    });
  }

  // ---- the end ----

  /// Gives away all that this node owns: its parts first, then its names, whose processes end. Then
  /// it holds no lease any more, and if it leads the log, another voter does so.
  ///
  /// @param partNanos for the parts; what they have not given away by then, others get when this
  ///   node has left
  /// @param nameNanos for the names
  /// @return completes when the log has it; fails when this node is closed before
  public CompletableFuture<@Nullable Void> leave(long partNanos, long nameNanos) {
    CompletableFuture<@Nullable Void> left = new CompletableFuture<>();
    execute(() -> {
      isLeaving = true;
      CompletableFuture<?>[] given =
          parts.stream().map(Part::leave).toArray(CompletableFuture<?>[]::new);
      var _ =
          CompletableFuture.allOf(given)
              .completeOnTimeout(null, partNanos, TimeUnit.NANOSECONDS)
              .whenComplete((_, _) -> {
                var _ = left.orTimeout(nameNanos, TimeUnit.NANOSECONDS);
                execute(() -> leaveNames(left));
              });
    });
    return waits(left);
  }

  private void leaveNames(CompletableFuture<@Nullable Void> left) {
    var _ = names.leave().whenComplete((_, _) -> execute(() -> leaveLog(left)));
  }

  private void leaveLog(CompletableFuture<@Nullable Void> left) {
    var _ = lease.leave(now()).whenComplete((_, _) -> execute(() -> handOver(left)));
  }

  /// The last thing: all of before needs the log.
  private void handOver(CompletableFuture<@Nullable Void> left) {
    if (store == null) {
      left.complete(null);
    } else {
      var _ = store.handOver().whenComplete((_, _) -> left.complete(null));
    }
  }

  /// Fails all that waits, and closes the store of a voter; waits until its files are closed.
  public void close() {
    isClosed = true;
    List.copyOf(open).forEach(Runnable::run);
    if (store != null) {
      store.close();
    }
  }
}
