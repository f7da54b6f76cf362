// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.partner.Window;
import dev.heddle.cluster.Place;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StartOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Processes that talk to one at another node.
public final class ClusterTraffic implements Program {
  /// What they do.
  public enum Kind {
    /// One message to and fro.
    PING_PONG,
    /// The same over TLS.
    PING_PONG_TLS,
    /// Small records one way.
    ITEMS,
    /// A hundred bytes each, one way.
    BLOBS,
    /// Questions, so many open at a time.
    ASKS,
    /// A process is started there and ends, one after the other.
    SPAWNS
  }

  private static final int BLOB_BYTES = 100;

  private final Kind kind;
  private final int open;
  private final @Nullable NodeKey key;
  private final Nodes nodes;
  private final ProcessRuntime runtime;
  private final Pid other;

  /// A program.
  ///
  /// @param open how many questions
  public ClusterTraffic(Kind kind, int open) throws Exception {
    this.kind = kind;
    this.open = open;
    key = kind == Kind.PING_PONG_TLS ? new NodeKey() : null;
    nodes = new Nodes(1, key == null ? null : key.directory(), null);
    runtime = nodes.here().runtime();
    other = nodes.answering("b");
  }

  @Override
  public Sample round(long operations) throws Exception {
    return switch (kind) {
      case PING_PONG, PING_PONG_TLS -> Ping.round(runtime, other, operations);
      case ITEMS, BLOBS -> oneWay(operations);
      case ASKS -> asks(operations);
      case SPAWNS -> spawns(operations);
    };
  }

  private Sample oneWay(long operations) throws Exception {
    long each = Window.each(operations);
    long all = each * Window.SENDERS;
    var counted = new CompletableFuture<Long>();
    Pid counting =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              counted.complete(self.receive(ClusterWire.Counted.class).items());
              return null;
            }));
    runtime.send(other, new ClusterWire.Expect(all, counting));
    List<CompletableFuture<Exit>> ends = new ArrayList<>();
    var meter = new Meter();
    meter.start();
    for (int i = 0; i < Window.SENDERS; i++) {
      int sender = i;
      Pid pid =
          runtime.spawn(
              CoroutineProcess.of(_ -> {
                send(sender, each);
                return null;
              }));
      ends.add(runtime.whenExited(pid).thenApply(exit -> failing(exit, counted)));
    }
    long found = counted.get();
    Sample sample = meter.stop(all);
    if (found != all) {
      throw new IllegalStateException(found + " of " + all + " messages were counted");
    }
    for (CompletableFuture<Exit> end : ends) {
      var _ = end.get();
    }
    return sample;
  }

  /// A sender that has failed has not sent all: the round fails, and does not wait for the rest.
  private static Exit failing(Exit exit, CompletableFuture<Long> counted) {
    if (exit.reason() != Exit.Reason.NORMAL) {
      counted.completeExceptionally(
          new IllegalStateException("a sender has ended: " + exit, exit.cause()));
    }
    return exit;
  }

  private void send(int sender, long each) {
    byte[] bytes = new byte[BLOB_BYTES];
    for (long sent = 1; sent <= each; sent++) {
      runtime.send(other, kind == Kind.ITEMS ? new ClusterWire.Item(sender, sent) : bytes);
    }
  }

  private Sample asks(long operations) throws Exception {
    var left = new AtomicLong(operations);
    var answered = new AtomicLong();
    var over = new CompletableFuture<Boolean>();
    Runnable next =
        new Runnable() {
          @Override
          public void run() {
            long number = left.decrementAndGet();
            if (number < 0) {
              return;
            }
            runtime
                .<ClusterWire>request(other, new ClusterWire.Question(number))
                .whenComplete((_, failure) -> {
                  if (failure != null) {
                    over.completeExceptionally(failure);
                  } else if (answered.incrementAndGet() == operations) {
                    over.complete(true);
                  } else {
                    run();
                  }
                });
          }
        };
    var meter = new Meter();
    meter.start();
    for (int i = 0; i < open; i++) {
      next.run();
    }
    over.get();
    return meter.stop(operations);
  }

  private Sample spawns(long operations) throws Exception {
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      Pid pid = nodes.here().spawn(ClusterPartner.MORTAL, StartOptions.defaults(), Place.on("b"));
      var _ = runtime.whenExited(pid).get();
    }
    return meter.stop(operations);
  }

  @Override
  public void close() throws Exception {
    nodes.close();
    if (key != null) {
      key.close();
    }
  }
}
