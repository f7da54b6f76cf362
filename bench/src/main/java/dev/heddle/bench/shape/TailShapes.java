// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.load.Dialogue;
import dev.heddle.bench.load.Load;
import dev.heddle.bench.load.Pace;
import dev.heddle.bench.load.Peak;
import dev.heddle.bench.measure.Latencies;
import dev.heddle.bench.measure.Server;
import dev.heddle.bench.ours.HeddleEcho;
import dev.heddle.bench.ours.HeddleHttp;
import dev.heddle.bench.peer.NettyEcho;
import dev.heddle.bench.peer.NettyHttp;
import dev.heddle.bench.peer.NettyLoop;
import dev.heddle.bench.peer.StockServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// How long the slowest requests take, at rates that a server can bear.
final class TailShapes {
  private static final int CONNECTIONS = 64;
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
    var peak = new Peak();
    var servers =
        new Servers(
            size -> new Load(dialogue, CONNECTIONS, 1, Optional.of(new Pace(peak, size.size()))));
    return new Shape(
        name,
        "The latency of an "
            + what
            + ", 64 connections, at 25, 50 and 75 % of the rate that Heddle reaches when each"
            + " answer brings the next request. Requests come at a fixed rate, and a latency"
            + " counts from the moment its request is due. With G1, and with Parallel and ZGC.",
        List.of(part(name, 25), part(name, 50), part(name, 75)),
        contenders(servers, peer, heddle, netty, stock),
        List.of());
  }

  private static Case part(String shape, int percent) {
    String name = shape + "-" + percent;
    var offered = new Metric("requests/s", sample -> sample.count(Latencies.OFFERED), true);
    return new Case(
        name,
        percent + " % of the peak",
        percent,
        RoundSize.fixed(ROUND_MILLIS, TINY_MILLIS),
        List.of(
            new Row(name + "-p99", Metric.count(Latencies.P99, "us")),
            new Row(name + "-p50", Metric.count(Latencies.MEDIAN, "us")),
            new Row(name + "-p999", Metric.count(Latencies.P999, "us")),
            new Row(name + "-max", Metric.count(Latencies.MAX, "us")),
            new Row(name + "-offered", offered)));
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
      Contender plain = servers.netty(loop, netty);
      all.add(plain);
      all.add(plain.with("parallel", PARALLEL));
      all.add(plain.with("zgc", ZGC));
    }
    Contender threads = servers.stock(stock).getFirst();
    all.add(threads);
    all.add(threads.with("parallel", PARALLEL));
    all.add(threads.with("zgc", ZGC));
    servers.peers(peer).stream()
        .filter(other -> !other.name().equals(Servers.NODE))
        .forEach(all::add);
    return all;
  }

  private static List<String> ours(String collector) {
    return Flags.with(Flags.library(), collector);
  }
}
