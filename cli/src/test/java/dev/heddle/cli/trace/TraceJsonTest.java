// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The file of a trace, from entries that are given.
@Tag("watch-3")
class TraceJsonTest {
  private final TraceRing ring = new TraceRing(64);
  private final List<ThreadTrace> threads = new ArrayList<>();
  private final List<Properties> pauses = new ArrayList<>();

  private static Properties row(String... pairs) {
    Properties row = new Properties();
    for (int i = 0; i < pairs.length; i += 2) {
      row.setProperty(pairs[i], pairs[i + 1]);
    }
    return row;
  }

  private static Properties whole(String... more) {
    Properties row = row(more);
    row.setProperty("beganNanos", "1000");
    row.setProperty("endedNanos", "9000");
    return row;
  }

  private void add(
      String what, Properties whole, Properties of, TraceRing from, Map<Long, String> names) {
    Map<Long, ThreadTrace.Name> read = new java.util.HashMap<>();
    names.forEach((id, name) -> read.put(id, ThreadTrace.Name.read(name)));
    threads.add(new ThreadTrace(what, "heddle", whole, of, from.copy(), read, List.of()));
  }

  private JsonNode written() throws IOException {
    StringWriter text = new StringWriter();
    TraceJson.write(text, 7, new Capture.Result("Program", threads, pauses, List.of()));
    return JsonMapper.shared().readTree(text.toString());
  }

  private static List<JsonNode> events(JsonNode file, String phase) {
    List<JsonNode> found = new ArrayList<>();
    file.get("traceEvents")
        .forEach(each -> {
          if (each.get("ph").stringValue().equals(phase)) {
            found.add(each);
          }
        });
    return found;
  }

  private static String name(JsonNode event) {
    return event.get("name").stringValue();
  }

  @Test
  void hostileNames_areWrittenAsTheyAre_andHalvesOfPairsAreReplaced() throws IOException {
    String hostile = "a\t\"</script>\\\u2028\u0000\n{\ud83d\ude00}";
    ring.add(2000, TraceKind.RUN, 0, 2, 1000);
    ring.add(3000, TraceKind.RUN, 0, 3, 2000);
    add(
        "loop",
        whole(),
        row(),
        ring,
        Map.of(2L, hostile + "\tSite.java:1", 3L, "half \ud83d here\tSite.java:2"));

    List<JsonNode> runs = events(written(), "X");
    assertThat(name(runs.get(0))).isEqualTo(hostile);
    assertThat(runs.get(0).get("args").get("site").stringValue()).isEqualTo("Site.java:1");
    assertThat(name(runs.get(1))).isEqualTo("half \ufffd here");
  }

  /// The counts of the first one were lost.
  @Test
  void twoLoopsOfOneName_haveTracksAndCountsOfTheirOwn() throws IOException {
    add("loop", whole("switches", "5"), row(), ring, Map.of());
    add("loop", whole("switches", "6"), row(), new TraceRing(2), Map.of());

    JsonNode file = written();
    assertThat(file.get("otherData").get("loop heddle switches").stringValue()).isEqualTo("5");
    assertThat(file.get("otherData").get("loop heddle (2) switches").stringValue()).isEqualTo("6");
    assertThat(events(file, "M"))
        .filteredOn(each -> name(each).equals("thread_name"))
        .extracting(each -> each.get("args").get("name").stringValue())
        .contains("loop heddle", "loop heddle (2)");
  }

  @Test
  void holderThatIsNotKnown_isNoCoroutine() throws IOException {
    add("loop", whole("heldBy", "0", "heldSince", "4000"), row(), ring, Map.of());

    assertThat(events(written(), "X"))
        .singleElement()
        .satisfies(slice -> {
          assertThat(name(slice)).contains("back from the JDK");
          assertThat(slice.get("args").get("then").stringValue()).isEqualTo("still runs");
        });
  }

  @Test
  void command_lastsFromItsIssueToItsReply_alsoWithAnotherThread() throws IOException {
    TraceRing others = new TraceRing(8);
    others.add(2500, TraceKind.COMMAND_DONE, 0, 9, 4); // of one that was issued before
    ring.add(2000, TraceKind.COMMAND, 1, 5, 4);
    others.add(3000, TraceKind.COMMAND_DONE, 2, 5, 4);
    ring.add(4000, TraceKind.COMMAND, 1, 5, 4); // the tag once more; no reply
    Properties codes = row("code.1", "Sleep", "code.2", "failed");
    Properties whole = whole();
    add("worker", whole, codes, ring, Map.of());
    add("runtime", whole, codes, others, Map.of());

    JsonNode file = written();
    assertThat(events(file, "b"))
        .extracting(each -> name(each) + " " + each.get("id").stringValue())
        .containsExactly("Sleep command-1", "Sleep command-2");
    assertThat(events(file, "e"))
        .singleElement()
        .satisfies(reply -> {
          assertThat(reply.get("id").stringValue()).isEqualTo("command-1");
          assertThat(reply.get("ts").asDouble()).isEqualTo(2.0);
          assertThat(reply.get("args").get("reply").stringValue()).isEqualTo("failed");
        });
  }

