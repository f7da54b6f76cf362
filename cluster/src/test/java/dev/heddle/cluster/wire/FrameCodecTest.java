// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.management.ThreadMXBean;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Frames as bytes.
@Tag("wire-1")
class FrameCodecTest {
  static final NodeLife A = new NodeLife("a", "heddle", 7);
  static final NodeLife B = new NodeLife("b", "heddle", 9);
  static final SessionId SESSION = new SessionId(1, -2);

  private final FrameCodec atA = new FrameCodec(A, B);
  private final FrameCodec atB = new FrameCodec(B, A);

  private Frame sent(Frame frame) throws MalformedPacketException {
    return received(List.of(atA.encode(frame))).getFirst();
  }

  private List<Frame> received(List<byte[]> frames) throws MalformedPacketException {
    return atB.decode(Packet.parse(TestPackets.write(1, SESSION, 1, 0, 0, frames)));
  }

  @Test
  void frames_ofAllKinds_areReadAsWritten() throws Exception {
    for (long seed = 0; seed < 400; seed++) {
      RandomValues values = new RandomValues(seed);
      for (Class<?> kind : Frame.class.getPermittedSubclasses()) {
        Frame frame = withoutRepeatedFlags((Frame) values.of(kind));
        assertThat(RandomValues.image(sent(frame)))
            .as("seed %d", seed)
            .isEqualTo(RandomValues.image(frame));
      }
    }
  }

  private static Frame withoutRepeatedFlags(Frame frame) {
    return frame instanceof Frame.Spawn(var id, var entry, var in, var parent, var flags, var name)
        ? new Frame.Spawn(id, entry, in, parent, flags.stream().distinct().sorted().toList(), name)
        : frame;
  }

  @Test
  void frames_inOnePacket_keepTheirOrder() throws Exception {
    List<Frame> frames = new ArrayList<>();
    List<byte[]> encoded = new ArrayList<>();
    for (long i = 0; i < 1000; i++) {
      frames.add(new Frame.GiveUp(i << 5));
      encoded.add(atA.encode(frames.getLast()));
    }
    assertThat(received(encoded)).isEqualTo(frames);
  }

  @Test
  void messagesInARow_toOneProcess_shareItsPid() throws Exception {
    byte[] first = atA.encode(new Frame.Message(new Pid("b", "heddle", 1, 9), content()));
    byte[] other = atA.encode(new Frame.Message(new Pid("b", "heddle", 2, 9), content()));
    byte[] older = atA.encode(new Frame.Message(new Pid("b", "heddle", 2, 8), content()));
    List<Pid> found =
        received(List.of(first, first, other, older)).stream()
            .map(frame -> ((Frame.Message) frame).to())
            .toList();
    assertThat(found.get(1)).isSameAs(found.get(0));
    assertThat(found)
        .extracting(Pid::id, Pid::incarnation)
        .containsExactly(tuple(1L, 9), tuple(1L, 9), tuple(2L, 9), tuple(2L, 8));
  }

  private static Content content() {
    return Content.of(new byte[] {0});
  }

  @ParameterizedTest
  @EnumSource(SendResult.class)
  void results_haveACode(SendResult it) throws Exception {
    Frame frame = new Frame.Refused(new Pid("b", "heddle", 1, 9), it, 3);
    assertThat(sent(frame)).isEqualTo(frame);
  }

  @ParameterizedTest
  @EnumSource(MailboxPolicy.class)
  void policies_haveACode(MailboxPolicy it) throws Exception {
    Frame frame = new Frame.Pause(new Pid("b", "heddle", 1, 9), it);
    assertThat(sent(frame)).isEqualTo(frame);
  }

  @ParameterizedTest
  @EnumSource(Exit.Reason.class)
  void reasons_haveACode(Exit.Reason it) throws Exception {
    Frame frame =
        new Frame.Down(new Pid("a", "heddle", 1, 7), new Frame.ExitText(it, null, null, null));
    assertThat(sent(frame)).isEqualTo(frame);
  }

  @ParameterizedTest
  @EnumSource(Frame.SpawnFlag.class)
  void spawnFlags_haveABit(Frame.SpawnFlag it) throws Exception {
    Frame frame = new Frame.Spawn(1, "cart", new byte[0], null, List.of(it), null);
    assertThat(((Frame.Spawn) sent(frame)).flags()).containsExactly(it);
  }

  @Test
  void pid_withoutANode_isTheSenders() throws Exception {
    assertThat(sent(new Frame.Resume(new Pid("", "heddle", 42, 7))))
        .isEqualTo(new Frame.Resume(new Pid("a", "heddle", 42, 7)));
  }

  @Test
  void pids_ofTheTwoLives_takeTwoBytes() {
    int length = atA.encode(new Frame.Resume(new Pid("a", "heddle", 42, 7))).length;
    assertThat(length).isEqualTo(1 + 1 + 2); // length, kind, PID
    assertThat(atA.encode(new Frame.Resume(new Pid("b", "heddle", 42, 9)))).hasSize(length);
    assertThat(atA.encode(new Frame.Resume(new Pid("b", "heddle", 42, 8)))).hasSize(length + 1);
  }

  @Test
  void unknownKind_thatMayBeSkipped_isSkipped() throws Exception {
    byte[] unknown = {3, (byte) (FrameCodec.SKIP | 0x5f), 1, 2};
    Frame known = new Frame.GiveUp(5);
    assertThat(received(List.of(unknown, atA.encode(known)))).containsExactly(known);
  }

