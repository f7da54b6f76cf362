// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.group;

import dev.heddle.cluster.listener.Listeners;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.internal.SpinLock;
import dev.heddle.internal.StackGuard;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.NodePeer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The groups of a node: its own members, of which it alone decides, and those that the other nodes
/// in touch have told of. Any thread.
public final class Groups {
  /*
   * Each node decides about its own processes and no others. It tells every session the full set
   * first and each change then, in the FIFO of the session. So two nodes in touch agree as soon as
   * nothing is on its way, and there is nothing to reconcile: a new session begins with a full set.
   *
   * A process may join a group several times and is a member until it has left as often. Only the
   * first join and the last leave are told. Its end removes it from all its groups, with one change
   * each.
   *
   * I1. The frames of a session are queued under the lock and sent by one thread at a time, so they
   *     have the order of the changes, and no change falls between the full set and the first
   *     delta. [GroupsTest]
   * I2. Of a session that has ended, nothing remains. [GroupsTest]
   * I3. A process listens for its end only while it is a member. Who makes it one adds the listener
   *     and then looks whether it still is; who makes it none removes it from the map and then the
   *     listener. So one of the two removes the listener. [GroupsTest]
   *
   * Lock. Workers and bodies take it, and others spin meanwhile: it is held for some instructions.
   * Under it, frames are queued and changes kept for listeners. Not under it: frames are encoded
   * and sent, listeners and mailboxes called. A thread that finds another one sending leaves its
   * frame to that one; a message that it sends next may arrive before. C7; proc-202.
   */

  private static final int PART_BYTES = 512 * 1024; // of a frame of members; half of its limit
  private static final int PID_BYTES = 16; // of this node and life: a kind and a number

  private static final class Member {
    final ProcessLinks.Owner owner;
    final Consumer<Exit> listener;
    final Map<String, Integer> joins = new LinkedHashMap<>(2);

    Member(Groups groups, ProcessLinks.Owner owner) {
      this.owner = owner;
      this.listener = _ -> groups.ended(this);
    }
  }

  private static final class Session {
    final Consumer<Frame> sink;
    final Map<String, Set<Pid>> members = new HashMap<>(); // under the lock
    final Queue<Frame> unsent = new ConcurrentLinkedQueue<>(); // added under the lock
    final AtomicInteger senders = new AtomicInteger(); // that have called since one has begun

    Session(Consumer<Frame> sink) {
      this.sink = sink;
    }

    /// Sends what is queued; if another thread does, that one does it.
    void send() {
      if (senders.getAndIncrement() > 0) {
        return; // safe: the other thread looks again, since the number has changed
      }
      int seen;
      do {
        seen = senders.get();
        for (Frame next = unsent.poll(); next != null; next = unsent.poll()) {
          sink.accept(next);
        }
      } while (!senders.compareAndSet(seen, 0));
    }
  }

  private final LocalProcesses local;
  private final SpinLock lock = new SpinLock();
  private final Listeners<GroupChange> listeners;

  // those of the map below; written under the lock, read by any thread
  private final List<Session> open = new CopyOnWriteArrayList<>();

  // under the lock
  private final Map<Pid, Member> members = new LinkedHashMap<>();
  private final Map<String, Set<Pid>> own = new HashMap<>();
  private final Map<NodePeer, Session> sessions = new LinkedHashMap<>();

  public Groups(LocalProcesses local) {
    this.local = local;
    this.listeners = new Listeners<>(local.callbacks());
  }

  // ---- members here ----

  /// Makes a process of this node a member; once more, if it is one.
  ///
  /// @throws IllegalArgumentException when there is no such process here, or the name is empty or
  ///   longer than 1 KiB
  public void join(String group, Pid pid) {
    checkName(group);
    StackGuard.requireAmpleRoom(); // a stack overflow would leave a lock locked
    ProcessLinks.Owner owner = local.find(pid);
    if (owner == null) {
      throw new IllegalArgumentException(
          "%s is no living process of this node; a process joins a group at its own node"
              .formatted(pid));
    }
    Member member = new Member(this, owner);
    boolean isNew;
    boolean isFirst;
    lock.lock();
    try {
      Member known = members.putIfAbsent(owner.self(), member);
      isNew = known == null;
      member = known == null ? member : known;
      isFirst = member.joins.merge(group, 1, Integer::sum) == 1;
      if (isFirst) {
        own.computeIfAbsent(group, _ -> new LinkedHashSet<>()).add(owner.self());
        tell(new Frame.Joined(group, owner.self()));
        listeners.put(new GroupChange(group, List.of(owner.self()), List.of()));
      }
    } finally {
      lock.unlock();
    }
    tellOthers();
    if (isNew) {
      owner.processLinks().onExit(member.listener); // at once, if it has ended
      if (!isMember(member)) { // it has left meanwhile
        owner.processLinks().offExit(member.listener);
      }
    }
  }

