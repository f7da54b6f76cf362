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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The part of [RosterCodec] for shards.
final class ShardCodec {
  private static final int FIRST = 32; // the numbers of its commands

  private static final int HOST = FIRST;
  private static final int WITHDRAW = FIRST + 1;
  private static final int ASSIGN = FIRST + 2;
  private static final int RELEASE = FIRST + 3;
  private static final int ASSIGN_BY_TABLE = FIRST + 4; // the names of nodes first, each once

  private ShardCodec() {}

  /// Values that are written once, in front of what refers to them by numbers.
  private static final class Table<T> {
    private final Map<T, Integer> numbers = new LinkedHashMap<>();

    void add(T value) {
      numbers.putIfAbsent(value, numbers.size());
    }

    Set<T> values() {
      return numbers.keySet();
    }

    int number(T value) {
      return Objects.requireNonNull(numbers.get(value));
    }

    /// The value of a number that was read.
    static <T> T value(List<T> values, int number) throws IOException {
      if (number < 0 || number >= values.size()) {
        throw new IOException("no value %d among %d".formatted(number, values.size()));
      }
      return values.get(number);
    }
  }

  static void write(DataOutputStream out, ShardCommand command, int format) throws IOException {
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
      case AssignShards assign when format >= LogFormats.TABLES -> writeByTable(out, assign);
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

  /// About the most bytes that an assignment takes in a command, whatever the format.
  static int bytes(Assignment assignment) {
    int node = Math.max(Integer.BYTES, ModifiedUtf8.length(assignment.to())); // or its place
    return Integer.BYTES + Long.BYTES + node;
  }

  private static void writeByTable(DataOutputStream out, AssignShards assign) throws IOException {
    out.writeByte(ASSIGN_BY_TABLE);
    out.writeUTF(assign.type());
    Table<String> nodes = new Table<>();
    assign.assignments().forEach(it -> nodes.add(it.to()));
    out.writeInt(nodes.values().size());
    for (String node : nodes.values()) {
      out.writeUTF(node);
    }
    out.writeInt(assign.assignments().size());
    for (Assignment it : assign.assignments()) {
      out.writeInt(it.shard());
      out.writeLong(it.latest());
      out.writeInt(nodes.number(it.to()));
    }
  }

  private static AssignShards readByTable(DataInputStream in) throws IOException {
    String type = in.readUTF();
    List<String> nodes = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      nodes.add(in.readUTF());
    }
    List<Assignment> all = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      all.add(new Assignment(in.readInt(), in.readLong(), Table.value(nodes, in.readInt())));
    }
    return new AssignShards(type, all);
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
      case ASSIGN_BY_TABLE -> readByTable(in);
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

  static void write(DataOutputStream out, ShardTable table, int format) throws IOException {
    writeNodes(out, table.withdrawn());
    out.writeInt(table.all().size());
    for (var type : table.all().entrySet()) {
      ShardTable.Shards shards = type.getValue();
      out.writeUTF(type.getKey());
      out.writeInt(shards.states.length);
      out.writeInt(shards.hosts.size());
      for (Holder host : shards.hosts.values()) {
        write(out, host);
      }
      HolderWriter holders = holders(out, shards, format);
      for (ShardState state : shards.states) {
        out.writeLong(state.generation());
        holders.write(state.owner());
        holders.write(state.predecessor());
        out.writeLong(state.next());
        holders.write(state.successor());
      }
    }
  }

  static void read(DataInputStream in, ShardTable table, int format) throws IOException {
    for (int left = in.readInt(); left > 0; left--) {
      table.restoreWithdrawn(in.readUTF(), in.readLong());
    }
    for (int left = in.readInt(); left > 0; left--) {
      ShardTable.Shards shards = table.restore(in.readUTF(), count(in));
      for (int hosts = in.readInt(); hosts > 0; hosts--) {
        Holder host = readHolder(in);
        shards.hosts.put(host.node(), host);
      }
      HolderReader holders = holders(in, format);
      for (int i = 0; i < shards.states.length; i++) {
        table.restore(
            shards,
            i,
            new ShardState(
                in.readLong(), holders.read(), holders.read(), in.readLong(), holders.read()));
      }
    }
  }

  private interface HolderWriter {
    void write(@Nullable Holder holder) throws IOException;
  }

  private interface HolderReader {
    @Nullable Holder read() throws IOException;
  }

  /// Writes the holders of a type, or lets each be written where it is.
  private static HolderWriter holders(DataOutputStream out, ShardTable.Shards shards, int format)
      throws IOException {
    if (format < LogFormats.TABLES) {
      return holder -> {
        out.writeBoolean(holder != null);
        if (holder != null) {
          write(out, holder);
        }
      };
    }
    Table<Holder> table = new Table<>();
    for (ShardState state : shards.states) {
      addIfAny(table, state.owner());
      addIfAny(table, state.predecessor());
      addIfAny(table, state.successor());
    }
    out.writeInt(table.values().size());
    for (Holder holder : table.values()) {
      write(out, holder);
    }
    return holder -> out.writeInt(holder == null ? 0 : 1 + table.number(holder));
  }

  private static void addIfAny(Table<Holder> table, @Nullable Holder holder) {
    if (holder != null) {
      table.add(holder);
    }
  }

  private static HolderReader holders(DataInputStream in, int format) throws IOException {
    if (format < LogFormats.TABLES) {
      return () -> in.readBoolean() ? readHolder(in) : null;
    }
    List<Holder> table = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      table.add(readHolder(in));
    }
    return () -> {
      int number = in.readInt();
      return number == 0 ? null : Table.value(table, number - 1);
    };
  }

  private static void writeNodes(DataOutputStream out, Map<String, Long> nodes) throws IOException {
    out.writeInt(nodes.size());
    for (var node : nodes.entrySet()) {
      out.writeUTF(node.getKey());
      out.writeLong(node.getValue());
    }
  }

  private static void write(DataOutputStream out, Holder holder) throws IOException {
    out.writeUTF(holder.node());
    out.writeLong(holder.admission());
  }

  private static Holder readHolder(DataInputStream in) throws IOException {
    return new Holder(in.readUTF(), in.readLong());
  }
}
