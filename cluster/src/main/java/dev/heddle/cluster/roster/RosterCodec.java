// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.Leave;
import dev.heddle.cluster.roster.Command.Lost;
import dev.heddle.cluster.roster.Command.OfferSingletons;
import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Command.Raise;
import dev.heddle.cluster.roster.Command.Register;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Command.ShardCommand;
import dev.heddle.cluster.roster.Command.SingletonCommand;
import dev.heddle.cluster.roster.Command.Unregister;
import dev.heddle.cluster.roster.Outcome.Reason;
import dev.heddle.process.Pid;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Commands, outcomes and snapshots as bytes. Each begins with the number of its format.
///
/// Equal states are equal bytes: what a snapshot holds is sorted. Bytes of a format that is not
/// known, cut off or with a rest are refused by an `IllegalArgumentException` that says so.
public final class RosterCodec {
  /*
   * How the log gets another format while voters of two releases take part in it.
   *
   * A codec reads all formats of its range, and writes each of them. In the log entries and
   * snapshots have the format in force: the newest one that was applied, in a log without entries
   * the oldest one of the leader. It depends on the bytes of the log alone, so voters of all
   * releases agree on it, whichever of them has begun the log. A command Raise brings the next one.
   * The leader writes that command when each voter is in session and has said in its greeting that
   * it knows the format. Raise has the format that it raises to: a release that does not know it
   * cannot apply it, and stops there instead of going on with what it does not understand.
   *
   * The leader encodes what it puts into the log anew, so others may send a command in any format
   * that the leader knows. What two nodes tell each other has the newest format that both know,
   * whatever is in force: so a node without a log may be a release behind the voters.
   *
   * I1. Bytes of an older format never change. [LogFormatTest]
   * I2. While a voter does not know a format, nothing of it is in the log. [LogUpgradeTest]
   * I3. When a format is in force, each voter soon writes a snapshot of it: from then on a release
   *     that does not know the one before can open its directory. [LogUpgradeTest]
   * I4. No release writes an older format into a log than the newest one that it has applied from
   *     there. Between a Raise and its application a leader may write entries of the format before.
   *     [LogInForceTest]
   */

  /// With the formats of this release.
  public static final RosterCodec RELEASE = new RosterCodec(LogFormats.RELEASE);

  /// The most bytes of a command in the log: half of a packet between voters, less what the log
  /// adds to an entry.
  public static final int MOST_BYTES = 511 * 1024;

  /// What is to be said in several commands has at most so many bytes in one. So a command is far
  /// from the limit, and some of them fit into the outbox of a node.
  static final int PART_BYTES = 128 * 1024;

  private interface Writer {
    void write(DataOutputStream out) throws IOException;
  }

  private interface Reader<T> {
    T read(DataInputStream in, int format) throws IOException;
  }

  private final LogFormats formats;

  /// @param formats that it reads and writes
  public RosterCodec(LogFormats formats) {
    this.formats = formats;
  }

  /// The formats that it reads and writes.
  public LogFormats formats() {
    return formats;
  }

  /// The format of what is put into the log.
  public int inForce(Roster roster) {
    return Math.max(formats.oldest(), roster.format());
  }

  /// The format of these bytes.
  public static int formatOf(byte[] bytes) {
    return Byte.toUnsignedInt(bytes[0]);
  }

  /// Whether a format has words for a command.
  public static boolean has(int format, Command command) {
    if (command instanceof OfferSingletons offer) {
      return offer.isWhole() || format >= LogFormats.RANGES;
    }
    return !(command instanceof Raise raise) || raise.format() <= format;
  }

  /// A command as bytes of the newest format.
  public byte[] encode(Command command) {
    return encode(command, formats.newest());
  }

  /// A command as bytes.
  ///
  /// @throws IllegalArgumentException when the format has no words for it
  public byte[] encode(Command command, int format) {
    if (!has(format, command)) {
      throw new IllegalArgumentException(
          "format %d of the names' log has no %s"
              .formatted(format, CommandTooLargeException.describe(command)));
    }
    int own = command instanceof Raise raise ? raise.format() : format;
    return bytes(own, out -> writeCommand(out, command, own));
  }

  /// A command as bytes that the log takes. A log that is given more may refuse it in a way that
  /// harms others: with Ratis the leader gives up its lead.
  ///
  /// @throws CommandTooLargeException when the log takes no command of that size
  /// @throws IllegalArgumentException when the format has no words for it
  public byte[] encodeEntry(Command command, int format) {
    byte[] bytes = encode(command, format);
    if (bytes.length > MOST_BYTES) {
      throw new CommandTooLargeException(command, bytes.length, MOST_BYTES);
    }
    return bytes;
  }

