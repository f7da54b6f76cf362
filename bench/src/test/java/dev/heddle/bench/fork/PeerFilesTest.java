// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Where programs in other languages are.
class PeerFilesTest {
  @Test
  void files_everyPeerOfEveryShape_areThere() throws IOException {
    for (Shape shape : Shapes.all()) {
      for (Contender contender : shape.contenders()) {
        if (contender.peer().isPresent()) {
          assertThat(Peers.files(contender.peer().get(), shape))
              .as(shape.name() + ", " + contender.name())
              .isNotEmpty();
        }
      }
    }
  }

  @Test
  void files_areThoseThatNameTheCases() throws IOException {
    Shape timers = Shapes.find("timers").orElseThrow();

    assertThat(Peers.files(timers.contender("go").peer().orElseThrow(), timers))
        .containsExactly("bench/peers/go/coroutines.go");
  }

  @Test
  void files_ofAServer_areThoseThatNameIt() throws IOException {
    Shape http = Shapes.find("http").orElseThrow();

    assertThat(Peers.files(http.contender("tokio").peer().orElseThrow(), http))
        .containsExactly("bench/peers/tokio/src/main.rs");
  }
}
