// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.ClusterOptions;
import dev.heddle.cluster.NamedRef;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.Place;
import dev.heddle.ports.TestPorts;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Singletons of nodes in one JVM, over real sockets of loopback and the real log.
@Timeout(300)
@Tag("C6")
@Execution(ExecutionMode.CONCURRENT) // each test has nodes of its own, and mostly waits for them
class NodesWithSingletonsTest {
  private static final Duration LONG = Duration.ofMinutes(2); // no lease ends by itself in a test

  /// An input of a registered type, with numbers that differ from node to node.
  public record Job(String title, int size) {}

  public record Other(String text) {}

  @TempDir Path root;

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger overlaps = new AtomicInteger();
  private final Queue<String> ends = new ConcurrentLinkedQueue<>();
  private final List<Integer> ports = new ArrayList<>();

  /// Says where it runs, and with what; ends when it is asked to.
  private @Nullable Object work(CoroutineProcess self, String node) {
    if (running.incrementAndGet() > 1) {
      overlaps.incrementAndGet();
    }
    try {
      self.context().trapExits();
      while (true) {
        switch (self.receive()) {
          case Request(String question, var reply) when question.equals("where?") -> {
            var _ = reply.complete(node);
          }
          case Request(var _, var reply) -> {
            var _ = reply.complete(self.input());
          }
          case ProcessSignal.Cancel cancel -> {
            ends.add(node + ": " + cancel.reason());
            return null;
          }
          case String order when order.equals("done") -> {
            ends.add(node + ": done");
            return null;
          }
          case String order when order.equals("fail") ->
              throw new IllegalStateException("as it was told");
          case null, default -> {}
        }
      }
    } finally {
      running.decrementAndGet();
    }
  }

  private ClusterOptions options(String name, Duration lease) throws IOException {
    while (ports.size() < 3) {
      ports.add(TestPorts.next());
    }
    Class<?>[] types = {Job.class, Other.class};
    return ClusterOptions.named(name)
        .bind("127.0.0.1", ports.get(name.charAt(0) - 'a'))
        .seeds(ports.stream().map(port -> "127.0.0.1:" + port).toArray(String[]::new))
        .voters("a", "b", "c")
        .directory(root.resolve(name))
        .lease(lease)
        .messages(name.equals("a") ? types[0] : types[1], name.equals("a") ? types[1] : types[0])
        .labels(Map.of("role", name.equals("c") ? "front" : "back"))
        .entry("worker", () -> CoroutineProcess.of(self -> work(self, name)));
  }

  private Cluster join(String name) throws IOException {
    return Cluster.join(options(name, LONG));
  }

  /// Tries again while there is no majority: the voters have to meet first.
  private static NamedRef declare(Cluster at, Object input, Place place) throws Exception {
    while (true) {
      try {
        return at.singleton("one", "worker", input, place);
      } catch (NoQuorumException _) {
        TestVoters.pause(); // safe: the test has a limit
      }
    }
  }

  private static Object ask(Cluster at, String question) throws InterruptedException {
    while (true) {
      try {
        return at.named("one").ask(question, Duration.ofSeconds(20));
      } catch (NoQuorumException | SendFailedException | AskFailedException | DeadlineException _) {
        TestVoters.pause(); // safe: it is not started yet, or has just ended; the test has a limit
      }
    }
  }

  @Test
  void singleton_runsOnce_isStartedAgainAfterAFailure_andMovesWhenItsNodeLeaves() throws Exception {
    Job job = new Job("bills", 7);
    Place back = Place.label("role", "back");
    try (Cluster a = join("a");
        Cluster b = join("b");
        Cluster c = join("c");
        var _ = LeaveAtOnce.of(a, b, c)) {
      Map<String, Cluster> nodes = Map.of("a", a, "b", b);
      declare(a, job, back);
      NamedRef one = declare(c, job, back); // at another node, with other numbers of types
      String first = (String) ask(c, "where?");
      assertThat(first).isIn("a", "b");
      assertThat(ask(b, "what?")).isEqualTo(job);
      long token = nodes.get(first).names().token("one").orElseThrow();
      assertThatThrownBy(() -> nodes.get(first).names().unregister("one"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("that of a singleton at node '" + first + "'");

      one.send("fail");
      long second = token;
      while (second <= token) {
        assertThat(ask(c, "where?")).isEqualTo(first);
        second = nodes.get(first).names().token("one").orElse(0);
      }

      nodes.get(first).leave(LONG);
      String next = (String) ask(c, "where?");
      assertThat(next).isIn("a", "b").isNotEqualTo(first);
      assertThat(nodes.get(next).names().token("one").orElseThrow()).isGreaterThan(second);
      assertThat(ends).containsExactly(first + ": node '" + first + "' leaves the cluster");
      assertThat(running).hasValue(1);
      assertThat(overlaps).hasValue(0);
    }
  }

  @Test
  void singleton_thatEndsOnPurpose_hasFinished_andMayBeDeclaredAnew() throws Exception {
    try (Cluster a = join("a");
        Cluster b = join("b");
        Cluster c = join("c");
        var _ = LeaveAtOnce.of(a, b, c)) {
      NamedRef one = declare(a, new Job("first", 1), Place.anywhere());
      assertThat(ask(b, "what?")).isEqualTo(new Job("first", 1));
      assertThatThrownBy(
              () -> c.singleton("one", "worker", new Job("second", 2), Place.label("role", "back")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll(
              "singleton 'one' is declared with entry 'worker', input Job[title=first, size=1], any"
                  + " node already",
              "and not with entry 'worker', input Job[title=second, size=2], a node with the labels"
                  + " {role=back}");
      one.send("done");
      NamedRef again = null;
      while (again == null) {
        try {
          again = b.singleton("one", "worker", new Job("second", 2), Place.on("b"));
        } catch (IllegalArgumentException _) {
          TestVoters.pause(); // safe: the first one has not finished yet; the test has a limit
        }
      }
      assertThat(ask(c, "where?")).isEqualTo("b");
      assertThat(ask(c, "what?")).isEqualTo(new Job("second", 2));
      assertThat(overlaps).hasValue(0);
    }
  }

  @Test
  @SuppressWarnings("try") // the early ends are what is tested
  void singleton_withoutAMajority_ends_andNoneIsDeclared() throws Exception {
    Duration lease = Duration.ofSeconds(4);
    try (Cluster a = Cluster.join(options("a", lease));
        Cluster b = Cluster.join(options("b", lease));
        Cluster c = Cluster.join(options("c", lease));
        var _ = LeaveAtOnce.of(a)) {
      declare(a, new Job("bills", 1), Place.on("a"));
      assertThat(ask(b, "where?")).isEqualTo("a");
      c.leave(Duration.ZERO);
      b.leave(Duration.ZERO);
      TestVoters.await("the end of the lease", () -> !ends.isEmpty());
      assertThat(ends).containsOnly("a: the lease of node 'a' is over"); // again, after a stall
      assertThatThrownBy(() -> a.singleton("two", "worker", null, Place.anywhere()))
          .isInstanceOf(NoQuorumException.class)
          .hasMessageContainingAll("singleton 'two'", "node 'a'", "try again");
    }
  }
}
