// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A file in the Trace Event Format, as a viewer reads it.
final class TraceFile {
  private static final BigDecimal NANOS = BigDecimal.valueOf(1_000); // in a microsecond

  private static final JsonMapper READER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  /// A slice, in nanoseconds.
  record Slice(int track, String name, long from, long to, JsonNode args) {}

  private record End(int track, long at) {}

  private final JsonNode about;
  private final Map<Integer, String> tracks = new TreeMap<>();
  private final List<Slice> slices = new ArrayList<>();
  private final Map<String, Integer> instants = new HashMap<>();
  private final Map<String, List<Long>> ids = new HashMap<>(); // of instants
  private final Map<String, Long> stolen = new HashMap<>(); // tasks, by track
  private final Map<String, Integer> arrows = new HashMap<>();
  private final Set<Long> wakes = new HashSet<>(); // arrows of that name
  private final Map<String, JsonNode> commands = new HashMap<>();
  private int replies;
  private final Map<Integer, Integer> events = new TreeMap<>();
  private final Map<String, Long> last = new HashMap<>();
  private final Map<Long, End> begun = new HashMap<>();
  private final Map<Long, End> ended = new HashMap<>();

  private TraceFile(JsonNode file) {
    about = file.get("otherData");
    for (JsonNode event : file.get("traceEvents")) {
      int track = event.get("tid").intValue();
      assertIsNotBefore(track, event);
      switch (event.get("ph").stringValue()) {
        case "M" -> {
          if (event.get("name").stringValue().equals("thread_name")) {
            tracks.put(track, event.get("args").get("name").stringValue());
          }
        }
        case "X" ->
            slices.add(
                new Slice(
                    track,
                    event.get("name").stringValue(),
                    nanos(event, "ts"),
                    nanos(event, "ts") + nanos(event, "dur"),
                    event.path("args")));
        case "s" -> {
          String name = event.get("name").stringValue();
          arrows.merge(name, 1, Integer::sum);
          if (name.equals("wake")) {
            wakes.add(id(event));
          }
          assertThat(begun.put(id(event), end(track, event))).isNull();
        }
        case "f" -> {
          assertThat(event.get("bp").stringValue()).isEqualTo("e");
          assertThat(ended.put(id(event), end(track, event))).isNull();
        }
        case "b" -> assertThat(commands.put(event.get("id").stringValue(), event)).isNull();
        case "e" -> {
          JsonNode command = commands.get(event.get("id").stringValue());
          if (command != null) { // else it is on a track that comes later in the file
            assertThat(nanos(command, "ts")).isLessThanOrEqualTo(nanos(event, "ts"));
          }
          replies++;
        }
        case "i" -> {
          String name = event.get("name").stringValue();
          instants.merge(name, 1, Integer::sum);
          instants.merge(name + " " + track, 1, Integer::sum);
          if (event.path("args").has("id")) {
            ids.computeIfAbsent(name, _ -> new ArrayList<>())
                .add(event.get("args").get("id").longValue());
          } else if (name.equals("steal")) {
            stolen.merge(tracks.get(track), event.get("args").get("tasks").longValue(), Long::sum);
          }
        }
        default -> throw new AssertionError(event.toString());
      }
    }
  }

  // arrows are behind the tracks, each begin beside its end
  private void assertIsNotBefore(int track, JsonNode event) {
    String kind = event.get("ph").stringValue();
    if (Set.of("X", "i", "b", "e").contains(kind)) {
      Long before = last.put(kind + track, nanos(event, "ts"));
      assertThat(nanos(event, "ts"))
          .as("time of a track, at %s", event)
          .isGreaterThanOrEqualTo(before == null ? 0 : before);
    }
    if (Set.of("X", "i").contains(kind)) {
      events.merge(track, 1, Integer::sum);
    }
  }

  private static long id(JsonNode event) {
    return event.get("id").longValue();
  }

  private static End end(int track, JsonNode event) {
    return new End(track, nanos(event, "ts"));
  }

  private static long nanos(JsonNode event, String key) {
    return event.get(key).decimalValue().multiply(NANOS).longValueExact();
  }

  static TraceFile read(Path file) throws IOException {
    try (InputStream raw = Files.newInputStream(file);
        InputStream in = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw) {
      return new TraceFile(READER.readTree(in));
    }
  }

  // ---- what it has ----

