// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import dev.heddle.observe.attach.Frames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// A JVM in which loops or runtimes of processes run, while it is observed.
///
/// It is asked through two named pipes, which only its user can open and which are gone when it has
/// opened them. A JVM without loops and runtimes is not touched.
///
/// @param pid its process id
/// @param program its main class, jar or source file
/// @param loops by name; none when they have ended a moment ago
/// @param runtimes of processes, by name
/// @param clusters the nodes of clusters, by name
/// @param ended the one that knows the deadlocks of loops that have ended; none when there were
///   none
public record JavaProcess(
    long pid,
    String program,
    List<Observed> loops,
    List<Observed> runtimes,
    List<Observed> clusters,
    List<Observed> ended) {
  private static final List<String> LAUNCHERS =
      List.of(
          "dev.heddle.cli.HeddleCommand run ",
          "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher ");

  private static final Pattern CONSOLE =
      Pattern.compile(
          "(dev\\.heddle\\.cli\\.HeddleCommand|(\\S*/)?heddle\\.jar)( -\\S+)* console\\b.*");

  /// The JVMs of this user that the JDK has found, but this one.
  public static List<Long> candidates() {
    StaleFolders.remove();
    return Candidate.all();
  }

  /// The JVMs among the candidates in which something of Heddle runs, with their programs; without
  /// consoles, which only watch others, and without those that end meanwhile or do not answer.
  public static Map<Long, String> running() {
    return running(candidates());
  }

  /// The same, of some candidates.
  public static Map<Long, String> running(List<Long> candidates) {
    Map<Long, String> found = new LinkedHashMap<>();
    Map<Long, String> programs = candidates.isEmpty() ? Map.of() : Candidate.programs();
    for (long pid : candidates) {
      if (seemsToRunHeddle(pid)) {
        String command = programs.getOrDefault(pid, "");
        if (!isConsole(command)) {
          found.put(pid, program(command));
        }
      }
    }
    return found;
  }

  /// By its command; one whose arguments stand in a file is shown.
  static boolean isConsole(String command) {
    return CONSOLE.matcher(command).matches();
  }

  private static boolean seemsToRunHeddle(long pid) {
    try {
      return Candidate.runsHeddle(pid);
    } catch (AttachException _) {
      return false; // it has just ended, or does not answer
    }
  }

  /// Observes a process.
  ///
  /// @param look gets it when there is something to see; it can be asked until that returns
  /// @return whether there is
  /// @throws AttachException when it cannot be observed, with the reason
  public static boolean observe(long pid, Consumer<JavaProcess> look) throws AttachException {
    Candidate.check(pid);
    if (!Candidate.runsHeddle(pid)) {
      return false;
    }
    try (Observation observation = new Observation(pid)) {
      JavaProcess seen = seen(pid, observation);
      look.accept(seen);
      return !seen.isEmpty();
    } catch (UncheckedIOException e) {
      throw failed(pid, Objects.requireNonNull(e.getCause()));
    } catch (IOException e) {
      throw failed(pid, e);
    }
  }

  static JavaProcess seen(long pid, Observation observation) throws AttachException, IOException {
    List<Observed> all =
        observation.list().stream()
            .filter(each -> each.getProperty("failed") == null)
            .map(each -> new Observed(observation, each))
            .sorted(Comparator.comparing(Observed::name))
            .toList();
    return new JavaProcess(
        pid,
        observation.program(),
        of("loop", all),
        of("runtime", all),
        of("cluster", all),
        of("ended", all));
  }

  private static List<Observed> of(String kind, List<Observed> all) {
    return all.stream().filter(each -> each.text("kind").equals(kind)).toList();
  }

  /// Whether nothing runs there, and nothing is known of loops that have ended.
  public boolean isEmpty() {
    return isIdle() && ended.isEmpty();
  }

  /// Whether nothing runs there.
  public boolean isIdle() {
    return loops.isEmpty() && runtimes.isEmpty();
  }

  /// The main class or file, without arguments: they may be long, or secret.
  static String program(String command) {
    String started = command;
    for (String launcher : LAUNCHERS) {
      started = started.startsWith(launcher) ? started.substring(launcher.length()) : started;
    }
    String first = started.strip().split(" ", 2)[0];
    return first.substring(first.lastIndexOf('/') + 1);
  }

  static AttachException failed(long pid, IOException e) {
    if (e.getCause() instanceof AttachException why) {
      return why;
    }
    if (e instanceof Frames.AnswerFailedException) {
      return new AttachException("process " + pid + " cannot answer: " + e.getMessage(), e);
    }
    return new AttachException("process " + pid + " is not to be seen: " + e.getMessage(), e);
  }
}