  private boolean isMember(Member member) {
    lock.lock();
    try {
      return members.get(member.owner.self()) == member;
    } finally {
      lock.unlock();
    }
  }

  /// Checks the name of a group.
  ///
  /// @throws IllegalArgumentException when it is empty or longer than 1 KiB
  public static void checkName(String group) {
    int length =
        Objects.requireNonNull(group, "the name of a group")
            .getBytes(StandardCharsets.UTF_8)
            .length;
    if (length == 0 || length > Limits.NAME_BYTES) {
      throw new IllegalArgumentException(
          "the name of a group has 1 to %d bytes, not %d".formatted(Limits.NAME_BYTES, length));
    }
  }

  /// Undoes one join of a process of this node.
  ///
  /// @return false when it is no member
  public boolean leave(String group, Pid pid) {
    StackGuard.requireAmpleRoom(); // as above
    Member unused = null;
    lock.lock();
    try {
      Member member = members.get(pid);
      Integer joins = member == null ? null : member.joins.get(group);
      if (member == null || joins == null) {
        return false;
      }
      if (joins == 1) {
        member.joins.remove(group);
        remove(group, member.owner.self());
        if (member.joins.isEmpty()) {
          members.remove(pid);
          unused = member;
        }
      } else {
        member.joins.put(group, joins - 1);
      }
    } finally {
      lock.unlock();
    }
    if (unused != null) {
      unused.owner.processLinks().offExit(unused.listener);
    }
    tellOthers();
    return true;
  }

  private void ended(Member member) {
    Pid pid = member.owner.self();
    lock.lock();
    try {
      if (members.get(pid) != member) {
        return;
      }
      members.remove(pid);
      member.joins.keySet().forEach(group -> remove(group, pid));
    } finally {
      lock.unlock();
    }
    tellOthers();
  }

  private void remove(String group, Pid pid) {
    Set<Pid> in = own.get(group);
    if (in != null && in.remove(pid) && in.isEmpty()) {
      own.remove(group);
    }
    tell(new Frame.Left(group, pid));
    listeners.put(new GroupChange(group, List.of(), List.of(pid)));
  }

  private void tell(Frame frame) {
    sessions.values().forEach(session -> session.unsent.add(frame));
  }

  /// Sends what was queued under the lock, and has the listeners called.
  private void tellOthers() {
    open.forEach(Session::send);
    listeners.call();
  }

  // ---- all members ----

  /// The members that this node knows of: its own, then those of the nodes in touch.
  public List<Pid> members(String group) {
    Map<Pid, NodePeer> remote = new LinkedHashMap<>();
    List<Pid> all = new ArrayList<>(collect(group, remote));
    all.addAll(remote.keySet());
    return all;
  }

  /// @param remote gets those of other nodes
  /// @return those here
  private List<Pid> collect(String group, Map<Pid, NodePeer> remote) {
    lock.lock();
    try {
      sessions.forEach((peer, session) ->
          session.members.getOrDefault(group, Set.of()).forEach(pid -> remote.put(pid, peer)));
      return List.copyOf(own.getOrDefault(group, Set.of()));
    } finally {
      lock.unlock();
    }
  }

  /// The names of the groups that have members, sorted.
  public Set<String> names() {
    Set<String> names = new TreeSet<>();
    lock.lock();
    try {
      names.addAll(own.keySet());
      sessions.values().forEach(session -> names.addAll(session.members.keySet()));
    } finally {
      lock.unlock();
    }
    return names;
  }

