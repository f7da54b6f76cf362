// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.Outcome;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.jspecify.annotations.Nullable;

/// The requests of one voter to the log: each is tried until it is answered or its time is over.
///
/// **Thread** any.
final class Requests implements AutoCloseable {
  /*
   * A command goes to the leader that this voter follows, or to the one that the last try named.
   * All tries have one number: a leader that has carried out a try answers the next one with the
   * same outcome. A barrier goes to this voter itself, which asks the leader and waits for its own
   * state.
   *
   * Threads. Tries begin on the thread of the store: Ratis may wait for the disk there.
   *
   * Cost. A reply that is lost without the end of its session costs the limit of a call, a lost
   * leader a try each 20 ms.
   */

  private static final long RETRY_MILLIS = 20;

  private final Supplier<@Nullable RaftVoter> voter;
  private final ScheduledExecutorService thread;
  private final Limits limits;
  private final String description;
  private final Supplier<String> obstacle;
  private final AtomicLong numbers = new AtomicLong();
  private final Set<Request<?>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  /// @param description of the voter and the others, for messages
  /// @param obstacle why there is no voter yet
  Requests(
      String description,
      Supplier<String> obstacle,
      Supplier<@Nullable RaftVoter> voter,
      ScheduledExecutorService thread,
      Limits limits) {
    this.description = description;
    this.obstacle = obstacle;
    this.voter = voter;
    this.thread = thread;
    this.limits = limits;
  }

  /// A number that no other request of this voter has.
  long number() {
    return numbers.incrementAndGet();
  }

  /// Puts a command into the log.
  ///
  /// @param outcome reads the answer
  CompletableFuture<Outcome> submit(Encoder command, Function<byte[], Outcome> outcome) {
    return new Write(command, outcome).begin();
  }

  /// Completes when this voter has applied all that is committed now.
  CompletableFuture<Long> barrier() {
    return new Barrier().begin();
  }

  /// Makes the bytes of a command.
  interface Encoder {
    /// The bytes of the command.
    ///
    /// @param leader that they are for; null for this voter
    byte[] encode(@Nullable RaftPeerId leader);
  }

  private abstract class Request<T> {
    final long number = number();
    final CompletableFuture<T> answer = new CompletableFuture<>();
    private final long start = System.nanoTime();
    private @Nullable RaftPeerId named; // the leader, by the last try; tries follow each other

    abstract RaftClientRequest of(RaftVoter server, @Nullable RaftPeerId leader);

    abstract T result(byte[] content);

    CompletableFuture<T> begin() {
      open.add(this);
      var _ = answer.whenComplete((_, _) -> open.remove(this));
      run(this::attempt);
      return answer;
    }

    private void attempt() {
      long left = limits.submit().toNanos() - (System.nanoTime() - start);
      RaftVoter server = voter.get();
      if (answer.isDone()) {
        return;
      }
      if (server == null) {
        again(left, obstacle.get());
        return;
      }
      RaftPeerId leader = named != null ? named : server.leader();
      named = null;
      var _ =
          server
              .request(of(server, leader))
              .copy() // the one of Ratis must not complete by our limit
              .orTimeout(Math.clamp(left, 1, limits.call().toNanos()), TimeUnit.NANOSECONDS)
              .whenComplete((reply, failure) -> replied(leader, reply, failure));
    }

    private void replied(
        @Nullable RaftPeerId asked, @Nullable RaftClientReply reply, @Nullable Throwable failure) {
      long left = limits.submit().toNanos() - (System.nanoTime() - start);
      if (reply == null) {
        again(left, String.valueOf(failure));
      } else if (reply.isSuccess()) {
        complete(reply);
      } else if (reply.getException() instanceof StateMachineException e) {
        answer.completeExceptionally(e.getCause() == null ? e : e.getCause());
      } else {
        NotLeaderException other = reply.getNotLeaderException();
        var suggested = other == null ? null : other.getSuggestedLeader();
        if (suggested != null && !suggested.getId().equals(asked)) {
          named = suggested.getId();
          run(this::attempt);
        } else {
          again(left, String.valueOf(reply.getException()));
        }
      }
    }

    private void complete(RaftClientReply reply) {
      try {
        answer.complete(result(reply.getMessage().getContent().toByteArray()));
      } catch (RuntimeException e) {
        answer.completeExceptionally(e);
      }
    }

    private void again(long left, String why) {
      if (left <= 0) {
        answer.completeExceptionally(
            new TimeoutException(
                "%s: no majority has answered within %s; the last try: %s"
                    .formatted(description, limits.submit(), why)));
        return;
      }
      try {
        var _ = thread.schedule(() -> guarded(this::attempt), RETRY_MILLIS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException _) {
        fail();
      }
    }

    void fail() {
      answer.completeExceptionally(new IllegalStateException(description + " has closed"));
    }

    private void run(Runnable task) {
      try {
        thread.execute(() -> guarded(task));
      } catch (RejectedExecutionException _) {
        fail();
      }
      if (isClosed) {
        fail(); // close() may have come too early to see this one
      }
    }

    private void guarded(Runnable task) {
      try {
        task.run();
      } catch (RuntimeException e) {
        answer.completeExceptionally(e);
      }
    }
  }

  private final class Write extends Request<Outcome> {
    private final Encoder command;
    private final Function<byte[], Outcome> outcome;

    Write(Encoder command, Function<byte[], Outcome> outcome) {
      this.command = command;
      this.outcome = outcome;
    }

    @Override
    RaftClientRequest of(RaftVoter server, @Nullable RaftPeerId leader) {
      return server.write(leader, number, command.encode(leader));
    }

    @Override
    Outcome result(byte[] content) {
      return outcome.apply(content);
    }
  }

  private final class Barrier extends Request<Long> {
    @Override
    RaftClientRequest of(RaftVoter server, @Nullable RaftPeerId leader) {
      return server.barrier(number);
    }

    @Override
    Long result(byte[] content) {
      return ByteBuffer.wrap(content).getLong();
    }
  }

  /// Fails the requests that are open, and those that come.
  @Override
  public void close() {
    isClosed = true;
    open.forEach(Request::fail);
  }
}
