// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.heddle.cluster.roster.VoterTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Calls between voters over a [VoterTransport], and messages that have no answer.
///
/// **Thread** any; nothing here waits.
final class VoterCalls implements AutoCloseable {
  /*
   * A packet is `kind:1 call:8 body`. A call ends with its answer, with the failure at the other
   * side, at once when the transport does not take it or the session has ended, and after its limit
   * when it or its answer is lost otherwise. So a call may have been carried out though it has
   * failed: Raft's calls may be repeated.
   *
   * Without the end of the session a voter that starts again would wait for a leader that still
   * waits for an answer of its last life: a second more until its names are free. [VoterCallsTest]
   *
   * An answer may come to the next life of its caller, which must not take it for one of its own: a
   * vote of before would count. So the numbers begin at a place that no other life has, and an
   * answer counts only if it comes from the voter that was called. [VoterCallsTest]
   *
   * What arrives is handled on threads of the pool: it may wait for the disk. Each other voter has
   * three lanes. One is for its messages: one is handled at a time, in the order in which they
   * came, so an earlier status never follows a later one. One is for its calls, some of which Ratis
   * carries out while the thread waits, for the end of an election for instance: four at a time, so
   * that one that waits keeps back no other. One is for its answers to calls of this voter, because
   * what handles a call may wait for one. A call whose handler has returned is over for its lane,
   * also when its answer comes later.
   *
   * Bounds. At most six threads for each other voter. A lane holds 8 MiB; what does not fit is
   * lost, as any packet may be: calls are repeated, and a status is told again. A packet of a node
   * that is no voter is dropped.
   */

  static final int VOTE = 1;
  static final int APPEND = 2;
  static final int INSTALL = 3;
  static final int ELECT = 4;
  static final int READ_INDEX = 5;
  static final int CLIENT = 6;
  static final int STATUS = 7;
  private static final int ANSWER = 8;
  private static final int FAILED = 9;
  static final int RENEW = 10;
  private static final int HEADER_BYTES = 9;
  static final int CALLS_AT_A_TIME = 4; // of one voter
  static final int LANE_BYTES = 8 * 1024 * 1024; // some packets of the largest size

  /// Carries out the calls of others.
  interface Handler {
    CompletableFuture<byte[]> handle(int kind, byte[] body) throws IOException;
  }

  /// Takes messages without an answer.
  interface Messages {
    void received(String from, byte[] body);
  }

  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.ratis");

  private final VoterTransport transport;
  private final Duration limit;
  private final Messages messages;
  private final ExecutorService threads;
  private final Map<String, Lanes> lanes = new HashMap<>(); // by voter; not changed later
  private final AtomicLong numbers = new AtomicLong(new SecureRandom().nextLong());
  private final Map<Long, Call> open = new ConcurrentHashMap<>();
  private volatile Handler handler = VoterCalls::absent;
  private volatile Handler renewals = VoterCalls::absent;
  private volatile boolean isClosed;

  private record Call(String voter, CompletableFuture<byte[]> answer) {}

  /// @param voters the names of the nodes that vote
  VoterCalls(
      String node,
      Set<String> voters,
      VoterTransport transport,
      Duration limit,
      Messages messages) {
    this(
        voters,
        transport,
        limit,
        messages,
        Thread.ofPlatform().daemon().name("heddle-raft-" + node + "-", 0).factory());
  }

  /// @param factory of the threads that handle what arrives
  VoterCalls(
      Set<String> voters,
      VoterTransport transport,
      Duration limit,
      Messages messages,
      ThreadFactory factory) {
    this.transport = transport;
    this.limit = limit;
    this.messages = messages;
    voters.forEach(voter -> lanes.put(voter, new Lanes(voter)));
    this.threads = Executors.newCachedThreadPool(factory);
  }

  /// After which a call has failed.
  Duration limit() {
    return limit;
  }

  /// Takes what arrives from now on.
  void open() {
    transport.onSessionEnd(this::sessionEnded);
    transport.receive(this::received);
  }

  /// Carries out calls by a handler.
  void handleBy(Handler next) {
    handler = next;
  }

  /// Has another handler carry out the renewals of leases, from before [#open] on.
  void renewBy(Handler next) {
    renewals = next;
  }

  /// Refuses calls again, if they are carried out by this handler.
  void handleNoMoreBy(Handler last) {
    if (handler == last) {
      handler = VoterCalls::absent;
    }
  }

  /// Sends a message that has no answer. It may be lost.
  boolean send(String voter, byte[] body) {
    return !isClosed && transport.send(voter, packet(STATUS, 0, body));
  }