  @Test
  void wakeUpByAnotherThread_hasAnArrowToTheRunOfTheProcess() throws IOException {
    TraceRing others = new TraceRing(8);
    others.add(2000, TraceKind.WAKE, 1, 5, 0);
    ring.add(4000, TraceKind.RUN, 0, 5, 3000);
    Properties whole = whole();
    add("worker", whole, row("code.1", "message"), ring, Map.of());
    add("runtime", whole, row("code.1", "message"), others, Map.of());

    JsonNode file = written();
    assertThat(events(file, "s"))
        .singleElement()
        .satisfies(from -> assertThat(from.get("ts").asDouble()).isEqualTo(1.0));
    assertThat(events(file, "f"))
        .singleElement()
        .satisfies(to -> assertThat(to.get("ts").asDouble()).isEqualTo(2.0));
  }

  /// Also where several share a reading of the clock. What comes between that wake-up and the run
  /// has not caused it, and nothing has caused a second run: it yields, or its cause was lost.
  @Test
  void run_hasAnArrowFromTheFirstThatHasWokenIt_sinceTheRunBefore() throws IOException {
    ring.add(2000, TraceKind.SPAWN, 0, 5, 4);
    ring.add(2000, TraceKind.WAKE, 1, 6, 4);
    ring.add(2000, TraceKind.WAKE, 2, 6, 4);
    ring.add(2300, TraceKind.RUN, 0, 4, 1500);
    ring.add(3000, TraceKind.RUN, 0, 5, 2300);
    ring.add(3500, TraceKind.RUN, 0, 6, 3000);
    ring.add(4000, TraceKind.WAKE, 2, 6, 0);
    ring.add(4500, TraceKind.RUN, 0, 6, 4000);
    ring.add(5000, TraceKind.RUN, 0, 6, 4500);
    add("loop", whole(), row("code.1", "channel", "code.2", "timer"), ring, Map.of());

    JsonNode file = written();
    assertThat(events(file, "s"))
        .extracting(each -> name(each) + " " + each.get("tid").intValue() + " " + each.get("ts"))
        .containsExactly("wake 1 1", "wake 1 1.1", "wake 2 3");
    assertThat(events(file, "f"))
        .extracting(each -> each.get("tid").intValue() + " " + each.get("ts"))
        .containsExactly("1 1.3", "1 2", "1 3");
    assertThat(events(file, "X"))
        .filteredOn(each -> each.get("tid").intValue() == 1)
        .extracting(each -> each.get("args").path("woken by").asString("nothing"))
        .containsExactly("nothing", "spawn", "channel", "timer", "nothing");
  }

  /// From the slice of its sender to that of its receiver, also if another message has come before.
  @Test
  void message_hasAnArrowToTheRunThatReceivesIt() throws IOException {
    TraceRing other = new TraceRing(8);
    ring.addMessage(2100, 5, 4, 70_000);
    ring.addMessage(2200, 5, 4, 70_001);
    ring.addMessage(2300, 5, 4, 70_002); // is not received
    ring.add(2500, TraceKind.RUN, 0, 4, 2000);
    other.add(3000, TraceKind.RECEIVED, 0, 5, 70_001);
    other.add(3300, TraceKind.RECEIVED, 0, 5, 99); // was sent before
    other.add(3500, TraceKind.RUN, 0, 5, 3000);
    other.add(4000, TraceKind.RECEIVED, 0, 5, 70_000);
    other.add(4500, TraceKind.RUN, 0, 5, 4000);
    Properties whole = whole();
    add("worker", whole, row(), ring, Map.of());
    add("worker", whole, row(), other, Map.of());

    JsonNode file = written();
    assertThat(events(file, "s"))
        .extracting(each -> name(each) + " " + each.get("tid").intValue() + " " + each.get("ts"))
        .containsExactly("message 1 1.2", "message 1 1.1");
    assertThat(events(file, "f"))
        .extracting(each -> each.get("tid").intValue() + " " + each.get("ts"))
        .containsExactly("3 2", "3 3");
    assertThat(events(file, "i")).hasSize(3);
  }

