// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.attach;

import dev.heddle.internal.DaemonThread;
import dev.heddle.observe.trace.GcPauses;
import dev.heddle.observe.trace.Recording;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The session of one observer: answers its questions until it leaves. Runs on a daemon thread of
/// its own.
///
/// When the JVM shuts down, the observer is told so, if it has asked for that: by a shutdown hook,
/// which is there while the session lasts. The hook must not wait for an observer that does not
/// read, so it leaves the writing to a daemon thread, and continues after [#FAREWELL_MILLIS] at the
/// latest.
final class AttachSession implements Runnable {
  private static final String LIST = "list";
  private static final String WATCH = "watch"; // a look of the feed of one; opens the feed
  private static final String PROBE = "probe"; // measures a delay, for the next look
  private static final String REST = "rest"; // closes all feeds: nobody looks for a while
  private static final String RECORD = "record"; // begins a trace of one
  private static final String RECORDED = "recorded"; // ends it: what there is
  private static final String PIECE = "piece"; // of a trace that has ended: bytes, or no value
  private static final String RECORD_PAUSES = "record-pauses"; // of the garbage collectors
  private static final String RECORDED_PAUSES = "recorded-pauses"; // ends that: what there were
  private static final String DETAIL = "detail"; // of the feed of one; the rest says which
  private static final int FAREWELL_MILLIS = 100;

  private final InputStream in;
  private final OutputStream out;

  // its thread; their numbers are their places here
  private final List<@Nullable Attachable> shown = new ArrayList<>(); // null: it has ended
  private final Map<Integer, Feed> feeds = new HashMap<>();
  private final Map<Integer, Recording> recordings = new HashMap<>();
  private @Nullable GcPauses pauses;
  private @Nullable Thread hook;

  // held while an answer, or the farewell, is written
  private final ReentrantLock writing = new ReentrantLock();

