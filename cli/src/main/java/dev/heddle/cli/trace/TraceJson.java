// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/// A trace as a file in the Trace Event Format, which ui.perfetto.dev and the console open.
///
/// Each loop has two tracks: its runs, by the names of coroutines, and what woke coroutines from
/// outside of all runs; so has each worker, with the runs of processes. Arrows go from who woke, or
/// sent, to the run that followed, or received.
public final class TraceJson {
  static final int TRACKS = 2; // of a thread
  private static final Set<String> NOT_SHOWN = Set.of("row", "name", "kind");

  /// What has been written.
  ///
  /// @param events lines of the file
  /// @param arrows of them, pairs
  /// @param recorded entries that were recorded
  /// @param lost of them, those that were overwritten before they could be fetched
  public record Written(long events, long arrows, long recorded, long lost) {}

  private TraceJson() {}

  /// Writes a trace, and closes the writer.
  ///
  /// @param process its process id
  public static Written write(Writer to, long process, Capture.Result captured) throws IOException {
    List<ThreadTrace> threads = named(captured.threads());
    long origin = threads.stream().mapToLong(ThreadTrace::began).min().orElse(0);
    Flows flows = new Flows();
    Commands commands = new Commands();
    int pid = (int) process;
    try (JsonLines out = new JsonLines(to, origin)) {
      out.event("M", pid, 0)
          .with("name", "process_name")
          .args(Map.of("name", captured.program()))
          .end();
      int track = 1;
      for (List<ThreadTrace> group : groups(threads)) {
        track = write(out, flows, commands, pid, track, group);
      }
      writeInterruptions(new Interruptions(out, pid), track, threads, captured.pauses(), origin);
      long recorded = threads.stream().mapToLong(each -> each.entries().total()).sum();
      long lost = threads.stream().mapToLong(each -> each.entries().lost()).sum();
      Written written = new Written(out.written(), flows.count(), recorded, lost);
      out.close(about(threads, captured.pauses(), written));
      return written;
    }
  }

  /// The same with names that differ: two loops may have one name, and their counts are found by
  /// it.
  private static List<ThreadTrace> named(List<ThreadTrace> threads) {
    Map<String, Integer> known = new HashMap<>();
    List<ThreadTrace> named = new ArrayList<>();
    for (ThreadTrace each : threads) {
      int number = known.merge(each.what() + " " + each.name(), 1, Integer::sum);
      named.add(number == 1 ? each : each.named(each.name() + " (" + number + ")"));
    }
    return named;
  }

  /// The threads of one recording: the workers of a runtime have processes in common.
  private static List<List<ThreadTrace>> groups(List<ThreadTrace> threads) {
    IdentityHashMap<Properties, List<ThreadTrace>> known = new IdentityHashMap<>();
    List<List<ThreadTrace>> groups = new ArrayList<>();
    for (ThreadTrace each : threads) {
      List<ThreadTrace> group = known.get(each.whole());
      if (group == null) {
        group = new ArrayList<>();
        known.put(each.whole(), group);
        groups.add(group);
      }
      group.add(each);
    }
    return groups;
  }

  private static int write(
      JsonLines out, Flows flows, Commands commands, int pid, int first, List<ThreadTrace> group)
      throws IOException {
    List<long[]> places = new ArrayList<>();
    List<Integer> tracks = new ArrayList<>();
    for (ThreadTrace each : group) {
      places.add(Places.of(each));
      tracks.add(first + TRACKS * tracks.size());
    }
    var arrows = Arrows.of(group, places, tracks);
    var issued = commands.of(group, places);
    var messages = Messages.of(group, places, tracks);
    for (int i = 0; i < group.size(); i++) {
      Causes causes = new Causes(places.get(i), arrows.get(i), issued.get(i), messages.get(i));
      new TrackWriter(out, flows, pid, first, tracks.get(i), group.get(i), causes).write();
    }
    flows.write(out, pid);
    return first + TRACKS * group.size();
  }

  private static void writeInterruptions(
      Interruptions to, int first, List<ThreadTrace> threads, List<Properties> pauses, long origin)
      throws IOException {
    int track = first;
    for (ThreadTrace each : threads) {
      if (!each.holds().isEmpty()) {
        to.holds(track++, each.what() + " " + each.name() + ": holds", each.holds(), each.began());
      }
    }
    if (!pauses.isEmpty()) {
      to.pauses(track, pauses.subList(1, pauses.size()), origin);
    }
  }

  private static Map<String, Object> about(
      List<ThreadTrace> threads, List<Properties> pauses, Written written) {
    Map<String, Object> about = new LinkedHashMap<>();
    about.put("recorded", written.recorded);
    about.put("lost", written.lost);
    if (!pauses.isEmpty()) { // the first row has how many the collectors have counted
      about.put("pauses", pauses.getFirst().getProperty("counted", "0"));
    }
    for (ThreadTrace each : threads) {
      String prefix = each.what() + " " + each.name() + " ";
      addAll(about, prefix, each.whole());
      addAll(about, prefix, each.ring());
    }
    return about;
  }

  private static void addAll(Map<String, Object> about, String prefix, Properties row) {
    for (String key : new TreeSet<>(row.stringPropertyNames())) {
      if (!NOT_SHOWN.contains(key) && !key.startsWith("code.")) {
        about.put(prefix + key, row.getProperty(key));
      }
    }
  }
}