  String about(String key) {
    return about.path(key).asString();
  }

  long count(String key) {
    return Long.parseLong(about(key));
  }

  /// How many slices there are, on all tracks.
  int slices() {
    return slices.size();
  }

  /// How many slices and instants there are, which a track of a thread has; those of each track
  /// stand in the order of time.
  int events() {
    return events.values().stream().mapToInt(Integer::intValue).sum();
  }

  /// The same for each track, as its name, a bar and the number.
  List<String> eventsOfTracks() {
    return events.entrySet().stream()
        .map(each -> tracks.get(each.getKey()) + "|" + each.getValue())
        .toList();
  }

  int arrows() {
    return begun.size();
  }

  int arrows(String name) {
    return arrows.getOrDefault(name, 0);
  }

  /// How many lead from what has woken a coroutine or a process to a run on this track.
  long wakes(String track) {
    int to = track(track);
    return wakes.stream().filter(id -> ended.get(id).track == to).count();
  }

  int instants(String name) {
    return instants.getOrDefault(name, 0);
  }

  /// How many there are on a track.
  int instants(String name, String track) {
    return instants(name + " " + track(track));
  }

  /// Of whom they are, in the order of the file.
  List<Long> ids(String instants) {
    return ids.getOrDefault(instants, List.of());
  }

  /// How many tasks a worker has stolen.
  long stolen(String track) {
    return stolen.getOrDefault(track, 0L);
  }

  /// How many commands were issued.
  int commands() {
    return commands.size();
  }

  /// How many of these have a reply.
  int replies() {
    return replies;
  }

  int track(String name) {
    return tracks.entrySet().stream()
        .filter(each -> each.getValue().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not in " + tracks))
        .getKey();
  }

  Set<String> tracks() {
    return new HashSet<>(tracks.values());
  }

  List<Slice> slices(int track) {
    return slices.stream().filter(slice -> slice.track == track).toList();
  }

  List<Slice> runs(String track) {
    return slices(track(track)).stream().filter(slice -> !slice.name.equals("asleep")).toList();
  }

  List<Slice> sleeps(String track) {
    return slices(track(track)).stream().filter(slice -> slice.name.equals("asleep")).toList();
  }

  // ---- what is true of every trace ----

  void assertWellFormed() {
    assertSlicesFollowEachOther();
    assertArrowsHaveBothEnds();
    assertWakesLeadToRuns();
  }

  private void assertSlicesFollowEachOther() {
    Map<Integer, Long> last = new HashMap<>();
    for (Slice slice : slices) {
      assertThat(tracks).containsKey(slice.track);
      assertThat(slice.from)
          .as(slice.toString())
          .isGreaterThanOrEqualTo(last.getOrDefault(slice.track, 0L));
      assertThat(slice.to).as(slice.toString()).isGreaterThanOrEqualTo(slice.from);
      last.put(slice.track, slice.to);
    }
  }

  private void assertArrowsHaveBothEnds() {
    assertThat(ended.keySet()).isEqualTo(begun.keySet());
    Map<Integer, TreeMap<Long, Slice>> byStart = new HashMap<>();
    for (Slice slice : slices) {
      byStart.computeIfAbsent(slice.track, _ -> new TreeMap<>()).put(slice.from, slice);
    }
    begun.forEach((id, from) -> {
      End to = ended.get(id);
      assertThat(to.at).as("arrow " + id).isGreaterThanOrEqualTo(from.at);
      for (End end : List.of(from, to)) {
        var under = byStart.get(end.track).floorEntry(end.at);
        assertThat(under).as("arrow %d at %s", id, end).isNotNull();
        assertThat(under.getValue().to)
            .as("arrow %d at %s", id, end)
            .isGreaterThanOrEqualTo(end.at);
      }
    });
  }

  /// Each to the beginning of a run that says what has woken it, and no two to one run.
  private void assertWakesLeadToRuns() {
    Map<End, Integer> free = new HashMap<>(); // runs without an arrow so far: two may begin at once
    for (Slice slice : slices) {
      if (slice.args.has("woken by")) {
        free.merge(new End(slice.track, slice.from), 1, Integer::sum);
      }
    }
    for (long id : wakes) {
      assertThat(free.merge(ended.get(id), -1, Integer::sum))
          .as("runs for arrow %d, to %s", id, ended.get(id))
          .isNotNegative();
    }
  }
}
