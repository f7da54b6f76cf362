// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.util.ArrayList;
import java.util.List;

/// Who takes part in the shapes of coroutines that exchange something.
final class LoopContenders {
  static final String STOCK = "stock";
  static final String STOCK_ONE = "stock-1";
  static final String KOTLIN = "kotlin";
  static final String GO = ActorContenders.GO;
  static final String TOKIO = "tokio";

  private final List<Contender> all = new ArrayList<>();

  /// Ours, with both kinds of flags.
  LoopContenders ours(String what, Workload.Programs program) {
    all.add(Contender.of(Contender.HEDDLE, what + ", library flags", Flags.library(), program));
    all.add(
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "the same, the launcher's flags",
            Flags.launcher(),
            program));
    return this;
  }

  /// Stock virtual threads, on all cores and on one.
  LoopContenders stock(String what, Workload.Programs program) {
    all.add(Contender.of(STOCK, what, Flags.stock(), program));
    all.add(Contender.of(STOCK_ONE, "the same, one carrier", Flags.stockOneCarrier(), program));
    return this;
  }

  /// Kotlin's coroutines on one loop, which costs less CPU than a dispatcher with threads.
  LoopContenders kotlin(String what, Workload.Programs program) {
    all.add(coroutines(what, program));
    return this;
  }

  static Contender coroutines(String what, Workload.Programs program) {
    return Contender.of(KOTLIN, "Kotlin: " + what + ", runBlocking", Flags.stock(), program);
  }

  /// Goroutines.
  LoopContenders go(String... cases) {
    all.add(ActorContenders.goroutines().only(cases));
    return this;
  }

  /// Tasks of Tokio on the current-thread runtime, which costs less CPU than the one with threads.
  LoopContenders tokio(String... cases) {
    all.add(tasks("current-thread runtime").only(cases));
    return this;
  }

  static Contender tasks(String runtime) {
    return Contender.elsewhere(
        TOKIO,
        "tasks on Tokio, " + runtime,
        new Workload.Peer(Workload.Language.TOKIO, Workload.Peer.ROUNDS));
  }

  /// Kotlin, Go and Tokio, in shapes of coroutines alone.
  static List<Contender> others(String what, Workload.Programs kotlin) {
    return List.of(
        coroutines(what, kotlin), ActorContenders.goroutines(), tasks("current-thread runtime"));
  }

  /// Another one.
  LoopContenders and(Contender contender) {
    all.add(contender);
    return this;
  }

  List<Contender> list() {
    return List.copyOf(all);
  }

  /// Ahead of these, with both kinds of flags.
  static List<Bar> ahead(String row, String... others) {
    return List.of(
        Bar.ahead(row, Contender.HEDDLE, others),
        Bar.ahead(row, Contender.HEDDLE_LAUNCHER, others));
  }
}
