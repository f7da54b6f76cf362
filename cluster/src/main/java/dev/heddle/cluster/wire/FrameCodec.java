// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.wire.Frame.ExitText;
import dev.heddle.cluster.wire.Frame.FailureText;
import dev.heddle.cluster.wire.Frame.SpawnFlag;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Frames of one session as bytes. Immutable; any thread.
public final class FrameCodec {
  /*
   * Layout of a frame:
   *
   *   length  of kind and body
   *   kind    one octet: 1-127; with 0x80 added, a reader that does not know it skips the frame
   *   body    the components of the record, in their order
   *
   *   length, count  varint: seven bits an octet, the lowest first
   *   id             varint
   *   name, text     length, UTF-8; a name has at most 1 KiB, a text 8 KiB
   *   content        length, octets; at most 1 MiB
   *   list           count, elements
   *   nullable       an octet 0, or 1 and the value
   *   enum           an octet, by the lists below: they only grow, at the end
   *   PID            see PidCodec
   *
   * A reader takes nothing else: bits and codes that are not defined, octets that are left over
   * and lengths above their limits end the session. So both nodes agree on what was said. What a
   * later version adds is a kind, with 0x80 when it does no harm to skip it, or is written only
   * in sessions of that version.
   *
   * Cost: one pass. A writer copies contents once, into the packet, and so does a reader. The list
   * of a decoded frame grows as its elements are read, and its count is at most what the rest of
   * the frame can contain, so a frame makes a reader allocate no more than a small multiple of its
   * length.
   */
  private static final int TYPES = 1;
  private static final int MESSAGE = 2;
  private static final int ASK = 3;
  private static final int ANSWER = 4;
  private static final int ASK_FAILED = 5;
  private static final int GIVE_UP = 6;
  private static final int REFUSED = 7;
  private static final int PAUSE = 8;
  private static final int RESUME = 9;
  private static final int MONITOR = 10;
  private static final int DEMONITOR = 11;
  private static final int LINK = 12;
  private static final int UNLINK = 13;
  private static final int DOWN = 14;
  private static final int SPAWN = 15;
  private static final int SPAWNED = 16;
  private static final int SPAWN_FAILED = 17;
  private static final int TERMINATE = 18;
  private static final int CANCEL = 19;
  private static final int REQUEST_EXIT = 20;
  private static final int MEMBERS = 21;
  private static final int JOINED = 22;
  private static final int LEFT = 23;
  private static final int SERVICE = 24;
  private static final int AWAIT_START = 25;

  static final int SKIP = 0x80; // added to a kind

  private static final int USUAL = 64; // bytes of a frame of a packet with many

  private static final Content NONE = Content.of(new byte[0]);

  private static final List<SendResult> SEND_RESULTS =
      List.of(
          SendResult.ACCEPTED,
          SendResult.FULL,
          SendResult.DROPPED,
          SendResult.NOT_FOUND,
          SendResult.CLOSED,
          SendResult.UNREACHABLE,
          SendResult.NOT_SENDABLE);
  private static final List<MailboxPolicy> POLICIES =
      List.of(
          MailboxPolicy.REJECT,
          MailboxPolicy.DROP_NEWEST,
          MailboxPolicy.DROP_OLDEST,
          MailboxPolicy.SUSPEND);
  private static final List<Exit.Reason> REASONS =
      List.of(
          Exit.Reason.NORMAL,
          Exit.Reason.SHUTDOWN,
          Exit.Reason.FAILED,
          Exit.Reason.TERMINATED,
          Exit.Reason.LINKED,
          Exit.Reason.ABANDONED,
          Exit.Reason.NOT_FOUND,
          Exit.Reason.NO_CONNECTION);
  private static final List<SpawnFlag> SPAWN_FLAGS =
      List.of(SpawnFlag.LINK, SpawnFlag.MONITOR, SpawnFlag.WITH_PARENT);

  private final PidCodec ownPids; // as this node writes them
  private final PidCodec otherPids;

  /// @param self the life of this node
  /// @param other that of the other node of the session
  public FrameCodec(NodeLife self, NodeLife other) {
    this.ownPids = new PidCodec(self, other);
    this.otherPids = new PidCodec(other, self);
  }

  // ---- writing ----

  /// Writes a frame, as it stands in a packet.
  ///
  /// @throws dev.heddle.process.NotSendableException when a name, a content or the frame is too
  ///   long
  public byte[] encode(Frame frame) {
    return EncodedFrame.toBytes(prepare(frame));
  }

