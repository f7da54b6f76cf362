// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorSystem;

/// Who takes part in the shapes of processes.
final class ActorContenders {
  static final String PEKKO = "pekko";
  static final String STOCK = "stock";
  static final String STOCK_ONE = "stock-1";
  static final String GO = "go";
  static final String ERLANG = "erlang";

  private final List<Contender> all = new ArrayList<>();

  /// Ours, with both kinds of flags.
  ActorContenders ours(Workload.Programs program) {
    all.add(Contender.of(Contender.HEDDLE, "processes, library flags", Flags.library(), program));
    all.add(
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "processes, the launcher's flags",
            Flags.launcher(),
            program));
    return this;
  }

  /// Pekko with the JVM's defaults, and with the launcher's flags, which may be good for it, too.
  ActorContenders pekko(Workload.Programs program) {
    all.add(pekko(Flags.stock(), program));
    all.add(
        Contender.of(
            PEKKO + "-launcher", "the same with the launcher's flags", Flags.launcher(), program));
    return this;
  }

  static Contender pekko(List<String> flags, Workload.Programs program) {
    String version = Servers.version(ActorSystem.class);
    return Contender.of(
        PEKKO, "Pekko " + version + ", typed actors, a thread for each processor", flags, program);
  }

  /// Stock virtual threads, on all cores and on one.
  ActorContenders stock(String what, Workload.Programs program) {
    all.add(Contender.of(STOCK, what, Flags.stock(), program));
    all.add(Contender.of(STOCK_ONE, "the same, one carrier", Flags.stockOneCarrier(), program));
    return this;
  }

  /// Go.
  ActorContenders go() {
    all.add(goroutines());
    return this;
  }

  /// Erlang.
  ActorContenders erlang() {
    all.add(erlangProcesses());
    return this;
  }

  /// Another one.
  ActorContenders and(Contender contender) {
    all.add(contender);
    return this;
  }

  static Contender goroutines() {
    return Contender.elsewhere(
        GO,
        "goroutines and channels",
        new Workload.Peer(Workload.Language.GO, Workload.Peer.ROUNDS));
  }

  static Contender erlangProcesses() {
    return Contender.elsewhere(
        ERLANG,
        "Erlang's processes and messages",
        new Workload.Peer(Workload.Language.ERLANG, Workload.Peer.ROUNDS));
  }

  List<Contender> list() {
    return List.copyOf(all);
  }

  /// Ahead of all others in a row, by its own figure and by CPU time, whatever their flags: the
  /// launcher's are bad for some.
  List<Bar> ahead(String row) {
    String[] others =
        all.stream()
            .map(Contender::name)
            .filter(name -> !name.startsWith(Contender.HEDDLE))
            .toArray(String[]::new);
    List<Bar> bars = new ArrayList<>();
    for (String subject : List.of(Contender.HEDDLE, Contender.HEDDLE_LAUNCHER)) {
      bars.add(Bar.below(row, subject, others));
      bars.add(Bar.ahead(row, subject, others));
    }
    return bars;
  }
}
