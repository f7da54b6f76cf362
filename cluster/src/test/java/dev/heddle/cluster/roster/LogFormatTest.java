// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.DeclareSingleton;
import dev.heddle.cluster.roster.Command.FinishSingleton;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.Command.Leave;
import dev.heddle.cluster.roster.Command.Lost;
import dev.heddle.cluster.roster.Command.OfferSingletons;
import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Command.Raise;
import dev.heddle.cluster.roster.Command.Register;
import dev.heddle.cluster.roster.Command.Release;
import dev.heddle.cluster.roster.Command.ReleaseShards;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Command.Unregister;
import dev.heddle.cluster.roster.Command.WithdrawHost;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The formats of the log, as releases that know others of them read and write them.
@Tag("C6")
class LogFormatTest {
  private static final RosterCodec BEFORE = new RosterCodec(new LogFormats(2, 2));
  private static final RosterCodec NOW = RosterCodec.RELEASE;
  private static final RosterCodec AFTER = new RosterCodec(new LogFormats(3, 3));

  private static final SingletonSpec SPEC =
      new SingletonSpec(
          "billing",
          "worker",
          null,
          Map.of("zone", "eu"),
          new SingletonSpec.Input("a", "h", 7, List.of("Job"), new byte[] {1, 2}));

  private static Origin origin(long number) {
    return new Origin("a", 1, number, 0);
  }

  private static final List<Command> COMMANDS =
      List.of(
          new Renew("a", 7, new StorageProof(0x1122334455667788L, 3), 9),
          new Renew("b", 8, null),
          new Register(origin(1), "mayor", new Pid("a", "h", 5, 7)),
          new DeclareSingleton(origin(2), SPEC),
          new OfferSingletons("a", 1, Set.of("billing")),
          new FinishSingleton("billing", 4, 0),
          new DeclareSingleton(origin(3), SPEC),
          new HostShards("a", 1, "cart", 2, true),
          new HostShards("b", 2, "cart", 2, true),
          new AssignShards("cart", List.of(new Assignment(0, 0, "a"), new Assignment(1, 0, "b"))),
          new ReleaseShards("a", 1, "cart", List.of(new Release(0, 11))),
          new Unregister(origin(4), "other", 12),
          new WithdrawHost("b", 2),
          new Lost("b", 8, 1),
          new Leave("c", 14));

  private static Roster roster() {
    Roster roster = new Roster();
    for (Command command : COMMANDS) {
      roster.apply(roster.applied() + 1, command);
    }
    return roster;
  }

  /// What the release wrote that knew format 2 only. Never change it.
  @Test
  void formatBefore_hasTheBytesThatTheReleaseBeforeHasWritten() {
    List<String> written = new ArrayList<>();
    for (Command command : COMMANDS) {
      written.add(hex(NOW.encode(command, 2)));
      assertThat(BEFORE.decodeCommand(NOW.encode(command, 2))).isEqualTo(command);
      assertThat(NOW.decodeCommand(BEFORE.encode(command))).isEqualTo(command);
    }
    written.add(hex(NOW.snapshot(roster(), 2)));

    assertThat(written).containsExactly(FORMAT_2);
  }

  /// What this release writes once format 3 is in force. Never change it after a release.
  @Test
  void format3_hasTheBytesOfToday() {
    List<String> written = new ArrayList<>();
    for (Command command : commandsOfFormat3()) {
      byte[] bytes = NOW.encode(command, 3);
      written.add(hex(bytes));
      assertThat(AFTER.decodeCommand(bytes)).isEqualTo(command);
    }
    Roster roster = roster();
    roster.apply(20, new Raise(3));
    written.add(hex(NOW.snapshot(roster, 3)));

    assertThat(written).containsExactly(FORMAT_3);
  }

