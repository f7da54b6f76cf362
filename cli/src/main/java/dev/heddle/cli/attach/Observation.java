// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import dev.heddle.cli.attach.ProcessEnd.Farewell;
import dev.heddle.observe.attach.Frames;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An observation of another JVM: questions, and the answers of that JVM.
final class Observation implements AutoCloseable {
  /// A variable of the environment: how many seconds a JVM has to greet.
  private static final String GREETING = "HEDDLE_ATTACH_SECONDS";

  /// A JVM checks for observers once a second; on a busy machine later.
  private static final String GREETING_SECONDS = "10";

  /// The other JVM waits two seconds for a loop that is held; the rest is for a busy machine.
  private static final Duration ANSWER = Duration.ofSeconds(60);

  private static final int SOON = 20; // checks, a millisecond apart; then ten

  private final long pid;
  private final Duration greetingTime;
  private final Pipes pipes;
  private final DataInputStream answers;
  private final DataOutputStream questions;
  private final String program;
  private Farewell farewell = Farewell.UNKNOWN;
  private @Nullable Consumer<String> silence; // null: then it gives up

  /// Begins one.
  ///
  /// @throws AttachException when that JVM does not answer
  Observation(long pid) throws AttachException, IOException {
    this.pid = pid;
    this.greetingTime = greetingTime(System.getenv().getOrDefault(GREETING, GREETING_SECONDS));
    String known = JavaProcess.program(Candidate.program(pid)); // also if it ends before it greets
    this.pipes = new Pipes(Candidate.root(pid), Candidate.ownNumber(pid));
    this.answers = new DataInputStream(pipes.answers());
    this.questions = new DataOutputStream(new BufferedOutputStream(pipes.questions()));
    try {
      String greeted = JavaProcess.program(greeting(known));
      this.program = greeted.isEmpty() ? known : greeted;
      askForFarewell();
    } catch (AttachException | IOException | RuntimeException e) {
      pipes.close();
      throw e;
    }
  }

  /// @param seconds a whole number, at least 1
  static Duration greetingTime(String seconds) throws AttachException {
    try {
      int number = Integer.parseInt(seconds);
      if (number > 0) {
        return Duration.ofSeconds(number);
      }
    } catch (NumberFormatException _) {
      // refused below, as one that is too small
    }
    throw new AttachException(
        "%s is '%s': set it to a whole number of seconds, at least 1".formatted(GREETING, seconds));
  }

  private String greeting(String known) throws AttachException, IOException {
    await(greetingTime, known);
    pipes.stopWaiting();
    String first = answer(known);
    if (first.isEmpty()) {
      throw ended(known);
    }
    Properties greeting = Frames.read(first);
    int protocol = Integer.parseInt(greeting.getProperty("protocol", "0"));
    if (protocol != Frames.PROTOCOL) {
      throw new AttachException(
          "process %s runs another version of Heddle: it speaks protocol %s, and this one %s"
              .formatted(pid, protocol, Frames.PROTOCOL));
    }
    return greeting.getProperty("command", "");
  }

  private void askForFarewell() throws AttachException, IOException {
    try {
      List<String> _ = answers(Frames.FAREWELL);
      farewell = farewell == Farewell.UNKNOWN ? Farewell.NONE : farewell;
    } catch (Frames.AnswerFailedException _) {
      // a Heddle that does not say when it ends
    }
  }

  /// The main class, jar or source file, without arguments: they may be long, or secret.
  String program() {
    return program;
  }

  List<Properties> list() throws AttachException, IOException {
    List<Properties> all = new ArrayList<>();
    for (String value : answers("list")) {
      all.add(Frames.read(value));
    }
    return all;
  }

