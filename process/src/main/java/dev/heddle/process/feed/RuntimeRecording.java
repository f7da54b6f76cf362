// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.feed;

import dev.heddle.observe.trace.Recording;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.process.ProcessCounters;
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
/// The workers go on while it begins and ends: at either end an entry may be missing. Of a run that
/// had begun before, neither its end nor what it receives is recorded.
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

  private final long[] held; // the process that each worker runs at the end
  private final long[] heldSince;
  private final int[] heldMessage; // that it was given first; 0: that is in the ring, or none

  private List<Map<String, String>> rows = List.of(); // of the end
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
    int rings = before.workers().size() + 1; // of all other threads
    this.held = new long[rings];
    this.heldSince = new long[rings];
    this.heldMessage = new int[rings];
    this.workers = inspector.workers().beginTrace(entries);
  }

  @Override
  public List<Map<String, String>> stop() {
    if (!rows.isEmpty()) {
      return rows; // a second time: the workers have counted on
    }
    end();
    for (int i = 0; i < held.length; i++) {
      heldSince[i] = workers.get(i).since();
      held[i] = workers.get(i).running();
      heldMessage[i] = workers.get(i).received();
      if (workers.get(i).since() != heldSince[i]) {
        held[i] = 0; // that run has ended
      }
    }
    ProcessCounters after = inspector.counters();
    long ended = System.nanoTime();
    copies = new ArrayList<>();
    for (int i = 0; i < held.length; i++) {
      TraceRing.Copy copy = workers.get(i).ring().copy();
      held[i] = has(copy, TraceKind.RUN, held[i], heldSince[i]) ? 0 : held[i];
      boolean isReceived = held[i] != 0 && heldMessage[i] != 0;
      isReceived &= !has(copy, TraceKind.RECEIVED, held[i], heldSince[i]); // it has got another one
      copies.add(
          isReceived ? copy.with(heldSince[i], TraceKind.RECEIVED, held[i], heldMessage[i]) : copy);
    }
    List<Map<String, String>> all = new ArrayList<>();
    all.add(whole(after, ended));
    for (int i = 0; i < copies.size(); i++) {
      all.add(ring(i, after));
    }
    addNames(all);
    rows = all;
    return all;
  }

  private static boolean has(TraceRing.Copy copy, TraceKind kind, long who, long since) {
    for (int i = copy.size() - 1; i >= 0 && copy.time(i) >= since; i--) {
      if (copy.kind(i) == kind.number() && copy.who(i) == who) {
        return true;
      }
    }
    return false;
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
    Map<String, String> row = row(worker);
    if (worker == after.workers().size()) { // the last one is that of all other threads
      row.put("what", "runtime");
      row.put("name", name);
      return row;
    }
    WorkerTrace trace = workers.get(worker);
    row.put("name", name + " " + after.workers().get(worker).number());
    row.put("executed", Long.toString(trace.executed()));
    row.put("stolen", Long.toString(trace.stolen()));
    row.put("parks", Long.toString(trace.parks()));
    long running = held[worker];
    if (running != 0) {
      row.put("heldBy", Long.toString(running));
      row.put("heldSince", Long.toString(heldSince[worker]));
    }
    return row;
  }

  private Map<String, String> row(int ring) {
    TraceRing.Copy copy = copies.get(ring);
    Map<String, String> row = new LinkedHashMap<>();
    row.put("row", "ring");
    row.put("recorded", Long.toString(copy.total()));
    row.put("lost", Long.toString(copy.lost()));
    int code = 0;
    for (String fixed : WorkerTrace.CODES) {
      row.put("code." + code++, fixed);
    }
    for (Class<?> command : workers.get(ring).kinds()) {
      row.put("code." + code++, command.getSimpleName());
    }
    return row;
  }

  // ---- names ----

  private void addNames(List<Map<String, String>> rows) {
    Map<Long, String> names = new LinkedHashMap<>();
    Set<Long> wanted = new HashSet<>();
    for (long running : held) {
      wanted.add(running);
    }
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
