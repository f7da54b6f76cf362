// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.LocalEngines;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a flight recording has of two nodes.
@Timeout(300)
class ClusterJfrEventsTest {
  private final BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();

  private RecordedEvent next(String name, String node) throws InterruptedException {
    while (true) {
      RecordedEvent event = events.poll(RunningNode.GUARD_SECONDS, TimeUnit.SECONDS);
      Objects.requireNonNull(event, "no event " + name + " of " + node);
      if (event.getEventType().getName().equals("dev.heddle." + name)
          && node.equals(event.getString("node"))) {
        return event;
      }
    }
  }

  @Test
  void session_isRecorded_fromItsOpeningToItsEnd_withCountsAndRefusals() throws Exception {
    LocalEngines engines = new LocalEngines();
    Engine ofB = engines.engine("b");
    try (RecordingStream recording = new RecordingStream()) {
      recording.setReuse(false);
      recording.enable("dev.heddle.SessionOpened");
      recording.enable("dev.heddle.SessionEnded");
      recording.enable("dev.heddle.SessionCounts");
      recording.enable("dev.heddle.MessageRefused");
      recording.onEvent(events::add);
      recording.startAsync();
      try (RunningNode a = new RunningNode("shop", "jfr-a", engines.engine("a"))) {
        try (RunningNode b = new RunningNode("shop", "jfr-b", ofB)) {
          a.awaitSession("jfr-b");
          b.awaitSession("jfr-a");
          RecordedEvent opened = next("SessionOpened", "jfr-a");
          assertThat(opened.getString("other")).isEqualTo("jfr-b");
          assertThat(opened.getInt("life")).isEqualTo(b.node.self().life());
          Pid here = b.spawn();
          Pid gone = new Pid(here.node(), here.host(), Long.MAX_VALUE >> 1, here.incarnation());
          assertThat(a.runtime.offer(gone, "text")).isEqualTo(SendResult.ACCEPTED);
          RecordedEvent refused = next("MessageRefused", "jfr-a");
          assertThat(refused.getString("refusedBy")).isEqualTo("jfr-b");
          assertThat(refused.getString("receiver")).isEqualTo(gone.toString());
          assertThat(refused.getString("reason")).isEqualTo("NOT_FOUND");
          assertThat(refused.getLong("count")).isEqualTo(1);
          RecordedEvent counts = next("SessionCounts", "jfr-a");
          while (counts.getLong("refusedThere") == 0) {
            counts = next("SessionCounts", "jfr-a");
          }
          assertThat(counts.getString("other")).isEqualTo("jfr-b");
          assertThat(counts.getLong("refusedThere")).isEqualTo(1);
        }
        RecordedEvent ended = next("SessionEnded", "jfr-a");
        assertThat(ended.getString("cause")).isEqualTo("LEFT");
        assertThat(ended.getString("reason")).contains("leaves");
      }
    }
  }
}
