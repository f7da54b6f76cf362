// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.load.Dialogue;
import dev.heddle.bench.load.Load;
import dev.heddle.bench.measure.Latencies;
import dev.heddle.bench.measure.Server;
import dev.heddle.bench.ours.HeddleEcho;
import dev.heddle.bench.ours.HeddleHttp;
import dev.heddle.bench.ours.process.PacedPairs;
import dev.heddle.bench.peer.NettyEcho;
import dev.heddle.bench.peer.NettyHttp;
import dev.heddle.bench.peer.NettyLoop;
import dev.heddle.bench.peer.StockServer;
import dev.heddle.bench.peer.pekko.PekkoPaced;
import dev.heddle.bench.peer.thread.PacedThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Supplier;

/// How long the slowest requests take, at rates that a server can bear.
final class TailShapes {
  private static final int CONNECTIONS = 64;
  private static final int PAIRS = 64;
  private static final int[] PERCENTS = {25, 50, 75};
  private static final int USUAL_RATE = 1_000; // per second, where nobody has a peak
  private static final String RULES =
      ". They come at a fixed rate, and a latency counts from the moment its request is due. With"
          + " G1, and with Parallel and ZGC.";
  private static final int ROUND_MILLIS = 2_000;
  private static final int TINY_MILLIS = 20;
  private static final String PARALLEL = "-XX:+UseParallelGC";
  private static final String ZGC = "-XX:+UseZGC"; // generational: JDK 25 has no other

  private TailShapes() {}

  static Shape echo() {
    return shape(
        "tails-echo",
        "echo of 64 bytes",
        Dialogue.ECHO,
        "tcp-echo",
        HeddleEcho::new,
        NettyEcho::new,
        StockServer::echo);
  }

  static Shape http() {
    return shape(
        "tails-http",
        "greeting over HTTP/1.1",
        Dialogue.HTTP,
        "http",
        HeddleHttp::new,
        NettyHttp::new,
        StockServer::http);
  }

  private static Shape shape(
      String name,
      String what,
      Dialogue dialogue,
      String peer,
      Supplier<Server> heddle,
      Function<NettyLoop, Server> netty,
      Supplier<Server> stock) {
    var servers = new Servers(size -> load(dialogue, size));
    String sentence =
        "The latency of an "
            + what
            + ", 64 connections, at 25, 50 and 75 % of the rate that Heddle reaches when each"
            + " answer brings the next request";
    return new Shape(
        name,
        sentence + RULES,
        cases(name, "requests/s", RoundSize.calibrated(2_000, 200)),
        contenders(servers, peer, heddle, netty, stock),
        List.of());
  }

  static Shape pairs() {
    return inside(
        "tails-pairs",
        "The latency of a message from outside that 64 pairs of processes take in turn, and answer"
            + " after a round trip within the pair, at 25, 50 and 75 % of the rate that Heddle"
            + " reaches when each answer brings the next message",
        PAIRS,
        false);
  }

  static Shape fairness() {
    return inside(
        "tails-fairness",
        "The same for one pair beside processes that always want to go on, one for each worker",
        1,
        true);
  }

  private static Shape inside(String name, String sentence, int pairs, boolean hogs) {
    List<Contender> all = new ArrayList<>();
    Workload.Programs ours = size -> new PacedPairs(pairs, hogs, rate(size));
    all.add(Contender.of(Contender.HEDDLE, "processes, G1", Flags.library(), ours));
    all.add(Contender.of("heddle-parallel", "processes, Parallel", ours(PARALLEL), ours));
    all.add(Contender.of("heddle-zgc", "processes, ZGC", ours(ZGC), ours));
    addWithCollectors(
        all, ActorContenders.pekko(Flags.stock(), size -> new PekkoPaced(pairs, hogs, rate(size))));
    if (!hogs) { // stock threads that yield keep others waiting
      addWithCollectors(
          all,
          Contender.of(
              ActorContenders.STOCK,
              "stock virtual threads, a queue each",
              Flags.stock(),
              size -> new PacedThreads(pairs, rate(size))));
    }
    all.add(ActorContenders.goroutines());
    all.add(LoopContenders.tasks(hogs ? "multi-thread runtime" : "current-thread runtime"));
    return new Shape(
        name,
        sentence + RULES,
        cases(name, "messages/s", RoundSize.calibrated(hogs ? 20 : 10_000, hogs ? 2 : 1_000)),
        all,
        List.of());
  }

  private static void addWithCollectors(List<Contender> all, Contender plain) {
    all.add(plain);
    all.add(plain.with("parallel", PARALLEL));
    all.add(plain.with("zgc", ZGC));
  }

  private static Load load(Dialogue dialogue, Case size) {
    return size.share().isPresent()
        ? new Load(dialogue, CONNECTIONS, 1, OptionalInt.of(size.size()))
        : new Load(dialogue, CONNECTIONS, 1);
  }

  private static int rate(Case size) {
    return size.share().isPresent() ? size.size() : 0;
  }

  private static List<Case> cases(String shape, String unit, RoundSize closed) {
    String peak = shape + "-peak";
    List<Case> cases = new ArrayList<>();
    cases.add(
        new Case(
            peak,
            "each answer brings the next",
            CONNECTIONS,
            closed,
            List.of(new Row(peak, Metric.rate(unit)))));
    for (int percent : PERCENTS) {
      cases.add(part(shape, unit, new Case.Share(peak, percent)));
    }
    return cases;
  }

  private static Case part(String shape, String unit, Case.Share share) {
    String name = shape + "-" + share.percent();
    var offered = new Metric(unit, sample -> sample.count(Latencies.OFFERED), true);
    return new Case(
        name,
        share.percent() + " % of the peak",
        USUAL_RATE,
        RoundSize.timed(ROUND_MILLIS, TINY_MILLIS),
        List.of(
            new Row(name + "-p99", Metric.count(Latencies.P99, "us")),
            new Row(name + "-p50", Metric.count(Latencies.MEDIAN, "us")),
            new Row(name + "-p999", Metric.count(Latencies.P999, "us")),
            new Row(name + "-max", Metric.count(Latencies.MAX, "us")),
            new Row(name + "-offered", offered, false)),
        Optional.of(share));
  }

  private static List<Contender> contenders(
      Servers servers,
      String peer,
      Supplier<Server> heddle,
      Function<NettyLoop, Server> netty,
      Supplier<Server> stock) {
    List<Contender> all = new ArrayList<>();
    String ours = "coroutines, the best driver that works here, ";
    all.add(servers.jvm(Contender.HEDDLE, ours + "G1", Flags.library(), heddle));
    all.add(servers.jvm("heddle-parallel", ours + "Parallel", ours(PARALLEL), heddle));
    all.add(servers.jvm("heddle-zgc", ours + "ZGC", ours(ZGC), heddle));
    for (NettyLoop loop : NettyLoop.values()) {
      addWithCollectors(all, servers.netty(loop, netty));
    }
    addWithCollectors(all, servers.stock(stock).getFirst());
    servers.peers(peer).stream()
        .filter(other -> !other.name().equals(Servers.NODE))
        .forEach(all::add);
    return all;
  }

  private static List<String> ours(String collector) {
    return Flags.with(Flags.library(), collector);
  }
}
