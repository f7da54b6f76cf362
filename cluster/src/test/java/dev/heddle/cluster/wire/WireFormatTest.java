// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Parcel;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The bytes of version 1 of the wire, as the first release writes them. Never change one: nodes of
/// releases that speak this version are in a cluster together during an upgrade. What has other
/// bytes is of another version.
@Tag("wire-1")
class WireFormatTest {
  private static final NodeLife A = new NodeLife("a", "h", 7);
  private static final NodeLife B = new NodeLife("b", "h", 300);
  private static final SessionId SESSION = new SessionId(0x1122334455667788L, -2);

  private static final Pid OF_SENDER = new Pid("a", "h", 5, 7);
  private static final Pid OF_RECEIVER = new Pid("b", "h", 1_000, 300);
  private static final Pid OTHER_LIFE = new Pid("b", "h", 6, 299);
  private static final Pid OTHER_HOST = new Pid("a", "g", 6, 7);
  private static final Pid OF_THIRD = new Pid("c", "i", Long.MAX_VALUE, 8);

  private static final byte[] CONTENT = {5, 0x61, 0x7a};
  private static final Frame.FailureText FAILURE =
      new Frame.FailureText("java.io.IOException", "disk", "at x");

  private static final List<Frame> FRAMES =
      List.of(
          new Frame.Types(List.of("a.B(i:int)")),
          new Frame.Message(OF_RECEIVER, Content.of(CONTENT)),
          new Frame.Message(OTHER_LIFE, Content.of(CONTENT)),
          new Frame.Ask(300, OF_RECEIVER, CONTENT),
          new Frame.Answer(300, CONTENT),
          new Frame.AskFailed(300, FAILURE),
          new Frame.GiveUp(300),
          new Frame.Refused(OF_RECEIVER, SendResult.FULL, 3),
          new Frame.Pause(OF_RECEIVER, MailboxPolicy.SUSPEND),
          new Frame.Resume(OF_SENDER),
          new Frame.Monitor(OF_RECEIVER),
          new Frame.Demonitor(OF_RECEIVER),
          new Frame.Link(OF_SENDER, OF_RECEIVER),
          new Frame.Unlink(OTHER_HOST, OF_RECEIVER, 4),
          new Frame.Down(
              OF_SENDER, new Frame.ExitText(Exit.Reason.FAILED, CONTENT, FAILURE, CONTENT)),
          new Frame.Down(OF_SENDER, new Frame.ExitText(Exit.Reason.NORMAL, null, null, null)),
          new Frame.AwaitStart(9, OF_RECEIVER),
          new Frame.Spawn(
              9, "cart", CONTENT, OF_SENDER, List.of(Frame.SpawnFlag.values()), "mayor"),
          new Frame.Spawn(9, "cart", CONTENT, null, List.of(), null),
          new Frame.Spawned(9, OF_SENDER),
          new Frame.SpawnFailed(9, new Frame.FailureText("T", null, "")),
          new Frame.Terminate(OF_RECEIVER, "full"),
          new Frame.Cancel(OF_RECEIVER, "late", 1_000_000_000),
          new Frame.RequestExit(OF_SENDER, OF_RECEIVER, CONTENT),
          new Frame.RequestExit(null, OF_RECEIVER, CONTENT),
          new Frame.Members(Map.of("team", List.of(OF_SENDER, OF_THIRD))),
          new Frame.Joined("team", OF_SENDER),
          new Frame.Left("team", OF_SENDER),
          new Frame.Service("shards", CONTENT));

  private static final Urgent.Introduction NODE =
      new Urgent.Introduction("shop", A, -5, 1, 2, 0b1001, Map.of("zone", "eu"), List.of("cart"));

