// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.engine.Printable;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Hello;
import dev.heddle.cluster.wire.Urgent.HelloRefused;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.cluster.wire.Urgent.Refusal;
import dev.heddle.cluster.wire.Urgent.Welcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Greets the addresses that the engine has found, and decides which sessions open.
///
/// **Thread** one at a time; the owner has a lock. Each method adds to the outputs what the owner
/// does next, in order.
public final class Greetings {
  /*
   * States of an address.
   *
   * from      event                                   to        with
   * -         found, or a HELLO                       GREETING
   * GREETING  time                                    GREETING  HELLO, again after the pauses below
   * GREETING  HELLO                                   OFFERED   WELCOME
   * OFFERED   HELLO                                   OFFERED   WELCOME; the last HELLO counts
   * GREETING, WELCOME of our present number           OPEN      Open
   *  OFFERED
   * OFFERED   a packet of the offered session         OPEN      Open
   * OPEN      HELLO of this session                   OPEN      WELCOME: ours was lost
   * OPEN      another HELLO of the same life          OFFERED   WELCOME; probe: it has ended ours
   * any       HELLO, WELCOME; another life of that    CLAIMED   probe of the session with that life
   *           name is in session
   * CLAIMED   that session ends                       GREETING  HELLO
   * CLAIMED   the probe is answered                   REFUSED   NAME_TAKEN
   * any       HELLO, WELCOME: own life                OWN       never greeted
   * any       HELLO, WELCOME: own name, other         REFUSED   told why; greeted each 15 s
   *           cluster, no common version, leaving
   * GREETING  HELLO_REFUSED                           REFUSED   greeted each 15 s
   * OPEN      the session ends                        GREETING  after LEFT: forgotten; after
   *                                                             silence: Forget, and greeted on
   * -         HELLO of a life that has LEFT from there -        nothing: it was sent before GOODBYE
   * any       another life of its node opens          forgotten
   * REFUSED   that is in session, and 4 HELLOs        forgotten: what came was late
   *           bring nothing from there
   *
   * A session has two numbers, of each node one. A node draws a new number for an address when a
   * session with the present one opens. So each session opens at most once on each side: a WELCOME
   * or a packet that comes late names a number that is no longer the present one. Who receives the
   * HELLO opens only when the other node has answered with a packet: a late HELLO opens nothing.
   *
   * When both greet at once, both WELCOMEs name the same two numbers: one session.
   *
   * Pauses. Two nodes that meet connect to each other at the same time, and close one of the two
   * connections, or both: what was on its way in it is lost. So the first three HELLOs to an
   * address, or to the next life of a node, are repeated after 0.1, 0.2 and 0.4 s. Eleven follow
   * each second, the others after 2, 4, 8, 15, 15, … s. An address that was in session, or is found
   * again, is greeted each second first.
   *
   * I1. A session opens at most once on each side, and at most one is open with a node.
   *     [GreetingsTest, ClusterSimulation]
   * I2. No HELLO ends a session that the other node answers in. [GreetingsTest]
   * I3. A life that has said GOODBYE is not greeted any more at its address. It says nothing after
   *     that, but what it has said before may come later: urgent packets overtake others, and two
   *     connections each other. It may join again, from another address. [GreetingsTest]
   */

  /// What the owner does.
  public sealed interface Output {
    record Send(Address to, SessionId session, Urgent content) implements Output {}

    /// Opens a session.
    ///
    /// @param other the node, and what it can do
    record Open(Address at, Introduction other, SessionId id, int version) implements Output {}

    /// Ends an open session. The owner does not call [Greetings#ended] for it.
    record End(SessionId id, Ending why) implements Output {}

    /// Asks the other node of an open session whether it still lives.
    record Probe(SessionId id) implements Output {}

    /// Keeps nothing for an address any more: nobody answers there. It may be greeted on.
    record Forget(Address address) implements Output {}

    /// The node of an address has ended. Keeps nothing for it any more, nor finds it again.
    record Ended(Address address) implements Output {}

