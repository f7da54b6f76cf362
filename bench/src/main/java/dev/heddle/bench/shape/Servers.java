// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.load.Load;
import dev.heddle.bench.measure.Server;
import dev.heddle.bench.measure.ServerClock;
import dev.heddle.bench.peer.NettyLoop;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/// What the shapes with a server and clients have in common: their rows and most of their
/// contenders.
final class Servers {
  static final String STOCK = "stock";
  static final String STOCK_ONE = "stock-1";
  static final String GO = "go";
  static final String TOKIO = "tokio";
  static final String NODE = "node";

  private static final String DRIVER = "-Dheddle.driver=";
  private static final Metric KERNEL =
      new Metric("us CPU", sample -> sample.count(ServerClock.KERNEL) / 1e3);

  private final Function<Case, Load> loads;

  Servers(Function<Case, Load> loads) {
    this.loads = loads;
  }

  /// A case with three rows: the server's CPU time per request, the kernel's part of it, and
  /// requests per second.
  static Case sized(String name, String what, int connections, RoundSize roundSize) {
    return new Case(
        name,
        what,
        connections,
        roundSize,
        List.of(
            new Row(name, Metric.CPU_MICROS),
            new Row(name + "-kernel", KERNEL),
            new Row(name + "-rate", Metric.rate("requests/s"))));
  }

  Contender jvm(String name, String what, List<String> flags, Supplier<Server> server) {
    return Contender.serving(
        name, what, flags, new Workload.Serving(new Workload.Jvm(server), loads));
  }

  /// Ours with both kinds of flags, and with each driver.
  List<Contender> ours(Supplier<Server> server) {
    return List.of(
        jvm(
            Contender.HEDDLE,
            "coroutines, library flags, the best driver that works here",
            Flags.library(),
            server),
        jvm(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            server),
        driver("epoll", server),
        driver("nio", server),
        driver("jdk", server));
  }

  private Contender driver(String driver, Supplier<Server> server) {
    return jvm(
            Contender.HEDDLE + "-" + driver,
            "library flags, on the driver '" + driver + "'",
            Flags.with(Flags.library(), DRIVER + driver),
            server)
        .needing(Need.driver(driver));
  }

  /// A library's version, as its jar says it.
  static String version(Class<?> type) {
    return Objects.requireNonNullElse(type.getPackage().getImplementationVersion(), "");
  }

  Contender netty(NettyLoop loop, Function<NettyLoop, Server> server) {
    return netty(loop, "", "one event loop", server);
  }

  Contender netty(NettyLoop loop, String suffix, String how, Function<NettyLoop, Server> server) {
    return jvm(
            loop.contender() + suffix,
            "Netty %s on %s, %s".formatted(version(Channel.class), loop.system(), how),
            Flags.stock(),
            () -> server.apply(loop))
        .needing(Need.available(loop.system(), loop::unavailable));
  }

  List<Contender> stock(Supplier<Server> server) {
    return List.of(
        jvm(STOCK, "stock virtual threads on the default carriers", Flags.stock(), server),
        jvm(STOCK_ONE, "stock virtual threads on one carrier", Flags.stockOneCarrier(), server));
  }

  /// Programs of other languages.
  ///
  /// @param server their argument
  List<Contender> peers(String server) {
    return List.of(
        peer(GO, "goroutines, net and net/http", Workload.Language.GO, server),
        peer(TOKIO, "Tokio's current-thread runtime, hyper", Workload.Language.TOKIO, server),
        peer(NODE, "Node.js, net and http", Workload.Language.NODE, server));
  }

  Contender peer(String name, String what, Workload.Language language, String server) {
    return Contender.serving(
        name, what, List.of(), new Workload.Serving(new Workload.Peer(language, server), loads));
  }
}
