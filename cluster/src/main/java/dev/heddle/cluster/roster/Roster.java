// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.DeclareSingleton;
import dev.heddle.cluster.roster.Command.Leave;
import dev.heddle.cluster.roster.Command.Lost;
import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Command.Raise;
import dev.heddle.cluster.roster.Command.Register;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Command.ShardCommand;
import dev.heddle.cluster.roster.Command.SingletonCommand;
import dev.heddle.cluster.roster.Command.Unregister;
import dev.heddle.cluster.roster.Outcome.Reason;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The state behind the log: the admitted nodes, the owners of names and of shards, the singletons.
/// The same commands at the same indexes make the same state at each node.
public final class Roster {
  /*
   * States of a life of a node.
   *
   * from      event                                    to        what follows
   * (none)    Renew; the node is unknown, lost or left ADMITTED  a new admission
   * (none)    Renew; another life is ADMITTED, and its ADMITTED  that life is replaced, and its
   *           directory proves that it has ended                 names are released
   * (none)    Renew; another life is ADMITTED          (none)    NODE_TAKEN
   * (none)    Renew; a later life of its directory     (none)    SUPERSEDED
   *           is known, in whatever state
   * ADMITTED  Renew                                    same      the renewal has this index
   * ADMITTED  Lost of the last renewal                 LOST      its names are released
   * ADMITTED  Lost of an earlier renewal               same      nothing: the lease goes on
   * ADMITTED  Leave of this admission                  LEFT      its names are released
   * LOST      Renew of the same life                   ADMITTED  a new admission
   * LEFT      Renew of the same life                   same      LEFT
   *
   * Threads. One at a time.
   *
   * I1. A name has at most one owner, and an owner is an admitted node. [RosterTest]
   * I2. A token is the index of the entry that granted the ownership, so tokens grow. [RosterTest]
   * I3. Lost names the renewal that it was judged by. A renewal that is in the log before it makes
   *     it void: the node has been told that its lease goes on. [RosterTest, LeaseSimulationTest]
   * I4. A request counts within one admission. A repetition gets the outcome of the first one. When
   *     the admission has ended it is refused: it never takes a name again that was released.
   *     [RosterTest, LeaseSimulationTest]
   *
   * Cost. A request keeps its outcome until the node says that it has been answered. One member is
   * kept for each node name that was ever admitted: later lives are compared with it.
   *
   * Rejected. Outcomes that outlive the admission: a repetition after a loss would tell the node of
   * an ownership that has been released. Comparing lives by number: they are random.
   */

  private static final Outcome NOT_ADMITTED = new Outcome.Refused(Reason.NOT_ADMITTED);

  private final SortedMap<String, Member> members = new TreeMap<>();
  private final SortedMap<String, Ownership> names = new TreeMap<>();
  private final ShardTable shards = new ShardTable();
  private final SingletonTable singletons = new SingletonTable();
  private long applied;
  private int format;

  /// The format of the log that is in force; 0 while it is not known. It only grows.
  public int format() {
    return format;
  }

  /// A format is in force, at least: the log has bytes of it.
  public void raise(int to) {
    format = Math.max(format, to);
  }

  /// The index of the last command that was applied; 0 for none.
  public long applied() {
    return applied;
  }

  /// The owner of a name; null if it is free.
  public @Nullable Ownership owner(String name) {
    return names.get(name);
  }

  /// All owners, by name.
  public List<Ownership> owners() {
    return List.copyOf(names.values());
  }

  /// The index of the entry that admitted this life of a node; 0 if it is not admitted.
  public long admission(String node, int life) {
    Member member = members.get(node);
    return member != null && member.life == life && member.state == Member.State.ADMITTED
        ? member.admission
        : 0;
  }

  /// The names of the admitted nodes.
  public List<String> admitted() {
    return members.values().stream()
        .filter(member -> member.state == Member.State.ADMITTED)
        .map(member -> member.node)
        .toList();
  }

  /// Who owns the shards.
  public ShardTable shards() {
    return shards;
  }

  /// Which singletons there are, and who can run them.
  public SingletonTable singletons() {
    return singletons;
  }

  /// Applies the next command of the log.
  ///
  /// @param index of the entry
  /// @throws IllegalStateException if that index, or a later one, has been applied
  public Outcome apply(long index, Command command) {
    if (index <= applied) {
      throw new IllegalStateException(
          "entry " + index + " comes after entry " + applied + " was applied");
    }
    applied = index;
    return switch (command) {
      case Renew renew -> renew(index, renew);
      case Lost lost -> lose(lost);
      case Leave leave -> leave(leave);
      case Register register -> request(register.origin(), index, register);
      case Unregister unregister -> request(unregister.origin(), index, unregister);
      case Raise(int to) -> {
        raise(to);
        yield new Outcome.Done();
      }
      case ShardCommand shard -> apply(index, shard);
      case SingletonCommand singleton -> apply(index, singleton);
    };
  }

  /// Applies a command that another node has applied.
  ///
  /// @return whether this state is now at the delta's index or a later one. If not, deltas are
  ///   missing, and a snapshot is needed
  public boolean follow(Delta delta) {
    if (delta.index() <= applied) {
      return true;
    }
    if (delta.previous() != applied) {
      return false;
    }
    raise(delta.format());
    apply(delta.index(), delta.command());
    return true;
  }

