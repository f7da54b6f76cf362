// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.cli.attach.Observed;
import dev.heddle.cli.text.Printable;
import dev.heddle.cli.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What runs in a JVM, or in all of them: a line for each loop, below them the holders, a line for
/// each runtime of processes, and one for each node of a cluster.
final class Tables {
  private final TextTable loops =
      new TextTable(
          "PID|LOOP|STATE|COROUTINES|READY|WAITING|IN THE JDK|SWITCHES|UP|PROGRAM",
          Set.of(0, 3, 4, 5, 6, 7, 8));
  private final TextTable runtimes =
      new TextTable(
          "PID|RUNTIME|WORKERS|AWAKE|PROCESSES|STARTED|RUNS|99% WAIT UP TO|UP|PROGRAM",
          Set.of(0, 2, 3, 4, 5, 6, 7, 8));
  private final TextTable clusters =
      new TextTable(
          "PID|NODE|STATE|CLUSTER|ADDRESS|IN TOUCH|LOST|REFUSED|BROKEN PAIRS|PROGRAM",
          Set.of(0, 5, 6, 7, 8));
  private final List<String> notes = new ArrayList<>();

  void add(JavaProcess process) {
    process.loops().forEach(loop -> addLoop(process, loop));
    process.ended().forEach(ended -> addEnded(process, ended));
    process.runtimes().forEach(runtime -> addRuntime(process, runtime));
    process.clusters().forEach(node -> addCluster(process, node));
  }

  private void addLoop(JavaProcess process, Observed loop) {
    loops.add(
        Long.toString(process.pid()),
        Printable.of(loop.name()),
        loop.text("state"),
        TextTable.number(loop.count("coroutines")),
        TextTable.number(loop.count("ready")),
        TextTable.number(loop.count("waiting")),
        TextTable.number(loop.count("foreign")),
        TextTable.number(loop.count("switches")),
        TextTable.inWords(loop.time("uptimeMillis")),
        Printable.of(process.program()));
    String holder = loop.holder();
    if (holder != null) {
      String held = TextTable.inWords(loop.time("heldMillis"));
      notes.add(
          "The loop '%s' of process %d has been held for %s by %s.\n"
              .formatted(Printable.of(loop.name()), process.pid(), held, Printable.of(holder)));
    }
  }

  private void addEnded(JavaProcess process, Observed ended) {
    notes.add(
        "The loop '%s' of process %d ended %s ago. %s\n"
            .formatted(
                Printable.of(ended.text("lastLoop")),
                process.pid(),
                TextTable.inWords(ended.time("lastAgoMillis")),
                Printable.of(ended.text("lastReport"))));
  }

  private void addRuntime(JavaProcess process, Observed runtime) {
    runtimes.add(
        Long.toString(process.pid()),
        Printable.of(runtime.name()),
        TextTable.number(runtime.count("workers")),
        TextTable.number(runtime.count("awake")),
        TextTable.number(runtime.count("processes")),
        TextTable.number(runtime.count("started")),
        TextTable.number(runtime.count("executed")),
        TextTable.number(runtime.count("queueDelay99Micros")) + " us",
        TextTable.inWords(runtime.time("uptimeMillis")),
        Printable.of(process.program()));
  }

  private void addCluster(JavaProcess process, Observed node) {
    clusters.add(
        Long.toString(process.pid()),
        Printable.of(node.name()),
        node.text("state"),
        Printable.of(node.text("cluster")),
        node.text("address"),
        TextTable.number(node.count("inTouch")),
        TextTable.number(node.count("lost")),
        TextTable.number(node.count("refused")),
        TextTable.number(node.count("brokenPairs")),
        Printable.of(process.program()));
  }

  void addAll(Tables others) {
    loops.addAll(others.loops);
    runtimes.addAll(others.runtimes);
    clusters.addAll(others.clusters);
    notes.addAll(others.notes);
  }

  boolean isEmpty() {
    return loops.isEmpty() && runtimes.isEmpty() && notes.isEmpty();
  }

  @Override
  public String toString() {
    return Stream.of(loops + String.join("", notes), runtimes.toString(), clusters.toString())
        .filter(table -> !table.isEmpty())
        .collect(Collectors.joining("\n"));
  }
}
