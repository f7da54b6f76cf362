// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.DeclareSingleton;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.Command.OfferSingletons;
import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// However many shards and singletons there are, and however long the names: no command is too
/// large for the log, and all is said.
@Tag("C6")
class CommandSizeTest {
  private static final RosterCodec CODEC = RosterCodec.RELEASE;
  private static final long SECOND = 1_000_000_000L;
  private static final int MOST_OF_A_PLAN = 130 * 1024; // what is around its changes, too
  private static final String LONG = "x".repeat(1_000);

  private final Roster roster = new Roster();
  private long index;

  private Outcome apply(Command command, int format) {
    byte[] bytes = CODEC.encodeEntry(command, format);
    assertThat(bytes).hasSizeLessThan(MOST_OF_A_PLAN);
    index++;
    return roster.apply(index, CODEC.decodeCommand(bytes));
  }

  private long admit(String node) {
    return ((Outcome.Admitted) apply(new Renew(node, 7, null), 3)).admission();
  }

  // ---- shards ----

  private void host(String node, String type, int shards) {
    apply(new HostShards(node, admit(node), type, shards, true), 3);
  }

  private boolean isAllOwned(String type) {
    ShardTable table = roster.shards();
    return IntStream.range(0, table.count(type))
        .noneMatch(i -> table.state(type, i).owner() == null);
  }

  /// Applies what the plan says until it says nothing.
  ///
  /// @return how many commands that were
  private int carryOut(ShardPlan plan, String first, int format) {
    assertThat(plan.poll(roster.shards(), first, 0)).isEmpty();
    int commands = 0;
    while (true) {
      List<AssignShards> due = plan.poll(roster.shards(), first, 2 * SECOND);
      if (due.isEmpty()) {
        return commands;
      }
      for (AssignShards command : due) {
        assertThat(CODEC.encode(command, 2)).hasSizeLessThan(MOST_OF_A_PLAN);
        apply(command, format);
        commands++;
      }
    }
  }

  /// One command had all of them: a log refused it, and the plan repeated it for ever.
  @ParameterizedTest
  @CsvSource({"1, 2, 8", "1, 3, 8", "12, 2, 14", "12, 3, 14", "1024, 2, 521", "1024, 3, 521"})
  void allShards_getOwners_bySmallCommands_whateverTheNames(int length, int format, int most) {
    List<String> nodes =
        List.of("a", "b", "c").stream().map(it -> it + "x".repeat(length - 1)).toList();
    nodes.forEach(node -> host(node, "cart", HostShards.MOST));

    int commands = carryOut(new ShardPlan(), nodes.getFirst(), format);

    assertThat(commands).isLessThanOrEqualTo(most);
    assertThat(isAllOwned("cart")).isTrue();
    assertThat(roster.shards().owned().keySet()).containsExactlyInAnyOrderElementsOf(nodes);
    assertThat(roster.shards().owned().values().stream().mapToInt(it -> it).sum())
        .isEqualTo(HostShards.MOST);
  }

  @Test
  void shardsThatMoveBetweenManyNodes_areSaidInSmallCommands() {
    List<String> nodes = IntStream.range(0, 20).mapToObj(i -> "%02d".formatted(i) + LONG).toList();
    nodes.subList(0, 10).forEach(node -> host(node, "cart", 4_096));
    ShardPlan plan = new ShardPlan();
    carryOut(plan, nodes.getFirst(), 3);
    nodes.subList(10, 20).forEach(node -> host(node, "cart", 4_096));

    assertThat(carryOut(plan, nodes.getFirst(), 3)).isGreaterThan(1);
    assertThat(moving()).containsValue(16L);
  }

  /// How many shards move, by owner.
  private Map<String, Long> moving() {
    return IntStream.range(0, 4_096)
        .mapToObj(i -> roster.shards().state("cart", i))
        .filter(ShardState::isMoving)
        .collect(Collectors.groupingBy(it -> it.owner().node(), Collectors.counting()));
  }