  /// Prepares a frame to be written into a packet. A message to a process of one of the two nodes
  /// is not copied before: it is what floods consist of.
  ///
  /// @throws dev.heddle.process.NotSendableException as of [#encode]
  public EncodedFrame prepare(Frame frame) {
    if (frame instanceof Frame.Message(var to, var content)) {
      int octet = ownPids.octetBeforeNumber(to);
      if (octet != PidCodec.MORE) {
        return new MessageFrame(octet, to.id(), content);
      }
    }
    return new PreparedFrame(head(frame), tail(frame));
  }

  /// A frame whose first bytes were written elsewhere.
  private record PreparedFrame(WireOutput head, Content tail) implements EncodedFrame {
    @Override
    public int size() {
      return head.size() + tail.size();
    }

    @Override
    public byte writeTo(byte[] packet, int at) {
      tail.copyTo(packet, at + head.size());
      return head.copyBehindFirst(packet, at);
    }
  }

  /// A message that is written in place.
  private static final class MessageFrame implements EncodedFrame {
    private final int octet; // before the number of the receiver
    private final long to;
    private final Content content;
    private final int length; // of kind and body

    MessageFrame(int octet, long to, Content content) {
      this.octet = octet;
      this.to = to;
      this.content = content;
      int receiver = 1 + WireOutput.varintLength(to);
      this.length = WireOutput.checkFrame(1 + receiver + WireOutput.contentSize(content.length()));
    }

    @Override
    public int size() {
      return WireOutput.varintLength(length) + length;
    }

    @Override
    public byte writeTo(byte[] packet, int at) {
      boolean isShort = length < WireOutput.MORE;
      int end = isShort ? at + 1 : WireOutput.putVarint(packet, at + 1, length >>> 7);
      packet[end++] = MESSAGE;
      packet[end++] = (byte) octet;
      end = WireOutput.putVarint(packet, end, to);
      end = WireOutput.putVarint(packet, end, content.length());
      content.copyTo(packet, content.putHead(packet, end));
      return (byte) (isShort ? length : length | WireOutput.MORE);
    }
  }

  /// The last bytes of a frame, which [#head] leaves out: the content that it ends with. Not
  /// copied.
  private static Content tail(Frame frame) {
    return switch (frame) {
      case Frame.Message(_, var content) -> content;
      case Frame.Ask(_, _, var content) -> Content.of(content);
      case Frame.Answer(_, var content) -> Content.of(content);
      case Frame.RequestExit(_, _, var detail) -> Content.of(detail);
      case Frame.Service(_, var content) -> Content.of(content);
      default -> NONE;
    };
  }

  /// Writes a frame without its [#tail].
  private WireOutput head(Frame frame) {
    WireOutput out = new WireOutput();
    switch (frame) {
      case Frame.Types(var all) -> writeSignatures(out.octet(TYPES), all);
      case Frame.Message(var to, var content) -> pid(out.octet(MESSAGE), to).headOf(content);
      case Frame.Ask(var id, var to, var content) ->
          pid(out.octet(ASK).varint(id), to).lengthOf(content);
      case Frame.Answer(var id, var content) -> out.octet(ANSWER).varint(id).lengthOf(content);
      case Frame.AskFailed(var id, var failure) ->
          writeFailure(out.octet(ASK_FAILED).varint(id), failure);
      case Frame.GiveUp(var id) -> out.octet(GIVE_UP).varint(id);
      case Frame.Refused(var to, var why, var count) ->
          pid(out.octet(REFUSED), to).octet(SEND_RESULTS.indexOf(why)).varint(count);
      case Frame.Pause(var to, var policy) ->
          pid(out.octet(PAUSE), to).octet(POLICIES.indexOf(policy));
      case Frame.Resume(var to) -> pid(out.octet(RESUME), to);
      case Frame.Monitor(var target) -> pid(out.octet(MONITOR), target);
      case Frame.Demonitor(var target) -> pid(out.octet(DEMONITOR), target);
      case Frame.Link(var from, var to) -> pid(pid(out.octet(LINK), from), to);
      case Frame.Unlink(var from, var to, var seen) ->
          pid(pid(out.octet(UNLINK), from), to).varint(seen);
      case Frame.Down(var pid, var exit) -> writeExit(pid(out.octet(DOWN), pid), exit);
      case Frame.AwaitStart(var id, var target) -> pid(out.octet(AWAIT_START).varint(id), target);
      case Frame.Spawn spawn -> writeSpawn(out.octet(SPAWN), spawn);
      case Frame.Spawned(var id, var pid) -> pid(out.octet(SPAWNED).varint(id), pid);
      case Frame.SpawnFailed(var id, var failure) ->
          writeFailure(out.octet(SPAWN_FAILED).varint(id), failure);
      case Frame.Terminate(var target, var reason) ->
          pid(out.octet(TERMINATE), target).text(reason);
      case Frame.Cancel(var target, var reason, var nanos) ->
          pid(out.octet(CANCEL), target).text(reason).fixed(nanos);
      case Frame.RequestExit(var from, var target, var detail) ->
          nullablePid(pid(out.octet(REQUEST_EXIT), target), from).lengthOf(detail);
      case Frame.Members(var groups) -> writeMembers(out.octet(MEMBERS), groups);
      case Frame.Joined(var group, var member) -> pid(out.octet(JOINED), member).name(group);
      case Frame.Left(var group, var member) -> pid(out.octet(LEFT), member).name(group);
      case Frame.Service(var name, var content) -> out.octet(SERVICE).name(name).lengthOf(content);
    }
    return out.finished(tail(frame).size());
  }

