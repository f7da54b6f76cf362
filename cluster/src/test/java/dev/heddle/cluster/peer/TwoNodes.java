// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import dev.heddle.process.remote.LocalProcesses;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Two runtimes whose nodes are in session: frames go from one to the other in order, each
/// direction by a thread of its own.
final class TwoNodes implements AutoCloseable {
  /// After this a test is stuck; nothing is measured by it.
  static final long GUARD_SECONDS = 240;

  /// What a process is sent to do in a step.
  interface Deed {
    void in(ProcessContext self) throws Exception;
  }

  /// One of the two nodes.
  static final class Node {
    final ProcessRuntime runtime;
    final LocalProcesses local;
    final Groups groups;
    final List<Frame> sent = new CopyOnWriteArrayList<>();
    final ExecutorService line = Executors.newSingleThreadExecutor();
    final BlockingQueue<Object> got = new LinkedBlockingQueue<>();
    private volatile @Nullable Line session;
    @Nullable RemoteNode remote;

    Node(String name) {
      this.runtime = ProcessRuntime.builder().workers(2).node(name).host("main").start();
      this.local = LocalProcesses.of(runtime);
      this.groups = new Groups(local);
    }

    NodeLife life() {
      Pid pid = local.address(0);
      return new NodeLife(pid.node(), pid.host(), pid.incarnation());
    }

    RemoteNode remote() {
      return Objects.requireNonNull(remote);
    }

    /// The frames of one session on their way to the other node.
    private final class Line implements FrameSink {
      volatile boolean isOpen = true;
      final CompletableFuture<RemoteNode> other = new CompletableFuture<>();

      @Override
      public SendResult send(Frame frame) {
        if (!isOpen) {
          return SendResult.UNREACHABLE;
        }
        sent.add(frame);
        line.execute(() -> other.join().handle(List.of(frame)));
        return SendResult.ACCEPTED;
      }

      @Override
      public CompletableFuture<@Nullable Void> room() {
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public void fail(Throwable why) {
        throw new AssertionError("the session would end", why);
      }
    }

    private void open(NodeLife other, MessageTypes types, PeerOptions options) {
      Line opened = new Line();
      session = opened;
      remote = new RemoteNode(other, local, opened, types, options, groups, _ -> {});
      local.removeNode(other.node());
      local.addNode(other.node(), remote);
    }

    /// Ends the session here.
    void loseSession() {
      Objects.requireNonNull(session).isOpen = false;
      remote().ended();
    }

    /// Completes what this node has sent so far at the other one.
    void awaitDelivered() {
      get(CompletableFuture.runAsync(() -> {}, line));
    }

    /// Starts a process that does what it is sent in its steps, replies with what it is asked, and
    /// passes on all else.
    Pid obedient(StartOptions options) {
      return runtime.spawn(obedient(got), options);
    }

    Pid obedient() {
      return obedient(StartOptions.defaults());
    }

    static Process obedient(BlockingQueue<Object> got) {
      return new Process() {
        private @Nullable ProcessContext self;

        @Override
        public void init(ProcessContext context, String entryPoint, @Nullable Object input) {
          self = context;
          if (input != null) {
            got.add(input);
          }
        }

        @Override
        public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
          for (ProcessEvent event : events) {
            switch (event.data()) {
              case ProcessSignal.Cancel _ -> out.done();
              case Deed deed -> deed.in(Objects.requireNonNull(self));
              case Request(var message, var reply) when !"silence".equals(message) -> {
                var _ =
                    "fail".equals(message)
                        ? reply.fail(new IllegalStateException("boom"))
                        : reply.complete(message);
              }
              case String text when text.equals("done") -> out.done("result");
              case String text when text.equals("fail") -> throw new IllegalStateException("boom");
              case null -> got.add("null");
              case Object other -> got.add(other);
            }
          }
        }
      };
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
      return get(answer);
    }

    Object take() throws InterruptedException {
      Object item = got.poll(GUARD_SECONDS, TimeUnit.SECONDS);
      if (item == null) {
        throw new AssertionError("nothing came");
      }
      return item;
    }

    /// How a process here ends, once the runtime has forgotten it.
    Exit exit(Pid pid) {
      Exit exit = get(runtime.whenExited(pid));
      while (local.find(pid.address()) != null) {
        Thread.onSpinWait(); // its PID leads to it a moment after its exit is told
      }
      return exit;
    }
  }

  final Node a = new Node("a");
  final Node b = new Node("b");

  // the entry "given" of b
  volatile Supplier<Process> given = () -> Node.obedient(b.got);

  private final MessageTypes ofA;
  private final MessageTypes ofB;
  private final PeerOptions options;

  TwoNodes(MessageTypes ofA, MessageTypes ofB, PeerOptions.ForeignOrders orders) {
    this.ofA = ofA;
    this.ofB = ofB;
    Map<String, Entry> entries =
        Map.of(
            "obedient",
            Entry.of(() -> Node.obedient(b.got)),
            "given",
            Entry.of(() -> given.get()),
            "narrow",
            new Entry(
                () -> Node.obedient(b.got),
                StartOptions.defaults().withMailbox(4, MailboxPolicy.SUSPEND)),
            "failing",
            Entry.of(() ->
                (_, _) -> {
                  throw new IllegalStateException("boom");
                }));
    this.options = new PeerOptions(entries, orders);
    connect();
  }

  /// Opens a session.
  void connect() {
    a.open(b.life(), ofA, options);
    b.open(a.life(), ofB, options);
    Objects.requireNonNull(a.session).other.complete(b.remote());
    Objects.requireNonNull(b.session).other.complete(a.remote());
  }

  TwoNodes() {
    this(FakeNode.NO_TYPES, FakeNode.NO_TYPES, PeerOptions.ForeignOrders.CARRIED_OUT);
  }

  void loseSession() {
    a.loseSession();
    b.loseSession();
  }

  /// Until nothing is on its way any more, if no process sends.
  void settle() {
    for (int i = 0; i < 3; i++) {
      a.awaitDelivered();
      b.awaitDelivered();
    }
  }

  static <T> T get(CompletableFuture<T> future) {
    return future.orTimeout(GUARD_SECONDS, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    for (Node node : List.of(a, b)) {
      node.loseSession();
      node.runtime.close();
      node.line.shutdown();
    }
  }
}
