// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("watch-5")
class SubscribersTest {
  private static final int ANY = 1; // of the writability that a user sets

  private final Programs programs =
      new Programs(
          (_, _, _) -> {
            throw new IllegalStateException("no program is opened here");
          },
          System::nanoTime,
          _ -> {});
  private final Subscribers subscribers = new Subscribers(programs);

  private EmbeddedChannel page() {
    EmbeddedChannel page = new EmbeddedChannel();
    page.freezeTime();
    page.closeFuture().addListener(_ -> subscribers.left(page));
    subscribers.add(page);
    return page;
  }

  private static List<String> read(EmbeddedChannel page) {
    List<String> all = new ArrayList<>();
    for (HttpContent each = page.readOutbound(); each != null; each = page.readOutbound()) {
      all.add(each.content().toString(StandardCharsets.UTF_8));
      each.release();
    }
    return all;
  }

  private static void pass(EmbeddedChannel page, long seconds) {
    for (long i = 0; i < seconds; i++) {
      page.advanceTimeBy(1, TimeUnit.SECONDS);
      page.runScheduledPendingTasks();
    }
  }

  @Test
  void pageToWhichNothingIsSaid_isPinged() {
    EmbeddedChannel page = page();
    assertThat(read(page)).containsExactly("event: ready\ndata: {}\n\n");
    pass(page, 31);
    assertThat(read(page)).containsExactly(": ping\n\n", ": ping\n\n");
    assertThat(page.isOpen()).isTrue();
    var _ = page.close();
  }

  /// A page behind a network that was lost kept all programs looked at for ever.
  @Test
  void pageThatReadsNothing_isHungUpOn_andTheLastOneEndsTheLooks() {
    EmbeddedChannel page = page();
    EmbeddedChannel other = page();
    assertThat(programs.isPaused()).isFalse();
    page.unsafe().outboundBuffer().setUserDefinedWritability(ANY, false);
    pass(page, 46);
    assertThat(page.isOpen()).as("it may read again").isTrue();
    subscribers.send("event: look\ndata: {}\n\n");
    subscribers.send("event: end\ndata: {}\n\n");
    assertThat(read(page))
        .as("a look that is late is replaced by the next")
        .containsExactly("event: ready\ndata: {}\n\n", "event: end\ndata: {}\n\n");
    pass(page, 16);
    assertThat(page.isOpen()).isFalse();
    assertThat(programs.isPaused()).as("the other one is there").isFalse();
    var _ = other.close();
    assertThat(programs.isPaused()).isTrue();
  }

  @Test
  void connectionAboveTheMost_isNotTaken() {
    for (int i = 0; i < 64; i++) {
      assertThat(subscribers.connected()).isTrue();
    }
    assertThat(subscribers.connected()).isFalse();
    EmbeddedChannel one = new EmbeddedChannel();
    subscribers.left(one);
    subscribers.left(one);
    assertThat(subscribers.connected()).isTrue();
    var _ = one.close();
  }
}
