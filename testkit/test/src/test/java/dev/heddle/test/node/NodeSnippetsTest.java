// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The code that the documentation of nodes shows.
@Tag("once")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeSnippetsTest {
  @Test
  void group() {
    List<String> lines = new ArrayList<>();
    // @start region=group
    NodeGroup group = new NodeGroup(17); // the seed
    group.service(
        group.network().host("server"),
        () -> {
          try (Listener listener = Tcp.listen(new InetSocketAddress(80))) {
            while (true) {
              try (StreamSocket client = listener.accept()) {
                client.write(UTF_8.encode("welcome\n"));
              }
            }
          }
        });
    group.node(
        group.network().host("client"),
        () -> {
          try (StreamSocket server = Tcp.connect("server", 80)) {
            lines.add(server.readLine());
          }
        });
    group.run(); // until the client has ended
    // @end
    assertThat(lines).containsExactly("welcome");
  }

  @Test
  void crash() {
    List<Duration> starts = new ArrayList<>();
    // @start region=crash
    NodeGroup group = new NodeGroup(17);
    Node store =
        group.service(
            group.network().host("store"),
            () -> {
              starts.add(group.elapsed());
              Heddle.delay(Duration.ofDays(1));
            });
    group.node(
        group.network().host("operator"),
        () -> {
          Heddle.delay(Duration.ofSeconds(1));
          store.crash();
          Heddle.delay(Duration.ofSeconds(1));
          assertThat(store.isRunning()).isFalse();
          store.restart();
          Heddle.delay(Duration.ofSeconds(1));
        });
    group.run();
    assertThat(starts).hasSize(2);
    // @end
    assertThat(starts.getLast()).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
  }
}
