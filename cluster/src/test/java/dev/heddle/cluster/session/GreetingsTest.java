// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.session.Greetings.Output;
import dev.heddle.cluster.session.Greetings.Output.Open;
import dev.heddle.cluster.session.Greetings.Output.Send;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Hello;
import dev.heddle.cluster.wire.Urgent.HelloRefused;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.cluster.wire.Urgent.Refusal;
import dev.heddle.cluster.wire.Urgent.Welcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class GreetingsTest {
  private record At(String name) implements Address {}

  private static final long SECOND = 1_000_000_000L;

  private static Introduction node(String cluster, String name, int life, int oldest, int newest) {
    return new Introduction(
        cluster, new NodeLife(name, "main", life), 0, oldest, newest, 0, Map.of(), List.of());
  }

  private static final class Node {
    final At at;
    final int life;
    final Greetings greetings;
    final List<Output> out = new ArrayList<>();

    Node(String at, Introduction self) {
      this.at = new At(at);
      this.life = self.life().life();
      this.greetings = new Greetings(self, new SplittableRandom(at.hashCode()));
    }

    Node(String name, int life) {
      this(name + life, node("shop", name, life, 1, 1));
    }

    List<Output> take() {
      List<Output> taken = List.copyOf(out);
      out.clear();
      return taken;
    }

    void found(Node other, long now) {
      greetings.found(other.at, now, out);
    }

    /// Hands what is to be sent to another node to that one.
    void deliverTo(Node other, long now) {
      for (Output each : take()) {
        if (each instanceof Send(var to, var _, var content) && to.equals(other.at)) {
          other.receive(at, content, now);
        } else {
          out.add(each);
        }
      }
    }

    void receive(At from, Urgent content, long now) {
      switch (content) {
        case Hello it -> greetings.hello(from, it, now, out);
        case Welcome it -> greetings.welcome(from, it, now, out);
        case HelloRefused it -> greetings.refused(from, it, now, out);
        default -> throw new AssertionError(content);
      }
    }

    Open opened() {
      Open open =
          out.stream().filter(Open.class::isInstance).map(Open.class::cast).findFirst().get();
      out.clear();
      return open;
    }

    List<Refusal> refusals() {
      return out.stream()
          .filter(it -> it instanceof Send(var _, var _, HelloRefused _))
          .map(it -> ((HelloRefused) ((Send) it).content()).why())
          .toList();
    }

    String refusalOf(Node other) {
      return greetings.unanswered().stream()
          .filter(it -> it.address().equals(other.at))
          .findFirst()
          .get()
          .refusal();
    }
  }

  private final Node a = new Node("a", 1);
  private final Node b = new Node("b", 1);
  private long now;

  /// b opens only when a packet of the session has come.
  private SessionId open(Node from, Node to, long now) {
    from.found(to, now);
    from.deliverTo(to, now);
    to.deliverTo(from, now);
    SessionId id = from.opened().id();
    assertThat(to.out).isEmpty();
    assertThat(to.greetings.confirmed(from.at, id, now, to.out)).isTrue();
    assertThat(to.opened().id()).isEqualTo(id);
    return id;
  }

  // ---- one session ----

  @Test
  void greeting_ofOneSide_opensOneSession() {
    assertThat(open(a, b, 0)).isNotEqualTo(SessionId.NONE);
    assertThat(a.greetings.unanswered()).isEmpty();
  }

  @Test
  void greeting_ofBothSidesAtOnce_opensOneSession() {
    a.found(b, 0);
    b.found(a, 0);
    List<Output> ofA = a.take();
    List<Output> ofB = b.take();
    a.receive(b.at, ((Send) ofB.getFirst()).content(), 0);
    b.receive(a.at, ((Send) ofA.getFirst()).content(), 0);
    a.deliverTo(b, 0);
    b.deliverTo(a, 0);

    assertThat(a.opened().id()).isEqualTo(b.opened().id());
  }

  @Test
  @Tag("C1")
  void session_thatHasEnded_doesNotOpenAgain() {
    a.found(b, 0);
    Urgent hello = ((Send) a.take().getFirst()).content();
    b.receive(a.at, hello, 0);
    Urgent welcome = ((Send) b.take().getFirst()).content();
    a.receive(b.at, welcome, 0);
    SessionId id = a.opened().id();
    b.greetings.confirmed(a.at, id, 0, b.out);
    Ending why = new Ending(Cause.SILENCE, "test");
    a.greetings.ended(id, why, SECOND, a.out);
    b.greetings.ended(id, why, SECOND, b.out);
    a.take();
    b.take();

    a.receive(b.at, welcome, SECOND); // late
    assertThat(a.out).isEmpty();
    assertThat(b.greetings.confirmed(a.at, id, SECOND, b.out)).isFalse(); // a late packet
    b.receive(a.at, hello, SECOND); // late: an offer that nobody takes
    assertThat(b.out).allMatch(Send.class::isInstance);
  }

  @Test
  void hello_ofTheSameSession_isWelcomedAgain() {
    a.found(b, 0);
    Urgent hello = ((Send) a.take().getFirst()).content();
    b.receive(a.at, hello, 0);
    b.deliverTo(a, 0);
    SessionId id = a.opened().id();
    b.greetings.confirmed(a.at, id, 0, b.out);
    b.take();

    b.receive(a.at, hello, 0);

    assertThat(b.out)
        .singleElement()
        .isInstanceOfSatisfying(Send.class, it -> assertThat(it.session()).isEqualTo(id));
  }

  @Test
  void sameLife_withANewSession_replacesTheOld() {
    SessionId old = open(a, b, 0);
    a.greetings.ended(old, new Ending(Cause.SILENCE, "test"), 0, a.out);
    a.take();
    a.greetings.due(SECOND, a.out);
    a.deliverTo(b, SECOND);
    assertThat(b.out).contains(new Output.Probe(old)); // it may have ended there
    b.deliverTo(a, SECOND);
    SessionId fresh = a.opened().id();

    assertThat(b.greetings.confirmed(a.at, fresh, SECOND, b.out)).isTrue();
    assertThat(b.out)
        .filteredOn(it -> !(it instanceof Output.Probe))
        .satisfiesExactly(
            it -> assertThat(((Output.End) it).id()).isEqualTo(old),
            it -> assertThat(((Open) it).id()).isEqualTo(fresh));
  }

  // ---- lives ----

  @Test
  void secondLife_whileTheFirstAnswers_isRefused() {
    SessionId first = open(a, b, 0);
    Node second = new Node("a", 2);
    second.found(b, 0);
    second.deliverTo(b, 0);
    assertThat(b.take()).containsExactly(new Output.Probe(first));

    b.greetings.answered(first, SECOND, b.out);
    assertThat(b.refusals()).containsExactly(Refusal.NAME_TAKEN);
    b.deliverTo(second, SECOND);
    assertThat(second.refusalOf(b)).contains("another node is named 'a'");
  }

  @Test
  void secondLife_whenTheFirstHasEnded_isGreetedAtOnce() {
    SessionId first = open(a, b, 0);
    Node second = new Node("a", 2);
    second.found(b, 0);
    second.deliverTo(b, 0);
    b.take();

    b.greetings.ended(first, new Ending(Cause.NO_ANSWER, "test"), SECOND, b.out);
    b.deliverTo(second, SECOND);
    second.deliverTo(b, SECOND);
    assertThat(b.out).anySatisfy(it -> assertThat(it).isInstanceOf(Open.class));
    assertThat(b.out).contains(new Output.Ended(a.at)); // superseded
  }

  @Test
  void ownName_ofAnotherNode_isRefusedByBoth() {
    Node other = new Node("a", 2);
    a.found(other, 0);
    a.deliverTo(other, 0);
    assertThat(other.refusals()).containsExactly(Refusal.NAME_TAKEN);
    other.deliverTo(a, 0);
    assertThat(a.refusalOf(other)).contains("lives 2 and 1");
  }

  @Test
  void ownAddress_isNeverGreetedAgain() {
    a.found(a, 0);
    a.deliverTo(a, 0);

    assertThat(a.out).isEmpty();
    assertThat(a.greetings.dueAt()).isEqualTo(Long.MAX_VALUE);
  }

  // ---- refusals ----

  @Test
  void otherCluster_noCommonVersion_areRefused_loggedOnce() {
    Node farm = new Node("farm", node("farm", "f", 1, 1, 1));
    Node later = new Node("later", node("shop", "l", 1, 2, 3));
    for (int i = 0; i < 2; i++) {
      farm.found(a, 15L * i * SECOND);
      farm.deliverTo(a, 15L * i * SECOND);
      later.found(a, 15L * i * SECOND);
      later.deliverTo(a, 15L * i * SECOND);
      farm.greetings.due(15 * SECOND, farm.out);
      later.greetings.due(15 * SECOND, later.out);
    }

    assertThat(a.refusals()).contains(Refusal.OTHER_CLUSTER, Refusal.NO_COMMON_VERSION);
    assertThat(a.out).filteredOn(Output.Log.class::isInstance).hasSize(2);
    assertThat(a.refusalOf(farm)).contains("'farm'").contains("'shop'");
    assertThat(a.refusalOf(later)).contains("2 to 3").contains("1 to 1");
  }

  @Test
  void nodesThatRefuseEachOther_logOneLineOnEachSide_howeverOftenTheyTry() {
    Node farm = new Node("farm", node("farm", "f", 1, 1, 1));
    a.found(farm, 0);
    farm.found(a, 0);
    for (int i = 0; i <= 4; i++) {
      long now = 15L * i * SECOND;
      for (Node one : List.of(a, farm)) {
        Node other = one == a ? farm : a;
        one.greetings.due(now, one.out);
        one.deliverTo(other, now);
        other.deliverTo(one, now);
      }
    }
    for (Node one : List.of(a, farm)) {
      assertThat(one.out).filteredOn(Output.Log.class::isInstance).hasSize(1);
      assertThat(one.refusalOf(one == a ? farm : a)).contains("'farm'").contains("'shop'");
    }
  }

  /// A name with the end of a line, a second line, and the order that clears a terminal.
  private static final String FORGED = "f'\r\n12:00 WARNING node 'a' has left\u001b[2J";

  private static final Pattern UNPRINTABLE = Pattern.compile("\\p{Cntrl}");

  @Test
  void namesOfAStranger_withLinesInThem_forgeNoLineOfTheLog() {
    Node cluster = new Node("cluster", node(FORGED, "f", 1, 1, 1));
    Node name = new Node("name", node("farm", FORGED, 1, 1, 1));
    Node version = new Node("version", node("shop", FORGED, 1, 2, 3));
    List<Node> strangers = List.of(cluster, name, version);
    for (Node stranger : strangers) {
      stranger.found(a, 0);
      stranger.deliverTo(a, 0);
    }
    for (Node stranger : strangers) {
      assertThat(a.refusalOf(stranger))
          .contains("f'??12:00 WARNING")
          .doesNotContainPattern(UNPRINTABLE);
    }
    assertThat(a.out)
        .filteredOn(Output.Log.class::isInstance)
        .hasSize(3)
        .noneMatch(it -> UNPRINTABLE.matcher(((Output.Log) it).line()).find());
  }

  @Test
  void refusalOfAStranger_withLinesInIt_forgesNoLineOfTheLog() {
    a.found(b, 0);
    long greeted =
        ((Hello) a.take().stream().map(Send.class::cast).findFirst().get().content())
            .sender()
            .number();

    a.receive(b.at, new HelloRefused(FORGED, greeted, Refusal.OTHER, "x".repeat(8_000)), 0);

    assertThat(a.refusalOf(b))
        .contains("f'??12:00")
        .hasSizeLessThan(500)
        .doesNotContainPattern(UNPRINTABLE);
    assertThat(((Output.Log) a.out.getFirst()).line()).doesNotContainPattern(UNPRINTABLE);
  }

  @Test
  void farewellOfAnotherNode_withLinesInIt_forgesNoLineOfTheLog() {
    assertThat(new Ending(Cause.LEFT, FORGED).toString()).doesNotContainPattern(UNPRINTABLE);
  }

  @Test
  void leavingNode_greetsNobody_refuses() {
    a.greetings.leave();
    a.found(b, 0);
    assertThat(a.out).isEmpty();
    b.found(a, 0);
    b.deliverTo(a, 0);
    assertThat(a.refusals()).containsExactly(Refusal.LEAVING);
  }

  @Test
  void nodeThatLeft_isForgotten() {
    SessionId id = open(a, b, 0);

    b.greetings.ended(id, new Ending(Cause.LEFT, "bye"), 0, b.out);

    assertThat(b.out).containsExactly(new Output.Ended(a.at));
    assertThat(b.greetings.dueAt()).isEqualTo(Long.MAX_VALUE);
  }

  /// The last HELLO and GOODBYE may come over two connections.
  @Test
  void hello_thatComesBehindTheGoodbye_isNotAnswered_norGreetedForEver() {
    SessionId id = open(a, b, 0);
    b.greetings.ended(id, new Ending(Cause.LEFT, "bye"), 0, b.out);
    b.take();

    assertThat(b.greetings.hello(a.at, helloOf(a), 0, b.out)).isFalse();

    assertThat(b.out).isEmpty();
    assertThat(b.greetings.dueAt()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void nextLife_atTheAddressOfOneThatLeft_isWelcome() {
    SessionId id = open(a, b, 0);
    b.greetings.ended(id, new Ending(Cause.LEFT, "bye"), 0, b.out);
    b.take();

    Node again = new Node("a1", node("shop", "a", 2, 1, 1)); // the same address, another life
    assertThat(again.at).isEqualTo(a.at);
    assertThat(b.greetings.hello(again.at, helloOf(again), 0, b.out)).isTrue();

    assertThat(b.out).anyMatch(it -> it instanceof Send(var _, var _, Welcome _));
  }

  @Test
  void life_thatLeft_andJoinsAgainFromAnotherAddress_isWelcome() {
    SessionId id = open(a, b, 0);
    b.greetings.ended(id, new Ending(Cause.LEFT, "bye"), 0, b.out);
    b.take();

    assertThat(b.greetings.hello(new At("elsewhere"), helloOf(a), 0, b.out)).isTrue();

    assertThat(b.out).anyMatch(it -> it instanceof Send(var _, var _, Welcome _));
  }

  private static Hello helloOf(Node node) {
    return new Hello(node("shop", "a", node.life, 1, 1));
  }

  // ---- time ----

  @Test
  void hello_isRepeatedSoon_thenEachSecond_thenSlowsTo15s() {
    a.found(b, 0);
    List<Long> gaps = new ArrayList<>();
    long last = 0;
    for (int i = 0; i < 19; i++) {
      long at = a.greetings.dueAt();
      gaps.add((at - last) / 100_000_000); // tenths of a second
      last = at;
      a.take();
      a.greetings.due(at, a.out);
      assertThat(a.out).hasSize(1);
    }
    assertThat(gaps.subList(0, 3)).containsExactly(1L, 2L, 4L);
    assertThat(gaps.subList(3, 13)).containsOnly(10L);
    assertThat(gaps.subList(13, 19)).containsExactly(10L, 20L, 40L, 80L, 150L, 150L);
  }

  /// A HELLO may be lost with a connection that both nodes have made at the same time.
  @Test
  void nextLifeOfANode_isGreetedSoonAgain_whenTheLastOneHasEnded() {
    Node next = new Node("b", 2);
    SessionId id = open(a, b, 0);
    a.receive(next.at, hello(next), SECOND); // asks whether the last one lives
    a.greetings.ended(id, new Ending(Cause.NO_ANSWER, "test"), 2 * SECOND, a.out);
    assertThat(a.greetings.dueAt()).isEqualTo(2 * SECOND + SECOND / 10);
  }

  @Test
  void addressThatIsFoundAgainAndAgain_isNotGreetedMoreThanEachSecond() {
    a.found(b, 0);
    for (int i = 1; i < 10; i++) {
      a.greetings.due(i * SECOND, a.out);
      a.found(b, i * SECOND);
    }
    assertThat(a.greetings.dueAt()).isEqualTo(10 * SECOND);
  }

  @Test
  void addresses_areBounded() {
    for (int i = 0; i < 300; i++) {
      a.greetings.found(new At("x" + i), 0, a.out);
    }
    assertThat(a.greetings.unanswered()).hasSize(256);
    assertThat(a.out).filteredOn(Output.Log.class::isInstance).hasSize(1);
    assertThat(a.out).filteredOn(Output.Forget.class::isInstance).hasSize(44);
  }

  /// It was never found again: the engine tells of each address once.
  @Test
  void addressThatIsNotTaken_becauseAllAreInSession_isForgotten_andTakenWhenOneHasEnded() {
    List<SessionId> sessions = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      sessions.add(open(a, new Node("n" + i, 1), 0));
    }
    a.take();
    At late = new At("late");
    a.greetings.found(late, 0, a.out);
    assertThat(a.take()).contains(new Output.Forget(late));
    assertThat(a.greetings.unanswered()).isEmpty();

    a.greetings.ended(sessions.getFirst(), new Ending(Ending.Cause.LEFT, "it leaves"), 0, a.out);
    a.take();
    a.greetings.found(late, 0, a.out); // as the engine does, which has forgotten it
    assertThat(a.greetings.unanswered()).hasSize(1);
    assertThat(a.take()).doesNotContain(new Output.Forget(late));
  }

  // ---- the log, and what is kept ----

  private static List<Output.Log> logs(Node node) {
    return node.take().stream()
        .filter(Output.Log.class::isInstance)
        .map(Output.Log.class::cast)
        .toList();
  }

  @Test
  void refusals_thatAlternate_areLoggedOnceEach() {
    Node other = new Node("other", node("bank", "other", 1, 1, 1));
    a.greetings.found(other.at, 0, a.out);
    for (int i = 0; i < 100; i++) {
      long now = i * 15L * SECOND;
      long number = numberOfHello(now);
      String text = i % 2 == 0 ? "this" : "that";
      a.greetings.refused(
          other.at, new HelloRefused("other", number, Refusal.OTHER_CLUSTER, text), now, a.out);
    }
    long _ = numberOfHello(100 * 15 * SECOND);
    assertThat(logs).hasSize(2);
  }

  /// Each node has its own words for one reason.
  @Test
  void refusal_byBothNodes_isLoggedOnce() {
    Node other = new Node("other", node("bank", "other", 1, 1, 1));
    for (int i = 0; i < 100; i++) {
      long now = i * 15L * SECOND;
      a.greetings.hello(
          other.at, new Hello(node("bank", "other", 1, 1, 1)), now, a.out); // refused here
      long number = numberOfHello(now + 15 * SECOND);
      a.greetings.refused(
          other.at,
          new HelloRefused("other", number, Refusal.OTHER_CLUSTER, "the same there"),
          now,
          a.out);
    }
    assertThat(logs).hasSize(1);
  }

  private final List<Output.Log> logs = new ArrayList<>();

  /// That of the HELLO which is due; keeps the lines of the log.
  private long numberOfHello(long now) {
    a.greetings.due(now, a.out);
    List<Output> taken = a.take();
    taken.stream()
        .filter(Output.Log.class::isInstance)
        .map(Output.Log.class::cast)
        .forEach(logs::add);
    return taken.stream()
        .filter(it -> it instanceof Send(var _, var _, Hello _))
        .map(it -> ((Hello) ((Send) it).content()).sender().number())
        .findFirst()
        .get();
  }

  @Test
  void refusals_ofEverNewReasons_areLoggedFourTimes() {
    At there = new At("there");
    for (int life = 2; life < 100; life++) {
      a.greetings.hello(there, new Hello(node("shop", "a", life, 1, 1)), life * SECOND, a.out);
    }
    assertThat(logs(a)).hasSize(4);
  }

  @Test
  void refusal_ofANodeThatLeaves_isNoWarning() {
    a.greetings.leave();
    b.found(a, 0);
    b.deliverTo(a, 0);
    a.deliverTo(b, 0);
    assertThat(logs(a)).allMatch(it -> it.level() == System.Logger.Level.DEBUG).isNotEmpty();
    assertThat(logs(b)).allMatch(it -> it.level() == System.Logger.Level.DEBUG).isNotEmpty();
  }

  @Test
  void sessionThatEndsInSilence_isForgottenByTheEngine_andGreetedOn() {
    SessionId id = open(a, b, 0);
    a.greetings.ended(id, new Ending(Cause.SILENCE, "test"), SECOND, a.out);
    assertThat(a.take()).containsExactly(new Output.Forget(b.at));
    a.greetings.due(2 * SECOND, a.out);
    assertThat(a.take()).singleElement().isInstanceOf(Send.class);
  }

  @Test
  void lateHello_ofADeadLife_behindTheSessionOfTheNextOne_isNotGreetedForEver() {
    Node next = new Node("b", 2);
    Hello late = hello(b);
    SessionId first = open(a, b, 0);
    a.greetings.ended(first, new Ending(Cause.SILENCE, "silent"), 0, a.out);
    a.take();
    SessionId id = open(a, next, 0);

    a.receive(b.at, late, 0);
    a.greetings.answered(id, 0, a.out);
    assertThat(a.refusalOf(b)).contains("another node is named 'b'");
    a.take();
    assertThat(hellosTo(b, 3)).isEqualTo(3);
    a.receive(b.at, late, 45 * SECOND); // it is heard of: it may live
    a.greetings.answered(id, 45 * SECOND, a.out);

    assertThat(hellosTo(b, 100)).isEqualTo(4);
    assertThat(a.out).contains(new Output.Ended(b.at));
    assertThat(a.greetings.unanswered()).isEmpty();
  }

  private Hello hello(Node from) {
    from.found(a, 0);
    return from.take().stream()
        .filter(it -> it instanceof Send(var _, var _, Hello _))
        .map(it -> (Hello) ((Send) it).content())
        .findFirst()
        .get();
  }

  /// How many HELLOs `a` sends there, in so many times 15 s.
  private long hellosTo(Node other, int times) {
    long before = count(other);
    for (int i = 0; i < times; i++) {
      now += 15 * SECOND;
      a.greetings.due(now, a.out);
    }
    return count(other) - before;
  }

  private long count(Node other) {
    return a.out.stream()
        .filter(it -> it instanceof Send(var to, var _, Hello _) && to.equals(other.at))
        .count();
  }
}
