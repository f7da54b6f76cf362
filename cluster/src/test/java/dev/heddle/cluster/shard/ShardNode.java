// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.LocalEngines;
import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.Lease;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.remote.LocalProcesses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// A runtime with a node and its shards, over engines and a log in memory.
final class ShardNode implements AutoCloseable {
  final String name;
  final ProcessRuntime runtime;
  final ClusterNode node;
  final ShardService shards;
  private final LocalEngines engines;
  private final Engine engine;
  private final MemoryLog log;
  private final Lease lease; // under itself
  private final Roster roster = new Roster();
  private final ScheduledExecutorService ticks =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private final CountDownLatch admitted = new CountDownLatch(1);
  private int followed;

  ShardNode(String name, LocalEngines engines, MemoryLog log, List<Class<?>> messages) {
    this.name = name;
    this.engines = engines;
    this.engine = engines.engine(name);
    this.log = log;
    this.lease = new Lease(log.times);
    runtime = ProcessRuntime.builder().workers(2).node(name).host("main").start();
    MessageTypes types = MessageTypes.of(messages, List.of());
    PeerOptions offers = new PeerOptions(Map.of(), PeerOptions.ForeignOrders.REFUSED);
    node =
        new ClusterNode(
            engine,
            runtime,
            new ClusterNode.Settings(
                "shop",
                Map.of(),
                types,
                offers,
                (life, service) -> shards().received(life, service.content()),
                Features.of(0)));
    shards =
        new ShardService(
            node.self(),
            LocalProcesses.of(runtime),
            new Log(),
            new MessageWriter(types, node.self()),
            node::node,
            _ -> ShardMessageCodec.VERSION);
    Runnable _ = node.onChange(change -> shards.sessionChanged(change.node().node()));
  }

  private ShardService shards() {
    return shards;
  }

  /// Starts, and waits until it holds a lease: before that it sends nothing.
  ShardNode start() {
    try {
      node.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var _ = ticks.scheduleWithFixedDelay(this::tick, 0, 20, TimeUnit.MILLISECONDS);
    try {
      admitted.await();
    } catch (InterruptedException e) {
      throw new AssertionError("the time of the test is over", e);
    }
    return this;
  }

  private void tick() {
    try {
      log.judge();
      renew();
      for (Delta delta : log.from(followed)) {
        followed++;
        roster.follow(delta);
        shards.applied(roster);
      }
      shards.tick(roster);
    } catch (Throwable t) {
      t.printStackTrace();
      throw t;
    }
  }

  private void renew() {
    synchronized (lease) {
      if (lease.isDue(System.nanoTime())) {
        long start = lease.renewing(System.nanoTime());
        if (log.commit(new Command.Renew(name, node.self().life(), null))
            instanceof Outcome.Admitted(long admission)) {
          lease.acknowledged(start, admission);
          admitted.countDown();
        }
      }
    }
  }

  private final class Log implements RosterAccess {
    @Override
    public void submit(Command command) {
      if (!ticks.isShutdown()) { // else it has ended
        ticks.execute(() -> log.commit(command));
      }
    }

    @Override
    public boolean mayAct(long admission) {
      synchronized (lease) {
        return lease.isHeld(admission, System.nanoTime());
      }
    }

    @Override
    public long admission() {
      synchronized (lease) {
        return lease.admission();
      }
    }

    @Override
    public void add(Part part) {} // the tick calls it
  }

  /// Gives its shards away, and leaves.
  void leave() throws Exception {
    Object _ = shards.leave().get(200, TimeUnit.SECONDS);
    log.commit(new Command.Leave(name, new Log().admission()));
    ticks.shutdownNow();
    node.leave(Duration.ofSeconds(20));
    runtime.close();
  }

  /// Ends without a word.
  void kill() {
    ticks.shutdownNow();
    engines.kill(engine);
    node.close();
    runtime.close();
  }

  @Override
  public void close() {
    ticks.shutdownNow();
    node.close();
    runtime.close();
  }
}
