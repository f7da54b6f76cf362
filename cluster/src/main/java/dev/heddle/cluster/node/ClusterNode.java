// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.remote.LocalProcesses;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A runtime as a node: its [Connections], with the two threads that drive them.
///
/// **Thread** any. No method waits but [#close].
public final class ClusterNode implements AutoCloseable {
  /*
   * The agent ticks: ten times in a second, and when there is news, which it passes to the
   * listeners. The writer flushes until nothing is left, then parks. Whoever adds something signals:
   * the flag `asleep` is set before the writer looks a last time, and read after something was
   * added, so one of the two sees the other.
   *
   * A failure in either thread is logged, and the thread goes on: the sessions judge what was lost.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Engine engine;
  private final Groups groups;
  private final Connections connections;
  private final List<Consumer<NodeChange>> listeners = new CopyOnWriteArrayList<>();
  private final CompletableFuture<@Nullable Void> left = new CompletableFuture<>();
  private final Thread agent;
  private final Thread writer;

  private volatile boolean asleep;
  private volatile boolean closed;
  private volatile long leaveBy; // nanoseconds; read after `leaving`
  private volatile boolean leaving;

  /// @param runtime that is the node, with the name of the node
  /// @param services takes what other parts of the cluster send from node to node; must not wait
  public ClusterNode(
      ProcessRuntime runtime,
      NodeSettings settings,
      Engine engine,
      BiConsumer<NodeLife, Frame.Service> services) {
    LocalProcesses local = LocalProcesses.of(runtime);
    this.engine = engine;
    this.groups = new Groups(local);
    this.connections =
        new Connections(
            settings,
            engine,
            local,
            groups,
            System::nanoTime,
            new SecureRandom(),
            this::signal,
            services);
    String name = connections.self().node();
    this.agent = Thread.ofPlatform().daemon().name("heddle-cluster-" + name).unstarted(this::tick);
    this.writer = Thread.ofPlatform().daemon().name("heddle-link-" + name).unstarted(this::write);
  }

  /// Opens the engine, and begins to greet.
  ///
  /// @throws IOException when the engine cannot be opened
  public void start() throws IOException {
    engine.open(connections);
    agent.start();
    writer.start();
  }

  // ---- threads ----

  private void tick() {
    while (!closed) {
      try {
        connections.tick();
        connections.news(change -> listeners.forEach(listener -> listener.accept(change)));
        if (leaving && (connections.isDrained() || System.nanoTime() - leaveBy >= 0)) {
          connections.leave();
          connections.news(change -> listeners.forEach(listener -> listener.accept(change)));
          closed = true;
          LockSupport.unpark(writer);
        }
      } catch (Throwable t) {
        LOG.log(
            System.Logger.Level.ERROR, "the agent of node " + connections.self() + " failed", t);
      }
      LockSupport.parkNanos(this, TICK_NANOS);
    }
  }

  private void write() {
    while (!closed || connections.hasOutgoing()) {
      try {
        if (!connections.flush()) {
          asleep = true;
          if (!connections.flush() && !closed) {
            LockSupport.parkNanos(this, TICK_NANOS);
          }
          asleep = false;
        }
      } catch (Throwable t) {
        LOG.log(
            System.Logger.Level.ERROR, "the writer of node " + connections.self() + " failed", t);
      }
    }
    engine.close();
    left.complete(null);
  }

  private void signal() {
    if (asleep) {
      LockSupport.unpark(writer);
    }
  }

  // ---- what it is, and sees ----

  /// This node.
  public NodeLife self() {
    return connections.self();
  }

  /// Its groups.
  public Groups groups() {
    return groups;
  }

  /// The address of its engine.
  public Engine.Address address() {
    return engine.address();
  }

  /// All nodes that are or were in touch, and the addresses that are greeted.
  public List<NodeStatus> nodes() {
    return connections.nodes();
  }

  /// The nodes in touch.
  public List<Introduction> inTouch() {
    return connections.inTouch();
  }

  /// The peer of a node that is or was in touch, or null.
  public @Nullable RemoteNode peer(String node) {
    return connections.peer(node);
  }

  /// Sends what another part of the cluster says to the same part at another node.
  ///
  /// @return false when that node is not in touch, or its outbox is full
  public boolean send(String node, Frame.Service service) {
    return connections.send(node, service);
  }

  /// How many packets could not be read.
  public long malformedPackets() {
    return connections.malformedPackets();
  }

  /// Calls a listener when a node gets in touch, and when it no longer is: in order, on a thread of
  /// the node, which it must not hold.
  public void onChange(Consumer<NodeChange> listener) {
    listeners.add(listener);
  }

  // ---- the end ----

  /// Leaves: opens no session any more, sends what was accepted, says farewell, and closes the
  /// engine.
  ///
  /// @param time after which it leaves although not all has arrived
  /// @return completes when the engine is closed
  public CompletableFuture<@Nullable Void> leave(Duration time) {
    leaveBy = System.nanoTime() + TimeUnit.NANOSECONDS.convert(time);
    connections.refuse();
    leaving = true;
    LockSupport.unpark(agent);
    return left.copy();
  }

  /// Leaves at once. Waits for the engine to close.
  @Override
  public void close() {
    leave(Duration.ZERO).join();
  }
}