  @Test
  void unknownKind_thatMayNot_isMalformed() {
    byte[] unknown = {3, 0x5f, 1, 2};
    assertThatThrownBy(() -> received(List.of(unknown)))
        .isInstanceOf(MalformedPacketException.class)
        .hasMessage("unknown frame 0x5f, at byte 42");
  }

  @Test
  void frame_withMoreThanItsBody_isMalformed() {
    byte[] frame = {3, 6, 5, 0}; // GIVE_UP 5, and a zero
    assertThatThrownBy(() -> received(List.of(frame)))
        .isInstanceOf(MalformedPacketException.class)
        .hasMessage("1 octets after the end of a frame, at byte 43");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, Limits.MESSAGE_BYTES})
  void content_upToTheLimit_isSent(int length) throws Exception {
    Frame.Message sent =
        (Frame.Message)
            sent(new Frame.Message(new Pid("b", "x", 1, 1), Content.of(new byte[length])));
    assertThat(sent.content().toBytes()).hasSize(length);
  }

  @Test
  void content_withTheNumberOfItsTypeAside_isSentAsOneThatBeginsWithIt() throws Exception {
    byte[] message = {5, 6};
    for (int type : new int[] {0, 10, 127, 128, 16_384, Integer.MAX_VALUE}) {
      Content aside = Content.of(type, message);
      Frame.Message sent = (Frame.Message) sent(new Frame.Message(new Pid("b", "x", 1, 1), aside));
      assertThat(sent.content().toBytes()).isEqualTo(aside.toBytes()).endsWith(message);
      assertThat(sent.content().length()).isEqualTo(aside.length());
      assertThat(sent.content().input().number(Integer.MAX_VALUE, "a type")).isEqualTo(type);
    }
  }

  @Test
  void message_toAProcessOfOneOfTheTwoNodes_isReadAsWritten() throws Exception {
    for (NodeLife node : List.of(A, B)) {
      for (long id : new long[] {0, 127, 128, Long.MAX_VALUE}) {
        for (int length : new int[] {0, 100, 113, 114, 115, 116, 127, 128, 20_000, 300_000}) {
          Pid to = new Pid(node.node(), node.host(), id, node.life());
          Content content = Content.of(300, new byte[length]);
          assertThat(RandomValues.image(sent(new Frame.Message(to, content))))
              .isEqualTo(RandomValues.image(new Frame.Message(to, content.copy())));
        }
      }
    }
  }

  /// Its place in a packet is claimed before it is written: without memory it would stay empty.
  @Test
  @Tag("C3")
  void frames_areWrittenIntoTheirPlace_withoutTakingMemory() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    RandomValues values = new RandomValues(1);
    List<Frame> frames = new ArrayList<>();
    for (Class<?> kind : Frame.class.getPermittedSubclasses()) {
      frames.add((Frame) values.of(kind));
    }
    frames.add(new Frame.Message(new Pid("b", "heddle", 300, 9), Content.of(7, new byte[100])));
    frames.add(new Frame.Message(new Pid("naïve", "elsewhere", 300, 1), Content.of(new byte[9])));
    for (Frame frame : frames) {
      EncodedFrame encoded = atA.prepare(frame);
      byte[] packet = new byte[encoded.size()];
      byte first = 0;
      long least = Long.MAX_VALUE;
      for (int i = 0; i < 20; i++) { // what is linked at first takes memory
        long before = threads.getCurrentThreadAllocatedBytes();
        first = encoded.writeTo(packet, 0);
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      packet[0] = first;
      assertThat(packet).isEqualTo(atA.encode(frame));
      assertThat(least).as(frame.getClass().getSimpleName()).isZero();
    }
  }

  @Test
  void content_aboveTheLimit_isRefusedAtTheSender() {
    Frame frame = new Frame.Answer(1, new byte[Limits.MESSAGE_BYTES + 1]);
    assertThatThrownBy(() -> atA.encode(frame))
        .isInstanceOf(NotSendableException.class)
        .hasMessageContaining("1048577")
        .hasMessageContaining("1048576");
  }

  @Test
  void name_aboveTheLimit_isRefusedAtTheSender() {
    Frame frame = new Frame.Joined("g".repeat(1025), new Pid("a", "heddle", 1, 7));
    assertThatThrownBy(() -> atA.encode(frame))
        .isInstanceOf(NotSendableException.class)
        .hasMessageContaining("1025");
  }

  @Test
  void groups_tooManyForAFrame_areRefusedAtTheSender() {
    List<Pid> members = new ArrayList<>();
    for (int i = 0; i < 600_000; i++) {
      members.add(new Pid("a", "heddle", i, 7));
    }
    assertThatThrownBy(() -> atA.encode(new Frame.Members(Map.of("g", members))))
        .isInstanceOf(NotSendableException.class);
  }

  @Test
  void text_aboveTheLimit_isCutBetweenCharacters() throws Exception {
    String reason = "ä".repeat(5000); // 10,000 bytes
    Frame.Terminate sent =
        (Frame.Terminate) sent(new Frame.Terminate(new Pid("b", "heddle", 1, 9), "x" + reason));
    assertThat(sent.reason()).isEqualTo("x" + "ä".repeat(4095));
  }
}