    /// A line for the log.
    record Log(System.Logger.Level level, String line) implements Output {}
  }

  /// What is known of an address without a session.
  ///
  /// @param node that answers there; null when none has
  /// @param refusal why there is no session; null when the address has only not answered yet
  public record Unanswered(
      Address address, @Nullable NodeLife node, @Nullable String refusal, @Nullable Ending last) {}

  private static final int MOST_ADDRESSES = 256; // 64 nodes, and what is left of earlier lives
  private static final int MOST_LEFT = 1_024; // lives that are remembered; a late HELLO comes soon
  private static final int MOST_UNHEARD = 4; // HELLOs to a life whose node has another one
  private static final int MOST_LOGGED = 4; // refusals of an address, until a session opens
  private static final long SECOND = 1_000_000_000L;
  private static final long SOONEST = SECOND / 10;
  private static final int SOON = 3; // HELLOs that are repeated within a second
  private static final int EACH_SECOND = 10; // HELLOs after these, then slower
  private static final long SLOWEST = 15 * SECOND;

  private static final class Greeting {
    final Address address;
    long number;
    boolean own;
    @Nullable Introduction known; // the last one of the node there
    @Nullable Introduction offered;
    @Nullable Introduction claims;
    @Nullable Opened open;
    @Nullable String refusal;
    final Set<String> logged = new HashSet<>(2); // refusals
    boolean refusedHere; // by this node: what the other one says of it is not told as well
    @Nullable Ending last;
    long next; // time of the next HELLO
    int count;
    int unheard; // HELLOs since something came from there

    Greeting(Address address, long number, long next) {
      this.address = address;
      this.number = number;
      this.next = next;
    }

    boolean isGreeted() {
      return open == null && !own && claims == null;
    }
  }

  /// A life that has left, and where it was: it may join again from another address.
  private record Left(Address at, NodeLife life) {}

  private record Opened(SessionId id, Address at, Introduction other, long ownNumber) {
    NodeLife life() {
      return other.life();
    }
  }

  private final Introduction self;
  private final RandomGenerator random;
  private final Map<Address, Greeting> greetings = new LinkedHashMap<>();
  private final Map<String, Opened> open = new HashMap<>(); // by the name of the node
  private final Set<Left> left = new LinkedHashSet<>(); // the oldest first
  private boolean leaving;
  private boolean limitLogged;

  /// @param self what this node says of itself; its number is not used
  /// @param random of the numbers of sessions
  public Greetings(Introduction self, RandomGenerator random) {
    this.self = self;
    this.random = random;
  }

  // ---- what the engine finds ----

  /// There may be a node at an address.
  public void found(Address address, long now, List<Output> out) {
    Greeting it = greeting(address, now, out);
    if (it == null) { // found again, it may be taken
      out.add(new Output.Forget(address));
    } else if (it.isGreeted()) {
      it.count = Math.min(it.count, SOON);
      it.next = Math.min(it.next, now + SECOND);
      due(now, out);
    }
  }

  private @Nullable Greeting greeting(Address address, long now, List<Output> out) {
    Greeting it = greetings.get(address);
    if (it == null && greetings.size() >= MOST_ADDRESSES && !dropOne(out)) {
      return null;
    }
    return it != null ? it : greetings.computeIfAbsent(address, a -> new Greeting(a, fresh(), now));
  }

  /// Drops the oldest address that has no session.
  private boolean dropOne(List<Output> out) {
    if (!limitLogged) {
      limitLogged = true;
      out.add(
          new Output.Log(
              System.Logger.Level.WARNING,
              "more than " + MOST_ADDRESSES + " addresses; the oldest is dropped"));
    }
    for (Greeting it : greetings.values()) {
      if (it.open == null) {
        greetings.remove(it.address);
        out.add(new Output.Forget(it.address));
        return true;
      }
    }
    return false;
  }

  private void dropEnded(Greeting it, List<Output> out) {
    greetings.remove(it.address);
    out.add(new Output.Ended(it.address));
  }