  /// Each entry of another type had it sent once more.
  @Test
  void command_thatIsOnItsWay_isNotRepeatedForASecond_whenSomethingElseIsApplied() {
    host("a", "cart", 64);
    host("b", "order", 64);
    ShardPlan plan = new ShardPlan();
    assertThat(plan.poll(roster.shards(), "a", 0)).isEmpty();
    List<AssignShards> first = plan.poll(roster.shards(), "a", 2 * SECOND);
    assertThat(first).hasSize(1);
    apply(new AssignShards("order", List.of(new Assignment(0, 0, "b"))), 3);

    assertThat(plan.poll(roster.shards(), "a", 2 * SECOND + 1)).isEmpty();
    assertThat(plan.poll(roster.shards(), "a", 3 * SECOND)).isEqualTo(first);
  }

  // ---- singletons ----

  private static SortedSet<String> names(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> "%06d".formatted(i) + LONG)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private int offer(String node, long admission, SortedSet<String> can, int format) {
    int commands = 0;
    while (true) {
      OfferSingletons next =
          OfferPlan.next(node, admission, can, roster.singletons().offer(node), format);
      if (next == null) {
        return commands;
      }
      apply(next, format);
      commands++;
      assertThat(commands).as("each one brings the log nearer").isLessThan(100);
    }
  }

  @Test
  void allSingletonsOfANode_areOffered_bySmallCommands() {
    long a = admit("a");
    SortedSet<String> can = names(0, 2_000);
    assertThat(offer("a", a, can, 3)).isEqualTo(16);
    assertThat(roster.singletons().offer("a")).isEqualTo(can);

    SortedSet<String> less = names(0, 1_500);
    less.removeAll(names(700, 702));
    less.removeAll(names(0, 1));
    assertThat(offer("a", a, less, 3)).isLessThanOrEqualTo(12);
    assertThat(roster.singletons().offer("a")).isEqualTo(less);
    assertThat(roster.singletons().candidates(less.first())).containsExactly("a");
    assertThat(roster.singletons().candidates(can.first())).isEmpty();

    Roster copy = CODEC.restore(CODEC.snapshot(roster));
    assertThat(copy.singletons().offer("a")).isEqualTo(less);
    assertThat(offer("a", a, new TreeSet<>(), 3)).isOne();
    assertThat(roster.singletons().offer("a")).isEmpty();
  }

  @Test
  void fewSingletons_areOfferedInOneCommand_thatEachFormatHas() {
    SortedSet<String> can = new TreeSet<>(Set.of("billing", "mayor"));
    OfferSingletons next = OfferPlan.next("a", 1, can, new TreeSet<>(), 2);

    assertThat(next).isEqualTo(new OfferSingletons("a", 1, can));
    assertThat(CODEC.decodeCommand(CODEC.encode(next, 2))).isEqualTo(next);
    assertThat(OfferPlan.next("a", 1, can, can, 2)).isNull();
  }

  /// Until all voters know ranges: then the rest is offered.
  @Test
  void singletons_inAFormatWithoutRanges_areOfferedAsFarAsOneCommandHasThem() {
    SortedSet<String> can = names(0, 2_000);
    OfferSingletons next = OfferPlan.next("a", 1, can, new TreeSet<>(), 2);

    assertThat(next.isWhole()).isTrue();
    assertThat(next.names()).hasSizeBetween(400, 520);
    assertThat(CODEC.encodeEntry(next, 2)).hasSizeGreaterThan(400 * 1024);
    assertThat(OfferPlan.next("a", 1, can, new TreeSet<>(next.names()), 2)).isNull();
  }

