// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A trace as a file in the Trace Event Format, which ui.perfetto.dev and chrome://tracing open.
///
/// Each loop has two tracks: its runs, by the names of coroutines, and what woke coroutines from
/// outside of all runs. Arrows go from who woke to the run that followed.
public final class TraceJson {
  private static final int TRACKS = 2; // of a thread

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
    List<ThreadTrace> threads = captured.threads();
    long origin = threads.stream().mapToLong(ThreadTrace::began).min().orElse(0);
    TrackWriter.Arrows arrows = new TrackWriter.Arrows();
    int pid = (int) process;
    try (JsonLines out = new JsonLines(to, origin)) {
      out.event("M", pid, 0)
          .with("name", "process_name")
          .args(Map.of("name", captured.program()))
          .end();
      int track = 1;
      for (ThreadTrace each : threads) {
        new TrackWriter(out, arrows, pid, track, each).write();
        track += TRACKS;
      }
      long recorded = threads.stream().mapToLong(each -> each.entries().total()).sum();
      long lost = threads.stream().mapToLong(each -> each.entries().lost()).sum();
      Written written = new Written(out.written(), arrows.count(), recorded, lost);
      out.close(about(threads, written));
      return written;
    }
  }

  private static Map<String, Object> about(List<ThreadTrace> threads, Written written) {
    Map<String, Object> about = new LinkedHashMap<>();
    about.put("recorded", written.recorded);
    about.put("lost", written.lost);
    for (ThreadTrace each : threads) {
      String prefix = each.what() + " " + each.name() + " ";
      about.put(prefix + "lost", each.entries().lost());
      for (String key : each.whole().stringPropertyNames()) {
        if (!key.equals("row") && !key.equals("name") && !key.equals("kind")) {
          about.put(prefix + key, each.whole().getProperty(key));
        }
      }
    }
    return about;
  }
}
