// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import dev.heddle.observe.attach.Frames;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// An observation of another JVM: questions, and the answers of that JVM.
final class Observation implements AutoCloseable {
  /// A JVM checks for observers once a second; on a busy machine later.
  private static final Duration GREETING = Duration.ofSeconds(10);

  /// The other JVM waits two seconds for a loop that is held; the rest is for a busy machine.
  private static final Duration ANSWER = Duration.ofSeconds(60);

  private static final int SOON = 20; // checks, a millisecond apart; then ten

  private final long pid;
  private final Pipes pipes;
  private final DataInputStream answers;
  private final DataOutputStream questions;
  private final String command;

  /// Begins one.
  ///
  /// @throws AttachException when that JVM does not answer
  Observation(long pid) throws AttachException, IOException {
    this.pid = pid;
    this.pipes = new Pipes(Candidate.root(pid), Candidate.ownNumber(pid));
    this.answers = new DataInputStream(pipes.answers());
    this.questions = new DataOutputStream(new BufferedOutputStream(pipes.questions()));
    try {
      this.command = greeting();
    } catch (AttachException | IOException | RuntimeException e) {
      pipes.close();
      throw e;
    }
  }

  private String greeting() throws AttachException, IOException {
    await(GREETING);
    pipes.stopWaiting();
    String first = answer();
    if (first.isEmpty()) {
      throw new EOFException();
    }
    Properties greeting = Frames.read(first);
    int protocol = Integer.parseInt(greeting.getProperty("protocol", "0"));
    if (protocol != Frames.PROTOCOL) {
      throw new AttachException(
          "process %d runs another version of Heddle: it speaks protocol %d, and this one %d"
              .formatted(pid, protocol, Frames.PROTOCOL));
    }
    return greeting.getProperty("command", "");
  }

  String command() {
    return command;
  }

  List<Properties> list() throws AttachException, IOException {
    Frames.ask(questions, "list");
    List<Properties> all = new ArrayList<>();
    for (String value = next(); value != null; value = next()) {
      all.add(Frames.read(value));
    }
    return all;
  }

  /// Asks a loop or a runtime.
  ///
  /// @param number of [#list]
  String ask(String question, String number) {
    try {
      Frames.ask(questions, question + ' ' + number);
      return answer();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (AttachException e) {
      throw new UncheckedIOException(new IOException(e.getMessage(), e));
    }
  }

  private String answer() throws AttachException, IOException {
    StringBuilder all = new StringBuilder();
    for (String value = next(); value != null; value = next()) {
      all.append(value);
    }
    return all.toString();
  }

  private @Nullable String next() throws AttachException, IOException {
    await(ANSWER);
    return Frames.next(answers);
  }

  /// Waits until there are bytes to read, or that JVM has ended.
  private void await(Duration patience) throws AttachException, IOException {
    long end = System.nanoTime() + patience.toNanos();
    for (int look = 0; answers.available() == 0; look++) {
      if (Candidate.hasEnded(pid)) {
        if (answers.available() > 0) {
          return; // its last bytes
        }
        throw AttachException.ended(pid);
      }
      if (Candidate.isStopped(pid)) {
        throw new AttachException(
            "process %d is stopped and does not answer; kill -CONT %d resumes it"
                .formatted(pid, pid));
      }
      if (System.nanoTime() - end > 0) {
        throw silent(patience);
      }
      pause(look < SOON ? 1 : 10);
    }
  }

  private AttachException silent(Duration patience) throws AttachException {
    if (!Candidate.runsHeddle(pid)) {
      return AttachException.nothingRuns(pid);
    }
    return new AttachException(
        "process %d has not answered for %d s: it gets no processor, collects garbage, has no /tmp"
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
