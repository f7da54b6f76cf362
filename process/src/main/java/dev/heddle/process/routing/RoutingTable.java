// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.routing;

import dev.heddle.process.Peer;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Where addresses lead that are not of a process of this runtime.
public final class RoutingTable {
  /*
   * An address says node, host, number and life. In this order:
   *
   *   node  another one                 its peer, or UNREACHABLE; an empty node is this one
   *   host  another one of this node    its peer, or UNREACHABLE
   *   number                            a process (ProcessTable), or a receiver that was attached,
   *                                     or NOT_FOUND
   *   life  of this host, or NOT_FOUND: a number of an earlier life is nobody's
   *
   * A message passes through on the thread of its sender, all the way into the mailbox or the
   * peer: so the messages of one sender stay in order, and each send has its answer. What comes
   * from a peer is only for here: two peers that take each other for the way to a third would else
   * send in circles.
   *
   * P10; proc-128 to proc-135.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.process.routing");

  private final String node;
  private final String host;
  private final int incarnation;
  private final ConcurrentHashMap<String, Peer> nodes = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Peer> hosts = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Long, Receiver> attached = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /// No ways yet.
  ///
  /// @param node of this runtime, empty for one without a name
  public RoutingTable(String node, String host, int incarnation) {
    this.node = node;
    this.host = host;
    this.incarnation = incarnation;
  }

  /// An address here.
  public Pid address(long id) {
    return new Pid(node, host, id, incarnation);
  }

  /// Whether an address belongs to this runtime, in this life or another.
  public boolean isLocal(Pid pid) {
    return isThisNode(pid.node()) && pid.host().equals(host);
  }

  /// Whether an address is that of `id` here, in this life.
  public boolean leadsTo(Pid pid, long id) {
    return pid.id() == id && pid.incarnation() == incarnation && isLocal(pid);
  }

  /// The same address as the runtime itself writes it: one that is here names the node of this
  /// runtime, also where it was left out.
  public Pid canonical(Pid pid) {
    return isLocal(pid) && !pid.node().equals(node)
        ? new Pid(node, host, pid.id(), pid.incarnation())
        : pid;
  }

  private boolean isThisNode(String name) {
    return name.isEmpty() || name.equals(node);
  }

  // ---- to elsewhere ----

  /// Sends a message to another node or host.
  public SendResult sendRemote(Pid to, @Nullable Object message) {
    Peer peer = isThisNode(to.node()) ? hosts.get(to.host()) : nodes.get(to.node());
    if (peer == null) {
      return SendResult.UNREACHABLE;
    }
    try {
      return Objects.requireNonNull(peer.send(to, message), "the peer returned null");
    } catch (Throwable t) {
      LOG.log(System.Logger.Level.WARNING, "the peer on the way to " + to + " has failed", t);
      return SendResult.UNREACHABLE;
    }
  }

  /// Adds the way to a node.
  ///
  /// @throws IllegalArgumentException when it is this one, or has a way
  public void addNode(String name, Peer peer) {
    if (isThisNode(name)) {
      throw new IllegalArgumentException("node '" + name + "' is this one; a peer is for another");
    }
    add(nodes, "node", name, peer);
  }

  /// Adds the way to another host of this node.
  ///
  /// @throws IllegalArgumentException when it is this one, or has a way
  public void addHost(String name, Peer peer) {
    if (name.isEmpty() || name.equals(host)) {
      throw new IllegalArgumentException("host '" + name + "' is this one; a peer is for another");
    }
    add(hosts, "host", name, peer);
  }

  private static void add(ConcurrentHashMap<String, Peer> to, String kind, String name, Peer peer) {
    if (to.putIfAbsent(name, Objects.requireNonNull(peer, "peer")) != null) {
      throw new IllegalArgumentException(
          kind + " '" + name + "' has a peer already; remove that one before");
    }
  }

  /// Takes away the way to a node.
  ///
  /// @return false when there is none
  public boolean removeNode(String name) {
    return nodes.remove(name) != null;
  }

  /// Takes away the way to a host.
  ///
  /// @return false when there is none
  public boolean removeHost(String name) {
    return hosts.remove(name) != null;
  }

  // ---- receivers that are no processes ----

  /// Lets a receiver have an address here.
  ///
  /// @throws IllegalArgumentException when the address is not here, or somebody's
  /// @throws IllegalStateException when the runtime has shut down
  public void attach(Pid pid, Receiver receiver) {
    if (!leadsTo(pid, pid.id())) {
      throw new IllegalArgumentException(
          "only addresses of this runtime can be attached, like %s, not %s"
              .formatted(address(pid.id()), pid));
    }
    if (attached.putIfAbsent(pid.id(), Objects.requireNonNull(receiver, "receiver")) != null) {
      throw new IllegalArgumentException("already attached: " + pid);
    }
    if (closed) { // whoever closes it sees what was attached before, or we see that
      attached.remove(pid.id());
      throw new IllegalStateException(
          "the runtime has shut down; nothing would reach " + pid + " any more");
    }
  }

  /// The runtime has shut down: takes all addresses back, and tells whoever had them.
  public void close() {
    closed = true;
    for (Long id : attached.keySet()) {
      Receiver receiver = attached.remove(id);
      if (receiver != null) {
        receiver.closed();
      }
    }
  }

  /// Takes the address from its receiver.
  ///
  /// @return false when it has none
  public boolean detach(Pid pid) {
    return leadsTo(pid, pid.id()) && attached.remove(pid.id()) != null;
  }

  /// Who is attached to an address, or null.
  public @Nullable Receiver attached(Pid pid) {
    return leadsTo(pid, pid.id()) ? attached.get(pid.id()) : null;
  }
}
