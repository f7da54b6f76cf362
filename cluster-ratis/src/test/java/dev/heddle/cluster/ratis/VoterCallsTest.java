// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.VoterTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class VoterCallsTest {
  private static final byte[] BODY = {1, 2, 3};

  private final MemoryNetwork network = new MemoryNetwork();
  private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
  private final VoterCalls a = calls("a", Duration.ofDays(1));
  private final VoterCalls b = calls("b", Duration.ofDays(1));

  private VoterCalls calls(String node, Duration limit) {
    VoterCalls calls =
        new VoterCalls(
            node,
            Set.of("a", "b", "c"),
            network.open(node),
            limit,
            (from, body) -> messages.add(from + " " + body.length));
    calls.open();
    return calls;
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
    network.close();
  }

  @Test
  void call_isAnswered() throws Exception {
    b.handleBy(
        (kind, body) -> CompletableFuture.completedFuture(new byte[] {(byte) kind, body[2]}));

    assertThat(a.call("b", VoterCalls.VOTE, BODY).get()).isEqualTo(new byte[] {VoterCalls.VOTE, 3});
  }

  @Test
  void call_thatFailsThere_failsHere_withTheReason() {
    b.handleBy((_, _) -> {
      throw new IOException("no such log");
    });

    assertThatThrownBy(() -> a.call("b", VoterCalls.VOTE, BODY).get())
        .hasMessageContaining("no such log");
  }

  @Test
  void call_ofAVoterThatHasNotStarted_fails() {
    assertThatThrownBy(() -> a.call("b", VoterCalls.VOTE, BODY).get())
        .hasMessageContaining("has not started");
  }

  @Test
  void call_thatIsLost_failsAfterItsLimit() {
    network.cutOff("b");
    try (VoterCalls c = calls("c", Duration.ofMillis(10))) {
      assertThatThrownBy(() -> c.call("b", VoterCalls.VOTE, BODY).get())
          .hasCauseInstanceOf(TimeoutException.class);
    }
  }

  @Test
  void call_ofAVoterOutOfSession_failsAtOnce() {
    network.end("b");

    assertThatThrownBy(() -> a.call("b", VoterCalls.VOTE, BODY).getNow(null))
        .hasMessageContaining("voter 'b' is not in session, or its outbox is full");
  }

  /// A leader waited a second for the last life of a voter that had started again.
  @Test
  void call_whoseSessionEnds_fails_andThoseToOthersGoOn() throws Exception {
    CountDownLatch called = new CountDownLatch(1);
    b.handleBy((_, _) -> {
      called.countDown();
      return new CompletableFuture<>();
    });
    CompletableFuture<byte[]> lost = a.call("b", VoterCalls.APPEND, BODY);
    called.await();
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    try (VoterCalls c = calls("c", Duration.ofDays(1))) {
      c.handleBy((_, _) -> answer);
      CompletableFuture<byte[]> other = a.call("c", VoterCalls.APPEND, BODY);

      network.end("b");

      assertThatThrownBy(lost::get).hasMessageContaining("the session with voter 'b' has ended");
      answer.complete(BODY);
      assertThat(other.get()).isEqualTo(BODY);
    }
  }

  /// A vote for the former life would have counted for the next one.
  @Test
  void answerToTheFormerLife_completesNoCallOfTheNextOne() throws Exception {
    BlockingQueue<CompletableFuture<byte[]>> asked = new LinkedBlockingQueue<>();
    b.handleBy((_, _) -> {
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      asked.add(answer);
      return answer;
    });
    CompletableFuture<byte[]> former = a.call("b", VoterCalls.VOTE, BODY);
    CompletableFuture<byte[]> toFormer = asked.take();
    try (VoterCalls next = calls("a", Duration.ofDays(1))) {
      CompletableFuture<byte[]> call = next.call("b", VoterCalls.VOTE, BODY);
      CompletableFuture<byte[]> toNext = asked.take();
      toFormer.complete(new byte[] {1});
      toNext.complete(new byte[] {2}); // behind the other one

      assertThat(call.get()).isEqualTo(new byte[] {2});
    }
    assertThat(former).isNotDone();
  }

  /// Whatever number another voter names, it answers only what it was asked.
  @Test
  void answerOfAnotherVoter_completesNoCall() throws Exception {
    network.end("b");
    BlockingQueue<byte[]> toB = new LinkedBlockingQueue<>();
    MemoryNetwork.Endpoint endpoint = network.open("b");
    endpoint.receive((_, packet) -> toB.add(packet));
    CompletableFuture<byte[]> call = a.call("b", VoterCalls.VOTE, BODY);
    long number = ByteBuffer.wrap(toB.take()).getLong(1);
    byte[] answer = ByteBuffer.allocate(10).put((byte) 8).putLong(number).put((byte) 1).array();
    BlockingQueue<byte[]> toC = new LinkedBlockingQueue<>();
    MemoryNetwork.Endpoint other = network.open("c");
    other.receive((_, packet) -> toC.add(packet));
    other.send("a", answer.clone());
    CompletableFuture<byte[]> behind = a.call("c", VoterCalls.VOTE, BODY);
    long later = ByteBuffer.wrap(toC.take()).getLong(1);
    other.send("a", ByteBuffer.allocate(9).put((byte) 8).putLong(later).array());
    behind.get(); // in the same lane: the other answer was handled before
    answer[9] = 2;
    endpoint.send("a", answer.clone());

    assertThat(call.get()).isEqualTo(new byte[] {2});
  }

  /// A voter took no more calls of another one when a log handler of the program had thrown.
  @Test
  void calls_whenTheLogThrowsToo_areStillHandled() throws Exception {
    CountDownLatch failed = new CountDownLatch(VoterCalls.CALLS_AT_A_TIME);
    b.handleBy((_, body) -> {
      if (body.length > 0) {
        failed.countDown();
        throw new AssertionError("of a test");
      }
      return CompletableFuture.completedFuture(BODY);
    });
    Logger logger = Logger.getLogger("dev.heddle.cluster.ratis");
    Handler throwing = new ThrowingHandler();
    logger.addHandler(throwing);
    try {
      for (int i = 0; i < VoterCalls.CALLS_AT_A_TIME; i++) {
        var _ = a.call("b", VoterCalls.VOTE, BODY);
      }
      failed.await();
      assertThat(a.call("b", VoterCalls.VOTE, new byte[0]).get()).isEqualTo(BODY);
    } finally {
      logger.removeHandler(throwing);
    }
  }

  private static final class ThrowingHandler extends Handler {
    @Override
    public void publish(LogRecord line) {
      if (line.getMessage().startsWith("a packet of voter 'a'")) { // others may log, too
        throw new IllegalStateException("of a test");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void close_failsOpenCalls_andLaterOnes() {
    b.handleBy((_, _) -> new CompletableFuture<>());
    CompletableFuture<byte[]> open = a.call("b", VoterCalls.VOTE, BODY);
    a.close();

    assertThatThrownBy(open::get).hasMessageContaining("has closed");
    assertThat(a.call("b", VoterCalls.VOTE, BODY)).isCompletedExceptionally();
  }

  /// An earlier status after a later one would undo what the voter has said in between.
  @Test
  void messages_ofOneVoter_areHandledInOrder() throws Exception {
    int count = 3_000;
    for (int i = 0; i < count; i++) {
      a.send("b", new byte[i]);
    }
    for (int i = 0; i < count; i++) {
      assertThat(messages.poll(60, TimeUnit.SECONDS)).isEqualTo("a " + i);
    }
  }

  @Test
  void calls_whileAHandlerWaits_haveABoundOfThreadsAndBytes_andAnswersPass() throws Exception {
    Set<Thread> before = threads("heddle-raft-b-"); // of tests that have ended
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger handled = new AtomicInteger();
    b.handleBy((_, body) -> {
      awaitOpen(go);
      handled.incrementAndGet();
      return CompletableFuture.completedFuture(body);
    });
    a.handleBy((_, body) -> CompletableFuture.completedFuture(body));
    int count = 40;
    List<CompletableFuture<byte[]>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(a.call("b", VoterCalls.APPEND, new byte[512 * 1024]));
    }
    assertThat(b.call("a", VoterCalls.APPEND, BODY).get()).isEqualTo(BODY); // all have arrived
    Set<Thread> begun = threads("heddle-raft-b-");
    begun.removeAll(before);
    assertThat(begun).hasSizeLessThanOrEqualTo(VoterCalls.CALLS_AT_A_TIME + 2);
    go.countDown();
    assertThat(calls.getFirst().get()).hasSize(512 * 1024);
    assertThat(calls.get(VoterCalls.CALLS_AT_A_TIME).get()).hasSize(512 * 1024);
    b.handleBy((_, body) -> CompletableFuture.completedFuture(body));
    assertThat(a.call("b", VoterCalls.VOTE, BODY).get()).isEqualTo(BODY); // after all of them
    assertThat(handled.get())
        .isLessThanOrEqualTo(VoterCalls.LANE_BYTES / (512 * 1024) + VoterCalls.CALLS_AT_A_TIME);
  }

  /// Ratis carries out a vote while the thread waits for the end of an election.
  @Test
  void call_whoseHandlerWaits_keepsBackNoOther() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    b.handleBy((kind, body) -> {
      if (kind == VoterCalls.VOTE) {
        awaitOpen(go);
      }
      return CompletableFuture.completedFuture(body);
    });
    CompletableFuture<byte[]> vote = a.call("b", VoterCalls.VOTE, BODY);
    assertThat(a.call("b", VoterCalls.APPEND, BODY).get(60, TimeUnit.SECONDS)).isEqualTo(BODY);
    go.countDown();
    assertThat(vote.get()).isEqualTo(BODY);
  }

  /// It is an Error of the JVM that no thread can be made; memory may be free again later.
  @Test
  void packets_whenNoThreadCouldBeMade_areHandledWithTheNextOne() throws Exception {
    AtomicInteger failures = new AtomicInteger(VoterCalls.CALLS_AT_A_TIME);
    MemoryNetwork.Endpoint endpoint = network.open("c");
    VoterCalls c =
        new VoterCalls(
            Set.of("a", "b", "c"),
            new VoterTransport() {
              @Override
              public boolean send(String voter, byte[] packet) {
                return endpoint.send(voter, packet);
              }

              @Override
              public int logFormat(String voter) {
                return endpoint.logFormat(voter);
              }

              @Override
              public void onSessionEnd(Consumer<String> listener) {
                endpoint.onSessionEnd(listener);
              }

              @Override
              public void receive(BiConsumer<String, byte[]> next) {
                endpoint.receive((from, packet) -> {
                  try {
                    next.accept(from, packet);
                  } catch (OutOfMemoryError _) {
                    failures.decrementAndGet();
                  }
                });
              }
            },
            Duration.ofMinutes(1),
            (_, _) -> {},
            task -> {
              if (failures.get() > 0) {
                throw new OutOfMemoryError("no thread can be made");
              }
              return Thread.ofPlatform().daemon().unstarted(task);
            });
    try (c) {
      c.open();
      c.handleBy((_, body) -> CompletableFuture.completedFuture(body));
      List<CompletableFuture<byte[]>> calls = new ArrayList<>();
      for (int i = 0; i <= VoterCalls.CALLS_AT_A_TIME; i++) {
        calls.add(a.call("c", VoterCalls.APPEND, BODY));
      }
      for (CompletableFuture<byte[]> call : calls) {
        assertThat(call.get()).isEqualTo(BODY);
      }
    }
  }

  private static void awaitOpen(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static Set<Thread> threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(name))
        .collect(Collectors.toSet());
  }

  @Test
  void packets_ofANodeThatIsNoVoter_areDropped() throws Exception {
    MemoryNetwork.Endpoint stranger = network.open("x");
    byte[] packet = ByteBuffer.allocate(10).put((byte) VoterCalls.STATUS).array();
    stranger.send("b", packet);
    a.send("b", BODY);
    assertThat(messages.poll(60, TimeUnit.SECONDS)).isEqualTo("a 3");
  }

  @Test
  void packet_thatIsTooLong_isRefused() {
    assertThatThrownBy(() -> a.call("b", VoterCalls.VOTE, new byte[1024 * 1024]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 1047543 fit");
  }

  @Test
  void randomBytes_harmNothing() throws Exception {
    b.handleBy((_, body) -> CompletableFuture.completedFuture(body));
    MemoryNetwork.Endpoint stranger = network.open("c");
    Random random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      byte[] packet = new byte[random.nextInt(40)];
      random.nextBytes(packet);
      stranger.send("b", packet);
    }
    assertThat(a.call("b", VoterCalls.APPEND, BODY).get()).isEqualTo(BODY);
    a.send("b", BODY);
    String next = messages.poll(60, TimeUnit.SECONDS);
    while (!"a 3".equals(next)) {
      next = messages.poll(60, TimeUnit.SECONDS);
      assertThat(next).isNotNull();
    }
  }

  @Test
  void statusOfRandomBytes_harmsNoVoter(@TempDir Path root) throws IOException {
    try (TestVoters voters = new TestVoters(root)) {
      voters.start("a");
      voters.start("b");
      MemoryNetwork.Endpoint stranger = voters.network.open("c");
      Random random = new Random(2);
      for (int i = 0; i < 500; i++) {
        byte[] body = new byte[random.nextInt(60)];
        random.nextBytes(body);
        byte kind = (byte) (1 + random.nextInt(9));
        byte[] packet = ByteBuffer.allocate(9 + body.length).put(kind).putLong(i).put(body).array();
        stranger.send("a", packet);
      }
      voters.start("c");
      voters.renew(voters.leader(), "a").join();
      voters.awaitEqual(voters.all());
    }
  }
}
