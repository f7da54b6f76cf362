// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.shard.ShardService;
import dev.heddle.process.remote.LocalProcesses;

/// Entities: processes that are addressed by a key, one for each key in the whole cluster. The
/// first message to a key starts its entity, on the node that owns the key's shard; its input is an
/// [EntityId].
///
/// {@snippet class=dev.heddle.cluster.ShardsSnippetsTest region=shards}
///
/// When nodes join or leave, shards move, and with them what their entities have not received. An
/// entity that is to end, since it is idle or its shard moves, is cancelled with the reason
/// `passivate` or `move`, as by [dev.heddle.process.ProcessRuntime#cancel]; it has 10 s. One whose
/// node has lost its lease is not stepped any more. What an entity is to remember longer than it
/// runs it stores itself.
///
/// **Thread** any; nothing here waits.
///
/// @since 0.1
public final class Shards {
  private final String name;
  private final ShardService service;
  private final LocalProcesses local;

  Shards(String name, ShardService service, LocalProcesses local) {
    this.name = name;
    this.service = service;
    this.local = local;
  }

  /// Their name.
  public String name() {
    return name;
  }

  /// The entity with a key. It need not run: a message starts it.
  ///
  /// @param key 1 to 1,024 bytes in UTF-8
  /// @throws IllegalArgumentException when the key is empty or too long
  public EntityRef of(String key) {
    ShardService.checkName(key);
    return new EntityRef(name, key, service, local);
  }

  /// How many entities run at this node.
  public int running() {
    return service.running(name);
  }

  @Override
  public String toString() {
    return "shards '" + name + "'";
  }
}