  private WireOutput pid(WireOutput out, Pid pid) {
    ownPids.write(out, pid);
    return out;
  }

  private WireOutput nullablePid(WireOutput out, @Nullable Pid pid) {
    out.flag(pid != null);
    return pid == null ? out : pid(out, pid);
  }

  private static void writeSignatures(WireOutput out, List<String> signatures) {
    out.varint(signatures.size());
    signatures.forEach(out::signature);
  }

  private void writeSpawn(WireOutput out, Frame.Spawn spawn) {
    out.varint(spawn.id()).name(spawn.entry()).content(spawn.input());
    nullablePid(out, spawn.parent());
    int flags = 0;
    for (SpawnFlag flag : spawn.flags()) {
      flags |= 1 << SPAWN_FLAGS.indexOf(flag);
    }
    out.octet(flags);
    String name = spawn.name();
    out.flag(name != null);
    if (name != null) {
      out.name(name);
    }
  }

  private void writeMembers(WireOutput out, Map<String, List<Pid>> groups) {
    out.varint(groups.size());
    groups.forEach((group, members) -> {
      out.name(group);
      out.varint(members.size());
      members.forEach(member -> ownPids.write(out, member));
    });
  }

  private static void writeExit(WireOutput out, ExitText exit) {
    out.octet(REASONS.indexOf(exit.reason()));
    writeNullableContent(out, exit.result());
    FailureText cause = exit.cause();
    out.flag(cause != null);
    if (cause != null) {
      writeFailure(out, cause);
    }
    writeNullableContent(out, exit.detail());
  }

  private static void writeNullableContent(WireOutput out, byte @Nullable [] content) {
    out.flag(content != null);
    if (content != null) {
      out.content(content);
    }
  }

  private static void writeFailure(WireOutput out, FailureText failure) {
    out.text(failure.type());
    String message = failure.message();
    out.flag(message != null);
    if (message != null) {
      out.text(message);
    }
    out.text(failure.trace());
  }

  // ---- reading ----

  /// Reads the frames of a packet, without those of unknown kinds that may be skipped.
  ///
  /// @param packet a numbered one of this session
  /// @throws MalformedPacketException when any of them is malformed
  public List<Frame> decode(Packet packet) throws MalformedPacketException {
    int length = packet.length();
    WireInput in =
        new WireInput(packet.bytes(), packet.start() + Packet.HEADER_BYTES, packet.end());
    List<Frame> frames = new ArrayList<>(1 + Math.min(length, Limits.PACKED_PACKET_BYTES) / USUAL);
    Frame frame = null;
    while (in.hasMore()) {
      WireInput part = in.part();
      if (in.hasMore() && length > Limits.PACKED_PACKET_BYTES) {
        throw in.malformed("several frames in a packet of %d bytes".formatted(length));
      }
      int kind = part.octet();
      frame = read(kind & ~SKIP, part, frame);
      if (frame != null) {
        part.checkEnd();
        frames.add(frame);
      } else if ((kind & SKIP) == 0) {
        throw part.malformed("unknown frame 0x%02x".formatted(kind));
      }
    }
    return frames;
  }

