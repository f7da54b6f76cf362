// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ChannelClosedException;
import dev.heddle.EventsLostException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Outcomes.Outcome;
import dev.heddle.coroutine.TaskGroup;
import dev.heddle.sync.Backoff;
import dev.heddle.sync.Broadcast;
import dev.heddle.sync.Broadcast.Overflow;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Latest;
import dev.heddle.sync.Retry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the API documentation shows of what belongs to a synchronizer, compiled and run.
@Tag("once")
class SyncPartsSnippetsTest {
  private final List<Object> log = new ArrayList<>();
  private int calls;

  @Test
  void channelClosed() {
    Heddle.run(() -> {
      Channel<String> orders = Channel.of(2);
      orders.send("tea");
      // @start region=closed
      orders.close(new IOException("the connection broke"));
      try {
        while (true) {
          log.add(orders.receive()); // what was sent before
        }
      } catch (ChannelClosedException e) {
        switch (e.reason()) {
          case CLOSED, SCOPE_ENDED -> log.add("no more orders: " + e.getCause());
          case CANCELLED, LOOP_ENDED, DEADLOCK -> throw e;
        }
      }
      // @end
    });
    assertThat(log)
        .containsExactly("tea", "no more orders: java.io.IOException: the connection broke");
  }

  @Test
  void subscription() {
    Heddle.run(() -> {
      // @start region=subscription
      Broadcast<Integer> prices = Broadcast.of("prices", 2, Overflow.LAG);
      try (Broadcast.Subscription<Integer> reader = prices.subscribe()) {
        for (int price = 1; price <= 3; price++) {
          prices.send(price); // never waits; with SUSPEND it would wait for the reader
        }
        try {
          log.add(reader.receive());
        } catch (EventsLostException e) {
          log.add(e.count() + " lost");
        }
        log.add(reader.receive()); // the oldest that is left
      }
      // @end
    });
    assertThat(log).containsExactly("1 lost", 2);
  }

  @Test
  void changes() {
    Heddle.run(() -> {
      Latest<String> state = Latest.of("starting");
      // @start region=changes
      Latest.Changes<String> changes = state.changes(); // begins after the current value
      state.set("warming up");
      state.set("ready");
      log.add(changes.next()); // the newest; "warming up" is skipped
      log.add(changes.hasChanged());
      // @end
    });
    assertThat(log).containsExactly("ready", false);
  }

  @Test
  void listener() {
    Heddle.run(() -> {
      // @start region=listener
      Retry.Listener logging =
          (attempt, failure, _) -> log.add("attempt " + attempt + ": " + failure.getMessage());
      String page =
          Retry.with(Backoff.constant(Duration.ofMillis(1))).withListener(logging).run(this::fetch);
      // @end
      log.add(page);
    });
    assertThat(log).containsExactly("attempt 1: connection refused", "a page");
  }

  private String fetch() throws IOException {
    if (++calls == 1) {
      throw new IOException("connection refused");
    }
    return "a page";
  }

  @Test
  void outcome() {
    Heddle.run(() -> {
      var group = new TaskGroup<String>();
      // @start region=outcome
      group.spawn("good", () -> "a page");
      group.spawn(
          "bad",
          () -> {
            throw new IOException("connection refused");
          });
      group.close();
      for (Outcome<Object, String> outcome : group) {
        log.add(outcome.key() + ": " + (outcome.failure() == null ? outcome.result() : "failed"));
      }
      // @end
    });
    assertThat(log).containsExactly("good: a page", "bad: failed");
  }
}
