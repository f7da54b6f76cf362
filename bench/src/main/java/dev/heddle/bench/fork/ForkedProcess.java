// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A contender's process: lines to its standard input, lines from its standard output. It ends when
/// its input does, so that it does not outlive a driver that was killed.
final class ForkedProcess implements AutoCloseable {
  /// How long a process may take until it says something.
  static final Duration START_LIMIT = Duration.ofMinutes(5);

  private static final String HUNG_UP = "";

  private final Process process;
  private final Path log;
  private final PrintStream orders;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private ForkedProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("answers").start(this::listen);
  }

  /// Starts a command.
  ///
  /// @throws ForkFailedException when the system cannot
  static ForkedProcess start(List<String> command) throws ForkFailedException {
    try {
      Path log = Files.createTempFile("heddle-bench-", ".log");
      return new ForkedProcess(
          new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    } catch (IOException e) {
      throw new ForkFailedException("cannot start its process: " + e.getMessage());
    }
  }

  long pid() {
    return process.pid();
  }

  void say(String order) {
    orders.println(order);
  }

  /// The next line of its output.
  ///
  /// @throws ForkFailedException when it has ended, or says nothing for so long and is ended
  String take(Duration limit) throws ForkFailedException {
    try {
      String answer = answers.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (answer == null) {
        process.destroyForcibly();
        throw new ForkFailedException("no answer within " + limit.toSeconds() + " s");
      }
      if (answer.equals(HUNG_UP)) {
        throw new ForkFailedException("its process ended: " + lastWords());
      }
      return answer;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new ForkFailedException("the bench was interrupted");
    }
  }

  /// The first line with words that it wrote to its standard error: what comes behind are frames.
  String lastWords() {
    try {
      return Files.readAllLines(log, StandardCharsets.UTF_8).stream()
          .filter(line -> !line.isBlank())
          .findFirst()
          .orElse("it said nothing");
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void listen() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.isEmpty()) {
          answers.add(line);
        }
      }
    } catch (IOException _) {
      // safe: a closed pipe is a process that is gone, said by the next line
    }
    answers.add(HUNG_UP);
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
      Files.deleteIfExists(log);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