  /// The sender writes its entry behind the message.
  @Test
  void messageThatIsReceivedAtOnce_hasNoArrowBackInTime() throws IOException {
    TraceRing other = new TraceRing(8);
    ring.addMessage(2400, 5, 4, 7);
    ring.add(2500, TraceKind.RUN, 0, 4, 2000);
    other.add(2350, TraceKind.RECEIVED, 0, 5, 7);
    other.add(2380, TraceKind.RUN, 0, 5, 2300);
    Properties whole = whole();
    add("worker", whole, row(), ring, Map.of());
    add("worker", whole, row(), other, Map.of());

    JsonNode file = written();
    assertThat(events(file, "s"))
        .singleElement()
        .extracting(each -> each.get("ts").asDouble())
        .isEqualTo(1.38);
    assertThat(events(file, "f"))
        .singleElement()
        .extracting(each -> each.get("ts").asDouble())
        .isEqualTo(1.38);
  }

  @Test
  void twoMessagesOfOneNumber_haveNoArrow() throws IOException {
    ring.addMessage(2100, 5, 4, 7);
    ring.addMessage(2200, 5, 4, 7);
    ring.add(2500, TraceKind.RUN, 0, 4, 2000);
    ring.add(3000, TraceKind.RECEIVED, 0, 5, 7);
    ring.add(3500, TraceKind.RUN, 0, 5, 3000);
    add("worker", whole(), row(), ring, Map.of());

    assertThat(events(written(), "s")).isEmpty();
  }

  /// Of two with that number the first was sent before the recording.
  @Test
  void numberThatIsReceivedTwice_hasNoArrow() throws IOException {
    ring.addMessage(2100, 5, 4, 7);
    ring.add(2500, TraceKind.RUN, 0, 4, 2000);
    ring.add(3000, TraceKind.RECEIVED, 0, 5, 7);
    ring.add(3100, TraceKind.RECEIVED, 0, 5, 7);
    ring.add(3500, TraceKind.RUN, 0, 5, 3000);
    add("worker", whole(), row(), ring, Map.of());

    assertThat(events(written(), "s")).isEmpty();
  }

  /// The one that was received was sent before the recording.
  @Test
  void messageThatIsSentLongAfterOneOfItsNumberWasReceived_hasNoArrow() throws IOException {
    ring.add(2000, TraceKind.RECEIVED, 0, 5, 7);
    ring.add(2500, TraceKind.RUN, 0, 5, 2000);
    ring.addMessage(1_000_000_000, 5, 4, 7);
    ring.add(1_000_000_500, TraceKind.RUN, 0, 4, 2400);
    add("worker", whole(), row(), ring, Map.of());

    assertThat(events(written(), "s")).isEmpty();
  }

  @Test
  void theft_hasAnArrowFromTheWorkerThatWasRobbed() throws IOException {
    TraceRing thief = new TraceRing(8);
    ring.add(3000, TraceKind.RUN, 0, 4, 2000);
    thief.add(2500, TraceKind.STEAL, 3, 5, 0);
    thief.add(3500, TraceKind.RUN, 0, 5, 2600);
    Properties whole = whole();
    add("worker", whole, row(), ring, Map.of());
    add("worker", whole, row(), thief, Map.of());

    JsonNode file = written();
    assertThat(events(file, "s"))
        .extracting(each -> name(each) + " " + each.get("tid").intValue() + " " + each.get("ts"))
        .containsExactly("steal 1 1.5");
    assertThat(events(file, "i"))
        .singleElement()
        .satisfies(theft -> assertThat(theft.get("args").get("tasks").intValue()).isEqualTo(3));
  }

  @Test
  void pauses_haveATrack_doNotOverlap_andAreCounted() throws IOException {
    add("loop", whole(), row(), ring, Map.of());
    pauses.add(row("row", "pauses", "counted", "3"));
    pauses.add(row("collector", "G1", "fromNanos", "2000", "toNanos", "4000"));
    pauses.add(row("collector", "G1", "cause", "x", "fromNanos", "3000", "toNanos", "5000"));

    JsonNode file = written();
    assertThat(file.get("otherData").get("pauses").stringValue()).isEqualTo("3");
    assertThat(events(file, "X"))
        .extracting(each -> each.get("ts").asDouble() + "+" + each.get("dur").asDouble())
        .containsExactly("1.0+2.0", "3.0+1.0");
  }
}
