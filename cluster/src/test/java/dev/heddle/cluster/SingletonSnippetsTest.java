// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.NotSendableException;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The example of singletons, and what they refuse. The voters are elsewhere, and do not run.
@Timeout(300)
@Tag("C6")
class SingletonSnippetsTest {
  record Ledger(String currency) {}

  private static @Nullable Object bill(CoroutineProcess self) {
    return self.receive();
  }

  // @start region=singleton
  /// One process of the cluster writes bills. It runs at a node with the label `role=back` and the
  /// entry `billing`.
  ///
  /// @return null: try again later
  static @Nullable NamedRef billing(Cluster cluster) throws InterruptedException {
    Ledger input = new Ledger("EUR");
    try {
      return cluster.singleton("billing", "billing", input, Place.label("role", "back"));
    } catch (NoQuorumException notYet) {
      return null;
    }
  }

  // @end

  private static ClusterOptions options() throws IOException {
    return ClusterOptions.named("d")
        .bind("127.0.0.1", TestPorts.next())
        .messages(Ledger.class)
        .entry("billing", () -> CoroutineProcess.of(SingletonSnippetsTest::bill));
  }

  private static ClusterOptions withVoters() throws IOException {
    return options().voters("a", "b", "c").lease(Duration.ofSeconds(1));
  }

  @Test
  void singleton_beforeTheStateIsHere_hasNoQuorum() throws Exception {
    try (Cluster cluster = Cluster.join(withVoters())) {
      assertThat(billing(cluster)).isNull();
      assertThatThrownBy(() -> cluster.singleton("billing", "billing", null, Place.anywhere()))
          .isInstanceOf(NoQuorumException.class)
          .hasMessageContainingAll(
              "'billing'", "has not got the state from the voters", "try again");
    }
  }

  @Test
  void singleton_withoutVoters_isRefused_andNamesTheOption() throws Exception {
    try (Cluster cluster = Cluster.join(options())) {
      assertThatThrownBy(() -> billing(cluster))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("node 'd'", "voters(...)");
    }
  }

  @Test
  void singleton_thatCannotBeDeclared_isRefusedAtOnce() throws Exception {
    Place any = Place.anywhere();
    try (Cluster cluster = Cluster.join(withVoters())) {
      assertThatThrownBy(() -> cluster.singleton("", "billing", null, any))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> cluster.singleton("billing", "", null, any))
          .isInstanceOf(IllegalArgumentException.class);
      Place least = Place.anywhere().leastLoaded();
      assertThatThrownBy(() -> cluster.singleton("billing", "billing", null, least))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("leave leastLoaded() out");
      assertThatThrownBy(() -> cluster.singleton("billing", "billing", new Object(), any))
          .isInstanceOf(NotSendableException.class)
          .hasMessageContaining("Object");
      assertThatThrownBy(() -> cluster.singleton("billing", "billing", new byte[65_536], any))
          .isInstanceOf(NotSendableException.class)
          .hasMessageContainingAll("65537 bytes", "singleton 'billing'", "at most 65536");
    }
  }
}