  private static final List<Urgent> URGENT =
      List.of(
          new Urgent.Hello(NODE),
          new Urgent.Welcome(NODE, -6, 1),
          new Urgent.HelloRefused("a", -6, Urgent.Refusal.OTHER_CLUSTER, "why"),
          new Urgent.HelloRefused("a", -6, Urgent.Refusal.NO_COMMON_VERSION, "why"),
          new Urgent.HelloRefused("a", -6, Urgent.Refusal.NAME_TAKEN, "why"),
          new Urgent.HelloRefused("a", -6, Urgent.Refusal.LEAVING, "why"),
          new Urgent.HelloRefused("a", -6, Urgent.Refusal.OTHER, "why"),
          new Urgent.Ping(3),
          new Urgent.Pong(3),
          new Urgent.Ack(),
          new Urgent.Ended("over"),
          new Urgent.Goodbye(Urgent.Farewell.LEAVING, "bye"),
          new Urgent.Goodbye(Urgent.Farewell.MALFORMED, "bye"),
          new Urgent.Goodbye(Urgent.Farewell.OTHER, "bye"));

  enum Colour {
    RED,
    GREEN
  }

  sealed interface Order permits Add, Clear {}

  record Add(String item, int count) implements Order {}

  record Clear() implements Order {}

  record Box<T>(T content) {}

  record All(
      boolean z,
      byte b,
      short s,
      int i,
      long l,
      char c,
      float f,
      double d,
      @Nullable Integer boxed,
      @Nullable Integer none,
      String text,
      byte[] bytes,
      BigInteger big,
      BigDecimal decimal,
      UUID uuid,
      Duration duration,
      Instant instant,
      LocalDate date,
      LocalTime time,
      LocalDateTime dateTime,
      Pid pid,
      Parcel parcel,
      List<String> list,
      Set<Integer> set,
      Map<String, Colour> map,
      Optional<Colour> optional,
      Order order,
      Box<String> box) {}

  private static final All ALL =
      new All(
          true,
          (byte) -1,
          (short) 300,
          -70_000,
          Long.MIN_VALUE,
          'ü',
          1.5f,
          -0.1,
          24,
          null,
          "größer 😀",
          new byte[] {1, 2},
          BigInteger.TWO.pow(70),
          new BigDecimal("-1.50"),
          new UUID(1, 2),
          Duration.ofSeconds(-1, 5),
          Instant.ofEpochSecond(1_800_000_000, 9),
          LocalDate.of(2026, 2, 28),
          LocalTime.of(23, 59, 58, 7),
          LocalDateTime.of(2026, 2, 28, 1, 2, 3),
          OF_SENDER,
          new Parcel("orders", List.of("one", 2)),
          List.of("x", "y"),
          Set.of(1),
          Map.of("k", Colour.GREEN),
          Optional.of(Colour.RED),
          new Add("milk", 2),
          new Box<>("in"));

  private static final List<@Nullable Object> MESSAGES =
      Arrays.asList(
          null,
          "text",
          true,
          (byte) 1,
          (short) -2,
          3,
          -4L,
          '5',
          6f,
          7d,
          BigInteger.TEN.pow(20),
          new BigDecimal("1E-9"),
          new byte[] {1, 2, 3},
          new UUID(3, 4),
          Duration.ofMillis(1),
          Instant.EPOCH,
          LocalDate.EPOCH,
          LocalTime.NOON,
          LocalDateTime.of(1970, 1, 1, 0, 0),
          OF_SENDER,
          OF_THIRD,
          new Parcel("t", List.of(new Clear())),
          ALL,
          new Clear(),
          Colour.GREEN);

  private static String line(Object of, byte[] bytes) {
    return of.getClass().getSimpleName() + " " + HexFormat.of().formatHex(bytes);
  }

  private static byte[] bytes(String line) {
    return HexFormat.of().parseHex(line.substring(line.indexOf(' ') + 1));
  }

  @Test
  void frames_haveTheBytesOfVersion1() throws Exception {
    FrameCodec atA = new FrameCodec(A, B);
    List<String> written = new ArrayList<>();
    FRAMES.forEach(frame -> written.add(line(frame, atA.encode(frame))));
    assertThat(String.join("\n", written)).isEqualTo(FRAME_BYTES.strip());
    assertThat(FRAMES)
        .extracting(Object::getClass)
        .containsAll(List.of(Frame.class.getPermittedSubclasses()));

    FrameCodec atB = new FrameCodec(B, A);
    List<byte[]> committed = FRAME_BYTES.lines().map(WireFormatTest::bytes).toList();
    Packet packet = Packet.parse(TestPackets.write(1, SESSION, 1, 0, 0, committed));
    assertThat(RandomValues.image(atB.decode(packet))).isEqualTo(RandomValues.image(FRAMES));
  }

