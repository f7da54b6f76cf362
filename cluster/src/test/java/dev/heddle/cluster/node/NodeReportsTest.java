// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.SendResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What nodes tell each other each second, in virtual time.
class NodeReportsTest {
  private static final long SECOND = 1_000_000_000L;

  /// A session that keeps the reports that are sent over it, and may be full.
  private static final class Sink implements FrameSink {
    final List<byte[]> sent = new ArrayList<>();
    SendResult result = SendResult.ACCEPTED;

    @Override
    public SendResult send(Frame frame) {
      if (result == SendResult.ACCEPTED) {
        sent.add(((Frame.Service) frame).content());
      }
      return result;
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

  private NodeLoad load = new NodeLoad(2, 0, 5);
  private boolean leads;
  private final NodeReports a = new NodeReports("a", () -> load, () -> leads, () -> 0);
  private final Sink toB = new Sink();

  private static byte[] report(NodeLoad load, String... sees) {
    return new NodeReport(load, Set.of(sees), false, 0).encode();
  }

  @Test
  void report_isSentWhenItHasChanged_andNotOtherwise() throws Exception {
    NodeReports.Told _ = a.opened("b", toB);
    a.tick(0);
    a.tick(SECOND);
    assertThat(toB.sent).hasSize(1);
    load = new NodeLoad(2, 3, 5);
    a.tick(2 * SECOND);
    assertThat(NodeReport.decode(toB.sent.get(1)))
        .isEqualTo(new NodeReport(new NodeLoad(2, 3, 5), Set.of("b"), false, 0));
  }

  @Test
  void entities_areThoseThatTheNodeHasLastTold() {
    NodeReports.Told b = a.opened("b", toB);
    assertThat(a.entities("b")).isZero();
    b.received(new NodeReport(load, Set.of("a"), false, 7).encode());
    assertThat(a.entities("b")).isEqualTo(7);
    byte[] earlier = report(load, "a");
    b.received(Arrays.copyOf(earlier, earlier.length - Integer.BYTES)); // of a release before
    assertThat(a.entities("b")).isZero();
    assertThat(a.load("b")).isEqualTo(load);
  }

  @Test
  void report_forAFullOutbox_isSentInALaterSecond() {
    NodeReports.Told _ = a.opened("b", toB);
    toB.result = SendResult.FULL;
    a.tick(0);
    toB.result = SendResult.ACCEPTED;
    a.tick(SECOND);
    assertThat(toB.sent).hasSize(1);
  }

  @Test
  void load_isWhatTheNodeHasLastTold_inThisSession() {
    NodeReports.Told first = a.opened("b", toB);
    assertThat(a.load("b")).isNull();
    first.received(report(new NodeLoad(4, 1, 9), "a"));
    assertThat(a.load("b")).isEqualTo(new NodeLoad(4, 1, 9));
    assertThat(a.load("a")).isEqualTo(load);
    a.ended("b");
    assertThat(a.load("b")).isNull();
    NodeReports.Told _ = a.opened("b", new Sink());
    first.received(report(new NodeLoad(4, 2, 9), "a")); // late, of the session before
    assertThat(a.load("b")).isNull();
  }

  @Test
  void leader_isWhoHasToldSo_andNoneOfAnEarlierRelease() throws Exception {
    NodeReports.Told b = a.opened("b", toB);
    leads = true;
    a.tick(0);
    assertThat(NodeReport.decode(toB.sent.getFirst()).isLeader()).isTrue();
    assertThat(a.isLeader("b")).isFalse();
    b.received(toB.sent.getFirst());
    assertThat(a.isLeader("b")).isTrue();
    byte[] told = report(load, "a");
    byte[] earlier = Arrays.copyOf(told, told.length - 1 - Integer.BYTES);
    b.received(earlier);
    assertThat(a.isLeader("b")).isFalse();
    assertThat(a.load("b")).isEqualTo(load);
  }

  @Test
  void nodesThatDoNotSeeEachOther_areABrokenPair() {
    NodeReports.Told b = a.opened("b", toB);
    NodeReports.Told c = a.opened("c", new Sink());
    b.received(report(load, "a"));
    c.received(report(load, "a"));
    for (int second = 0; second <= 10; second++) {
      a.tick(second * SECOND);
    }
    assertThat(a.broken()).containsExactly(new BrokenPairs.Pair("b", "c", 10 * SECOND));
  }

  @Test
  void decode_ofWhatIsNoReport_throwsAndTakesNoSpace() {
    byte[] good = report(load, "b", "c");
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = good.clone();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      try {
        NodeReport report = NodeReport.decode(bytes);
        assertThat(report.load().workers()).isPositive();
      } catch (IOException e) {
        assertThat(e).isNotNull(); // any other failure is a fault
      }
    }
    Set<Integer> earlier = Set.of(good.length - 4, good.length - 5); // of earlier releases
    for (int length = 0; length < good.length; length++) {
      if (earlier.contains(length)) {
        continue;
      }
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> NodeReport.decode(cut)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void malformedReport_isIgnored_andTheLastOneCounts() {
    NodeReports.Told b = a.opened("b", toB);
    b.received(report(load, "a"));
    b.received(new byte[] {9});
    assertThat(a.load("b")).isEqualTo(load);
  }

  @Test
  void loads_areComparedForEachWorker_readyFirst() {
    NodeLoad idle = new NodeLoad(2, 0, 1_000);
    assertThat(idle).isLessThan(new NodeLoad(2, 1, 0));
    assertThat(new NodeLoad(8, 4, 0)).isLessThan(new NodeLoad(2, 2, 0));
    assertThat(new NodeLoad(8, 0, 100)).isLessThan(new NodeLoad(2, 0, 50));
    assertThat(new NodeLoad(4, 2, 8)).isEqualByComparingTo(new NodeLoad(2, 1, 4));
  }
}