  /// The command of these bytes.
  public Command decodeCommand(byte[] bytes) {
    return value(bytes, (in, _) -> readCommand(in));
  }

  /// An outcome as bytes of the newest format.
  public byte[] encode(Outcome outcome) {
    return encode(outcome, formats.newest());
  }

  /// An outcome as bytes.
  public byte[] encode(Outcome outcome, int format) {
    return bytes(format, out -> writeOutcome(out, outcome));
  }

  /// The outcome of these bytes.
  public Outcome decodeOutcome(byte[] bytes) {
    return value(bytes, (in, _) -> readOutcome(in));
  }

  /// The whole state as bytes of the newest format.
  public byte[] snapshot(Roster roster) {
    return snapshot(roster, formats.newest());
  }

  /// The whole state as bytes.
  public byte[] snapshot(Roster roster, int format) {
    return bytes(format, out -> writeRoster(out, roster, format));
  }

  /// A roster in the state of a snapshot.
  public Roster restore(byte[] snapshot) {
    return value(snapshot, RosterCodec::readRoster);
  }

  private byte[] bytes(int format, Writer writer) {
    UnknownFormatException.check(format, formats);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeByte(format);
      writer.write(out);
    } catch (UTFDataFormatException e) {
      throw new IllegalArgumentException(
          "a text in the log of names has at most 65,535 bytes; use shorter names and types", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // safe: an array takes all
    }
    return bytes.toByteArray();
  }