  /// Asks a loop or a runtime.
  ///
  /// @param number of [#list]
  String ask(String question, String number) {
    try {
      return String.join("", answers(question + ' ' + number));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (AttachException e) {
      throw new UncheckedIOException(new IOException(e.getMessage(), e));
    }
  }

  /// The values of an answer.
  List<String> answers(String question) throws AttachException, IOException {
    try {
      Frames.ask(questions, question);
    } catch (IOException e) {
      throw noMore(e);
    }
    List<String> all = new ArrayList<>();
    for (String value = next(program); value != null; value = next(program)) {
      all.add(value);
    }
    return all;
  }

  /// The one value of an answer that is no text; null: none.
  byte @Nullable [] bytes(String question) throws AttachException, IOException {
    try {
      Frames.ask(questions, question);
    } catch (IOException e) {
      throw noMore(e);
    }
    byte[] value = nextBytes(program);
    if (value != null && nextBytes(program) != null) {
      throw new IOException("an answer of two values");
    }
    return value;
  }

  private String answer(String known) throws AttachException, IOException {
    StringBuilder all = new StringBuilder();
    for (String value = next(known); value != null; value = next(known)) {
      all.append(value);
    }
    return all.toString();
  }

  private @Nullable String next(String known) throws AttachException, IOException {
    byte[] value = nextBytes(known);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  private byte @Nullable [] nextBytes(String known) throws AttachException, IOException {
    await(ANSWER, known);
    try {
      return Frames.nextBytes(answers, () -> farewell = Farewell.SAID);
    } catch (EOFException _) {
      throw ended(known);
    }
  }

  // ---- its end ----

  void checkAlive() throws AttachException, IOException {
    if (Candidate.hasEnded(pid)) {
      readFarewell();
      throw ended(program);
    }
  }

  /// The pipe is closed at the other side: that JVM has ended, or the last of its threads is about
  /// to.
  private AttachException noMore(IOException e) throws IOException {
    long end = System.nanoTime() + greetingTime.toNanos();
    while (!Candidate.hasEnded(pid)) {
      if (System.nanoTime() - end > 0) {
        throw e; // it runs
      }
      pause(1);
    }
    readFarewell();
    return ended(program);
  }

  /// What it has said before its end may still be in the pipe.
  private void readFarewell() throws IOException {
    try {
      while (answers.available() > 0) {
        String _ = Frames.next(answers, () -> farewell = Farewell.SAID);
      }
    } catch (EOFException | Frames.AnswerFailedException _) {
      // it was the last
    }
  }

  private AttachException ended(String known) {
    return AttachException.ended(pid, known, ProcessEnd.describe(pid, farewell));
  }

  /// From now on it waits for an answer as long as that JVM runs, stopped or not.
  ///
  /// @param told why there is no answer; an empty text when it has come
  void waitOn(Consumer<String> told) {
    silence = told;
  }

  /// Waits until there are bytes to read, or that JVM has ended.
  private void await(Duration patience, String known) throws AttachException, IOException {
    long end = System.nanoTime() + patience.toNanos();
    String said = "";
    for (int look = 0; answers.available() == 0; look++) {
      if (Candidate.hasEnded(pid)) {
        if (answers.available() > 0) {
          return; // its last bytes
        }
        throw ended(known);
      }
      if (Candidate.isStopped(pid)) {
        said = tell(said, stopped());
      } else if (System.nanoTime() - end > 0) {
        said = tell(said, silent(patience));
      }
      pause(look < SOON ? 1 : 10);
    }
    if (silence != null && !said.isEmpty()) {
      silence.accept("");
    }
  }

  /// @return the message, which need not be told again
  private String tell(String said, AttachException why) throws AttachException {
    if (silence == null) {
      throw why;
    }
    String text = String.valueOf(why.getMessage());
    if (!text.equals(said)) {
      silence.accept(text);
    }
    return text;
  }

  private AttachException stopped() {
    return new AttachException(
        "process %s is stopped and does not answer; kill -CONT %s resumes it".formatted(pid, pid));
  }

  private AttachException silent(Duration patience) throws AttachException {
    if (!Candidate.runsHeddle(pid)) {
      return AttachException.nothingRuns(pid);
    }
    return new AttachException(
        "process %s has not answered for %s s: it gets no processor, collects garbage, has no /tmp"
                .formatted(pid, patience.toSeconds())
            + " in common with this command, or runs an older Heddle, which opens a port to"
            + " answer; use that version's own command");
  }

  private static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while an answer was waited for", e);
    }
  }

  @Override
  public void close() {
    pipes.close();
  }
}
