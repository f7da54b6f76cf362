// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.load.Dialogue;
import dev.heddle.bench.load.Load;
import dev.heddle.bench.ours.HeddleHttp;
import dev.heddle.bench.peer.HelidonHttp;
import dev.heddle.bench.peer.NettyBareHttp;
import dev.heddle.bench.peer.NettyHttp;
import dev.heddle.bench.peer.NettyLoop;
import dev.heddle.bench.peer.StockServer;
import dev.heddle.bench.peer.VertxHttp;
import io.helidon.webserver.WebServer;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;

/// An HTTP server under load.
final class HttpShape {
  private static final String PLAIN = "http";
  private static final String PIPELINED = "http-pipelined";
  private static final int DEPTH = 16;
  private static final int CONNECTIONS = 64;
  private static final String BARE = "-bare";
  private static final String BY_HAND =
      "no codec: it looks for the request line and the end of the head";

  private HttpShape() {}

  static Shape shape() {
    return new Shape(
        "http",
        "A greeting in plain text over HTTP/1.1 with keep-alive, server and client in processes of"
            + " their own, 64 connections; and the same with 16 requests under way on each. CPU"
            + " time is the server's, per request. Heddle's server is the example HttpHello.",
        List.of(
            Servers.sized(PLAIN, "one at a time", CONNECTIONS, RoundSize.calibrated(2_000, 200)),
            Servers.sized(
                PIPELINED, "pipelined, 16", CONNECTIONS, RoundSize.calibrated(20_000, 2_000))),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (String row : List.of(PLAIN, PIPELINED)) {
      for (String subject : List.of(Contender.HEDDLE, Contender.HEDDLE_LAUNCHER)) {
        for (NettyLoop loop : NettyLoop.values()) {
          bars.add(Bar.ratio(row, subject, 1.1, loop.contender()));
          bars.add(Bar.ratio(row, subject, 1.1, loop.contender() + BARE));
        }
      }
    }
    return bars;
  }

  private static List<Contender> contenders() {
    var servers = new Servers(HttpShape::load);
    List<Contender> contenders = new ArrayList<>(servers.ours(HeddleHttp::new));
    for (NettyLoop loop : NettyLoop.values()) {
      contenders.add(servers.netty(loop, NettyHttp::new));
      contenders.add(servers.netty(loop, BARE, "one event loop, " + BY_HAND, NettyBareHttp::new));
    }
    contenders.addAll(servers.stock(StockServer::http));
    contenders.addAll(servers.peers("http"));
    contenders.add(
        servers.peer(
            Servers.TOKIO + BARE,
            "Tokio's current-thread runtime, " + BY_HAND,
            Workload.Language.TOKIO,
            "http-bare"));
    contenders.add(
        servers.jvm(
            "vertx",
            "Vert.x %s, one event loop, native transport".formatted(Servers.version(Vertx.class)),
            Flags.stock(),
            VertxHttp::new));
    contenders.add(
        servers.jvm(
            "helidon",
            "Helidon %s, virtual threads".formatted(Servers.version(WebServer.class)),
            Flags.stock(),
            HelidonHttp::new));
    return contenders;
  }

  private static Load load(Case size) {
    return new Load(Dialogue.HTTP, size.size(), size.name().equals(PIPELINED) ? DEPTH : 1);
  }
}
