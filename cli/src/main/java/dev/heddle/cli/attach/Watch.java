// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import dev.heddle.observe.attach.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An observation that lasts: a JVM is listed and looked at again and again, until this is closed
/// or that JVM has ended. **Thread** one at a time.
public final class Watch implements AutoCloseable {
  private final long pid;
  private final Observation observation;

  private Watch(long pid, Observation observation) {
    this.pid = pid;
    this.observation = observation;
  }

  /// The process that is watched.
  public long pid() {
    return pid;
  }

  /// Begins to watch a JVM.
  ///
  /// @throws AttachException when it cannot be observed, or nothing of Heddle runs there
  public static Watch of(long pid) throws AttachException {
    Candidate.check(pid);
    if (!Candidate.runsHeddle(pid)) {
      throw AttachException.nothingRuns(pid);
    }
    try {
      return new Watch(pid, new Observation(pid));
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// From now on a JVM that is stopped, or silent for a minute, is waited for.
  ///
  /// @param told why there is no answer; an empty text when it has come. On the thread that asks
  public void waitOn(Consumer<String> told) {
    observation.waitOn(told);
  }

  /// What runs there now.
  public JavaProcess list() throws AttachException {
    try {
      return JavaProcess.seen(pid, observation);
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// A look at the feed of a loop or a runtime: its rows; none when it has ended.
  public List<Properties> look(Observed at) throws AttachException {
    List<Properties> rows = new ArrayList<>();
    try {
      for (String row : observation.answers("watch " + at.number())) {
        rows.add(Frames.read(row));
      }
      return rows;
    } catch (Frames.AnswerFailedException e) {
      if (e.toString().contains("has ended")) {
        return List.of();
      }
      throw new AttachException(
          "process %s cannot be watched; if it runs another version of Heddle, use that version's"
                  .formatted(pid)
              + " own command: "
              + e.getMessage(),
          e);
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// Measures once how long a loop's queue is; the next look tells.
  ///
  /// @param number of the loop, see [Observed#number()]
  public void probe(String number) throws AttachException {
    try {
      List<String> _ = observation.answers("probe " + number);
    } catch (Frames.AnswerFailedException _) {
      // it has ended
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// Nobody looks for a while: that JVM keeps nothing for looks until the next one. Does nothing
  /// where its version of Heddle cannot.
  public void rest() throws AttachException {
    List<Properties> _ = ofJvm("rest");
  }

  /// Checks whether that JVM still runs, without asking it.
  ///
  /// @throws AttachException when it has ended, with how
  public void checkAlive() throws AttachException {
    try {
      observation.checkAlive();
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// Begins to record a trace of a loop or a runtime.
  ///
  /// @return why it did not begin; empty when it has
  public String record(Observed at) throws AttachException {
    try {
      List<String> _ = observation.answers("record " + at.number());
      return "";
    } catch (Frames.AnswerFailedException e) {
      String why = String.valueOf(e.getMessage());
      return why.substring(why.indexOf(": ") + 1).strip(); // without the name of an exception
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// Begins to record the pauses of the garbage collectors of that JVM; does nothing where its
  /// version of Heddle cannot.
  public void recordPauses() throws AttachException {
    List<Properties> _ = ofJvm("record-pauses");
  }

  /// Ends that: rows, see [dev.heddle.observe.trace.GcPauses#stop()]; none where it cannot.
  public List<Properties> recordedPauses() throws AttachException {
    return ofJvm("recorded-pauses");
  }

  private List<Properties> ofJvm(String question) throws AttachException {
    List<Properties> rows = new ArrayList<>();
    try {
      for (String row : observation.answers(question)) {
        rows.add(Frames.read(row));
      }
      return rows;
    } catch (Frames.AnswerFailedException _) {
      return List.of(); // an older version
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// Ends a recording: its rows, see [dev.heddle.observe.trace.Recording#stop()].
  public List<Properties> recorded(Observed at) throws AttachException {
    List<Properties> rows = new ArrayList<>();
    try {
      for (String row : observation.answers("recorded " + at.number())) {
        rows.add(Frames.read(row));
      }
      return rows;
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// The next piece of a recording that has ended; null: no more.
  public byte @Nullable [] piece(Observed at) throws AttachException {
    try {
      return observation.bytes("piece " + at.number());
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// What a look does not have: rows of a loop or a runtime.
  ///
  /// @param number of the loop or the runtime, see [Observed#number()]
  /// @param question `coroutines`, `waits`, `processes`, `process` and a PID, or `reports`
  /// @return none when it has ended, or does not know the question
  public List<Properties> detail(String number, String question) throws AttachException {
    List<Properties> rows = new ArrayList<>();
    try {
      for (String row : observation.answers("detail " + number + ' ' + question)) {
        rows.add(Frames.read(row));
      }
      return rows;
    } catch (Frames.AnswerFailedException _) {
      return List.of();
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  /// The stack of a coroutine, as text.
  ///
  /// @param number of the loop, see [Observed#number()]
  public String stack(String number, long coroutine) throws AttachException {
    try {
      return String.join("", observation.answers("stack " + number + ' ' + coroutine));
    } catch (Frames.AnswerFailedException e) {
      return e.getMessage() + "\n";
    } catch (IOException e) {
      throw JavaProcess.failed(pid, e);
    }
  }

  @Override
  public void close() {
    observation.close();
  }
}
