// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.feed;

import dev.heddle.observe.trace.Recording;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.process.ProcessCounters;
import dev.heddle.process.WorkerCounters;
import dev.heddle.process.host.HostInspector;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.scheduler.WorkerTrace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The recording of what the workers of a runtime do.
///
/// The workers go on while it begins and ends: at either end an entry may be missing.
///
/// **Thread** that of the session.
public final class RuntimeRecording implements Recording {
  private static final int PIECE = 4_096; // entries; 96 KiB
  private static final int NAMES = 500; // in a row

  private final String name;
  private final HostInspector inspector;
  private final ProcessCounters before;
  private final long began = System.nanoTime();
  private final long beganMillis = System.currentTimeMillis();
  private final List<WorkerTrace> workers;

  private List<TraceRing.Copy> copies = List.of();
  private int ring; // that is sent
  private int sent; // entries of it
  private boolean over;

  /// Begins a recording.
  ///
  /// @param entries of the ring of each worker, a power of two
  /// @throws IllegalStateException when it is recorded already
  public RuntimeRecording(String name, HostInspector inspector, int entries) {
    this.name = name;
    this.inspector = inspector;
    this.before = inspector.counters();
    this.workers = inspector.workers().beginTrace(entries);
  }

  @Override
  public List<Map<String, String>> stop() {
    end();
    ProcessCounters after = inspector.counters();
    long ended = System.nanoTime();
    copies = workers.stream().map(worker -> worker.ring().copy()).toList();
    List<Map<String, String>> rows = new ArrayList<>();
    rows.add(whole(after, ended));
    for (int i = 0; i < copies.size(); i++) {
      rows.add(ring(i, after));
    }
    addNames(rows);
    return rows;
  }

  private void end() {
    if (!over) {
      over = true;
      inspector.workers().endTrace();
    }
  }

  private Map<String, String> whole(ProcessCounters after, long ended) {
    Map<String, String> row = new LinkedHashMap<>();
    row.put("row", "trace");
    row.put("kind", "runtime");
    row.put("name", name);
    row.put("beganNanos", Long.toString(began));
    row.put("beganMillis", Long.toString(beganMillis));
    row.put("endedNanos", Long.toString(ended));
    row.put("started", Long.toString(after.started() - before.started()));
    row.put("processes", Integer.toString(after.processes()));
    return row;
  }

  private Map<String, String> ring(int worker, ProcessCounters after) {
    TraceRing.Copy copy = copies.get(worker);
    WorkerCounters then = before.workers().get(worker);
    WorkerCounters now = after.workers().get(worker);
    Map<String, String> row = new LinkedHashMap<>();
    row.put("row", "ring");
    row.put("name", name + " " + now.number());
    row.put("recorded", Long.toString(copy.total()));
    row.put("lost", Long.toString(copy.lost()));
    row.put("executed", Long.toString(workers.get(worker).executed()));
    row.put("stolen", Long.toString(now.stolen() - then.stolen()));
    row.put("parks", Long.toString(now.parks() - then.parks()));
    for (int code = 0; code < WorkerTrace.CODES.size(); code++) {
      row.put("code." + code, WorkerTrace.CODES.get(code));
    }
    return row;
  }

  // ---- names ----

  private void addNames(List<Map<String, String>> rows) {
    Map<Long, String> names = new LinkedHashMap<>();
    Set<Long> wanted = new HashSet<>();
    for (TraceRing.Copy copy : copies) {
      for (int i = 0; i < copy.size(); i++) {
        wanted.add(copy.who(i));
        if (copy.kind(i) == TraceKind.END.number()
            && copy.name(i) instanceof String label
            && label.contains(" (")) {
          int kind = label.indexOf(" (");
          names.put(
              copy.who(i),
              label.substring(kind + 2, label.length() - 1) + '\t' + label.substring(0, kind));
        }
      }
    }
    for (int part = 0; part < inspector.parts(); part++) {
      for (ProcessInstance process : inspector.part(part)) {
        if (wanted.contains(process.id())) {
          names.putIfAbsent(process.id(), process.kind() + '\t' + process.self());
        }
      }
    }
    addRows(rows, names);
  }

  private static void addRows(List<Map<String, String>> rows, Map<Long, String> names) {
    Map<String, String> row = new LinkedHashMap<>();
    for (Map.Entry<Long, String> each : names.entrySet()) {
      row.put(each.getKey().toString(), each.getValue());
      if (row.size() == NAMES) {
        row.put("row", "names");
        rows.add(row);
        row = new LinkedHashMap<>();
      }
    }
    if (!row.isEmpty()) {
      row.put("row", "names");
      rows.add(row);
    }
  }

  @Override
  public byte @Nullable [] piece() {
    while (ring < copies.size() && sent == copies.get(ring).size()) {
      ring++;
      sent = 0;
    }
    if (ring == copies.size()) {
      return null;
    }
    int from = sent;
    sent = Math.min(copies.get(ring).size(), from + PIECE);
    return copies.get(ring).bytes(from, sent);
  }

  @Override
  public void close() {
    end();
    copies = List.of();
  }
}