  private long fresh() {
    long number;
    do {
      number = random.nextLong();
    } while (number == 0); // that is of no session
    return number;
  }

  // ---- what other nodes say ----

  /// A HELLO has come.
  ///
  /// @return false when its sender has left since it sent it
  public boolean hello(Address from, Hello hello, long now, List<Output> out) {
    if (left.contains(new Left(from, hello.sender().life()))) {
      return false;
    }
    answer(from, hello.sender(), now, out);
    return true;
  }

  private void answer(Address from, Introduction other, long now, List<Output> out) {
    Greeting it = greeting(from, now, out);
    heard(it);
    if (it == null || !isWelcome(it, other, now, out) || claims(it, other, out)) {
      return;
    }
    Opened here = open.get(other.life().node());
    if (here != null && here.at.equals(from) && here.other.number() == other.number()) {
      out.add(welcome(here.at, here.id, here.ownNumber, other));
      return;
    }
    if (here != null) {
      out.add(new Output.Probe(here.id));
    }
    it.known = other;
    it.offered = other;
    out.add(welcome(from, id(it.number, other), it.number, other));
  }

  private static void heard(@Nullable Greeting it) {
    if (it != null) {
      it.unheard = 0;
    }
  }

  private Output welcome(Address to, SessionId id, long ownNumber, Introduction other) {
    return new Output.Send(
        to, id, new Welcome(introduction(ownNumber), other.number(), version(other)));
  }

  /// A WELCOME has come.
  public void welcome(Address from, Welcome welcome, long now, List<Output> out) {
    Introduction other = welcome.sender();
    Greeting it = greetings.get(from);
    heard(it);
    if (it == null || welcome.greeted() != it.number) {
      return; // of a greeting that is over
    }
    if (!isWelcome(it, other, now, out) || claims(it, other, out)) {
      return;
    }
    if (welcome.version() == version(other)) {
      open(it, other, now, out);
    } else {
      refuse(
          it,
          Refusal.NO_COMMON_VERSION,
          "node '%s' has chosen version %d of the wire, not %d"
              .formatted(nameOf(other), welcome.version(), version(other)),
          now,
          out);
    }
  }

  /// A packet of no open session has come: it opens the one that was offered to its sender.
  ///
  /// @return false when none was
  public boolean confirmed(Address from, SessionId session, long now, List<Output> out) {
    Greeting it = greetings.get(from);
    Introduction other = it == null ? null : it.offered;
    if (it == null
        || other == null
        || leaving
        || !id(it.number, other).equals(session)
        || claims(it, other, out)) {
      return false;
    }
    open(it, other, now, out);
    return true;
  }

  /// The other node refuses a session.
  public void refused(Address from, HelloRefused refused, long now, List<Output> out) {
    Greeting it = greetings.get(from);
    heard(it);
    if (it == null || refused.greeted() != it.number || it.open != null) {
      return;
    }
    if (it.refusedHere) {
      it.next = now + SLOWEST; // for the same reason, or one that counts when this one is over
    } else {
      refuse(
          it,
          refused.why(),
          "refused by node '%s': %s"
              .formatted(Printable.of(refused.node()), Printable.of(refused.text())),
          now,
          out);
    }
  }

  // ---- the decisions ----

  /// Whether this node may have a session with that one.
  private boolean isWelcome(Greeting it, Introduction other, long now, List<Output> out) {
    NodeLife life = other.life();
    if (life.equals(self.life())) {
      it.own = true;
      return false;
    }
    Refusal why = null;
    String text = "";
    if (!other.cluster().equals(self.cluster())) {
      why = Refusal.OTHER_CLUSTER;
      text =
          "node '%s' is of cluster '%s', node '%s' of '%s'"
              .formatted(
                  nameOf(other), Printable.of(other.cluster()), self.life().node(), self.cluster());
    } else if (life.node().equals(self.life().node())) {
      why = Refusal.NAME_TAKEN;
      text =
          "another node is named '%s': lives %d and %d"
              .formatted(life.node(), self.life().life(), life.life());
    } else if (version(other) < Math.max(self.oldestVersion(), other.oldestVersion())) {
      why = Refusal.NO_COMMON_VERSION;
      text =
          "node '%s' speaks versions %d to %d of the wire, node '%s' %d to %d"
              .formatted(
                  nameOf(other),
                  other.oldestVersion(),
                  other.newestVersion(),
                  self.life().node(),
                  self.oldestVersion(),
                  self.newestVersion());
    } else if (leaving) {
      why = Refusal.LEAVING;
      text = "node '%s' leaves".formatted(self.life().node());
    }
    it.refusedHere = why != null;
    if (why == null) {
      return true;
    }
    it.known = other;
    refuse(it, other, why, text, now, out);
    return false;
  }

