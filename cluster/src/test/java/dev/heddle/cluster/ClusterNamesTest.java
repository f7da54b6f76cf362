// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import dev.heddle.process.Pid;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What names refuse, and what they say then. There are no voters here.
@Timeout(300)
class ClusterNamesTest {
  @TempDir Path root;

  private static ClusterOptions options() throws IOException {
    return ClusterOptions.named("d").bind("127.0.0.1", TestPorts.next());
  }

  @Test
  void names_withoutVoters_areRefused_andNameTheOption() throws Exception {
    try (Cluster cluster = Cluster.join(options())) {
      assertThatThrownBy(cluster::names)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("node 'd' has no names", "voters(...)");
    }
  }

  @Test
  void names_beforeTheStateIsHere_haveNoQuorum() throws Exception {
    ClusterOptions options = options().voters("a", "b", "c").lease(Duration.ofSeconds(1));
    try (Cluster cluster = Cluster.join(options)) {
      ClusterNames names = cluster.names();
      Pid pid = cluster.runtime().spawn(new NamesSnippetsTest.Mayor());
      assertThatThrownBy(() -> names.lookup("mayor"))
          .isInstanceOf(NoQuorumException.class)
          .hasMessageContainingAll("'mayor'", "has not got the state from the voters", "try again");
      assertThatThrownBy(() -> names.register("mayor", pid)).isInstanceOf(NoQuorumException.class);
      assertThatThrownBy(() -> names.whereis("mayor")).isInstanceOf(NoQuorumException.class);
      assertThat(names.unregister("mayor")).isFalse();
      assertThat(names.token("mayor")).isEmpty();
      assertThatThrownBy(() -> names.lookup("")).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void register_inAStep_isRefused() throws Exception {
    ClusterOptions options = options().voters("a", "b", "c").lease(Duration.ofSeconds(1));
    try (Cluster cluster = Cluster.join(options)) {
      ClusterNames names = cluster.names();
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      CountDownLatch done = new CountDownLatch(1);
      var _ =
          cluster
              .runtime()
              .spawn(
                  new dev.heddle.process.Process() {
                    @Override
                    public void init(
                        dev.heddle.process.ProcessContext self,
                        String method,
                        @Nullable Object input) {
                      try {
                        var _ = names.register("mayor", self.self());
                      } catch (Throwable t) {
                        failure.set(t);
                      }
                      done.countDown();
                    }

                    @Override
                    public void step(
                        java.util.List<dev.heddle.process.ProcessEvent> events,
                        dev.heddle.process.StepOutput out) {}
                  });
      done.await();
      assertThat(failure.get())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("register() would hold a worker");
    }
  }

  @Test
  void waits_whenTheNodeLeaves_areFailed() throws Exception {
    ClusterOptions options = options().voters("a", "b", "c").lease(Duration.ofHours(1));
    Cluster cluster = Cluster.join(options);
    ClusterNames names = cluster.names();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread waits =
        Thread.ofVirtual()
            .start(() -> {
              try {
                var _ = names.whereis("mayor");
              } catch (Throwable t) {
                failure.set(t);
              }
            });
    cluster.close();
    waits.join();
    assertThat(failure.get()).isInstanceOf(NoQuorumException.class).hasMessageContaining("left");
  }

  @Test
  void join_optionsThatContradict_areRefused() throws Exception {
    assertThatThrownBy(() -> options().voters("a", "b"))
        .hasMessageContaining("2 voters: name one node, or three");
    ClusterOptions unused = options().directory(root);
    assertThatThrownBy(() -> Cluster.join(unused))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("node 'd' has directory(...)", "no voters(...)");
    ClusterOptions diskless = options().voters("d", "e", "f");
    assertThatThrownBy(() -> Cluster.join(diskless))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("node 'd' is one of the voters", "directory(...)");
    assertThatThrownBy(() -> options().lease(Duration.ofMillis(999)))
        .hasMessageContaining("PT0.999S");
  }

  @Test
  void join_voterWithoutTheArtifact_namesIt_andKeepsNothing() throws Exception {
    ClusterOptions voter = options().voters("d", "e", "f").directory(root);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> Cluster.join(voter))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("node 'd'", "dev.heddle:heddle-cluster-ratis");
    }
  }
}
