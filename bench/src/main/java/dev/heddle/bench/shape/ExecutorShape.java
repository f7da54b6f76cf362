// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleExecutor;
import dev.heddle.bench.peer.ExecutorTasks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/// Tasks from a thread to an executor.
final class ExecutorShape {
  private static final String ONE = "executor";
  private static final String BATCH = "executor-batch";
  private static final double LIMIT = 1.2;

  private ExecutorShape() {}

  static Shape shape() {
    return new Shape(
        "executor",
        "A thread submits a task and waits for its result, again and again; and it hands over 1,000"
            + " tasks and waits for the last. One operation is one task.",
        List.of(
            sized(ONE, "one at a time", 1, RoundSize.calibrated(1_000, 500)),
            sized(BATCH, "1,000 at a time", 1_000, RoundSize.calibrated(10_000, 1_000))),
        new LoopContenders()
            .ours("Loop.executor()", size -> new HeddleExecutor(size.size()))
            .stock(
                "Executors.newVirtualThreadPerTaskExecutor()",
                size -> new ExecutorTasks(Executors.newVirtualThreadPerTaskExecutor(), size.size()))
            .list(),
        bars());
  }

  private static Case sized(String name, String what, int batch, RoundSize pace) {
    return new Case(
        name,
        what,
        batch,
        pace,
        List.of(new Row(name, Metric.WALL), new Row(name + "-cpu", Metric.CPU)));
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (String subject : List.of(Contender.HEDDLE, Contender.HEDDLE_LAUNCHER)) {
      for (String row : List.of(ONE, BATCH)) {
        bars.add(Bar.ratio(row, subject, LIMIT, LoopContenders.STOCK));
        bars.add(Bar.ratio(row + "-cpu", subject, LIMIT, LoopContenders.STOCK));
      }
    }
    return bars;
  }
}
