// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import dev.heddle.bench.shape.Workload;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The programs in other languages, servers under every load, or missing with its reason. Not by
/// default, for a build may fetch from the toolchain's registry.
@Tag("full")
class PeersTest {
  private static final Duration GUARD = Duration.ofMinutes(5);

  static Stream<Arguments> peers() {
    return Shapes.all().stream()
        .flatMap(shape ->
            shape.contenders().stream()
                .filter(contender -> contender.peer().isPresent())
                .map(contender -> Arguments.of(shape, contender)));
  }

  @ParameterizedTest
  @MethodSource("peers")
  void peer_everyCase_answers(Shape shape, Contender contender) throws ForkFailedException {
    Workload.Peer peer = contender.peer().orElseThrow();
    if (!Peers.isToolThere(peer.language())) {
      assertThatThrownBy(() -> ContenderProcess.start(shape, contender))
          .hasMessageContaining("not on the PATH");
      return;
    }
    Peers.build(shape, _ -> {});

    try (ContenderProcess contenderProcess = ContenderProcess.start(shape, contender)) {
      for (Case size : shape.cases().stream().filter(contender::isIn).toList()) {
        contenderProcess.open(size.tiny(), GUARD);
        contenderProcess.begin(size.pace().tiny());
        assertThat(contenderProcess.end(GUARD).cpuNanos()).isPositive();
      }
    }
  }
}
