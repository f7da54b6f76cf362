// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.cluster.ClusterIdle;
import dev.heddle.bench.ours.cluster.ClusterIsolation;
import dev.heddle.bench.ours.cluster.ClusterNaming;
import dev.heddle.bench.ours.cluster.ClusterTraffic;
import dev.heddle.bench.partner.Trips;
import dev.heddle.bench.peer.jgroups.JGroupsTraffic;
import dev.heddle.bench.peer.pekko.PekkoRemote;
import java.util.List;
import org.apache.pekko.actor.typed.ActorSystem;
import org.jgroups.Version;

/// Processes of several nodes, each in a JVM of its own, on loopback. CPU time is that of the node
/// that measures.
final class ClusterShapes {
  private static final String TLS = "heddle-tls";
  private static final String JGROUPS = "jgroups";
  private static final String JGROUPS_PACKED = "jgroups-packed";
  private static final String PING_PONG = "cluster-pingpong";
  private static final String ONE_WAY = "cluster-oneway";
  private static final String ONE_WAY_BYTES = "cluster-oneway-bytes";
  private static final String ASK = "cluster-ask";
  private static final String ASK_ONE = "cluster-ask-one";
  private static final String SPAWN = "cluster-spawn";
  private static final String ISOLATION = "cluster-isolation";
  private static final String BEFORE = "cluster-isolation-before";
  private static final String MEMORY = "cluster-isolation-memory";

  private static final String NAMES = "cluster-names";
  private static final String NAMES_ONE = "cluster-names-one";
  private static final String IDLE = "cluster-idle";
  private static final String IDLE_VOTERS = "cluster-idle-voters";

  private static final int IDLE_MILLIS = 10_000;
  private static final int SETTLED_MILLIS = 60_000; // after the start; a tiny run has less
  private static final int NAMES_AT_ONCE = 64;
  private static final int OPEN_ASKS = 256;
  private static final int PACKED = 450; // of 100 bytes in a packet of 48 KiB, as Heddle's writer

  private ClusterShapes() {}

  static Shape pingPong() {
    List<Row> rows =
        List.of(
            new Row(PING_PONG, Metric.count(Trips.P50, "us")),
            new Row(PING_PONG + "-p99", Metric.count(Trips.P99, "us")));
    return new Shape(
        PING_PONG,
        "A small record to another node and back. One operation is one round trip.",
        List.of(new Case(PING_PONG, "one pair", 1, RoundSize.ofTwoJvms(2_000, 20), rows)),
        List.of(
            heddle(_ -> new ClusterTraffic(ClusterTraffic.Kind.PING_PONG, 1)),
            Contender.of(
                TLS,
                "the same over TLS 1.3",
                Flags.library(),
                _ -> new ClusterTraffic(ClusterTraffic.Kind.PING_PONG_TLS, 1)),
            jgroups(JGROUPS, "messages of 24 bytes", _ -> JGroupsTraffic.pingPong()),
            pekko(_ -> new PekkoRemote(PekkoRemote.Kind.PING_PONG, 1))),
        List.of(
            Bar.ratio(PING_PONG, Contender.HEDDLE, 1.6, JGROUPS),
            Bar.ratio(PING_PONG, Contender.HEDDLE, 0.6, ActorContenders.PEKKO),
            Bar.ratio(PING_PONG, TLS, 1.3, Contender.HEDDLE)));
  }

  static Shape oneWay() {
    return new Shape(
        ONE_WAY,
        "Four senders, one receiver at another node, which counts all. One operation is one message.",
        List.of(
            Case.of(ONE_WAY, "small records", 1, RoundSize.ofTwoJvms(20_480, 2_048), messages()),
            Case.of(ONE_WAY_BYTES, "byte[100]", 1, RoundSize.ofTwoJvms(20_480, 2_048), messages())),
        List.of(
            heddle(size ->
                new ClusterTraffic(
                    isBytes(size) ? ClusterTraffic.Kind.BLOBS : ClusterTraffic.Kind.ITEMS, 1)),
            jgroups(JGROUPS, "a message each", _ -> JGroupsTraffic.oneWay(1)).only(ONE_WAY_BYTES),
            jgroups(
                    JGROUPS_PACKED,
                    "450 to a message, as Heddle packs them",
                    _ -> JGroupsTraffic.oneWay(PACKED))
                .only(ONE_WAY_BYTES),
            pekko(size ->
                new PekkoRemote(
                    isBytes(size) ? PekkoRemote.Kind.BLOBS : PekkoRemote.Kind.ITEMS, 1))),
        List.of(
            Bar.atLeast(ONE_WAY, Contender.HEDDLE, 1.5, ActorContenders.PEKKO),
            Bar.atLeast(ONE_WAY_BYTES, Contender.HEDDLE, 0.5, JGROUPS_PACKED)));
  }

