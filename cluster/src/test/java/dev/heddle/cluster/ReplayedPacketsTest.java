// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ports.TestPorts;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.StepOutput;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The bytes that a node has sent to another one, recorded by a proxy between them and sent again
/// to its port: nothing is delivered twice, and neither the node nor its sessions suffer.
@Timeout(300)
@Tag("C1")
class ReplayedPacketsTest {
  private static final Duration SOON = Duration.ofMinutes(4);
  private static final int MESSAGES = 100;
  private static final String MARK = "once and never again: ";

  private final BlockingQueue<Object> got = new LinkedBlockingQueue<>();

  /// Replies with what it is asked, and passes on all else.
  private final class Recorder implements Process {
    @Override
    public void init(ProcessContext context, String method, @Nullable Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request(var message, var reply)) {
          var _ = reply.complete(message);
        } else if (event.data() != null) {
          got.add(event.data());
        }
      }
    }
  }

  private static Cluster join(String name, int port, int seed) throws Exception {
    return Cluster.join(
        ClusterOptions.named(name)
            .cluster("replay")
            .bind("127.0.0.1", port)
            .seeds("127.0.0.1:" + seed));
  }

  @Test
  void bytesOfAnEarlierSession_sentAgain_areDeliveredNowhere_andEndNoOther() throws Exception {
    int b = TestPorts.next();
    try (var proxy = new RecordingProxy(b);
        Cluster receiver = join("b", b, b);
        Cluster other = join("c", TestPorts.next(), b)) {
      Pid to = receiver.runtime().spawn(new Recorder());
      List<byte[]> recorded;
      try (Cluster first = join("a", TestPorts.next(), b)) {
        exchange(first, to, 0);
        recorded = proxy.recorded();
        assertThat(recorded).anyMatch(it -> text(it).contains(MARK));
        replay(proxy, recorded); // while their session is open
        exchange(first, to, MESSAGES);
      }
      try (Cluster second = join("a", TestPorts.next(), b)) { // another life
        exchange(second, to, 2 * MESSAGES);
        BlockingQueue<ClusterChange> changes = ClusterTest.changes(receiver);
        replay(proxy, recorded);
        exchange(second, to, 3 * MESSAGES);
        assertThat(changes).hasSize(2).allMatch(ClusterChange.Up.class::isInstance);
        assertThat(changes).extracting(ClusterChange::node).containsExactlyInAnyOrder("a", "c");
      }
      assertThat(other.runtime().<Object>ask(to, "c", SOON)).isEqualTo("c");
    }
  }

  private static void replay(RecordingProxy proxy, List<byte[]> recorded) throws Exception {
    for (byte[] connection : recorded) {
      assertThat(proxy.replay(connection)).as("what the node has greeted with").isNotEmpty();
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /// Sends numbers, as soon as there is a session, all of which and nothing else arrives.
  private void exchange(Cluster from, Pid to, int first) throws Exception {
    awaitReply(from, to);
    for (int i = first; i < first + MESSAGES; i++) {
      from.runtime().send(to, MARK + i);
    }
    for (int i = first; i < first + MESSAGES; i++) {
      assertThat(got.poll(4, MINUTES)).isEqualTo(MARK + i);
    }
    assertThat(from.runtime().<Object>ask(to, "last", SOON)).isEqualTo("last");
    assertThat(got).isEmpty();
  }

  private static void awaitReply(Cluster from, Pid to) throws InterruptedException {
    ClusterTest.awaitUp(from, "b");
    while (true) {
      try {
        assertThat(from.runtime().<Object>ask(to, "there?", SOON)).isEqualTo("there?");
        return;
      } catch (SendFailedException | AskFailedException _) {
        ClusterTest.awaitUp(from, "b"); // the session has ended: another one opens
      }
    }
  }
}
