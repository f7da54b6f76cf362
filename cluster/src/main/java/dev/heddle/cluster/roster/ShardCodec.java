// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.Command.Release;
import dev.heddle.cluster.roster.Command.ReleaseShards;
import dev.heddle.cluster.roster.Command.ShardCommand;
import dev.heddle.cluster.roster.Command.WithdrawHost;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The part of [RosterCodec] for shards.
final class ShardCodec {
  private static final int FIRST = 32; // the numbers of its commands

  private static final int HOST = FIRST;
  private static final int WITHDRAW = FIRST + 1;
  private static final int ASSIGN = FIRST + 2;
  private static final int RELEASE = FIRST + 3;

  private ShardCodec() {}

  static void write(DataOutputStream out, ShardCommand command) throws IOException {
    switch (command) {
      case HostShards(String node, long admission, String type, int count, boolean isHost) -> {
        out.writeByte(HOST);
        out.writeUTF(node);
        out.writeLong(admission);
        out.writeUTF(type);
        out.writeInt(count);
        out.writeBoolean(isHost);
      }
      case WithdrawHost(String node, long admission) -> {
        out.writeByte(WITHDRAW);
        out.writeUTF(node);
        out.writeLong(admission);
      }
      case AssignShards(String type, List<Assignment> all) -> {
        out.writeByte(ASSIGN);
        out.writeUTF(type);
        out.writeInt(all.size());
        for (Assignment it : all) {
          out.writeInt(it.shard());
          out.writeLong(it.latest());
          out.writeUTF(it.to());
        }
      }
      case ReleaseShards(String node, long admission, String type, List<Release> all) -> {
        out.writeByte(RELEASE);
        out.writeUTF(node);
        out.writeLong(admission);
        out.writeUTF(type);
        out.writeInt(all.size());
        for (Release it : all) {
          out.writeInt(it.shard());
          out.writeLong(it.next());
        }
      }
    }
  }

  /// The rest of a command.
  ///
  /// @param kind the number that [#write] has begun with
  static Command read(int kind, DataInputStream in) throws IOException {
    return switch (kind) {
      case HOST ->
          new HostShards(in.readUTF(), in.readLong(), in.readUTF(), count(in), in.readBoolean());
      case WITHDRAW -> new WithdrawHost(in.readUTF(), in.readLong());
      case ASSIGN -> {
        String type = in.readUTF();
        List<Assignment> all = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
          all.add(new Assignment(in.readInt(), in.readLong(), in.readUTF()));
        }
        yield new AssignShards(type, all);
      }
      case RELEASE -> {
        String node = in.readUTF();
        long admission = in.readLong();
        String type = in.readUTF();
        List<Release> all = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
          all.add(new Release(in.readInt(), in.readLong()));
        }
        yield new ReleaseShards(node, admission, type, all);
      }
      default -> throw new IOException("no command has the number " + kind);
    };
  }

  private static int count(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 1 || count > HostShards.MOST) {
      throw new IOException("a type has %d shards".formatted(count));
    }
    return count;
  }

  static void write(DataOutputStream out, ShardTable table) throws IOException {
    writeNodes(out, table.withdrawn());
    out.writeInt(table.all().size());
    for (var type : table.all().entrySet()) {
      out.writeUTF(type.getKey());
      out.writeInt(type.getValue().states.length);
      writeNodes(out, type.getValue().hosts);
      for (ShardState state : type.getValue().states) {
        out.writeLong(state.generation());
        write(out, state.owner());
        write(out, state.predecessor());
        out.writeLong(state.next());
        write(out, state.successor());
      }
    }
  }

  static void read(DataInputStream in, ShardTable table) throws IOException {
    for (int left = in.readInt(); left > 0; left--) {
      table.restoreWithdrawn(in.readUTF(), in.readLong());
    }
    for (int left = in.readInt(); left > 0; left--) {
      ShardTable.Shards shards = table.restore(in.readUTF(), count(in));
      for (int hosts = in.readInt(); hosts > 0; hosts--) {
        shards.hosts.put(in.readUTF(), in.readLong());
      }
      for (int i = 0; i < shards.states.length; i++) {
        table.restore(
            shards,
            i,
            new ShardState(
                in.readLong(), readHolder(in), readHolder(in), in.readLong(), readHolder(in)));
      }
    }
  }

  private static void writeNodes(DataOutputStream out, Map<String, Long> nodes) throws IOException {
    out.writeInt(nodes.size());
    for (var node : nodes.entrySet()) {
      out.writeUTF(node.getKey());
      out.writeLong(node.getValue());
    }
  }

  private static void write(DataOutputStream out, @Nullable Holder holder) throws IOException {
    out.writeBoolean(holder != null);
    if (holder != null) {
      out.writeUTF(holder.node());
      out.writeLong(holder.admission());
    }
  }

  private static @Nullable Holder readHolder(DataInputStream in) throws IOException {
    return in.readBoolean() ? new Holder(in.readUTF(), in.readLong()) : null;
  }
}