  /// Calls another voter.
  CompletableFuture<byte[]> call(String voter, int kind, byte[] body) {
    long number = numbers.incrementAndGet();
    byte[] packet = packet(kind, number, body); // first: it may be too large
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    open.put(number, new Call(voter, answer));
    if (isClosed || !transport.send(voter, packet)) {
      open.remove(number);
      return CompletableFuture.failedFuture(
          new IOException("voter '%s' is not in session, or its outbox is full".formatted(voter)));
    }
    return answer
        .orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS)
        .whenComplete((_, _) -> open.remove(number));
  }

  private static CompletableFuture<byte[]> absent(int kind, byte[] body) {
    return CompletableFuture.failedFuture(new IOException("this voter has not started"));
  }

  private static byte[] packet(int kind, long number, byte[] body) {
    if (body.length > VoterTransport.MAX_PACKET_BYTES - HEADER_BYTES) {
      throw new IllegalArgumentException(
          "a packet of %d bytes, at most %d fit"
              .formatted(body.length, VoterTransport.MAX_PACKET_BYTES - HEADER_BYTES));
    }
    return ByteBuffer.allocate(HEADER_BYTES + body.length)
        .put((byte) kind)
        .putLong(number)
        .put(body)
        .array();
  }

  private final class Lanes {
    private final Lane messages;
    private final Lane calls;
    private final Lane answers;

    Lanes(String from) {
      messages = new Lane(from, 1);
      calls = new Lane(from, CALLS_AT_A_TIME);
      answers = new Lane(from, 1);
    }

    Lane of(byte[] packet) {
      return switch (packet.length == 0 ? 0 : packet[0]) {
        case STATUS -> messages;
        case ANSWER, FAILED -> answers;
        default -> calls;
      };
    }
  }

  /// The packets of one voter that are not handled yet, in order.
  private final class Lane {
    private final String from;
    private final int width;
    private final Deque<byte[]> waiting = new ArrayDeque<>(); // this
    private int bytes; // this; of those that wait
    private int running; // this; threads that handle its packets

    /// @param width how many packets are handled at a time
    Lane(String from, int width) {
      this.from = from;
      this.width = width;
    }

    void add(byte[] packet) {
      synchronized (this) {
        int more = packet.length + HEADER_BYTES;
        if (bytes + more > LANE_BYTES) {
          return; // lost
        }
        bytes += more;
        waiting.add(packet);
        if (running == width) {
          return;
        }
        running++;
      }
      try {
        threads.execute(this::run);
      } catch (RejectedExecutionException _) {
        // safe: closed by now, and a packet may be lost
      } catch (Error e) { // no thread could be made: the next packet is another try
        synchronized (this) {
          running--;
        }
        throw e;
      }
    }

    private void run() {
      for (byte[] packet = next(); packet != null; packet = next()) {
        try {
          carryOut(from, packet);
        } catch (Throwable e) { // checked ones, too: of a handler in another language
          log(e);
        }
      }
    }

    private void log(Throwable why) {
      try {
        LOG.log(
            System.Logger.Level.ERROR,
            "a packet of voter '%s' has not been handled".formatted(from),
            why);
      } catch (Throwable _) { // of a log handler of the program
        return; // safe: only the line is lost, and the lane goes on
      }
    }

    private synchronized byte @Nullable [] next() {
      byte[] packet = isClosed ? null : waiting.poll();
      if (packet == null) {
        running--;
      } else {
        bytes -= packet.length + HEADER_BYTES;
      }
      return packet;
    }
  }

  private void received(String from, byte[] packet) {
    Lanes its = lanes.get(from);
    if (!isClosed && its != null) {
      its.of(packet).add(packet);
    }
  }

  private void carryOut(String from, byte[] packet) {
    if (packet.length < HEADER_BYTES) {
      LOG.log(
          System.Logger.Level.WARNING,
          "voter '%s' has sent a packet of %d bytes, which is no call"
              .formatted(from, packet.length));
      return;
    }
    ByteBuffer in = ByteBuffer.wrap(packet);
    int kind = in.get();
    long number = in.getLong();
    byte[] body = new byte[in.remaining()];
    in.get(body);
    switch (kind) {
      case ANSWER, FAILED -> answered(from, kind, number, body);
      case STATUS -> messages.received(from, body);
      default -> {
        var _ =
            handled(kind, body)
                .whenComplete((reply, failure) -> answer(from, number, reply, failure));
      }
    }
  }

  private CompletableFuture<byte[]> handled(int kind, byte[] body) {
    try {
      return (kind == RENEW ? renewals : handler).handle(kind, body);
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void answered(String from, int kind, long number, byte[] body) {
    Call waiting = open.get(number);
    if (waiting == null || !waiting.voter.equals(from)) {
      return; // it came too late, or to the next life of its caller
    }
    if (kind == ANSWER) {
      waiting.answer.complete(body);
    } else {
      waiting.answer.completeExceptionally(new IOException(new String(body, UTF_8)));
    }
  }

  /// Fails the calls whose answers may never come, behind the answers that are here. One of the
  /// next session that is just beginning may be among them.
  private void sessionEnded(String voter) {
    Lanes its = lanes.get(voter);
    if (its == null) {
      return;
    }
    try {
      byte[] why = "the session with voter '%s' has ended".formatted(voter).getBytes(UTF_8);
      open.forEach((number, call) -> {
        if (call.voter.equals(voter)) {
          its.answers.add(packet(FAILED, number, why));
        }
      });
    } catch (Error _) { // of memory
      return; // safe: the next answer is handled with those that were added; others have a limit
    }
  }

  private void answer(
      String to, long number, byte @Nullable [] reply, @Nullable Throwable failure) {
    byte[] body = reply != null ? reply : String.valueOf(failure).getBytes(UTF_8);
    transport.send(to, packet(reply != null ? ANSWER : FAILED, number, body));
  }

  /// Fails the calls that are open, and takes no more.
  @Override
  public void close() {
    isClosed = true;
    threads.shutdownNow();
    open.values()
        .forEach(
            call -> call.answer.completeExceptionally(new IOException("this voter has closed")));
  }
}
