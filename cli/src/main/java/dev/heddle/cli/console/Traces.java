// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.Watch;
import dev.heddle.cli.trace.Capture;
import dev.heddle.cli.trace.TraceJson;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/// Records traces for the page: `{"refused":[...],"trace":{...}}`, where the trace is what `heddle
/// trace` writes, or is missing when there is none. **Thread** any; each recording has a thread and
/// a way into the program of its own, so that the looks at the program go on meanwhile.
final class Traces {
  static final int MAX_SECONDS = 30;
  static final int MOST = 48 << 20; // characters: what a page can hold, with room for its slices

  private final Set<Long> recorded = ConcurrentHashMap.newKeySet(); // now

  /// Begins to record.
  CompletableFuture<String> record(long pid, int seconds) {
    CompletableFuture<String> answer = new CompletableFuture<>();
    if (!recorded.add(pid)) {
      answer.complete(refusal("another page records process " + pid + " now"));
      return answer;
    }
    Thread.ofPlatform()
        .daemon()
        .name("heddle-trace-" + pid)
        .start(() -> {
          try {
            answer.complete(run(pid, seconds));
          } catch (AttachException | IOException | RuntimeException e) {
            answer.complete(refusal(String.valueOf(e.getMessage())));
          } finally {
            recorded.remove(pid);
            answer.cancel(false); // for an error, which ends the thread
          }
        });
    return answer;
  }

  private static String run(long pid, int seconds) throws AttachException, IOException {
    try (Watch watch = Watch.of(pid)) {
      return written(pid, new Capture(watch).run(Duration.ofSeconds(seconds)), MOST);
    }
  }

  /// @param most characters, beyond which there is no trace but words
  static String written(long pid, Capture.Result captured, int most) throws IOException {
    if (captured.threads().isEmpty()) {
      return refusal(
          captured.refused().isEmpty()
              ? List.of("process " + pid + " runs neither loops nor processes now")
              : captured.refused());
    }
    StringWriter text = new StringWriter();
    text.write("{\"refused\":" + quoted(captured.refused()) + ",\"trace\":");
    try {
      TraceJson.Written _ = TraceJson.write(new Bounded(text, most), pid, captured);
    } catch (TooLongException _) {
      return refusal(
          "the trace has more than %s million characters: record for a shorter time, or with heddle"
                  .formatted(most >> 20)
              + " trace, for a larger viewer");
    }
    return text.append('}').toString();
  }

  private static String refusal(String why) {
    return refusal(List.of(why));
  }

  private static String refusal(List<String> why) {
    return "{\"refused\":" + quoted(why) + "}";
  }

  private static String quoted(List<String> lines) {
    return lines.stream().map(JsonText::quoted).collect(Collectors.joining(",", "[", "]"));
  }

  private static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1;
  }

  /// Ends what is written beyond its room.
  private static final class Bounded extends FilterWriter {
    private long left;

    Bounded(Writer to, long room) {
      super(to);
      left = room;
    }

    private void take(int length) throws TooLongException {
      left -= length;
      if (left < 0) {
        throw new TooLongException();
      }
    }

    @Override
    public void write(int one) throws IOException {
      take(1);
      super.write(one);
    }

    @Override
    public void write(char[] some, int from, int length) throws IOException {
      take(length);
      super.write(some, from, length);
    }

    @Override
    public void write(String some, int from, int length) throws IOException {
      take(length);
      super.write(some, from, length);
    }
  }
}