  /// @param before the last frame that was read
  /// @return null when the kind is unknown
  private @Nullable Frame read(int kind, WireInput in, @Nullable Frame before)
      throws MalformedPacketException {
    PidCodec pids = otherPids;
    return switch (kind) {
      case TYPES -> new Frame.Types(readSignatures(in));
      case MESSAGE -> {
        Pid last = before instanceof Frame.Message message ? message.to() : null;
        yield new Frame.Message(pids.read(in, last), in.contentInPlace());
      }
      case ASK -> new Frame.Ask(in.varint(), pids.read(in), in.content());
      case ANSWER -> new Frame.Answer(in.varint(), in.content());
      case ASK_FAILED -> new Frame.AskFailed(in.varint(), readFailure(in));
      case GIVE_UP -> new Frame.GiveUp(in.varint());
      case REFUSED -> new Frame.Refused(pids.read(in), readCode(in, SEND_RESULTS), in.varint());
      case PAUSE -> new Frame.Pause(pids.read(in), readCode(in, POLICIES));
      case RESUME -> new Frame.Resume(pids.read(in));
      case MONITOR -> new Frame.Monitor(pids.read(in));
      case DEMONITOR -> new Frame.Demonitor(pids.read(in));
      case LINK -> new Frame.Link(pids.read(in), pids.read(in));
      case UNLINK -> new Frame.Unlink(pids.read(in), pids.read(in), in.varint());
      case DOWN -> new Frame.Down(pids.read(in), readExit(in));
      case SPAWN -> readSpawn(in);
      case SPAWNED -> new Frame.Spawned(in.varint(), pids.read(in));
      case SPAWN_FAILED -> new Frame.SpawnFailed(in.varint(), readFailure(in));
      case AWAIT_START -> new Frame.AwaitStart(in.varint(), pids.read(in));
      case TERMINATE -> new Frame.Terminate(pids.read(in), in.text());
      case CANCEL -> new Frame.Cancel(pids.read(in), in.text(), in.fixed());
      case REQUEST_EXIT -> {
        Pid target = pids.read(in);
        yield new Frame.RequestExit(readNullablePid(in), target, in.content());
      }
      case MEMBERS -> readMembers(in);
      case JOINED -> {
        Pid member = pids.read(in);
        yield new Frame.Joined(in.name(), member);
      }
      case LEFT -> {
        Pid member = pids.read(in);
        yield new Frame.Left(in.name(), member);
      }
      case SERVICE -> new Frame.Service(in.name(), in.content());
      default -> null;
    };
  }

  private @Nullable Pid readNullablePid(WireInput in) throws MalformedPacketException {
    return in.flag() ? otherPids.read(in) : null;
  }

  private static List<String> readSignatures(WireInput in) throws MalformedPacketException {
    List<String> signatures = new ArrayList<>();
    for (int left = in.count(1); left > 0; left--) {
      signatures.add(in.text());
    }
    return signatures;
  }

  private Frame readSpawn(WireInput in) throws MalformedPacketException {
    long id = in.varint();
    String entry = in.name();
    byte[] input = in.content();
    Pid parent = readNullablePid(in);
    int bits = in.bits((1 << SPAWN_FLAGS.size()) - 1);
    EnumSet<SpawnFlag> flags = EnumSet.noneOf(SpawnFlag.class);
    for (SpawnFlag flag : SPAWN_FLAGS) {
      if ((bits >> SPAWN_FLAGS.indexOf(flag) & 1) == 1) {
        flags.add(flag);
      }
    }
    String name = in.flag() ? in.name() : null;
    return new Frame.Spawn(id, entry, input, parent, List.copyOf(flags), name);
  }

  private Frame readMembers(WireInput in) throws MalformedPacketException {
    Map<String, List<Pid>> groups = new HashMap<>();
    for (int left = in.count(2); left > 0; left--) {
      String group = in.name();
      List<Pid> members = new ArrayList<>();
      for (int more = in.count(PidCodec.LEAST_BYTES); more > 0; more--) {
        members.add(otherPids.read(in));
      }
      if (groups.put(group, members) != null) {
        throw in.malformed("group '%s' a second time".formatted(group));
      }
    }
    return new Frame.Members(groups);
  }

  private static ExitText readExit(WireInput in) throws MalformedPacketException {
    Exit.Reason reason = readCode(in, REASONS);
    byte[] result = readNullableContent(in);
    FailureText cause = in.flag() ? readFailure(in) : null;
    return new ExitText(reason, result, cause, readNullableContent(in));
  }

  private static byte @Nullable [] readNullableContent(WireInput in)
      throws MalformedPacketException {
    return in.flag() ? in.content() : null;
  }

  private static FailureText readFailure(WireInput in) throws MalformedPacketException {
    String type = in.text();
    String message = in.flag() ? in.text() : null;
    return new FailureText(type, message, in.text());
  }

  private static <T> T readCode(WireInput in, List<T> codes) throws MalformedPacketException {
    int code = in.octet();
    if (code >= codes.size()) {
      throw in.malformed("unknown code %d; at most %d".formatted(code, codes.size() - 1));
    }
    return codes.get(code);
  }
}