  static Shape ask() {
    return new Shape(
        ASK,
        "Questions to a process at another node; and a process started there that ends at once.",
        List.of(
            new Case(
                ASK,
                "256 open",
                OPEN_ASKS,
                RoundSize.ofTwoJvms(5_000, 256),
                List.of(new Row(ASK, Metric.rate("asks/s")))),
            Case.of(ASK_ONE, "one at a time", 1, RoundSize.ofTwoJvms(1_000, 20), Metric.WALL),
            Case.of(SPAWN, "spawn and exit", 1, RoundSize.ofTwoJvms(500, 20), Metric.WALL)),
        List.of(
            heddle(size ->
                new ClusterTraffic(
                    size.name().equals(SPAWN)
                        ? ClusterTraffic.Kind.SPAWNS
                        : ClusterTraffic.Kind.ASKS,
                    size.size())),
            pekko(size -> new PekkoRemote(PekkoRemote.Kind.ASKS, size.size())).only(ASK, ASK_ONE)),
        List.of(
            Bar.atLeast(ASK, Contender.HEDDLE, 1.5, ActorContenders.PEKKO),
            Bar.growth(SPAWN, Contender.HEDDLE, 3, ASK_ONE)));
  }

  static Shape isolation() {
    List<Row> rows =
        List.of(
            new Row(BEFORE, Metric.count(ClusterIsolation.BEFORE, "us")),
            new Row(ISOLATION, Metric.count(Trips.P99, "us")),
            new Row(MEMORY, Metric.count(ClusterIsolation.HELD, "MiB")));
    return new Shape(
        ISOLATION,
        "p99 of round trips to a node before, and while another is stopped with a full outbox.",
        List.of(new Case(ISOLATION, "three nodes", 1, RoundSize.fixed(2_000, 20), rows)),
        List.of(heddle(_ -> new ClusterIsolation())),
        List.of(
            Bar.growth(ISOLATION, Contender.HEDDLE, 3, BEFORE),
            Bar.atMost(MEMORY, Contender.HEDDLE, 32, "MiB")));
  }

  static Shape names() {
    return new Shape(
        NAMES,
        "Names are registered at one of three voters, whose logs are on disk, in JVMs of their own.",
        List.of(
            new Case(
                NAMES_ONE,
                "one at a time",
                1,
                RoundSize.fixed(500, 5),
                List.of(
                    new Row(NAMES_ONE, Metric.count(Trips.P50, "us")),
                    new Row(NAMES_ONE + "-p99", Metric.count(Trips.P99, "us")))),
            Case.of(
                NAMES,
                "64 at once",
                NAMES_AT_ONCE,
                RoundSize.fixed(6_400, 64),
                Metric.rate("names/s"))),
        List.of(
            Contender.of(
                Contender.HEDDLE,
                "three voters, library flags",
                Flags.library(),
                size -> new ClusterNaming(size.size()))),
        List.of(
            Bar.atMost(NAMES_ONE, Contender.HEDDLE, 10_000, "us"),
            Bar.reaching(NAMES, Contender.HEDDLE, 1_000, "names/s")));
  }

  static Shape idle() {
    Metric share = Metric.count("cpu-percent", "% of a core");
    RoundSize pace = RoundSize.idle(IDLE_MILLIS, 20);
    return new Shape(
        IDLE,
        "Three nodes in touch have nothing to do for 10 s, a minute after their start: CPU of one of"
            + " them. Before that a node runs what the JVM has not compiled yet.",
        List.of(
            Case.of(IDLE, "without voters", SETTLED_MILLIS, pace, share),
            Case.of(IDLE_VOTERS, "all of them vote", SETTLED_MILLIS, pace, share)),
        List.of(
            Contender.of(
                Contender.HEDDLE,
                "three nodes, library flags",
                Flags.library(),
                size -> new ClusterIdle(size.name().equals(IDLE_VOTERS), size.size()))),
        List.of(
            Bar.atMost(IDLE, Contender.HEDDLE, 1, "% of a core"),
            Bar.atMost(IDLE_VOTERS, Contender.HEDDLE, 1, "% of a core")));
  }

  private static boolean isBytes(Case size) {
    return size.name().equals(ONE_WAY_BYTES);
  }

  private static Metric messages() {
    return Metric.rate("messages/s");
  }

  private static Contender heddle(Workload.Programs program) {
    return Contender.of(
        Contender.HEDDLE, "processes of two nodes, library flags", Flags.library(), program);
  }

  private static Contender jgroups(String name, String what, Workload.Programs program) {
    return Contender.of(
        name, Version.printVersion() + " on the same stack, " + what, Flags.stock(), program);
  }

  private static Contender pekko(Workload.Programs program) {
    String version = Servers.version(ActorSystem.class);
    return Contender.of(
        ActorContenders.PEKKO,
        "Pekko " + version + ", typed actors, Artery over TCP, jackson-cbor",
        Flags.with(
            Flags.stock(), "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"), // Agrona's
        program);
  }
}
