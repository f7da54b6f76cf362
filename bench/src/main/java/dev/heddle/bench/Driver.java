// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import dev.heddle.bench.fork.ContenderProcess;
import dev.heddle.bench.fork.ForkFailedException;
import dev.heddle.bench.fork.Peers;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.result.Figures;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.RoundSize;
import dev.heddle.bench.shape.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/// Runs a shape: every contender in a process of its own, taking turns round by round.
///
/// A contender that fails leaves with its reason; the others go on.
final class Driver {
  private static final Duration ANSWER_LIMIT = Duration.ofMinutes(3);
  private static final int LEAST_WARM_UPS = 4; // of short rounds, even when time is short
  private static final double GROWTH = 8; // of a warm-up round over the last: the first ones lie

  private final Shape shape;
  private final Effort effort;
  private final Consumer<String> progress;
  private final Map<String, ContenderProcess> processes =
      new LinkedHashMap<>(); // those still taking part
  private final Map<String, String> runtimes = new LinkedHashMap<>();
  private final Map<String, String> missing = new LinkedHashMap<>();

  private Driver(Shape shape, Effort effort, Consumer<String> progress) {
    this.shape = shape;
    this.effort = effort;
    this.progress = progress;
  }

  /// Runs a shape to its end.
  ///
  /// @param progress told a line now and then
  static ShapeResult run(Shape shape, Effort effort, Consumer<String> progress) {
    var driver = new Driver(shape, effort, progress);
    try {
      return driver.run();
    } finally {
      driver.processes.values().forEach(ContenderProcess::close);
    }
  }

  private ShapeResult run() {
    Peers.build(shape, progress); // takes its own time, the first time
    long end = System.nanoTime() + effort.budget().toNanos();
    shape.contenders().forEach(this::start);
    Map<String, Map<String, Figures>> figures = new LinkedHashMap<>();
    int left = shape.cases().size();
    for (Case size : shape.cases()) {
      long now = System.nanoTime();
      figures.put(size.name(), run(size, now + (end - now) / left--));
    }
    return new ShapeResult(shape, runtimes, figures);
  }

  private void start(Contender contender) {
    String name = contender.name();
    contender.missing().ifPresent(reason -> missing.put(name, reason));
    if (missing.containsKey(name)) {
      progress.accept(name + ": missing, " + missing.get(name));
      return;
    }
    try {
      ContenderProcess contenderProcess = ContenderProcess.start(shape, contender);
      processes.put(name, contenderProcess);
      runtimes.put(name, contenderProcess.runtime());
      progress.accept(
          name
              + ": "
              + contenderProcess.runtime()
              + "; flags: "
              + String.join(" ", contender.flags()));
    } catch (ForkFailedException e) {
      leave(name, e);
    }
  }

  private Map<String, Figures> run(Case size, long end) {
    Map<String, Long> operations = warmUp(size, end);
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    long took = 0;
    for (int round = 0; round < effort.rounds(); round++) {
      long before = System.nanoTime();
      if (round > 0 && before + took > end) {
        break; // early rather than late
      }
      List<String> order = present(size);
      Collections.rotate(order, round); // nobody always follows the same neighbour
      for (Map.Entry<String, Sample> entry : round(size, order, operations).entrySet()) {
        samples.computeIfAbsent(entry.getKey(), _ -> new ArrayList<>()).add(entry.getValue());
      }
      took = System.nanoTime() - before;
    }
    Map<String, Figures> figures = new LinkedHashMap<>();
    for (Contender contender : shape.contenders()) {
      String name = contender.name();
      if (!contender.isIn(size)) {
        continue;
      }
      figures.put(
          name,
          missing.containsKey(name)
              ? Figures.missing(missing.get(name))
              : Figures.of(samples.getOrDefault(name, List.of())));
    }
    return figures;
  }

  private Map<String, Long> warmUp(Case size, long end) {
    Map<String, Long> operations = new LinkedHashMap<>();
    List<String> present = present(size);
    long share = (end - System.nanoTime()) / 3 / Math.max(1, present.size());
    long warmNanos = Math.min(effort.warmUp().toNanos(), share);
    for (String name : present) {
      progress.accept(size.name() + ": warming up " + name);
      try {
        process(name).open(effort.tiny() ? size.tiny() : size, ANSWER_LIMIT);
        operations.put(name, effort.tiny() ? size.pace().tiny() : settle(size, name, warmNanos));
      } catch (ForkFailedException e) {
        leave(name, e);
      }
    }
    return operations;
  }

  /// Runs rounds until they take as long as wanted and the contender is warm.
  private long settle(Case size, String name, long warmNanos) throws ForkFailedException {
    if (size.pace().together()) {
      return size.pace().least();
    }
    ContenderProcess contenderProcess = process(name);
    RoundSize roundSize = size.pace();
    long operations = roundSize.warmUp();
    long started = System.nanoTime();
    contenderProcess.practise(Duration.ofNanos(warmNanos / 2));
    long took;
    int round = 0;
    do {
      contenderProcess.begin(operations);
      // what it measures, not what it takes: fio's start is longer than a short round
      took = Math.max(1, contenderProcess.end(ANSWER_LIMIT).wallNanos());
      if (!roundSize.isFixed()) {
        double wanted = operations * Math.min(GROWTH, (double) effort.round().toNanos() / took);
        operations = roundSize.clamp(wanted);
      }
    } while (System.nanoTime() - started < warmNanos
        || (++round < LEAST_WARM_UPS && took < effort.round().toNanos() / 2));
    return roundSize.isFixed() ? roundSize.least() : operations;
  }

  private Map<String, Sample> round(Case size, List<String> order, Map<String, Long> operations) {
    Map<String, Sample> samples = new LinkedHashMap<>();
    if (size.pace().together()) {
      order.forEach(name -> process(name).begin(size.pace().least()));
    }
    for (String name : order) {
      try {
        if (!size.pace().together()) {
          process(name).begin(operations.getOrDefault(name, size.pace().least()));
        }
        samples.put(name, process(name).end(ANSWER_LIMIT));
      } catch (ForkFailedException e) {
        leave(name, e);
      }
    }
    return samples;
  }

  /// Who is still there and takes part in this case, in order.
  private List<String> present(Case size) {
    List<String> names = new ArrayList<>(processes.keySet());
    names.removeIf(name -> !shape.contender(name).isIn(size));
    return names;
  }

  private ContenderProcess process(String name) {
    return Objects.requireNonNull(processes.get(name), name);
  }

  private void leave(String name, ForkFailedException e) {
    missing.put(name, String.valueOf(e.getMessage()));
    progress.accept(name + ": " + e.getMessage());
    ContenderProcess contenderProcess = processes.remove(name);
    if (contenderProcess != null) {
      contenderProcess.close();
    }
  }
}
