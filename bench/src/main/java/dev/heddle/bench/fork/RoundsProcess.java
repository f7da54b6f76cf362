// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The driver's side of a contender's process that runs rounds, a JVM's or another: it stays alive
/// between them, so that contenders take turns without losing what their compilers learnt, and
/// without sharing it.
public final class RoundsProcess implements ContenderProcess {
  private final ForkedProcess forkedProcess;
  private final String runtime;
  private String source = "";

  private RoundsProcess(ForkedProcess forkedProcess) throws ForkFailedException {
    this.forkedProcess = forkedProcess;
    runtime = forkedProcess.take(ForkedProcess.START_LIMIT);
  }

  /// Starts a contender's JVM.
  ///
  /// @throws ForkFailedException when it does not come up
  public static RoundsProcess start(Shape shape, Contender contender) throws ForkFailedException {
    return start(Jvm.command(shape, contender, ForkMain.class));
  }

  /// Starts a process that takes the orders of [ForkMain].
  static RoundsProcess start(List<String> command) throws ForkFailedException {
    ForkedProcess forkedProcess = ForkedProcess.start(command);
    try {
      return new RoundsProcess(forkedProcess);
    } catch (ForkFailedException e) {
      forkedProcess.close();
      throw e;
    }
  }

  @Override
  public String runtime() {
    return runtime;
  }

  @Override
  public void open(Case size, Duration limit) throws ForkFailedException {
    forkedProcess.say("case " + size.name() + " " + size.size());
    String answer = forkedProcess.take(limit);
    String[] words = answer.split(" ", 2);
    if (!words[0].equals(Wire.READY)) {
      throw new ForkFailedException(Wire.reason(answer));
    }
    if (words.length == 2) {
      source = words[1];
    }
  }

  @Override
  public Optional<String> source() {
    return source.isEmpty() ? Optional.empty() : Optional.of(source);
  }

  /// Tells it to run a round, without waiting.
  @Override
  public void begin(long operations) {
    forkedProcess.say("round " + operations);
  }

  @Override
  public Sample end(Duration limit) throws ForkFailedException {
    return Wire.read(forkedProcess.take(limit));
  }

  @Override
  public void close() {
    forkedProcess.close();
  }
}
