// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.flow.Flows;
import dev.heddle.sync.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of bridges to Reactive Streams shows.
@Tag("once")
class FlowSnippetsTest {
  private static final List<Integer> RECEIVED = new ArrayList<>();

  @Test
  void channel() {
    Heddle.run(() -> {
      SubmissionPublisher<Integer> library = new SubmissionPublisher<>();
      RECEIVED.clear();
      Heddle.spawn(() -> {
        for (int i = 1; i <= 3; i++) {
          library.submit(i);
        }
        library.close();
      });
      // @start region=channel
      // a publisher of some library, read by a loop
      for (int item : Flows.channel(library, 16)) {
        RECEIVED.add(item); // may wait: the publisher is asked for more only as items are received
      }
      // @end
      assertThat(RECEIVED).containsExactly(1, 2, 3);
    });
  }

  @Test
  void producer() {
    Heddle.run(() -> {
      // @start region=producer
      Flow.Publisher<Integer> squares =
          Flows.publisher(out -> {
            for (int i = 1; i <= 3; i++) {
              out.send(i * i); // waits until the subscriber has requested an item
            }
          });
      // @end
      List<Integer> got = new ArrayList<>();
      for (int square : Flows.channel(squares, 2)) {
        got.add(square);
      }
      assertThat(got).containsExactly(1, 4, 9);
    });
  }

  @Test
  void fromChannel() {
    Heddle.run(() -> {
      // @start region=publisher
      Channel<String> lines = Channel.of(8);
      Flow.Publisher<String> publisher = Flows.publisher(lines); // for any library, on any thread
      // @end
      lines.send("one");
      lines.close();
      assertThat(Flows.channel(publisher, 1).stream()).containsExactly("one");
    });
  }
}
