// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The arrows of a file: from a cause to the run that it has led to, from the run that has sent a
/// message to the one that has received it, and from a worker to the one that has stolen from it.
///
/// They are written when all spans of their threads are known. The run in which something was woken
/// may not be there: it had not ended when the recording did, or the clock of another worker was
/// ahead, so that it seems to begin later. Such a cause has no arrow.
final class Flows {
  static final String WAKE = "wake";
  static final String MESSAGE = "message";
  static final String STEAL = "steal";

  private record Flow(String name, int track, long at, int toTrack, long to) {}

  /// The spans of a track, in their order.
  private static final class Spans {
    private long[] from = new long[64];
    private long[] to = new long[64];
    private int size;

    void add(long begin, long end) {
      if (size == from.length) {
        from = Arrays.copyOf(from, 2 * size);
        to = Arrays.copyOf(to, 2 * size);
      }
      from[size] = begin;
      to[size++] = end;
    }

    boolean has(long at) {
      int low = 0;
      int high = size;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (from[middle] <= at) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low > 0 && to[low - 1] >= at;
    }
  }

  private final Map<Integer, Spans> spans = new HashMap<>();
  private final List<Flow> waiting = new ArrayList<>();
  private long written;

  /// A span of a track, which begins after those before.
  void span(int track, long from, long to) {
    spans.computeIfAbsent(track, _ -> new Spans()).add(from, to);
  }

  /// An arrow to a span.
  void add(String name, int track, long at, int toTrack, long to) {
    waiting.add(new Flow(name, track, at, toTrack, to));
  }

  /// Writes those that were added, as far as they begin in a span.
  void write(JsonLines out, int process) throws IOException {
    for (Flow flow : waiting) {
      Spans causes = spans.get(flow.track);
      if (causes != null && causes.has(flow.at)) {
        written++;
        out.event("s", process, flow.track)
            .at(flow.at)
            .with("cat", flow.name)
            .with("name", flow.name)
            .with("id", written)
            .end();
        out.event("f", process, flow.toTrack)
            .at(flow.to)
            .with("cat", flow.name)
            .with("name", flow.name)
            .with("id", written)
            .with("bp", "e")
            .end();
      }
    }
    waiting.clear();
    spans.clear();
  }

  /// How many were written.
  long count() {
    return written;
  }
}