  /// The name of a node for a text: a stranger may have made it up.
  private static String nameOf(Introduction other) {
    return Printable.of(other.life().node());
  }

  private int version(Introduction other) {
    return Math.min(self.newestVersion(), other.newestVersion());
  }

  /// Whether another life of that node is in session. If so, that one is asked whether it lives.
  private boolean claims(Greeting it, Introduction other, List<Output> out) {
    Opened here = open.get(other.life().node());
    if (here == null || here.life().equals(other.life())) {
      return false;
    }
    it.known = other;
    it.claims = other;
    out.add(new Output.Probe(here.id));
    return true;
  }

  private void open(Greeting it, Introduction other, long now, List<Output> out) {
    NodeLife life = other.life();
    Opened before = open.remove(life.node());
    if (before != null) {
      // claims has seen to it that it is of the same life
      String text = "node '%s' has opened another session".formatted(nameOf(other));
      end(before, new Ending(Cause.REPLACED, text), now);
      out.add(new Output.End(before.id, new Ending(Cause.REPLACED, text)));
    }
    List<Greeting> superseded = new ArrayList<>();
    for (Greeting each : greetings.values()) {
      if (each != it && each.known != null && each.known.life().node().equals(life.node())) {
        superseded.add(each);
      }
    }
    superseded.forEach(each -> dropEnded(each, out));
    Opened opened = new Opened(id(it.number, other), it.address, other, it.number);
    open.put(life.node(), opened);
    it.known = other;
    it.open = opened;
    it.offered = null;
    it.refusal = null;
    it.logged.clear();
    it.number = fresh();
    out.add(new Output.Open(it.address, other, opened.id, version(other)));
  }

  private SessionId id(long ownNumber, Introduction other) {
    return self.life().node().compareTo(other.life().node()) < 0
        ? new SessionId(ownNumber, other.number())
        : new SessionId(other.number(), ownNumber);
  }

  private void refuse(
      Greeting it, Introduction other, Refusal why, String text, long now, List<Output> out) {
    out.add(
        new Output.Send(
            it.address,
            SessionId.NONE,
            new HelloRefused(self.life().node(), other.number(), why, text)));
    refuse(it, why, text, now, out);
  }

  /// Logs each reason once: both nodes may refuse, for reasons that alternate. To leave is none.
  private static void refuse(Greeting it, Refusal why, String text, long now, List<Output> out) {
    it.next = now + SLOWEST;
    it.refusal = text;
    if (it.logged.size() < MOST_LOGGED && it.logged.add(text)) {
      out.add(
          new Output.Log(
              why == Refusal.LEAVING ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
              "no session with %s: %s".formatted(it.address, text)));
    }
  }

  // ---- what becomes of sessions ----

  /// The other node of a session has answered a probe: who claims its name does so wrongly.
  public void answered(SessionId session, long now, List<Output> out) {
    for (Greeting it : greetings.values()) {
      Introduction claims = it.claims;
      Opened here = claims == null ? null : open.get(claims.life().node());
      if (claims != null && here != null && here.id.equals(session)) {
        it.claims = null;
        String text =
            "another node is named '%s': lives %d, at %s, and %d"
                .formatted(nameOf(claims), here.life().life(), here.at, claims.life().life());
        refuse(it, claims, Refusal.NAME_TAKEN, text, now, out);
      }
    }
  }