  /// Sends a message to each member, without waiting for space.
  ///
  /// @return to how many it was accepted
  /// @throws dev.heddle.process.NotSendableException when it cannot be encoded for a member of
  ///   another node: no member gets it
  public int publish(String group, @Nullable Object message) {
    Map<Pid, NodePeer> remote = new LinkedHashMap<>();
    List<Pid> here = collect(group, remote);
    int accepted = 0;
    for (Map.Entry<Pid, NodePeer> member : remote.entrySet()) { // first: these may be refused
      SendResult result = member.getValue().send(member.getKey(), message);
      accepted += result.isAccepted() ? 1 : 0;
    }
    for (Pid member : here) {
      accepted += local.offer(member, message).isAccepted() ? 1 : 0;
    }
    return accepted;
  }

  // ---- changes ----

  /// Calls a listener after each change, in their order, on a thread of its own, where it may wait.
  ///
  /// @return removes the listener; a call that is under way is not waited for
  public Runnable onChange(Consumer<GroupChange> listener) {
    lock.lock();
    try {
      return listeners.add(listener, List.of());
    } finally {
      lock.unlock();
    }
  }

  // ---- sessions ----

  /// A session has opened: tells it the members here.
  ///
  /// @param peer sends messages to processes of that node
  /// @param sink takes frames; must not wait
  public void opened(NodePeer peer, Consumer<Frame> sink) {
    Session session = new Session(sink);
    lock.lock();
    try {
      sessions.put(peer, session);
      open.add(session);
      tellAll(session.unsent);
    } finally {
      lock.unlock();
    }
    session.send();
  }

  /// Tells all members, in as many frames as they need: receivers add those of each.
  private void tellAll(Queue<Frame> to) {
    Map<String, List<Pid>> part = new HashMap<>();
    int bytes = 0;
    for (Map.Entry<String, Set<Pid>> group : own.entrySet()) {
      for (Pid pid : group.getValue()) {
        if (bytes > PART_BYTES) {
          to.add(new Frame.Members(part));
          part = new HashMap<>();
          bytes = 0;
        }
        List<Pid> pids = part.computeIfAbsent(group.getKey(), _ -> new ArrayList<>());
        bytes += PID_BYTES + (pids.isEmpty() ? Limits.NAME_BYTES : 0);
        pids.add(pid);
      }
    }
    to.add(new Frame.Members(part));
  }

  /// The other node tells of all its members, or of some more of them.
  public void onMembers(NodePeer peer, Map<String, List<Pid>> groups) {
    groups.forEach((group, pids) -> onJoined(peer, group, pids));
  }

  /// The other node tells of new members.
  public void onJoined(NodePeer peer, String group, List<Pid> pids) {
    List<Pid> added = new ArrayList<>();
    lock.lock();
    try {
      Session session = sessions.get(peer);
      if (session == null || pids.isEmpty()) {
        return;
      }
      Set<Pid> in = session.members.computeIfAbsent(group, _ -> new LinkedHashSet<>());
      for (Pid pid : pids) {
        if (in.add(pid)) {
          added.add(pid);
        }
      }
      if (!added.isEmpty()) {
        listeners.put(new GroupChange(group, added, List.of()));
      }
    } finally {
      lock.unlock();
    }
    listeners.call();
  }

  /// The other node tells of a member that is none any more.
  public void onLeft(NodePeer peer, String group, Pid pid) {
    lock.lock();
    try {
      Session session = sessions.get(peer);
      Set<Pid> in = session == null ? null : session.members.get(group);
      if (session == null || in == null || !in.remove(pid)) {
        return;
      }
      if (in.isEmpty()) {
        session.members.remove(group);
      }
      listeners.put(new GroupChange(group, List.of(), List.of(pid)));
    } finally {
      lock.unlock();
    }
    listeners.call();
  }

  /// A session has ended: its members are none any more, with one change a group. If it throws, for
  /// lack of memory, another call continues there; a listener may hear of one group twice then.
  public void ended(NodePeer peer) {
    lock.lock();
    try {
      Session session = sessions.get(peer);
      if (session != null) {
        for (var each = session.members.entrySet().iterator(); each.hasNext(); each.remove()) {
          var of = each.next();
          listeners.put(new GroupChange(of.getKey(), List.of(), List.copyOf(of.getValue())));
        }
        open.remove(session);
        sessions.remove(peer);
      }
    } finally {
      lock.unlock();
    }
    listeners.call();
  }
}
