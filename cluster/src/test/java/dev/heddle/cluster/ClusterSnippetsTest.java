// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The snippets of the documentation.
@Timeout(300)
class ClusterSnippetsTest {
  @Test
  void options() {
    // @start region=options
    ClusterOptions options =
        ClusterOptions.named("a")
            .cluster("shop")
            .bind("127.0.0.1", 7600)
            .seeds("127.0.0.1:7600", "127.0.0.1:7601")
            .labels(Map.of("zone", "eu-1"));
    // @end
    assertThat(options.seeds()).hasSize(2);
  }

  @Test
  void join() throws Exception {
    // @start region=join
    try (Cluster cluster = Cluster.join("a")) {
      cluster.onChange(change -> System.out.println(change));
      System.out.println(cluster.address());
    }
    // @end
  }
}