  private AttachSession(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  /// Answers what comes from `in`, and closes both at the end.
  static void start(InputStream in, OutputStream out) {
    var _ = DaemonThread.start("heddle-attach", new AttachSession(in, out));
  }

  @Override
  public void run() {
    try (DataInputStream questions = new DataInputStream(in);
        DataOutputStream answers = new DataOutputStream(new BufferedOutputStream(out))) {
      greet(answers);
      String question = Frames.question(questions);
      while (question != null) {
        answer(question, answers);
        question = Frames.question(questions);
      }
    } catch (IOException _) {
      // safe: the observer has left
    } finally {
      forgetFarewell();
      closeAll();
    }
  }

  // each on its own: what fails to close must not let another be recorded for ever
  private void closeAll() {
    List<AutoCloseable> all = new ArrayList<>(recordings.values());
    all.addAll(feeds.values());
    if (pauses != null) {
      all.add(pauses);
    }
    for (AutoCloseable each : all) {
      try {
        each.close();
      } catch (Exception _) {
        // safe: nobody is left to be told
      }
    }
  }

  // ---- the farewell ----

  private void promiseFarewell(DataOutputStream answers) {
    if (hook == null) {
      Thread onExit = DaemonThread.of("heddle-attach-end", () -> sayFarewell(answers));
      try {
        Runtime.getRuntime().addShutdownHook(onExit);
        hook = onExit;
      } catch (IllegalStateException _) {
        // it shuts down already
        sayFarewell(answers);
      }
    }
  }

  private void sayFarewell(DataOutputStream answers) {
    Thread writer = DaemonThread.start("heddle-attach-end", () -> write(answers));
    try {
      writer.join(FAREWELL_MILLIS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(DataOutputStream answers) {
    writing.lock();
    try {
      Frames.bye(answers);
    } catch (IOException _) {
      // safe: the observer has left
    } finally {
      writing.unlock();
    }
  }

  private void forgetFarewell() {
    Thread onExit = hook;
    if (onExit != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(onExit);
      } catch (IllegalStateException _) {
        // safe: it runs, and its observer has left
      }
    }
  }

  // ---- questions ----

  private static void greet(DataOutputStream answers) throws IOException {
    Map<String, String> greeting = new LinkedHashMap<>();
    greeting.put("protocol", Integer.toString(Frames.PROTOCOL));
    greeting.put("command", System.getProperty("sun.java.command", ""));
    Frames.value(answers, Frames.written(greeting));
    Frames.end(answers);
  }

  private void answer(String question, DataOutputStream answers) throws IOException {
    switch (question) {
      case LIST -> writeAnswer(() -> list(answers));
      case Frames.FAREWELL -> {
        promiseFarewell(answers);
        writeAnswer(() -> Frames.end(answers));
      }
      default -> answerOne(question, answers);
    }
  }

  private interface Answer {
    void write() throws IOException;
  }

  private void writeAnswer(Answer answer) throws IOException {
    writing.lock();
    try {
      answer.write();
    } finally {
      writing.unlock();
    }
  }

  private void answerOne(String question, DataOutputStream answers) throws IOException {
    List<byte[]> values;
    try {
      String[] words = question.split(" ", 3); // the question, the number, and what it is about
      int number = words.length == 1 ? -1 : Integer.parseInt(words[1]);
      values =
          switch (words[0]) {
            case REST -> {
              rest();
              yield List.of();
            }
            case RECORD_PAUSES, RECORDED_PAUSES -> written(ofJvm(words[0]));
            case WATCH -> written(feed(number).look());
            case PROBE -> {
              feed(number).probe();
              yield List.of();
            }
            case RECORD -> {
              record(number);
              yield List.of();
            }
            case RECORDED -> written(recording(number).stop());
            case PIECE -> {
              byte[] piece = recording(number).piece();
              yield piece == null ? List.of() : List.of(piece);
            }
            case DETAIL -> written(feed(number).detail(words[2]));
            default -> {
              String about = words.length > 2 ? " " + words[2] : "";
              yield List.of(utf8(shown(number).answer(words[0] + about)));
            }
          };
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      writeAnswer(() -> Frames.failed(answers, e.toString()));
      return;
    }
    writeAll(values, answers);
  }

  private void writeAll(List<byte[]> values, DataOutputStream answers) throws IOException {
    writeAnswer(() -> {
      for (byte[] value : values) {
        Frames.value(answers, value);
      }
      Frames.end(answers);
    });
  }

  // what is asked about the JVM, not about one of those that it runs
  private List<Map<String, String>> ofJvm(String question) {
    GcPauses known = pauses;
    return switch (question) {
      case RECORD_PAUSES -> {
        if (known != null) {
          known.close();
        }
        pauses = new GcPauses();
        yield List.of();
      }
      case RECORDED_PAUSES -> {
        pauses = null;
        yield known == null ? List.of() : known.stop();
      }
      default -> throw new IllegalArgumentException("'" + question + "' is no question");
    };
  }

  private Attachable shown(int number) {
    Attachable there = shown.get(number);
    if (there == null) {
      throw new IllegalArgumentException("number " + number + " has ended");
    }
    return there;
  }

  private Feed feed(int number) {
    return feeds.computeIfAbsent(number, n -> shown(n).watch());
  }

  private void rest() {
    feeds.values().forEach(Feed::close);
    feeds.clear();
  }

  private void record(int number) {
    Recording before = recordings.remove(number);
    if (before != null) {
      before.close();
    }
    recordings.put(number, shown(number).record());
  }

  private Recording recording(int number) {
    Recording there = recordings.get(number);
    if (there == null) {
      throw new IllegalArgumentException("of number " + number + " no trace is recorded");
    }
    return there;
  }

  private static List<byte[]> written(List<Map<String, String>> rows) throws IOException {
    List<byte[]> values = new ArrayList<>();
    for (Map<String, String> row : rows) {
      values.add(utf8(Frames.written(row)));
    }
    return values;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void list(DataOutputStream answers) throws IOException {
    List<Attachable> all = Attachables.all();
    forgetEnded(all);
    for (Attachable each : all) {
      Map<String, String> fields = new LinkedHashMap<>();
      try {
        fields.putAll(each.summary());
      } catch (RuntimeException e) { // the others are still shown
        fields.put("failed", e.toString());
      }
      fields.put("kind", each.kind());
      fields.put("number", Integer.toString(numberOf(each)));
      Frames.value(answers, Frames.written(fields));
    }
    Frames.end(answers);
  }

  // a session that lasts must not keep what has ended
  private void forgetEnded(List<Attachable> all) {
    for (int i = 0; i < shown.size(); i++) {
      if (shown.get(i) != null && !all.contains(shown.get(i))) {
        shown.set(i, null);
        Feed feed = feeds.remove(i);
        if (feed != null) {
          feed.close();
        }
      }
    }
  }

  private int numberOf(Attachable each) {
    int known = shown.indexOf(each);
    if (known < 0) {
      shown.add(each);
    }
    return known < 0 ? shown.size() - 1 : known;
  }
}
