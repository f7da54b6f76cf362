// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.process.SendResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What one shard of node `a` does, as lines of text.
final class FakePort implements ShardPort {
  final List<String> done = new ArrayList<>();
  final EntityAsks asks = new EntityAsks(7, (_, _) -> {}, Runnable::run);
  final IncomingAsks incoming = new IncomingAsks("a");
  HeldBytes held = new HeldBytes(HeldBytes.MOST);
  final Set<String> sessions = new HashSet<>(Set.of("b", "c"));
  boolean mayAct = true;
  boolean isIdle;
  long idle = 1; // ns from now
  long looked; // at entities
  boolean hasRoom = true;
  SendResult result = SendResult.ACCEPTED;

  static EntityMessage message(String origin, String key, String text) {
    return new EntityMessage(origin, key, 0, text, 10);
  }

  /// What was done since the last call.
  List<String> take() {
    List<String> all = List.copyOf(done);
    done.clear();
    return all;
  }

  private static Object text(ShardMessage message) {
    return switch (message) {
      case ShardMessage.Deliver(long g, EntityMessage it) -> "Deliver " + g + " " + it.message();
      case ShardMessage.Bounced(long g, EntityMessage it) -> "Bounced " + g + " " + it.message();
      case ShardMessage.Forward(long g, EntityMessage it) -> "Forward " + g + " " + it.message();
      case ShardMessage.Failed(EntityMessage it, Failure why, _) -> why + " " + it.message();
      default -> message;
    };
  }

  @Override
  public String self() {
    return "a";
  }

  @Override
  public boolean isInSession(String node) {
    return sessions.contains(node);
  }

  @Override
  public SendResult send(String node, ShardMessage.Deliver message) {
    if (result.isAccepted()) {
      done.add(node + ": " + text(message));
    }
    return result;
  }

  @Override
  public void post(String node, ShardMessage message) {
    done.add(node + ": " + text(message));
  }

  @Override
  public void release(long next) {
    done.add("release " + next);
  }

  @Override
  public boolean mayAct(long admission) {
    return mayAct;
  }

  @Override
  public void start(long entity, String key, long generation, long admission) {
    done.add("start %d %s %d".formatted(entity, key, generation));
  }

  @Override
  public boolean deliver(long entity, EntityMessage message) {
    done.add("%d gets %s".formatted(entity, message.message()));
    return true;
  }

  @Override
  public void end(long entity, EntityEnd why) {
    done.add("end %d %s".formatted(entity, why));
  }

  @Override
  public long idleAt(long entity, long nanos) {
    looked++;
    return isIdle ? nanos : nanos + idle;
  }

  @Override
  public void failed(EntityMessage message, Failure why, @Nullable String cause) {
    done.add(why + " " + message.message());
  }

  @Override
  public boolean hasRoom(String node) {
    return hasRoom;
  }

  @Override
  public EntityAsks asks() {
    return asks;
  }

  @Override
  public IncomingAsks incoming() {
    return incoming;
  }

  @Override
  public HeldBytes held() {
    return held;
  }
}