  private Outcome renew(long index, Renew renew) {
    Member member = members.get(renew.node());
    if (member == null) {
      return admit(index, renew);
    }
    if (member.life == renew.life()) {
      return switch (member.state) {
        case ADMITTED -> {
          member.renewal = index;
          member.lostNanos = renew.lostNanos();
          yield new Outcome.Admitted(member.admission);
        }
        case LOST -> admit(index, renew);
        case LEFT -> new Outcome.Refused(Reason.LEFT);
      };
    }
    if (proves(member.proof, renew.proof())) {
      return new Outcome.Refused(Reason.SUPERSEDED);
    }
    if (member.state == Member.State.ADMITTED && !proves(renew.proof(), member.proof)) {
      return new Outcome.Refused(Reason.NODE_TAKEN);
    }
    release(renew.node());
    return admit(index, renew);
  }

  private static boolean proves(@Nullable StorageProof later, @Nullable StorageProof earlier) {
    return later != null && earlier != null && later.supersedes(earlier);
  }

  private Outcome admit(long index, Renew renew) {
    Member member = new Member(renew.node(), renew.life(), renew.proof(), index);
    member.lostNanos = renew.lostNanos();
    members.put(renew.node(), member);
    return new Outcome.Admitted(index);
  }

  private Outcome lose(Lost lost) {
    Member member = members.get(lost.node());
    if (member != null
        && member.life == lost.life()
        && member.state == Member.State.ADMITTED
        && member.renewal == lost.renewal()) {
      end(member, Member.State.LOST);
    }
    return new Outcome.Done();
  }

  private Outcome leave(Leave leave) {
    Member member = members.get(leave.node());
    if (member != null
        && member.admission == leave.admission()
        && member.state == Member.State.ADMITTED) {
      end(member, Member.State.LEFT);
    }
    return new Outcome.Done();
  }

  private void end(Member member, Member.State how) {
    member.end(how);
    release(member.node);
  }

  private void release(String node) {
    names.values().removeIf(ownership -> ownership.node().equals(node));
    shards.ended(node);
    singletons.ended(node);
  }

  private Outcome apply(long index, SingletonCommand command) {
    return switch (command) {
      case DeclareSingleton it -> request(it.origin(), index, it);
      case Command.OfferSingletons it ->
          isAdmitted(it.node(), it.admission()) ? singletons.offer(it) : NOT_ADMITTED;
      case Command.FinishSingleton it -> singletons.finish(it);
    };
  }

  private Outcome apply(long index, ShardCommand command) {
    return switch (command) {
      case Command.HostShards it ->
          isAdmitted(it.node(), it.admission()) ? shards.host(it) : NOT_ADMITTED;
      case Command.WithdrawHost it ->
          isAdmitted(it.node(), it.admission()) ? shards.withdraw(it) : NOT_ADMITTED;
      case Command.AssignShards it -> shards.assign(index, it);
      case Command.ReleaseShards it ->
          isAdmitted(it.node(), it.admission()) ? shards.release(it) : NOT_ADMITTED;
    };
  }

  private boolean isAdmitted(String node, long admission) {
    Member member = members.get(node);
    return member != null && member.admission == admission && member.state == Member.State.ADMITTED;
  }

  private Outcome request(Origin origin, long index, Command command) {
    Member member = members.get(origin.node());
    if (member == null || !isAdmitted(origin.node(), origin.admission())) {
      return NOT_ADMITTED;
    }
    member.settle(origin.settled());
    if (origin.number() < member.settled) {
      return new Outcome.Refused(Reason.SETTLED);
    }
    Outcome known = member.outcomes.get(origin.number());
    if (known != null) {
      return known;
    }
    Outcome outcome =
        switch (command) {
          case Register register -> register(index, register);
          case Unregister unregister -> unregister(unregister);
          case DeclareSingleton declare -> singletons.declare(index, declare);
          default -> throw new IllegalStateException("no request: " + command);
        };
    member.outcomes.put(origin.number(), outcome);
    return outcome;
  }

  private Outcome register(long index, Register register) {
    Ownership owner = names.get(register.name());
    if (owner == null) {
      String node = register.origin().node();
      names.put(register.name(), new Ownership(register.name(), register.pid(), node, index));
      singletons.granted(register.name(), index);
      return new Outcome.Registered(index);
    }
    return owner.pid().equals(register.pid())
        ? new Outcome.Registered(owner.token())
        : new Outcome.Taken(owner.pid(), owner.token());
  }

  private Outcome unregister(Unregister unregister) {
    Ownership owner = names.get(unregister.name());
    if (owner != null && owner.token() == unregister.token()) {
      names.remove(unregister.name());
    }
    return new Outcome.Done();
  }

  // ---- for RosterCodec and LeaseExpiry ----

  Collection<Member> members() {
    return members.values();
  }

  void restore(long index, int inForce, Collection<Member> restored, Collection<Ownership> owners) {
    applied = index;
    format = inForce;
    restored.forEach(member -> members.put(member.node, member));
    owners.forEach(owner -> names.put(owner.name(), owner));
  }
}
