// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The driver's side of a contender's JVM: it stays alive between rounds, so that contenders take
/// turns without losing what their compilers learnt, and without sharing it.
public final class Fork implements AutoCloseable {
  private static final String HUNG_UP = "";
  private static final Duration START_LIMIT = Duration.ofSeconds(30);

  private final Process process;
  private final Path log;
  private final PrintStream orders;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final String runtime;

  private Fork(Process process, Path log) throws ForkFailedException {
    this.process = process;
    this.log = log;
    orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("answers").start(this::listen);
    runtime = take(START_LIMIT);
  }

  /// Starts a contender's JVM.
  ///
  /// @throws ForkFailedException when it does not come up
  public static Fork start(Shape shape, Contender contender) throws ForkFailedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(contender.flags());
    command.add("--enable-native-access=ALL-UNNAMED"); // the CPU clock's
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(ForkMain.class.getName());
    command.add(shape.name());
    command.add(contender.name());
    try {
      Path log = Files.createTempFile("heddle-bench-", ".log");
      return new Fork(new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    } catch (IOException e) {
      throw new ForkFailedException("cannot start its JVM: " + e.getMessage());
    }
  }

  /// The JVM's version and collector, as it says itself.
  public String runtime() {
    return runtime;
  }

  /// Makes the contender's program for a case.
  public void open(Case size, Duration limit) throws ForkFailedException {
    orders.println("case " + size.name() + " " + size.size());
    String answer = take(limit);
    if (!answer.equals(Wire.READY)) {
      throw new ForkFailedException(Wire.reason(answer));
    }
  }

  /// Tells it to run a round, without waiting.
  public void begin(long operations) {
    orders.println("round " + operations);
  }

  /// Waits for the round's sample.
  public Sample end(Duration limit) throws ForkFailedException {
    return Wire.read(take(limit));
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

  private void listen() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        answers.add(line);
      }
    } catch (IOException _) {
      // safe: a closed pipe is a JVM that is gone, said by the next line
    }
    answers.add(HUNG_UP);
  }

  private String take(Duration limit) throws ForkFailedException {
    try {
      String answer = answers.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (answer == null) {
        process.destroyForcibly();
        throw new ForkFailedException("no answer within " + limit.toSeconds() + " s");
      }
      if (answer.equals(HUNG_UP)) {
        throw new ForkFailedException("its JVM ended: " + lastWords());
      }
      return answer;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new ForkFailedException("the bench was interrupted");
    }
  }

  private String lastWords() {
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
      return lines.isEmpty() ? "it said nothing" : lines.get(0);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