  /// A session has ended.
  public void ended(SessionId session, Ending why, long now, List<Output> out) {
    Opened ended = null;
    for (Opened each : open.values()) {
      ended = each.id.equals(session) ? each : ended;
    }
    if (ended == null) {
      return;
    }
    String node = ended.life().node();
    open.remove(node);
    end(ended, why, now);
    if (why.cause() == Cause.LEFT) {
      remember(new Left(ended.at, ended.life()));
    }
    for (Greeting it : List.copyOf(greetings.values())) {
      NodeLife known = it.known == null ? null : it.known.life();
      if (known != null && known.node().equals(node) && !known.equals(ended.life())) {
        it.claims = null; // the name is free for this life
        it.refusal = null;
        it.logged.clear();
        it.next = now;
        it.count = 0;
      } else if (it.address.equals(ended.at) && why.cause() == Cause.LEFT) {
        dropEnded(it, out);
      } else if (it.address.equals(ended.at) && isSilent(why)) {
        out.add(new Output.Forget(it.address)); // and greeted on: it may come back
      }
    }
    due(now, out);
  }

  private void remember(Left gone) {
    left.add(gone);
    if (left.size() > MOST_LEFT) {
      left.remove(left.iterator().next());
    }
  }

  /// Whether nobody has answered at the end.
  private static boolean isSilent(Ending why) {
    return switch (why.cause()) {
      case SILENCE, NO_ANSWER, UNACKNOWLEDGED -> true;
      case OUT_OF_ORDER, MALFORMED, FAILED, OVERFLOW, LEFT, ENDED_THERE, REPLACED, CLOSED -> false;
    };
  }

  private void end(Opened session, Ending why, long now) {
    Greeting it = greetings.get(session.at);
    if (it != null) {
      it.open = null;
      it.last = why;
      it.count = SOON;
      it.next = now + SECOND;
    }
  }

  /// This node leaves: it opens no more sessions.
  public void leave() {
    leaving = true;
  }

  // ---- time ----

  /// Sends the HELLOs that are due.
  public void due(long now, List<Output> out) {
    for (Greeting it : List.copyOf(greetings.values())) {
      if (leaving || !it.isGreeted() || now < it.next) {
        continue;
      }
      if (it.unheard >= MOST_UNHEARD && isOfAnotherLife(it)) {
        dropEnded(it, out);
      } else {
        it.next = now + interval(it);
        it.count++;
        it.unheard++;
        Hello hello = new Hello(introduction(it.number));
        out.add(new Output.Send(it.address, SessionId.NONE, hello));
      }
    }
  }

  /// Whether another life of the node there is in session.
  private boolean isOfAnotherLife(Greeting it) {
    Opened here = it.known == null ? null : open.get(it.known.life().node());
    return here != null && !here.life().equals(Objects.requireNonNull(it.known).life());
  }

  private static long interval(Greeting it) {
    if (it.refusal != null) {
      return SLOWEST;
    }
    if (it.count < SOON) {
      return SOONEST << it.count;
    }
    int doublings = Math.clamp(it.count - SOON - EACH_SECOND, 0, 4);
    return Math.min(SLOWEST, SECOND << doublings);
  }

  private Introduction introduction(long number) {
    return new Introduction(
        self.cluster(),
        self.life(),
        number,
        self.oldestVersion(),
        self.newestVersion(),
        self.features(),
        self.labels(),
        self.entries());
  }

  /// When the next HELLO is due.
  public long dueAt() {
    long at = Long.MAX_VALUE;
    for (Greeting it : greetings.values()) {
      if (!leaving && it.isGreeted()) {
        at = Math.min(at, it.next);
      }
    }
    return at;
  }

  // ---- what is seen from outside ----

  /// The addresses without a session.
  public List<Unanswered> unanswered() {
    return greetings.values().stream()
        .filter(it -> it.open == null && !it.own)
        .map(it ->
            new Unanswered(
                it.address, it.known == null ? null : it.known.life(), it.refusal, it.last))
        .toList();
  }
}
