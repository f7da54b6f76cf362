// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.event.Promise;
import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.run.Nodes;
import dev.heddle.test.run.RunMember;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A program on a host of its own, with a loop of its own, in a [dev.heddle.test.Simulation]. It
/// can crash and be started again.
///
/// {@snippet class=dev.heddle.test.node.NodeSnippetsTest region=start}
///
/// All nodes of a simulation share its virtual time, its network and its seed. One of them runs at
/// a time, until everything in it waits; which one is a decision of the simulation's schedule. What
/// fails a simulation does so in its nodes, too: deadlocks, waits in real time, what is left at the
/// end, runs that do not end. The failure of a node's program fails the simulation.
///
/// Nodes are programs in one JVM: they share static fields and what their lambdas capture. A crash
/// leaves these as they are, and a static lock that the program held stays locked.
///
/// **Suspends** [#await()] and [#close()] may, the others never. **Thread** a coroutine of the
/// simulation: of its program, or of a node; `await` and `close` of its program only.
///
/// @since 0.1
public final class Node implements AutoCloseable {
  private final Nodes nodes;
  private final SimulatedHost host;
  private final NodeOptions options;
  private final Action program;

  private Life life = new Life(); // the last one

  private Node(Nodes nodes, SimulatedHost host, NodeOptions options, Action program) {
    this.nodes = nodes;
    this.host = host;
    this.options = options;
    this.program = program;
  }

  /// Starts a program with default options. Else as [#start(String, NodeOptions, Action)].
  public static Node start(String host, Action program) {
    return start(host, NodeOptions.defaults(), program);
  }

  /// Starts a program on a host. It begins when the caller waits for something.
  ///
  /// @param host its name in the network; `main` is that of the simulation's own program
  /// @throws IllegalStateException when a program runs there already, or outside of a simulation
  public static Node start(String host, NodeOptions options, Action program) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(program, "program");
    Nodes nodes = RunMember.current().nodes();
    Node node = new Node(nodes, nodes.host(host), options, program);
    node.begin();
    return node;
  }

  private void begin() {
    Life next = new Life();
    next.loop = nodes.start(host, options.clock(), program, next::ended);
    life = next;
  }

  /// From one start of the program to its end.
  private static final class Life {
    Nodes.@Nullable Handle loop; // null: it has ended
    @Nullable Promise<Boolean> end; // null: no coroutine waits for it

    Nodes.@Nullable Handle running() {
      return loop == null || loop.hasCrashed() ? null : loop;
    }

    // on the carrier of the run
    void ended() {
      loop = null;
      if (end != null) {
        end.complete(true);
      }
    }
  }

  /// Its host, with its addresses.
  public SimulatedHost host() {
    return host;
  }

  /// The files of its host, which outlive its program.
  public SimulatedFiles files() {
    return nodes.files(host);
  }

  /// Whether its program runs, or is about to begin.
  public boolean isRunning() {
    return life.running() != null;
  }

  // ---- crashes ----

  /// Cuts the power of its host. Nothing of its program runs any more, no `finally` block either.
  /// Its sockets are gone, and no peer is told. Its files keep what was synced, and of the rest
  /// what [dev.heddle.test.file.FileFaults#survival()] leaves. When its own program calls this, the
  /// call does not return.
  ///
  /// @throws IllegalStateException when it does not run; when its own program calls this inside a
  ///   class initialiser or a native method
  public void crash() {
    required().crash();
  }

  /// Starts its program again, from its beginning, after it has ended or crashed.
  ///
  /// @throws IllegalStateException when it runs
  public void restart() {
    if (isRunning()) {
      throw new IllegalStateException(host.name() + " runs; crash() or close() ends it");
    }
    begin();
  }

  // ---- pauses ----

  /// Stops its program where it is, as `SIGSTOP` does: it takes no step until [#resume()]. Its
  /// sockets stay, and take what they have room for; its time goes on.
  ///
  /// @throws IllegalStateException when it does not run, and when its own program calls this
  public void pause() {
    required().pause();
  }

  /// Lets a paused program go on; no effect on one that is not paused.
  ///
  /// @throws IllegalStateException when it does not run
  public void resume() {
    required().resume();
  }

  private Nodes.Handle required() {
    Nodes.Handle running = life.running();
    if (running == null) {
      throw new IllegalStateException(host.name() + " does not run; restart() starts it again");
    }
    return running;
  }

  // ---- the end ----

  /// Waits until its program has ended, or crashed.
  ///
  /// @throws IllegalStateException in a coroutine of a node
  public void await() {
    if (RunMember.current().isNode()) {
      throw new IllegalStateException(
          "a node cannot wait for a node; let the program of the simulation do that");
    }
    Life awaited = life;
    if (awaited.loop == null) {
      return;
    }
    if (awaited.end == null) {
      awaited.end = new Promise<>("the end of the node " + host.name());
    }
    var _ = Heddle.await(awaited.end.future());
  }

  /// Cancels its coroutines and waits for its end; one that is paused goes on for that. Does
  /// nothing when it has ended.
  ///
  /// @throws IllegalStateException in a coroutine of a node
  @Override
  public void close() {
    Nodes.Handle running = life.running();
    if (running != null) {
      running.resume();
      running.stop("the node is closed");
    }
    await();
  }
}
