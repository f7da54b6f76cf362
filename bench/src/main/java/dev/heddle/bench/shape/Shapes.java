// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.util.List;
import java.util.Optional;

/// All shapes, in the order of the report.
public final class Shapes {
  private static final List<Shape> ALL =
      List.of(
          SwitchShape.shape(),
          SwitchWatchedShape.shape(),
          WatchedShape.shape(),
          SpawnBatchShape.shape(),
          SpawnOneShape.shape(),
          AwaitReadyShape.shape(),
          AwaitShape.one(),
          AwaitShape.two(),
          ChannelShape.shape(),
          SelectShape.shape(),
          SemaphoreShape.shape(),
          FairnessPoolShape.shape(),
          ThreadChannelShape.shape(),
          ExecutorShape.shape(),
          MemoryShape.shape(),
          CrowdShape.shape(),
          TimersShape.shape(),
          ForeignQueueShape.shape(),
          ForeignSleepShape.shape(),
          ForeignSocketShape.shape(),
          TcpEchoShape.shape(),
          HttpShape.shape(),
          TailShapes.echo(),
          TailShapes.http(),
          TailShapes.pairs(),
          TailShapes.fairness(),
          FileShape.shape(),
          IdleShape.shape(),
          ProcessPingPongShape.one(),
          ProcessPingPongShape.many(),
          ProcessFanInShape.shape(),
          ProcessRingShape.shape(),
          ProcessSpawnShape.shape(),
          SkynetShape.shape(),
          StealShape.shape(),
          FairnessShape.shape(),
          ClusterShapes.pingPong(),
          ClusterShapes.oneWay(),
          ClusterShapes.ask(),
          ClusterShapes.isolation(),
          ClusterShapes.names(),
          ClusterShapes.idle());

  private Shapes() {}

  /// Every shape.
  public static List<Shape> all() {
    return ALL;
  }

  /// A shape by name.
  public static Optional<Shape> find(String name) {
    return ALL.stream().filter(shape -> shape.name().equals(name)).findFirst();
  }

  /// A shape by name, or by the name of a case, then with this case alone.
  public static Optional<Shape> select(String name) {
    Optional<Shape> named = find(name);
    return named.isPresent()
        ? named
        : ALL.stream().flatMap(shape -> shape.only(name).stream()).findFirst();
  }
}
