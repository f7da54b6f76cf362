// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.routing;

import dev.heddle.process.NotSendableException;
import dev.heddle.process.Peer;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.remote.NodePeer;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Routes messages to addresses that are not those of processes of this runtime.
public final class RoutingTable {
  /*
   * An address has a node, a host, a number and an incarnation, which are checked in this order:
   *
   *   node         another one               its peer, else that of all nodes without one, which a
   *                                          cluster adds, else UNREACHABLE; an empty node is this
   *                                          one
   *   host         another one of this node  its peer, or UNREACHABLE
   *   number                                 a process (ProcessTable), an attached receiver, or
   *                                          NOT_FOUND
   *   incarnation  another one               NOT_FOUND: an address of another life leads nowhere
   *
   * The sender's thread passes a message all the way into the mailbox or the peer. So the messages
   * of one sender stay in order, and each send has its result. A message from a peer is only for
   * this runtime: otherwise two peers that each use the other as the way to a third would send in
   * circles.
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
  private final AtomicBoolean isClaimed = new AtomicBoolean(); // by a cluster
  private volatile @Nullable NodePeer otherNodes;
  private volatile boolean closed;

  /// @param node that of this runtime, empty for one without a name
  public RoutingTable(String node, String host, int incarnation) {
    this.node = node;
    this.host = host;
    this.incarnation = incarnation;
  }

  /// An address here.
  public Pid address(long id) {
    return new Pid(node, host, id, incarnation);
  }

  /// Whether an address belongs to this runtime, in any incarnation.
  public boolean isLocal(Pid pid) {
    return isThisNode(pid.node()) && pid.host().equals(host);
  }

  /// Gives the nodes of this table to one cluster.
  ///
  /// @return false when another one has them
  public boolean claimNodes() {
    return isClaimed.compareAndSet(false, true);
  }

  /// Takes the nodes back from the cluster that has them.
  public void releaseNodes() {
    isClaimed.set(false);
  }

  /// Whether an address is that of `id` in this runtime and incarnation.
  public boolean leadsTo(Pid pid, long id) {
    return pid.id() == id && pid.incarnation() == incarnation && isLocal(pid);
  }

  /// The same address in the form of this runtime: it has the node of this runtime even if the
  /// given one left it out.
  public Pid canonical(Pid pid) {
    return isLocal(pid) && !pid.node().equals(node)
        ? new Pid(node, host, pid.id(), pid.incarnation())
        : pid;
  }

  private boolean isThisNode(String name) {
    return name.isEmpty() || name.equals(node);
  }

  // ---- other nodes and hosts ----

  /// The peer that leads to another node or host, or null.
  public @Nullable Peer peerOf(Pid pid) {
    if (isThisNode(pid.node())) {
      return hosts.get(pid.host());
    }
    Peer peer = nodes.get(pid.node());
    return peer == null ? otherNodes : peer;
  }

  /// The same when that peer carries links, monitors and orders; null for an address here.
  public @Nullable NodePeer nodePeerOf(Pid pid) {
    return peerOf(pid) instanceof NodePeer node ? node : null;
  }

  /// Sends a message to another node or host.
  ///
  /// @throws NotSendableException when the peer cannot encode it
  public SendResult sendRemote(Pid to, @Nullable Object message) {
    Peer peer = peerOf(to);
    if (peer == null) {
      return SendResult.UNREACHABLE;
    }
    try {
      return Objects.requireNonNull(peer.send(to, message), "the peer has returned null");
    } catch (NotSendableException e) {
      throw e;
    } catch (Throwable t) {
      LOG.log(System.Logger.Level.WARNING, "the peer that leads to " + to + " has failed", t);
      return SendResult.UNREACHABLE;
    }
  }

  /// Adds the peer of a node.
  ///
  /// @throws IllegalArgumentException when it is this one, or has a peer
  public void addNode(String name, Peer peer) {
    if (isThisNode(name)) {
      throw new IllegalArgumentException("node '" + name + "' is this one; a peer is for another");
    }
    add(nodes, "node", name, peer);
  }

  /// Sets the peer of all nodes that have none, for good.
  public void otherNodes(NodePeer peer) {
    otherNodes = Objects.requireNonNull(peer, "peer");
  }

  /// Adds the peer of another host of this node.
  ///
  /// @throws IllegalArgumentException when it is this one, or has a peer
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

  /// Removes the peer of a node.
  ///
  /// @return false when there is none
  public boolean removeNode(String name) {
    return nodes.remove(name) != null;
  }

  /// Removes the peer of a host.
  ///
  /// @return false when there is none
  public boolean removeHost(String name) {
    return hosts.remove(name) != null;
  }

  // ---- receivers other than processes ----

  /// Attaches a receiver to an address of this runtime.
  ///
  /// @throws IllegalArgumentException when the address is not of this runtime, or has a receiver
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
    if (closed) { // close() sees this receiver, or this thread sees `closed`
      attached.remove(pid.id());
      throw new IllegalStateException(
          "the runtime has shut down; no message would reach " + pid + " any more");
    }
  }

  /// Detaches all receivers and calls their `closed`, when the runtime has shut down.
  public void close() {
    closed = true;
    for (Long id : attached.keySet()) {
      Receiver receiver = attached.remove(id);
      if (receiver != null) {
        receiver.closed();
      }
    }
  }

  /// Detaches the receiver of an address.
  ///
  /// @return false when it has none
  public boolean detach(Pid pid) {
    return leadsTo(pid, pid.id()) && attached.remove(pid.id()) != null;
  }

  public @Nullable Receiver attached(Pid pid) {
    return leadsTo(pid, pid.id()) ? attached.get(pid.id()) : null;
  }
}
