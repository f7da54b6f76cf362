// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import dev.heddle.bench.fork.ContenderProcess;
import dev.heddle.bench.fork.ForkFailedException;
import dev.heddle.bench.fork.Peers;
import dev.heddle.bench.measure.HostClock;
import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.result.Conditions;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.rounds.Choice;
import dev.heddle.bench.rounds.Round;
import dev.heddle.bench.rounds.RoundLog;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.RoundSize;
import dev.heddle.bench.shape.Shape;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/// Runs a shape: every contender in a process of its own, taking turns round by round.
///
/// A contender that fails leaves with its reason; the others go on. A round beside which the
/// machine did other work is marked and repeated, for as long as the effort's patience lasts.
final class Driver {
  private static final Duration ANSWER_LIMIT = Duration.ofMinutes(3);
  private static final int LEAST_WARM_UPS = 4; // of short rounds, even when time is short
  private static final double GROWTH = 8; // of a warm-up round over the last: the first ones lie

  private final Shape shape;
  private final Effort effort;
  private final RoundLog log;
  private final Consumer<String> progress;
  private final Map<String, ContenderProcess> processes =
      new LinkedHashMap<>(); // those still taking part
  private long patience; // nanoseconds for rounds in place of those beside load

  private Driver(Shape shape, Effort effort, RoundLog log, Consumer<String> progress) {
    this.shape = shape;
    this.effort = effort;
    this.log = log;
    this.progress = progress;
    patience = effort.patience().toNanos();
  }

  /// Runs a shape to its end.
  ///
  /// @param progress told a line now and then
  static ShapeResult run(Shape shape, Effort effort, Consumer<String> progress) {
    return run(shape, effort, RoundLog.inMemory(), progress);
  }

  /// Runs what a shape lacks.
  ///
  /// @param log has what was measured before, and is told what is measured now
  /// @param progress told a line now and then
  static ShapeResult run(Shape shape, Effort effort, RoundLog log, Consumer<String> progress) {
    var driver = new Driver(shape, effort, log, progress);
    try {
      driver.run();
    } finally {
      driver.processes.values().forEach(ContenderProcess::close);
    }
    return log.result(shape);
  }

  private void run() {
    List<Case> cases = shape.cases().stream().filter(size -> !log.isComplete(size)).toList();
    if (cases.isEmpty()) {
      return;
    }
    Peers.build(shape, progress); // takes its own time, the first time
    long end = System.nanoTime() + effort.budget().toNanos();
    shape.contenders().forEach(this::start);
    int left = cases.size();
    for (Case size : cases) {
      long now = System.nanoTime();
      long part = (end - now) / left--;
      Duration need = effort.need(shape, size);
      long more = need.isZero() ? 0 : Math.max(0, need.toNanos() - part); // others keep theirs
      end += more + run(size, now + part + more);
    }
  }

  private void start(Contender contender) {
    String name = contender.name();
    Optional<String> missing = contender.missing();
    if (missing.isPresent()) {
      log.missing(name, missing.get());
      progress.accept(name + ": missing, " + missing.get());
      return;
    }
    try {
      ContenderProcess contenderProcess = ContenderProcess.start(shape, contender);
      processes.put(name, contenderProcess);
      log.started(name, contenderProcess.runtime());
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

  /// Returns for how long it went on because of load.
  private long run(Case size, long end) {
    Map<String, Long> operations = warmUp(size, end);
    int before = log.rounds(size.name()).size();
    int least = Math.max(before + 1, effort.least());
    int round = before;
    long extra = 0;
    long took = 0;
    while (!Choice.isEnough(log.rounds(size.name()), before, effort.rounds())) {
      long begin = System.nanoTime();
      if (round >= least && begin + took > end + extra) {
        break; // early rather than late
      }
      Round measured = round(size, round++, operations);
      took = System.nanoTime() - begin;
      if (!measured.load().isQuiet()) {
        long given = Math.min(took, patience);
        patience -= given;
        extra += given;
      }
      log.add(measured);
    }
    log.done(size.name());
    Conditions conditions = Choice.of(log.rounds(size.name())).conditions();
    if (conditions.loaded() > 0) {
      progress.accept(size.name() + ": " + conditions.text());
    }
    return extra;
  }

  private Round round(Case size, int number, Map<String, Long> operations) {
    List<String> order = present(size);
    Collections.rotate(order, number); // nobody always follows the same neighbour
    var host = new HostClock();
    host.start();
    Map<String, Sample> samples = round(size, order, operations);
    HostLoad load = effort.tiny() ? HostLoad.NONE : host.stop(); // tiny ones measure nothing
    return new Round(size.name(), Instant.now(), load, samples);
  }

  private Map<String, Long> warmUp(Case size, long end) {
    Map<String, Long> operations = new LinkedHashMap<>();
    List<String> present = present(size);
    long share = (end - System.nanoTime()) / 3 / Math.max(1, present.size());
    long warmNanos = Math.min(size.pace().warmUps() * effort.warmUp().toNanos(), share);
    for (String name : present) {
      progress.accept(size.name() + ": warming up " + name);
      try {
        process(name).open(sized(size), ANSWER_LIMIT);
        process(name).source().ifPresent(source -> log.source(name, source));
        operations.put(name, effort.tiny() ? size.pace().tiny() : settle(size, name, warmNanos));
      } catch (ForkFailedException e) {
        leave(name, e);
      }
    }
    return operations;
  }

  /// As large as this run wants it.
  private Case sized(Case size) {
    if (size.share().isEmpty()) {
      return effort.tiny() ? size.tiny() : size;
    }
    Case.Share share = size.share().get();
    String row = shape.caseNamed(share.peak()).rows().getFirst().name();
    ShapeResult known = log.result(shape);
    return shape.contenders().stream()
        .map(Contender::name)
        .filter(name -> known.has(row, name))
        .findFirst()
        .map(name -> size.sized(share.of(known.median(row, name))))
        .orElse(size);
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
    log.missing(name, String.valueOf(e.getMessage()));
    progress.accept(name + ": missing, " + e.getMessage());
    ContenderProcess contenderProcess = processes.remove(name);
    if (contenderProcess != null) {
      contenderProcess.close();
    }
  }
}
