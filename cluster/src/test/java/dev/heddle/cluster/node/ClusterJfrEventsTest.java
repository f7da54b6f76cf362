// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.LocalEngines;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.io.IOException;
import java.nio.ByteBuffer;
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
          awaitRefusedThere();
        }
        RecordedEvent ended = next("SessionEnded", "jfr-a");
        assertThat(ended.getString("cause")).isEqualTo("LEFT");
        assertThat(ended.getString("reason")).contains("leaves");
      }
    }
  }

  @Test
  void linkToANodeThatTakesNothingMore_isRecordedOnce_whileThatLasts() throws Exception {
    LocalEngines engines = new LocalEngines();
    NoCredit ofA = new NoCredit(engines.engine("a"));
    try (RecordingStream recording = new RecordingStream()) {
      recording.setReuse(false);
      recording.enable("dev.heddle.LinkStalled");
      recording.enable("dev.heddle.SessionCounts");
      recording.onEvent(events::add);
      recording.startAsync();
      try (RunningNode a = new RunningNode("shop", "stall-a", ofA);
          RunningNode b = new RunningNode("shop", "stall-b", engines.engine("b"))) {
        a.awaitSession("stall-b");
        b.awaitSession("stall-a");
        ofA.isOn = true;
        RecordedEvent stalled = next("LinkStalled", "stall-a");
        assertThat(stalled.getString("other")).isEqualTo("stall-b");
        for (int counts = 0; counts < 3; ) { // it has been looked at again
          RecordedEvent event = events.poll(RunningNode.GUARD_SECONDS, TimeUnit.SECONDS);
          assertThat(event).isNotNull();
          String name = event.getEventType().getName();
          assertThat(name).isNotEqualTo("dev.heddle.LinkStalled");
          counts +=
              name.endsWith("SessionCounts") && event.getString("node").equals("stall-a") ? 1 : 0;
        }
      }
    }
  }

  /// Writes into all packets that come, when it is on, that the other node takes nothing more.
  private static final class NoCredit implements Engine {
    private static final int WINDOW = 36; // where it is in the header

    private final Engine engine;
    volatile boolean isOn;

    NoCredit(Engine engine) {
      this.engine = engine;
    }

    @Override
    public void open(Listener to) throws IOException {
      engine.open(
          new Listener() {
            @Override
            public void found(Address address) {
              to.found(address);
            }

            @Override
            public void closed(Address address) {
              to.closed(address);
            }

            @Override
            public void suspected(Address address) {
              to.suspected(address);
            }

            @Override
            public void received(Address from, byte[] packet) {
              if (isOn) {
                ByteBuffer.wrap(packet).putInt(WINDOW, 0);
              }
              to.received(from, packet);
            }
          });
    }

    @Override
    public Address address() {
      return engine.address();
    }

    @Override
    public void send(Address to, byte[] packet, Urgency urgency) {
      engine.send(to, packet, urgency);
    }

    @Override
    public void forget(Address address) {
      engine.forget(address);
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  private void awaitRefusedThere() throws Exception {
    RecordedEvent counts = next("SessionCounts", "jfr-a");
    while (counts.getLong("refusedThere") == 0) {
      counts = next("SessionCounts", "jfr-a");
    }
    assertThat(counts.getString("other")).isEqualTo("jfr-b");
    assertThat(counts.getLong("refusedThere")).isEqualTo(1);
    assertThat(counts.getLong("window")).isEqualTo(256 * 1_024);
  }
}