  private <T> T value(byte[] bytes, Reader<T> reader) {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    try {
      int format = in.readUnsignedByte();
      UnknownFormatException.check(format, formats);
      T value = reader.read(in, format);
      if (in.available() > 0) {
        throw new IllegalArgumentException(in.available() + " bytes are left of " + bytes.length);
      }
      return value;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "malformed bytes of the roster, %d of them".formatted(bytes.length), e);
    }
  }

  private static void writeCommand(DataOutputStream out, Command command, int format)
      throws IOException {
    switch (command) {
      case Renew(String node, int life, StorageProof proof, long lostNanos) -> {
        out.writeByte(1);
        out.writeUTF(node);
        out.writeInt(life);
        writeProof(out, proof);
        out.writeLong(lostNanos);
      }
      case Lost(String node, int life, long renewal) -> {
        out.writeByte(2);
        out.writeUTF(node);
        out.writeInt(life);
        out.writeLong(renewal);
      }
      case Leave(String node, long admission) -> {
        out.writeByte(3);
        out.writeUTF(node);
        out.writeLong(admission);
      }
      case Register(Origin origin, String name, Pid pid) -> {
        out.writeByte(4);
        writeOrigin(out, origin);
        out.writeUTF(name);
        out.writeUTF(pid.toString());
      }
      case Unregister(Origin origin, String name, long token) -> {
        out.writeByte(5);
        writeOrigin(out, origin);
        out.writeUTF(name);
        out.writeLong(token);
      }
      case Raise(int to) -> {
        out.writeByte(6);
        out.writeByte(to);
      }
      case ShardCommand shard -> ShardCodec.write(out, shard, format);
      case SingletonCommand singleton -> SingletonCodec.write(out, singleton);
    }
  }

  private static Command readCommand(DataInputStream in) throws IOException {
    int kind = in.readUnsignedByte();
    return switch (kind) {
      case 1 -> new Renew(in.readUTF(), in.readInt(), readProof(in), in.readLong());
      case 2 -> new Lost(in.readUTF(), in.readInt(), in.readLong());
      case 3 -> new Leave(in.readUTF(), in.readLong());
      case 4 -> new Register(readOrigin(in), in.readUTF(), Pid.parse(in.readUTF()));
      case 5 -> new Unregister(readOrigin(in), in.readUTF(), in.readLong());
      case 6 -> new Raise(in.readUnsignedByte());
      default ->
          kind >= SingletonCodec.FIRST ? SingletonCodec.read(kind, in) : ShardCodec.read(kind, in);
    };
  }

  private static void writeOutcome(DataOutputStream out, Outcome outcome) throws IOException {
    switch (outcome) {
      case Outcome.Admitted(long admission) -> {
        out.writeByte(1);
        out.writeLong(admission);
      }
      case Outcome.Registered(long token) -> {
        out.writeByte(2);
        out.writeLong(token);
      }
      case Outcome.Taken(Pid owner, long token) -> {
        out.writeByte(3);
        out.writeUTF(owner.toString());
        out.writeLong(token);
      }
      case Outcome.Done() -> out.writeByte(4);
      case Outcome.Refused(Reason reason) -> {
        out.writeByte(5);
        out.writeUTF(reason.name());
      }
      case Outcome.Declared(SingletonSpec spec) -> {
        out.writeByte(6);
        SingletonCodec.write(out, spec);
      }
    }
  }

  private static Outcome readOutcome(DataInputStream in) throws IOException {
    int kind = in.readUnsignedByte();
    return switch (kind) {
      case 1 -> new Outcome.Admitted(in.readLong());
      case 2 -> new Outcome.Registered(in.readLong());
      case 3 -> new Outcome.Taken(Pid.parse(in.readUTF()), in.readLong());
      case 4 -> new Outcome.Done();
      case 5 -> new Outcome.Refused(Reason.valueOf(in.readUTF()));
      case 6 -> new Outcome.Declared(SingletonCodec.readSpec(in));
      default -> throw new IOException("no outcome has the number " + kind);
    };
  }

  private static void writeRoster(DataOutputStream out, Roster roster, int format)
      throws IOException {
    if (format >= LogFormats.RAISES) {
      out.writeByte(roster.format());
    }
    out.writeLong(roster.applied());
    out.writeInt(roster.members().size());
    for (Member member : roster.members()) {
      writeMember(out, member);
    }
    List<Ownership> owners = roster.owners();
    out.writeInt(owners.size());
    for (Ownership owner : owners) {
      out.writeUTF(owner.name());
      out.writeUTF(owner.pid().toString());
      out.writeUTF(owner.node());
      out.writeLong(owner.token());
    }
    ShardCodec.write(out, roster.shards(), format);
    SingletonCodec.write(out, roster.singletons());
  }

  private static Roster readRoster(DataInputStream in, int format) throws IOException {
    final int inForce = format >= LogFormats.RAISES ? in.readUnsignedByte() : 0;
    final long index = in.readLong();
    List<Member> members = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      members.add(readMember(in));
    }
    List<Ownership> owners = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      String name = in.readUTF();
      owners.add(new Ownership(name, Pid.parse(in.readUTF()), in.readUTF(), in.readLong()));
    }
    Roster roster = new Roster();
    roster.restore(index, inForce, members, owners);
    ShardCodec.read(in, roster.shards(), format);
    SingletonCodec.read(in, roster.singletons());
    return roster;
  }

  private static void writeMember(DataOutputStream out, Member member) throws IOException {
    out.writeUTF(member.node);
    out.writeInt(member.life);
    writeProof(out, member.proof);
    out.writeLong(member.admission);
    out.writeLong(member.renewal);
    out.writeLong(member.lostNanos);
    out.writeUTF(member.state.name());
    out.writeLong(member.settled);
    out.writeInt(member.outcomes.size());
    for (var outcome : member.outcomes.entrySet()) {
      out.writeLong(outcome.getKey());
      writeOutcome(out, outcome.getValue());
    }
  }

  private static Member readMember(DataInputStream in) throws IOException {
    Member member = new Member(in.readUTF(), in.readInt(), readProof(in), in.readLong());
    member.renewal = in.readLong();
    member.lostNanos = in.readLong();
    member.state = Member.State.valueOf(in.readUTF());
    member.settled = in.readLong();
    for (int left = in.readInt(); left > 0; left--) {
      long number = in.readLong();
      member.outcomes.put(number, readOutcome(in));
    }
    return member;
  }

  static void writeOrigin(DataOutputStream out, Origin origin) throws IOException {
    out.writeUTF(origin.node());
    out.writeLong(origin.admission());
    out.writeLong(origin.number());
    out.writeLong(origin.settled());
  }

  static Origin readOrigin(DataInputStream in) throws IOException {
    return new Origin(in.readUTF(), in.readLong(), in.readLong(), in.readLong());
  }

  private static void writeProof(DataOutputStream out, @Nullable StorageProof proof)
      throws IOException {
    out.writeBoolean(proof != null);
    if (proof != null) {
      out.writeLong(proof.directory());
      out.writeLong(proof.start());
    }
  }

  private static @Nullable StorageProof readProof(DataInputStream in) throws IOException {
    return in.readBoolean() ? new StorageProof(in.readLong(), in.readLong()) : null;
  }
}
