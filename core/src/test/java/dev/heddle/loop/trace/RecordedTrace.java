// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/// What was recorded of a loop while a piece of a program ran.
record RecordedTrace(Map<String, String> whole, List<Entry> entries, Map<Long, String> names) {
  static final int ENTRIES = 1 << 14;

  record Entry(int kind, String code, long who, long other, long time) {
    boolean is(TraceKind wanted) {
      return kind == wanted.number();
    }
  }

  /// Records what `program` does in a coroutine.
  static RecordedTrace of(Action program) throws Exception {
    return of(program, ENTRIES);
  }

  /// The same, into a ring of so many entries.
  static RecordedTrace of(Action program, int entries) throws Exception {
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    try (RecordedLoop loop =
            RecordedLoop.start(self -> {
              self.awaitRecording();
              try {
                program.run();
                ran.complete(true);
              } catch (Throwable e) {
                ran.completeExceptionally(e);
              }
              self.awaitEnd();
            });
        LoopRecording recording = new LoopRecording(loop.tree(), entries)) {
      loop.recordingHasBegun();
      ran.join();
      return of(recording);
    }
  }

  static RecordedTrace of(LoopRecording recording) {
    List<Map<String, String>> rows = recording.stop();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] piece = recording.piece(); piece != null; piece = recording.piece()) {
      bytes.writeBytes(piece);
    }
    Map<String, String> ring = rows.get(1);
    long total = Long.parseLong(ring.get("recorded"));
    TraceRing.Copy copy = TraceRing.Copy.of(bytes.toByteArray(), total);
    assertThat(copy.lost()).isEqualTo(Long.parseLong(ring.get("lost")));
    List<Entry> entries =
        IntStream.range(0, copy.size())
            .mapToObj(i ->
                new Entry(
                    copy.kind(i),
                    ring.getOrDefault("code." + copy.code(i), "?"),
                    copy.who(i),
                    copy.other(i),
                    copy.time(i)))
            .toList();
    Map<Long, String> names = new HashMap<>();
    rows.stream()
        .filter(row -> "names".equals(row.get("row")))
        .forEach(row ->
            row.forEach((id, name) -> {
              if (!id.equals("row")) {
                names.put(Long.valueOf(id), name);
              }
            }));
    return new RecordedTrace(rows.get(0), entries, names);
  }

  List<Entry> all(TraceKind kind) {
    return entries.stream().filter(entry -> entry.is(kind)).toList();
  }

  long count(String counter) {
    return Long.parseLong(whole.get(counter));
  }

  int runs() {
    return (int)
        (count("switches") - count("retriedMounts") + count("selfResumes") + count("reusedStarts"));
  }

  long id(String name) {
    return names.entrySet().stream()
        .filter(each -> each.getValue().startsWith(name + "\t"))
        .findFirst()
        .orElseThrow()
        .getKey();
  }
}
