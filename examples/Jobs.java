// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.ForEach;
import dev.heddle.os.Child;
import dev.heddle.os.Command;

/// Runs shell commands, some at a time, each for a limited time. What they write is shown as it
/// comes, behind the number of the job.
final class Jobs {
  private static final String USAGE =
      """
      usage: ./heddle run examples/Jobs.java [OPTIONS] [COMMAND...]
        -f, --file FILE       commands, one on each line; empty ones and # comments are skipped
        -j, --jobs N          commands that run at the same time (4)
        -t, --timeout SECONDS time for one command; then it is killed with its descendants (60)
        -h, --help            this text
      exit code: 0 all have succeeded, 1 some have not, 2 wrong usage, 130 after Ctrl-C\
      """;

  /// A line for the shell.
  record Job(int number, String line) {}

  /// What became of a job.
  record Outcome(Job job, String end, boolean succeeded, long millis) {}

  private final List<String> lines = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private int atOnce = 4;
  private Duration limit = Duration.ofSeconds(60);

  static void main(String[] args) {
    if (Stream.of(args).anyMatch(Set.of("-h", "--help")::contains)) {
      System.out.println(USAGE);
      return;
    }
    var jobs = new Jobs();
    try {
      jobs.parse(new ArrayDeque<>(List.of(args)));
    } catch (IllegalArgumentException | IOException e) {
      System.err.println("Jobs: " + e.getMessage() + "\n" + USAGE);
      Heddle.exit(2);
    }
    try {
      jobs.run();
    } finally {
      jobs.report(); // after Ctrl-C, too
    }
    if (jobs.outcomes.stream().anyMatch(outcome -> !outcome.succeeded)) {
      Heddle.exit(1);
    }
  }

  private void parse(Deque<String> words) throws IOException {
    for (String word = words.poll(); word != null; word = words.poll()) {
      switch (word) {
        case "-f", "--file" -> read(Path.of(value(word, words)));
        case "-j", "--jobs" -> atOnce = number(word, words);
        case "-t", "--timeout" -> limit = Duration.ofSeconds(number(word, words));
        default -> lines.add(word);
      }
    }
    if (lines.isEmpty()) {
      throw new IllegalArgumentException("no commands were given");
    }
  }

  private void read(Path file) throws IOException {
    List<String> read = Heddle.offload(() -> Files.readAllLines(file));
    read.stream()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .forEach(lines::add);
  }

  private static String value(String option, Deque<String> words) {
    if (words.isEmpty()) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return words.remove();
  }

  private static int number(String option, Deque<String> words) {
    String value = value(option, words);
    if (!value.matches("[1-9]\\d{0,6}")) {
      throw new IllegalArgumentException(option + " needs a positive number, not " + value);
    }
    return Integer.parseInt(value);
  }

  private void run() {
    List<Job> jobs =
        IntStream.range(0, lines.size()).mapToObj(i -> new Job(i + 1, lines.get(i))).toList();
    ForEach.over(jobs).withConcurrency(atOnce).run(this::run);
  }

  private void run(Job job) {
    long began = System.nanoTime();
    String end = "interrupted";
    boolean succeeded = false;
    try {
      int code = Heddle.withTimeout(limit, () -> follow(job));
      succeeded = code == 0;
      end = succeeded ? "done" : "exit code " + code;
    } catch (DeadlineException _) {
      end = "killed after " + limit.toSeconds() + " s";
    } finally {
      long millis = (System.nanoTime() - began) / 1_000_000;
      outcomes.add(new Outcome(job, end, succeeded, millis));
    }
  }

  private static int follow(Job job) throws IOException {
    // closed, however this ends: that kills what still runs
    try (Child child = Command.shell(job.line).withErrorMerged().start()) {
      child.input().close();
      for (String text : child.output()) {
        System.out.println("[" + job.number + "] " + text);
      }
      return child.await();
    }
  }

  private void report() {
    outcomes.sort(Comparator.comparingInt(outcome -> outcome.job.number));
    System.out.println("job  end               after  command");
    for (Outcome o : outcomes) {
      System.out.printf("%3d  %-14s  %5d ms  %s%n", o.job.number, o.end, o.millis, o.job.line);
    }
    long good = outcomes.stream().filter(Outcome::succeeded).count();
    System.out.printf(
        "%d commands: %d succeeded, %d did not, %d were not begun%n",
        lines.size(), good, outcomes.size() - good, lines.size() - outcomes.size());
  }
}
