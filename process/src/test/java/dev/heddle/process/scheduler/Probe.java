// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.function.Function;

/// A task of a test: its step is a function.
final class Probe extends Task {
  final int number;
  private final Function<Worker, Verdict> step;
  private final Runnable end;
  volatile boolean due;

  Probe(int number) {
    this(number, _ -> Verdict.DONE, () -> {});
  }

  Probe(int number, Function<Worker, Verdict> step, Runnable end) {
    this(Rank.USUAL, number, step, end);
  }

  Probe(Rank rank, int number, Function<Worker, Verdict> step, Runnable end) {
    super(rank);
    this.number = number;
    this.step = step;
    this.end = end;
  }

  @Override
  protected Verdict step(Worker worker) {
    return step.apply(worker);
  }

  @Override
  protected boolean isDue() {
    return due;
  }

  @Override
  protected void completed(Worker worker) {
    end.run();
  }
}
