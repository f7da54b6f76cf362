// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.trace.Recording;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// What was recorded of a runtime: the entries of all its rings, none of which is lost.
record RecordedTrace(
    List<Map<String, String>> rings, List<RecordedTrace.Entry> entries, Map<Long, String> names) {
  /// The ring of all threads that are no workers.
  static final String OTHERS = "runtime";

  record Entry(String ring, int kind, String code, long who, long other, long number, long time) {
    boolean is(TraceKind wanted) {
      return kind == wanted.number();
    }
  }

  static RecordedTrace of(Recording recording) {
    List<Map<String, String>> rows = recording.stop();
    List<Map<String, String>> rings = rows("ring", rows);
    List<Entry> entries = new ArrayList<>();
    for (Map<String, String> ring : rings) {
      TraceRing.Copy copy = copy(recording, ring);
      assertThat(copy.lost()).isZero();
      IntStream.range(0, copy.size())
          .mapToObj(i ->
              new Entry(
                  ring.getOrDefault("what", ring.get("name")),
                  copy.kind(i),
                  ring.getOrDefault("code." + copy.code(i), "?"),
                  copy.who(i),
                  copy.kind(i) == TraceKind.MESSAGE.number() ? copy.sender(i) : copy.other(i),
                  copy.kind(i) == TraceKind.MESSAGE.number() ? copy.message(i) : copy.code(i),
                  copy.time(i)))
          .forEach(entries::add);
    }
    assertThat(recording.piece()).isNull();
    Map<Long, String> names = new HashMap<>();
    rows("names", rows)
        .forEach(row ->
            row.forEach((id, name) -> {
              if (!id.equals("row")) {
                names.put(Long.valueOf(id), name);
              }
            }));
    return new RecordedTrace(rings, entries, names);
  }

  private static List<Map<String, String>> rows(String row, List<Map<String, String>> all) {
    return all.stream().filter(each -> row.equals(each.get("row"))).toList();
  }

  private static TraceRing.Copy copy(Recording recording, Map<String, String> ring) {
    long total = Long.parseLong(ring.get("recorded"));
    long left = TraceRing.Copy.bytes(total - Long.parseLong(ring.get("lost")));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (bytes.size() < left) {
      bytes.writeBytes(recording.piece());
    }
    return TraceRing.Copy.of(bytes.toByteArray(), total);
  }

  List<Entry> all(TraceKind kind) {
    return entries.stream().filter(each -> each.is(kind)).toList();
  }

  List<Entry> all(TraceKind kind, Pid process) {
    return all(kind).stream().filter(each -> each.who() == process.id()).toList();
  }
}