  @Test
  void urgentPackets_haveTheBytesOfVersion1() throws Exception {
    List<String> written = new ArrayList<>();
    URGENT.forEach(it -> written.add(line(it, Packet.write(1, SESSION, 8, 9, it))));
    assertThat(String.join("\n", written)).isEqualTo(URGENT_BYTES.strip());
    assertThat(URGENT)
        .extracting(Object::getClass)
        .containsAll(List.of(Urgent.class.getPermittedSubclasses()));

    List<Urgent> read = new ArrayList<>();
    for (String line : URGENT_BYTES.lines().toList()) {
      read.add(Packet.parse(bytes(line)).content());
    }
    assertThat(read).isEqualTo(URGENT);
  }

  @Test
  void header_hasTheBytesOfVersion1() throws Exception {
    byte[] frame = new FrameCodec(A, B).encode(new Frame.GiveUp(300));
    byte[] packet = TestPackets.write(1, SESSION, 77, 66, 55, List.of(frame));
    assertThat(HexFormat.of().formatHex(packet))
        .isEqualTo(
            "484401001122334455667788fffffffffffffffe000000000000004d000000000000004200000037"
                + HexFormat.of().formatHex(frame));
  }

  @Test
  @Tag("wire-3")
  void messages_haveTheBytesOfVersion1() throws Exception {
    MessageTypes types = MessageKit.types(All.class, Clear.class, Colour.class);
    MessageWriter writer = new MessageWriter(types, A);
    List<String> written = new ArrayList<>(types.signatures());
    MESSAGES.forEach(it -> written.add(line(it == null ? "null" : it, writer.encode(it))));
    assertThat(String.join("\n", written)).isEqualTo(MESSAGE_BYTES.strip());

    int signatures = types.signatures().size();
    List<String> committed = MESSAGE_BYTES.lines().toList();
    MessageReader reader = new MessageReader(types, A, committed.subList(0, signatures));
    List<@Nullable Object> read = new ArrayList<>();
    for (String line : committed.subList(signatures, committed.size())) {
      read.add(reader.decode(bytes(line)));
    }
    assertThat(RandomValues.image(read)).isEqualTo(RandomValues.image(MESSAGES));
  }

  private static final String FRAME_BYTES =
      """
      Types 0d01010a612e4228693a696e7429
      Message 080201e8070305617a
      Message 090209ab02060305617a
      Ask 0a03ac0201e8070305617a
      Answer 0704ac020305617a
      AskFailed 2205ac02136a6176612e696f2e494f457863657074696f6e01046469736b0461742078
      GiveUp 0306ac02
      Refused 060701e8070103
      Pause 050801e80703
      Resume 03090005
      Monitor 040a01e807
      Demonitor 040b01e807
      Link 060c000501e807
      Unlink 090d0401670601e80704
      Down 2e0e000502010305617a01136a6176612e696f2e494f457863657074696f6e01046469736b046174207\
      8010305617a
      Down 070e000500000000
      AwaitStart 05190901e807
      Spawn 160f0904636172740305617a0100050701056d61796f72
      Spawn 0e0f0904636172740305617a000000
      Spawned 0410090005
      SpawnFailed 06110901540000
      Terminate 091201e8070466756c6c
      Cancel 111301e807046c617465000000003b9aca00
      RequestExit 0b1401e8070100050305617a
      RequestExit 091401e807000305617a
      Members 191501047465616d0200050e0163016908ffffffffffffffff7f
      Joined 08160005047465616d
      Left 08170005047465616d
      Service 0c18067368617264730305617a
      """;

