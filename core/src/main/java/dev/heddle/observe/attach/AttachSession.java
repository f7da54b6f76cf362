// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.attach;

import dev.heddle.internal.DaemonThread;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The session of one observer: answers its questions until it leaves. Runs on a daemon thread of
/// its own.
final class AttachSession implements Runnable {
  private static final String LIST = "list";

  private final InputStream in;
  private final OutputStream out;

  // its thread; their numbers are their places here
  private final List<Attachable> shown = new ArrayList<>();

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
    }
  }

  private static void greet(DataOutputStream answers) throws IOException {
    Map<String, String> greeting = new LinkedHashMap<>();
    greeting.put("protocol", Integer.toString(Frames.PROTOCOL));
    greeting.put("command", System.getProperty("sun.java.command", ""));
    Frames.value(answers, Frames.written(greeting));
    Frames.end(answers);
  }

  private void answer(String question, DataOutputStream answers) throws IOException {
    String value;
    if (question.equals(LIST)) {
      list(answers);
      return;
    }
    try {
      String[] words = question.split(" ", 2);
      value = shown.get(Integer.parseInt(words[1])).answer(words[0]);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      Frames.failed(answers, e.toString());
      return;
    }
    Frames.value(answers, value);
    Frames.end(answers);
  }

  private void list(DataOutputStream answers) throws IOException {
    for (Attachable each : Attachables.all()) {
      Map<String, String> fields = new LinkedHashMap<>();
      try {
        fields.putAll(each.summary());
      } catch (RuntimeException e) { // the others are still shown
        fields.put("failed", e.toString());
      }
      fields.put("kind", each.kind());
      fields.put("number", Integer.toString(shown.size()));
      shown.add(each);
      Frames.value(answers, Frames.written(fields));
    }
    Frames.end(answers);
  }
}
