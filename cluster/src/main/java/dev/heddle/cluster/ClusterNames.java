// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.name.NameService;
import dev.heddle.cluster.roster.Ownership;
import dev.heddle.cluster.roster.SingletonSpec;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.process.Pid;
import dev.heddle.process.remote.LocalProcesses;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Names that belong to one process of the whole cluster at a time. A majority of the voters
/// decides, so there are no two owners, also when nodes do not reach each other.
///
/// {@snippet class=dev.heddle.cluster.NamesSnippetsTest region=register}
///
/// A node holds a lease. When it has heard nothing of a majority for 8 s, it stops its owners: each
/// gets `Cancel`, and is terminated a second later. Others can have the names after 10.5 s. A step
/// cannot be cut, and a machine can stand still: what must not be done by two passes the token on
/// to where it is done, which refuses a lower one than it has seen.
///
/// Methods that wait suspend a coroutine and the body of a process, and block a thread.
///
/// **Thread** any.
///
/// @since 0.1
public final class ClusterNames {
  private static final Duration GUARD = Duration.ofMinutes(10); // the service answers before

  private final String node;
  private final NameService service;
  private final LocalProcesses local;
  private final @Nullable SingletonDeclarations singletons; // null until the node has joined

  ClusterNames(
      String node,
      NameService service,
      LocalProcesses local,
      @Nullable SingletonDeclarations singletons) {
    this.node = node;
    this.service = service;
    this.local = local;
    this.singletons = singletons;
  }

  /// Takes a name for a process of this node. It has the name until it ends or this node gives it
  /// back, leaves, or loses its lease. Taken again by the same process, it stays as it is.
  ///
  /// @param name 1 to 1,024 bytes in UTF-8
  /// @param pid a process of this node
  /// @return the token of this ownership: higher than all that were told before
  /// @throws NameTakenException when another process has the name
  /// @throws NoQuorumException when no majority has answered within the time of a lease, or this
  ///   node has none; the name is not taken
  /// @throws IllegalArgumentException when there is no such process at this node, or the name is
  ///   empty or too long
  /// @throws InterruptedException the name may be taken nevertheless: give it back to be sure
  /// @throws IllegalStateException in a step of a process, which it would hold
  public long register(String name, Pid pid) throws InterruptedException {
    checkName(name);
    return await("register", () -> begin(name, pid));
  }

  private CompletableFuture<Long> begin(String name, Pid pid) {
    if (local.find(pid) == null) {
      throw new IllegalArgumentException(
          "%s is no living process of node '%s'; a process gets a name at its own node"
              .formatted(pid, node));
    }
    return service.register(name, pid);
  }

  /// Gives a name back that a process of this node has. The process goes on, without the name from
  /// the call on.
  ///
  /// @return false when no process of this node has it
  /// @throws NoQuorumException when no majority has answered within the time of a lease; the name
  ///   is given back later
  /// @throws IllegalStateException in a step of a process, which it would hold; when it is the name
  ///   of a singleton that runs here, which would run a second time elsewhere
  public boolean unregister(String name) throws InterruptedException {
    checkName(name);
    if (singletons != null && singletons.running().isRunning(name)) {
      throw new IllegalStateException(
          "name '%s' is that of a singleton at node '%s'; end its process, which gives it back"
              .formatted(name, node));
    }
    return await("unregister", () -> service.unregister(name));
  }

  /// The process that has a name, at some moment between call and return: it asks a majority.
  ///
  /// @return null when none has it
  /// @throws NoQuorumException when no majority has answered within the time of a lease
  /// @throws IllegalStateException in a step of a process, which it would hold
  public @Nullable Pid whereis(String name) throws InterruptedException {
    checkName(name);
    Ownership owner = this.<@Nullable Ownership>await("whereis", () -> service.whereis(name));
    return owner == null ? null : owner.pid();
  }

  /// The process that has a name as far as this node knows. That is behind a majority by the time
  /// of a message, and without one it gets old. **Suspends** never.
  ///
  /// @return null when none has it
  /// @throws NoQuorumException before this node knows anything, just after it has joined
  public @Nullable Pid lookup(String name) {
    checkName(name);
    Ownership owner = service.lookup(name);
    return owner == null ? null : owner.pid();
  }

  /// The token by which a process of this node owns a name, if it may act now. Ask before each
  /// deed. **Suspends** never.
  ///
  /// @return empty when no process of this node has the name, or it may not act: the lease is over,
  ///   the node leaves
  public OptionalLong token(String name) {
    checkName(name);
    return service.token(name);
  }

  /// Declares a singleton.
  ///
  /// @return the spec that counts
  SingletonSpec declare(SingletonSpec spec) throws InterruptedException {
    return await("singleton", () -> service.declare(spec));
  }

  /// Whether this node knows anything.
  boolean isReady() {
    return service.isReady();
  }

  /// An address of this node that no process has.
  Pid nobody() {
    return local.address(0);
  }

  static void checkName(String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > Limits.NAME_BYTES) {
      throw new IllegalArgumentException(
          "a name has 1 to %d bytes, not %d".formatted(Limits.NAME_BYTES, length));
    }
  }

  private <T extends @Nullable Object> T await(String what, Supplier<CompletableFuture<T>> begin)
      throws InterruptedException {
    AtomicReference<@Nullable CompletableFuture<T>> asked = new AtomicReference<>();
    try {
      return local.await(
          what,
          () -> {
            CompletableFuture<T> answer = begin.get();
            asked.set(answer);
            return answer;
          },
          GUARD);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException refused
          ? refused
          : new IllegalStateException(what + " has failed at node '" + node + "'", e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("node '" + node + "' does not answer " + what, e);
    } finally {
      CompletableFuture<T> answer = asked.get();
      if (answer != null) {
        answer.cancel(false); // gives up; does nothing when there is an answer
      }
    }
  }
}
