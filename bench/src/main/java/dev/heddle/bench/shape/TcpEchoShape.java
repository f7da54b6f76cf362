// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.load.Dialogue;
import dev.heddle.bench.load.Load;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.ours.HeddleEcho;
import dev.heddle.bench.peer.NettyEcho;
import dev.heddle.bench.peer.NettyLoop;
import dev.heddle.bench.peer.StockServer;
import java.util.ArrayList;
import java.util.List;

/// An echo server under load.
final class TcpEchoShape {
  private static final String FEW = "tcp-echo";
  private static final String MANY = "tcp-echo-1000";

  private TcpEchoShape() {}

  static Shape shape() {
    return new Shape(
        "tcp-echo",
        "Echo of 64 bytes, server and client in processes of their own, one request under way on"
            + " each connection. CPU time is the server's, per request.",
        List.of(
            Servers.sized(FEW, "64 connections", 64, RoundSize.calibrated(2_000, 200)),
            Servers.sized(MANY, "1,000 connections", 1_000, RoundSize.calibrated(10_000, 200))),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    String best = NettyLoop.IO_URING.contender();
    for (String row : List.of(FEW, MANY)) {
      for (String subject : List.of(Contender.HEDDLE, Contender.HEDDLE_LAUNCHER)) {
        bars.add(Bar.ratio(row, subject, 1.0, best));
        bars.add(Bar.ratio(row, subject, 1.1, Servers.TOKIO));
        bars.add(
            Bar.ahead(
                row,
                subject,
                NettyLoop.EPOLL.contender(),
                Servers.STOCK,
                Servers.STOCK_ONE,
                Servers.GO,
                Servers.NODE));
      }
      bars.add(Bar.count(row, Contender.HEDDLE, Meter.ALLOCATED, 64));
      bars.add(Bar.count(row, Contender.HEDDLE, "switches", 1));
    }
    return bars;
  }

  private static List<Contender> contenders() {
    var servers = new Servers(size -> new Load(Dialogue.ECHO, size.size(), 1));
    List<Contender> contenders = new ArrayList<>(servers.ours(HeddleEcho::new));
    for (NettyLoop loop : NettyLoop.values()) {
      contenders.add(servers.netty(loop, NettyEcho::new));
    }
    contenders.addAll(servers.stock(StockServer::echo));
    contenders.addAll(servers.peers("tcp-echo"));
    return contenders;
  }
}
