// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The examples about names. The voters are elsewhere, and do not run.
class NamesSnippetsTest {
  static final class Mayor implements Process {
    @Override
    public void init(ProcessContext context, String method, @Nullable Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {}
  }

  // @start region=register
  /// Makes a process of this node the mayor, unless there is one.
  ///
  /// @return whether to try again later
  static boolean elect(Cluster cluster) throws InterruptedException {
    Pid mayor = cluster.runtime().spawn(new Mayor());
    try {
      long token = cluster.names().register("mayor", mayor); // pass it on to what the mayor changes
      return token < 0;
    } catch (NameTakenException taken) {
      cluster.runtime().terminate(mayor);
      return false;
    } catch (NoQuorumException unknown) {
      cluster.runtime().terminate(mayor);
      return true;
    }
  }

  // @end

  // @start region=named
  /// How many live in the town, says its mayor, whoever that is now.
  static int inhabitants(Cluster cluster) throws InterruptedException {
    NamedRef mayor = cluster.named("mayor");
    return mayor.ask("how many?", Duration.ofSeconds(2));
  }

  // @end

  @Test
  void named() throws Exception {
    try (Cluster cluster = Cluster.join(options())) {
      assertThatThrownBy(() -> inhabitants(cluster)).isInstanceOf(NoQuorumException.class);
    }
  }

  @Test
  void register() throws Exception {
    try (Cluster cluster = Cluster.join(options())) {
      assertThat(elect(cluster)).isTrue();
    }
  }

  private static ClusterOptions options() throws IOException {
    return ClusterOptions.named("d")
        .bind("127.0.0.1", TestPorts.next())
        .voters("a", "b", "c")
        .lease(Duration.ofSeconds(1));
  }
}