  private static final String URGENT_BYTES =
      """
      Hello 484401011122334455667788fffffffffffffffe000000000000000000000000000000080000000925\
      600473686f700161016807fffffffffffffffb01020901047a6f6e65026575010463617274
      Welcome 484401011122334455667788fffffffffffffffe0000000000000000000000000000000800000009\
      2e61fffffffffffffffa010473686f700161016807fffffffffffffffb01020901047a6f6e65026575010463\
      617274
      HelloRefused 484401011122334455667788fffffffffffffffe00000000000000000000000000000008000\
      0000910620161fffffffffffffffa0003776879
      HelloRefused 484401011122334455667788fffffffffffffffe00000000000000000000000000000008000\
      0000910620161fffffffffffffffa0103776879
      HelloRefused 484401011122334455667788fffffffffffffffe00000000000000000000000000000008000\
      0000910620161fffffffffffffffa0203776879
      HelloRefused 484401011122334455667788fffffffffffffffe00000000000000000000000000000008000\
      0000910620161fffffffffffffffa0303776879
      HelloRefused 484401011122334455667788fffffffffffffffe00000000000000000000000000000008000\
      0000910620161fffffffffffffffaff03776879
      Ping 484401011122334455667788fffffffffffffffe0000000000000000000000000000000800000009096\
      30000000000000003
      Pong 484401011122334455667788fffffffffffffffe0000000000000000000000000000000800000009096\
      40000000000000003
      Ack 484401011122334455667788fffffffffffffffe00000000000000000000000000000008000000090165
      Ended 484401011122334455667788fffffffffffffffe000000000000000000000000000000080000000906\
      66046f766572
      Goodbye 484401011122334455667788fffffffffffffffe0000000000000000000000000000000800000009\
      06670003627965
      Goodbye 484401011122334455667788fffffffffffffffe0000000000000000000000000000000800000009\
      06670103627965
      Goodbye 484401011122334455667788fffffffffffffffe0000000000000000000000000000000800000009\
      0667ff03627965
      """;

  private static final String MESSAGE_BYTES =
      """
      WireFormatTest.All(z:boolean,b:byte,s:short,i:int,l:long,c:char,f:float,d:double,boxed:I\
      nteger,none:Integer,text:String,bytes:byte[],big:BigInteger,decimal:BigDecimal,uuid:UUID\
      ,duration:Duration,instant:Instant,date:LocalDate,time:LocalTime,dateTime:LocalDateTime,\
      pid:Pid,parcel:Parcel,list:List<String>,set:Set<Integer>,map:Map<String,WireFormatTest.C\
      olour>,optional:Optional<WireFormatTest.Colour>,order:WireFormatTest.Order,box:WireForma\
      tTest.Box<String>)
      WireFormatTest.Colour{RED,GREEN}
      WireFormatTest.Add(item:String,count:int)
      WireFormatTest.Clear()
      WireFormatTest.Box<String>(content:String)
      String 00
      String 016474657874
      Boolean 04f5
      Byte 0501
      Short 0621
      Integer 0703
      Long 0823
      Character 091835
      Float 0afa40c00000
      Double 0bfb401c000000000000
      BigInteger 0c49056bc75e2d63100000
      BigDecimal 0d82094101
      byte[] 02010203
      UUID 0e5000000000000000030000000000000004
      Duration 0f82001a000f4240
      Instant 10820000
      LocalDate 1100
      LocalTime 121b0000274a48a78000
      LocalDateTime 13820000
      Pid 03420005
      Pid 034f0e0163016908ffffffffffffffff7f
      Parcel 2882617482184380
      All 40981cf52019012c3a0001116f3b7fffffffffffffff18fcfa3fc00000fbbfb999999999999a1818f66d\
      6772c3b6c39f657220f09f988042010249400000000000000000820242ff6a50000000000000000100000000\
      00000002822005821a6b49d200091950201b00004e941a196c07821950201b00000362d417ae004200058366\
      6f72646572738201636f6e658207028261786179810182616b018100820282646d696c6b028162696e
      Clear 4380
      Colour 4101
      """;
}