  @Test
  void range_ofSingletons_isOneOfFormat3_andLeavesTheOthersAsTheyAre() {
    long a = admit("a");
    apply(new OfferSingletons("a", a, Set.of("a", "b", "c", "d")), 3);
    OfferSingletons range = new OfferSingletons("a", a, "a", "c", Set.of("bb"));
    apply(range, 3);
    assertThat(roster.singletons().offer("a")).containsExactly("a", "bb", "d");
    apply(new OfferSingletons("a", a, "bb", null, Set.of("z")), 3);
    assertThat(roster.singletons().offer("a")).containsExactly("a", "bb", "z");

    assertThat(RosterCodec.has(2, range)).isFalse();
    assertThatThrownBy(() -> CODEC.encode(range, 2))
        .hasMessage(
            "format 2 of the names' log has no command by which node 'a' offers 1 singletons");
    assertThatThrownBy(() -> new OfferSingletons("a", a, "b", "c", Set.of("b")))
        .hasMessage("node 'a' offers singleton 'b', which is not after 'b' and up to 'c'");
  }

  // ---- the codec ----

  private static AssignShards all(String node) {
    List<Assignment> all = new ArrayList<>();
    for (int i = 0; i < HostShards.MOST; i++) {
      all.add(new Assignment(i, i, i % 2 == 0 ? node : "b"));
    }
    return new AssignShards("cart", all);
  }

  @Test
  void format3_hasEachNameOnce_inACommandAndInASnapshot() {
    AssignShards half = new AssignShards("cart", all(LONG).assignments().subList(0, 1_000));
    byte[] bytes = CODEC.encode(half, 3);
    assertThat(bytes).hasSizeLessThan(18_000);
    assertThat(CODEC.decodeCommand(bytes)).isEqualTo(half);
    assertThat(CODEC.decodeCommand(CODEC.encode(half, 2))).isEqualTo(half);
    bytes[bytes.length - 2] = 9;
    assertThatThrownBy(() -> CODEC.decodeCommand(bytes))
        .hasRootCauseMessage("no value 2305 among 2");

    host(LONG, "cart", 1_000);
    carryOut(new ShardPlan(), LONG, 3);
    assertThat(CODEC.snapshot(roster, 3)).hasSizeLessThan(32_000);
    assertThat(CODEC.snapshot(roster, 2)).hasSizeGreaterThan(1_000_000);
    for (int format = 2; format <= 3; format++) {
      Roster copy = CODEC.restore(CODEC.snapshot(roster, format));
      assertThat(CODEC.snapshot(copy)).isEqualTo(CODEC.snapshot(roster));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void commandThatIsTooLarge_isRefused_andSaysWhatToDo(int format) {
    assertThatThrownBy(() -> CODEC.encodeEntry(all(LONG), format))
        .isInstanceOf(CommandTooLargeException.class)
        .hasMessageStartingWith("the command that gives 65536 shards 'cart' to nodes has ")
        .hasMessageEndingWith(
            " bytes, and an entry of the log of names has at most 523,264; start the node that has"
                + " sent it with this release, which sends several small ones");
    Set<String> labels = names(0, 600);
    SingletonSpec spec =
        new SingletonSpec(
            "billing",
            "worker",
            null,
            labels.stream().collect(Collectors.toMap(it -> it, _ -> "1")),
            new SingletonSpec.Input("a", "h", 7, List.of("Job"), new byte[0]));
    DeclareSingleton declare = new DeclareSingleton(new Origin("a", 1, 1, 0), spec);
    assertThatThrownBy(() -> CODEC.encodeEntry(declare, format))
        .hasMessageStartingWith("the declaration of singleton 'billing' has ")
        .hasMessageContaining("fewer labels");
    String name = "n".repeat(70_000);
    Command register =
        new Command.Register(new Origin("a", 1, 1, 0), name, new Pid("a", "h", 1, 1));
    assertThatThrownBy(() -> CODEC.encodeEntry(register, format))
        .hasMessageContaining("at most 65,535 bytes");
  }

  @Test
  void bytesOfAText_areThoseOfItsEncoding() {
    String text = "aé€\u0000\ud83d\ude00";
    OfferSingletons without = new OfferSingletons("a", 1, Set.of());
    OfferSingletons with = new OfferSingletons("a", 1, Set.of(text));

    assertThat(CODEC.encode(with).length - CODEC.encode(without).length)
        .isEqualTo(ModifiedUtf8.length(text));
  }
}