  private static List<Command> commandsOfFormat3() {
    List<Command> all = new ArrayList<>(COMMANDS);
    all.add(new Raise(3));
    all.add(new OfferSingletons("a", 1, "a", "c", Set.of("billing")));
    return all;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void formatInForce_isInTheState_onlyInAFormatThatCanBeRaised() {
    Roster roster = roster();
    assertThat(NOW.inForce(roster)).isEqualTo(2);
    assertThat(AFTER.inForce(roster)).isEqualTo(3);

    roster.apply(20, new Raise(3));
    roster.apply(21, new Raise(2)); // too late
    assertThat(NOW.inForce(roster)).isEqualTo(3);
    assertThat(AFTER.restore(NOW.snapshot(roster)).format()).isEqualTo(3);
    Roster told = BEFORE.restore(NOW.snapshot(roster, 2)); // at a node that follows a voter
    assertThat(told.owners()).isEqualTo(roster.owners());
    assertThat(told.applied()).isEqualTo(21);
  }

  /// It would go on with what it does not understand.
  @Test
  void raise_hasTheFormatThatItRaisesTo_soAReleaseThatDoesNotKnowThatStops() {
    byte[] raise = NOW.encode(new Raise(3));

    assertThat(raise[0]).isEqualTo((byte) 3);
    assertThat(AFTER.decodeCommand(raise)).isEqualTo(new Raise(3));
    assertThatThrownBy(() -> BEFORE.decodeCommand(raise))
        .isInstanceOf(UnknownFormatException.class)
        .hasMessage(
            "format 3 of the names' log is unknown, this release reads format 2; start a later"
                + " release");
    assertThatThrownBy(() -> NOW.encode(new Raise(3), 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no Raise");
    assertThat(RosterCodec.has(2, new Raise(3))).isFalse();
    assertThat(RosterCodec.has(3, new Raise(3))).isTrue();
  }

  @Test
  void formats_thatTwoReleasesKnow_areTheNewestOfBoth_orNone() {
    LogFormats formats = new LogFormats(3, 4);
    assertThat(formats.common(3)).isEqualTo(3);
    assertThat(formats.common(9)).isEqualTo(4);
    assertThat(formats.common(2)).isZero();
    assertThat(formats.common(0)).isZero();
    assertThatThrownBy(() -> new LogFormats(4, 3)).isInstanceOf(IllegalArgumentException.class);
  }

  private static final String[] FORMAT_2 = {
    "02010001610000000701112233445566778800000000000000030000000000000009",
    "020100016200000008000000000000000000",
    "020400016100000000000000010000000000000001000000000000000000056d61796f72000b7b61"
        + "40687c3078352e377d",
    "0230000161000000000000000100000000000000020000000000000000000762696c6c696e670006"
        + "776f726b6572000000000100047a6f6e6500026575000161000168000000070000000100034a6f62"
        + "000000020102",
    "0231000161000000000000000100000001000762696c6c696e67",
    "0232000762696c6c696e6700000000000000040000000000000000",
    "0230000161000000000000000100000000000000030000000000000000000762696c6c696e670006"
        + "776f726b6572000000000100047a6f6e6500026575000161000168000000070000000100034a6f62"
        + "000000020102",
    "022000016100000000000000010004636172740000000201",
    "022000016200000000000000020004636172740000000201",
    "02220004636172740000000200000000000000000000000000016100000001000000000000000000" + "0162",
    "022300016100000000000000010004636172740000000100000000000000000000000b",
    "020500016100000000000000010000000000000004000000000000000000056f7468657200000000" + "0000000c",
    "02210001620000000000000002",
    "0202000162000000080000000000000001",
    "0203000163000000000000000e",
    "02000000000000000f00000002000161000000070111223344556677880000000000000003000000"
        + "000000000100000000000000010000000000000009000841444d4954544544000000000000000000"
        + "0000040000000000000001020000000000000003000000000000000206000762696c6c696e670006"
        + "776f726b6572000000000100047a6f6e6500026575000161000168000000070000000100034a6f62"
        + "000000020102000000000000000306000762696c6c696e670006776f726b6572000000000100047a"
        + "6f6e6500026575000161000168000000070000000100034a6f620000000201020000000000000004"
        + "040001620000000800000000000000000200000000000000020000000000000000000841444d4954"
        + "5445440000000000000000000000000000000100056d61796f72000b7b6140687c3078352e377d00"
        + "01610000000000000003000000010001620000000000000002000000010004636172740000000200"
        + "0000010001610000000000000001000000000000000a010001610000000000000001000000000000"
        + "00000000000000000000000a01000162000000000000000200000000000000000000000000010007"
        + "62696c6c696e670006776f726b6572000000000100047a6f6e650002657500016100016800000007"
        + "0000000100034a6f6200000002010200000000000000070000000000000000000000010001610000"
        + "0001000762696c6c696e67",
  };

  private static final String[] FORMAT_3 = {
    "03010001610000000701112233445566778800000000000000030000000000000009",
    "030100016200000008000000000000000000",
    "030400016100000000000000010000000000000001000000000000000000056d61796f72000b7b61"
        + "40687c3078352e377d",
    "0330000161000000000000000100000000000000020000000000000000000762696c6c696e670006"
        + "776f726b6572000000000100047a6f6e6500026575000161000168000000070000000100034a6f62"
        + "000000020102",
    "0331000161000000000000000100000001000762696c6c696e67",
    "0332000762696c6c696e6700000000000000040000000000000000",
    "0330000161000000000000000100000000000000030000000000000000000762696c6c696e670006"
        + "776f726b6572000000000100047a6f6e6500026575000161000168000000070000000100034a6f62"
        + "000000020102",
    "032000016100000000000000010004636172740000000201",
    "032000016200000000000000020004636172740000000201",
    "03240004636172740000000200016100016200000002000000000000000000000000000000000000"
        + "0001000000000000000000000001",
    "032300016100000000000000010004636172740000000100000000000000000000000b",
    "030500016100000000000000010000000000000004000000000000000000056f7468657200000000" + "0000000c",
    "03210001620000000000000002",
    "0302000162000000080000000000000001",
    "0303000163000000000000000e",
    "030603",
    "033300016100000000000000010001610100016300000001000762696c6c696e67",
    "03030000000000000014000000020001610000000701112233445566778800000000000000030000"
        + "00000000000100000000000000010000000000000009000841444d49545445440000000000000000"
        + "000000040000000000000001020000000000000003000000000000000206000762696c6c696e6700"
        + "06776f726b6572000000000100047a6f6e6500026575000161000168000000070000000100034a6f"
        + "62000000020102000000000000000306000762696c6c696e670006776f726b657200000000010004"
        + "7a6f6e6500026575000161000168000000070000000100034a6f6200000002010200000000000000"
        + "04040001620000000800000000000000000200000000000000020000000000000000000841444d49"
        + "545445440000000000000000000000000000000100056d61796f72000b7b6140687c3078352e377d"
        + "00016100000000000000030000000100016200000000000000020000000100046361727400000002"
        + "00000001000161000000000000000100000002000161000000000000000100016200000000000000"
        + "02000000000000000a0000000100000000000000000000000000000000000000000000000a000000"
        + "020000000000000000000000000000000000000001000762696c6c696e670006776f726b65720000"
        + "00000100047a6f6e6500026575000161000168000000070000000100034a6f620000000201020000"
        + "00000000000700000000000000000000000100016100000001000762696c6c696e67"
  };
}
