// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessListener;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A runtime with a node, for tests.
final class RunningNode implements AutoCloseable {
  /// After this a test is stuck; nothing is measured by it.
  static final long GUARD_SECONDS = 240;

  /// What a process is sent to do in a step.
  private interface Deed {
    void in(ProcessContext self);
  }

  final ProcessRuntime runtime;
  final ClusterNode node;
  final BlockingQueue<Object> got = new LinkedBlockingQueue<>();
  final CountDownLatch supplierCalled = new CountDownLatch(1);
  final CountDownLatch supplierReturns = new CountDownLatch(1);

  // code of the program: of the entry "given", and at the start of a process that is named
  // "listened"
  volatile Supplier<Process> given = this::obedient;
  volatile Runnable onStart = () -> {};

  private final BlockingQueue<ClusterNode.Change> changes = new LinkedBlockingQueue<>();

  RunningNode(String cluster, String name, Engine engine) {
    this(cluster, name, engine, Packet.OLDEST_VERSION, Packet.VERSION);
  }

  /// A node that speaks these versions of the wire.
  RunningNode(String cluster, String name, Engine engine, int oldestVersion, int newestVersion) {
    runtime =
        ProcessRuntime.builder()
            .workers(2)
            .node(name)
            .host("main")
            .listener(new StartListener())
            .start();
    node =
        new ClusterNode(
            engine,
            runtime,
            new ClusterNode.Settings(
                cluster,
                Map.of("zone", name),
                MessageTypes.of(List.of(), List.of()),
                new PeerOptions(
                    Map.of(
                        "obedient",
                        Entry.of(this::obedient),
                        "slow",
                        Entry.of(this::slow),
                        "given",
                        Entry.of(() -> given.get())),
                    PeerOptions.ForeignOrders.CARRIED_OUT),
                (life, service) -> got.add(life.node() + " says " + service.name()),
                Features.of(0)),
            oldestVersion,
            newestVersion);
    Runnable _ = node.onChange(changes::add);
    try {
      node.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private final class StartListener implements ProcessListener {
    @Override
    public void onStart(Pid pid, StartOptions options) {
      if ("listened".equals(options.name())) {
        onStart.run();
      }
    }
  }

  /// Waits until it is in session with a node.
  void awaitSession(String name) throws InterruptedException {
    while (node.node(name) == null) {
      ClusterNode.Change _ = change();
    }
  }

  /// Waits until it is no longer.
  Ending awaitEnd(String name) throws InterruptedException {
    while (true) {
      ClusterNode.Change change = change();
      if (change.node().node().equals(name) && change.ending() != null) {
        return change.ending();
      }
    }
  }

  /// The changes that nobody has waited for yet.
  List<ClusterNode.Change> unread() {
    return List.copyOf(changes);
  }

  private ClusterNode.Change change() throws InterruptedException {
    return Objects.requireNonNull(changes.poll(GUARD_SECONDS, TimeUnit.SECONDS), "no change");
  }

  Object take() throws InterruptedException {
    return Objects.requireNonNull(got.poll(GUARD_SECONDS, TimeUnit.SECONDS), "nothing came");
  }

  /// A process that does what it is sent, replies with what it is asked, and passes on all else.
  private Process obedient() {
    return new Process() {
      private @Nullable ProcessContext self;

      @Override
      public void init(ProcessContext context, String entryPoint, @Nullable Object input) {
        self = context;
        context.trapExits();
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        for (ProcessEvent event : events) {
          switch (event.data()) {
            case Deed deed -> deed.in(Objects.requireNonNull(self));
            case Request(var message, var reply) -> {
              var _ = reply.complete(message);
            }
            case String text when text.equals("fail") -> throw new IllegalStateException("boom");
            case ProcessSignal.Cancel _ -> out.done("cancelled");
            case null -> got.add("null");
            case Object other -> got.add(other);
          }
        }
      }
    };
  }

  private Process slow() {
    supplierCalled.countDown();
    try {
      supplierReturns.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return obedient();
  }

  Pid spawn() {
    return runtime.spawn(obedient());
  }

  /// Asks something of the context of a process here, in its step.
  <T> T in(Pid pid, Function<ProcessContext, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    runtime.send(
        pid,
        (Deed)
            self -> {
              try {
                answer.complete(question.apply(self));
              } catch (RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    return answer.orTimeout(GUARD_SECONDS, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    node.close();
    runtime.close();
  }
}
