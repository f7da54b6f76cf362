// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.engine.Engine.Urgency;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.session.GreetingLimit;
import dev.heddle.cluster.session.Greetings;
import dev.heddle.cluster.session.Greetings.Output;
import dev.heddle.cluster.session.Greetings.Unanswered;
import dev.heddle.cluster.session.LogLimit;
import dev.heddle.cluster.session.Session;
import dev.heddle.cluster.wire.MalformedPacketException;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Farewell;
import dev.heddle.cluster.wire.Urgent.Introduction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// All that one node has to do with the others: who is greeted, the open sessions, the packets of
/// both. It has no thread: the engine's, an agent's and a writer's call it, or a simulation.
final class Connections implements Engine.Listener {
  /*
   * Who calls what: the engine the listener's methods, on any threads; the agent `due`, the writer
   * `write`.
   *
   * Locks, in this order: that of the greetings, that of the state of a link. Sessions open and end
   * under the first. So a session is known when its first packet is looked up, and an old session
   * with a node has ended before the next opens. A packet is delivered without it. The end waits
   * for no delivery: that may be in code of the program, and this lock is that of all sessions.
   *
   * The engine is called under no lock: it may wait.
   *
   * I1. At most one session is open with a node, and an old one ends first. [ClusterSimulation]
   * I2. A packet of no open session is answered ENDED. [ConnectionsTest]
   * I3. After close, GOODBYE is due again until it is answered.
   *     [UnansweredGoodbyesTest, ConnectionsTest]
   */

  /// Opens what takes the frames of a session, and hears of it.
  interface Sessions {
    /// A session opens. Called under a lock; must not wait.
    ///
    /// @param sink takes frames for the other node, at once
    Link.Receiver opened(Introduction other, FrameSink sink);

    /// A session has ended, after its receiver was told. Called under a lock; must not wait.
    void ended(Introduction other, Ending why);

    /// Something to log.
    void log(System.Logger.Level level, String line);
  }

  private static final long LATE_NANOS = 1_000_000; // until a late packet is looked at again

  private final Engine engine;
  private final Introduction self;
  private final LongSupplier clock;
  private final Sessions sessions;
  private final Runnable wakeAgent;
  private final LongConsumer wakeAgentBy;
  private final Runnable wakeWriter;
  private final Map<Address, Link> links = new ConcurrentHashMap<>(); // changed under the lock
  private final UnansweredGoodbyes goodbyes = new UnansweredGoodbyes();

  private final ReentrantLock lock = new ReentrantLock();
  private final Greetings greetings; // under the lock
  private volatile List<Unanswered> unanswered = List.of(); // written under the lock
  private volatile boolean closed;

  // under `limits`, which is the last lock
  private final ReentrantLock limits = new ReentrantLock();
  private final GreetingLimit greetingLimit = new GreetingLimit();
  private final GreetingLimit answerLimit = new GreetingLimit();
  private final LogLimit logLimit = new LogLimit();

  /// @param self what this node says of itself; its number is not used
  /// @param clock nanoseconds that only grow
  /// @param wakeAgent `due` has something to do now; any thread, never waits
  /// @param wakeAgentBy `due` has something to do at a time; the same
  /// @param wakeWriter `write` has something to do; the same
  Connections(
      Engine engine,
      Introduction self,
      RandomGenerator random,
      LongSupplier clock,
      Sessions sessions,
      Runnable wakeAgent,
      LongConsumer wakeAgentBy,
      Runnable wakeWriter) {
    this.engine = engine;
    this.self = self;
    this.clock = clock;
    this.sessions = sessions;
    this.wakeAgent = wakeAgent;
    this.wakeAgentBy = wakeAgentBy;
    this.wakeWriter = wakeWriter;
    this.greetings = new Greetings(self, random);
  }

  // ---- what the engine says ----

  @Override
  public void found(Address address) {
    if (!address.equals(engine.address())) {
      decide((now, out) -> greetings.found(address, now, out));
    }
  }

  @Override
  public void closed(Address address) {
    Link link = links.get(address);
    if (link != null) {
      link.connectionClosed(clock.getAsLong());
    }
  }

  @Override
  public void suspected(Address address) {
    Link link = links.get(address);
    if (link != null) {
      link.suspect(clock.getAsLong());
    }
    goodbyes.lost(address);
  }

  @Override
  public void received(Address from, byte[] bytes) {
    received(from, bytes, 0, bytes.length);
  }

  @Override
  public void received(Address from, byte[] bytes, int start, int end) {
    try {
      Packet packet = Packet.parse(bytes, start, end);
      if (closed) {
        receivedAfterTheEnd(from, packet);
      } else {
        received(from, packet);
      }
    } catch (MalformedPacketException e) {
      logLimited(from, "from %s: %s".formatted(from, e.getMessage()));
    }
  }

  private void received(Address from, Packet packet) throws MalformedPacketException {
    Link link = links.get(from);
    boolean isOpen = link != null && link.id().equals(packet.session());
    if (packet.urgent() && !isOpen && !isAdmitted(greetingLimit, from)) {
      logLimited(
          from,
          "from %s: more than %d greetings in a second, or more than %d of all"
              .formatted(from, GreetingLimit.OF_ADDRESS, GreetingLimit.OF_ALL));
      return;
    }
    if (packet.urgent() && isGreeting(from, packet)) {
      return;
    }
    if (!isOpen) {
      link = confirmed(from, packet.session());
    }
    if (link != null) {
      receivedIn(link, packet);
    } else if (isAdmitted(answerLimit, from)) {
      answerEnded(from, packet);
    }
  }

  /// Only answers to GOODBYE are read any more. Who says GOODBYE at the same time waits as well.
  private void receivedAfterTheEnd(Address from, Packet packet) throws MalformedPacketException {
    Urgent content = packet.urgent() ? packet.content() : null;
    if (content instanceof Urgent.Ended) {
      goodbyes.answered(packet.session());
    } else if (content instanceof Urgent.Goodbye && isAdmitted(answerLimit, from)) {
      goodbyes.answered(packet.session());
      answerEnded(from, packet);
    }
    wakeAgent.run();
  }

  private boolean isAdmitted(GreetingLimit limit, Address from) {
    limits.lock();
    try {
      return limit.admits(from, clock.getAsLong());
    } finally {
      limits.unlock();
    }
  }

  /// Logs what an address does wrong: a line a minute.
  private void logLimited(Address from, String text) {
    String line;
    limits.lock();
    try {
      line = logLimit.line(from, text, clock.getAsLong());
    } finally {
      limits.unlock();
    }
    if (line != null) {
      sessions.log(System.Logger.Level.WARNING, line);
    }
  }

  /// Whether it is for the greetings.
  private boolean isGreeting(Address from, Packet packet) throws MalformedPacketException {
    switch (packet.content()) {
      case Urgent.Hello hello -> greeted(from, hello);
      case Urgent.Welcome it -> decide((now, out) -> greetings.welcome(from, it, now, out));
      case Urgent.HelloRefused it -> decide((now, out) -> greetings.refused(from, it, now, out));
      default -> {
        return false;
      }
    }
    return true;
  }

  private void greeted(Address from, Urgent.Hello hello) {
    AtomicBoolean isThere = new AtomicBoolean();
    decide((now, out) -> isThere.set(greetings.hello(from, hello, now, out)));
    if (isThere.get()) {
      engine.greeted(from);
    }
  }

  private @Nullable Link confirmed(Address from, SessionId session) {
    decide((now, out) -> greetings.confirmed(from, session, now, out));
    Link link = links.get(from);
    return link != null && link.id().equals(session) ? link : null;
  }

  private void receivedIn(Link link, Packet packet) {
    Link.Result result = link.received(packet, clock.getAsLong());
    if (result.answer() != null) {
      send(link.at, link.packet(result.answer()));
    }
    if (result.answered()) {
      decide((now, out) -> greetings.answered(link.id(), now, out));
    }
    if (result.ending() != null) {
      end(link, result.ending());
    }
  }

  private void answerEnded(Address from, Packet packet) {
    if (packet.urgent()) {
      try {
        if (packet.content() instanceof Urgent.Ended) {
          return; // or two nodes would answer each other for ever
        }
      } catch (MalformedPacketException _) {
        return; // safe: it belongs to nothing here
      }
    }
    engine.send(from, Packet.write(Packet.VERSION, packet.session(), 0, 0, ended()), Urgency.ONCE);
  }

  // ---- decisions ----

  /// Something that the greetings decide.
  private interface Input {
    void decide(long now, List<Output> out);
  }

  private void decide(Input input) {
    List<Runnable> leaving = new ArrayList<>(1);
    lock.lock();
    try {
      if (closed) {
        return;
      }
      List<Output> out = new ArrayList<>(2);
      input.decide(clock.getAsLong(), out);
      for (Output each : out) {
        carryOut(each, leaving);
      }
      if (!out.isEmpty()) {
        unanswered = greetings.unanswered();
      }
    } finally {
      lock.unlock();
    }
    leaving.forEach(Runnable::run);
    wakeAgent.run();
  }

  private void carryOut(Output output, List<Runnable> leaving) {
    switch (output) {
      case Output.Send(var to, var session, var content) ->
          leaving.add(() ->
              engine.send(
                  to,
                  Packet.write(Packet.VERSION, session, 0, Session.WINDOW_BYTES, content),
                  Urgency.ONCE));
      case Output.Open open -> open(open);
      case Output.End(var id, var why) -> {
        Link link = find(id);
        if (link != null) {
          leaving.addAll(close(link, why));
        }
      }
      case Output.Probe(var id) -> {
        Link link = find(id);
        if (link != null) {
          link.suspect(clock.getAsLong());
        }
      }
      case Output.Forget(var address) -> leaving.add(() -> engine.forget(address));
      case Output.Ended(var address) -> leaving.add(() -> engine.ended(address));
      case Output.Log(var level, var line) -> sessions.log(level, line);
    }
  }

  private @Nullable Link find(SessionId id) {
    for (Link each : links.values()) {
      if (each.id().equals(id)) {
        return each;
      }
    }
    return null;
  }

  private void open(Output.Open open) {
    Session session = new Session(open.id(), open.version(), clock.getAsLong());
    Link link =
        new Link(open.at(), open.other(), self.life(), session, wakeWriter, wakeAgent, wakeAgentBy);
    link.deliverTo(sessions.opened(open.other(), link));
    links.put(open.at(), link);
    wakeWriter.run(); // it may have looked for the first frames before the link was there
  }

  /// A session ends here, for a reason that its packets or the time have given.
  private void end(Link link, Ending why) {
    decide((now, out) -> {
      if (links.get(link.at) == link) {
        out.add(new Output.End(link.id(), why));
        greetings.ended(link.id(), why, now, out);
      }
    });
  }

  /// @return what the engine is to do, once no lock is held
  private List<Runnable> close(Link link, Ending why) {
    links.remove(link.at, link);
    int dropped = link.end(why);
    if (dropped < 0) {
      return List.of();
    }
    if (dropped > 0) {
      sessions.log(
          System.Logger.Level.WARNING,
          "node '%s': %d frames were not sent when the session ended"
              .formatted(link.other.life().node(), dropped));
    }
    sessions.ended(link.other, why);
    Urgent farewell =
        switch (why.cause()) {
          case ENDED_THERE -> null; // it knows
          case LEFT -> ended(); // it waits for that
          case CLOSED -> new Urgent.Goodbye(Farewell.LEAVING, why.text());
          case MALFORMED -> new Urgent.Goodbye(Farewell.MALFORMED, why.text());
          case SILENCE, NO_ANSWER, UNACKNOWLEDGED, OUT_OF_ORDER, FAILED, OVERFLOW, REPLACED ->
              new Urgent.Ended(why.text());
        };
    if (farewell == null) {
      return List.of();
    }
    byte[] packet = link.packet(farewell);
    if (why.cause() == Cause.LEFT) { // kept for nobody: that node closes, or says it again
      return List.of(() -> engine.send(link.at, packet, Urgency.ONCE));
    }
    if (why.cause() == Cause.CLOSED) {
      goodbyes.add(link.id(), link.at, packet, clock.getAsLong());
    }
    return List.of(() -> send(link.at, packet));
  }

  private Urgent ended() {
    return new Urgent.Ended("node '" + self.life().node() + "' has no such session open");
  }

  private void send(Address to, byte[] packet) {
    engine.send(to, packet, Urgency.URGENT);
  }

  // ---- time: the agent ----

  /// Does what is due.
  ///
  /// @return when there is more to do, unless something happens before
  long due() {
    long at = Long.MAX_VALUE;
    for (Link link : links.values()) {
      Session.Due due = link.due(clock.getAsLong());
      // one that is lost is followed by others in time
      due.send().forEach(it -> engine.send(link.at, link.packet(it), Urgency.ONCE));
      if (due.ending() != null) {
        end(link, due.ending());
      } else {
        at = Math.min(at, link.dueAt());
      }
    }
    long greetAt = greetAt();
    if (greetAt <= clock.getAsLong()) {
      decide(greetings::due);
      greetAt = greetAt();
    }
    long goodbyeAt =
        goodbyes.due(clock.getAsLong(), (to, goodbye) -> engine.send(to, goodbye, Urgency.ONCE));
    return Math.min(Math.min(at, greetAt), goodbyeAt);
  }

  private long greetAt() {
    lock.lock();
    try {
      return closed ? Long.MAX_VALUE : greetings.dueAt();
    } finally {
      lock.unlock();
    }
  }

  // ---- packets that leave: the writer ----

  /// Sends one packet of each session that may send one.
  ///
  /// @return when there is more to send, unless it is woken before
  long write() {
    long again = Long.MAX_VALUE;
    for (Link link : links.values()) {
      long now = clock.getAsLong();
      var packet = link.nextPacket(now);
      if (packet != null) {
        again = now;
        engine.send(link.at, packet, Urgency.IN_ORDER);
        link.handedOver();
      } else if (link.isLate()) {
        again = Math.min(again, now + LATE_NANOS);
      }
    }
    return again;
  }

  // ---- the end ----

  /// Opens no more sessions.
  void leave() {
    lock.lock();
    try {
      greetings.leave();
    } finally {
      lock.unlock();
    }
  }

  /// Asks for what [#isDrained] waits for. The caller tries again and again.
  void requestAcks() {
    links.values().forEach(link -> link.requestAck(clock.getAsLong()));
  }

  /// Whether all that was sent is acknowledged.
  boolean isDrained() {
    return links.values().stream().allMatch(Link::isDrained);
  }

  /// Says goodbye to all nodes, and ends the sessions. [#due] says it again to those that have not
  /// answered.
  void close() {
    List<Runnable> leaving = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      Ending why = new Ending(Cause.CLOSED, "node '" + self.life().node() + "' leaves");
      links.values().forEach(link -> leaving.addAll(close(link, why)));
      unanswered = List.of();
    } finally {
      lock.unlock();
    }
    leaving.forEach(Runnable::run);
  }

  /// Whether all nodes that were in session know that this one has left, or are not there.
  boolean areGoodbyesAnswered() {
    return goodbyes.areAnswered();
  }

  // ---- what is seen from outside ----

  Collection<Link> links() {
    return links.values();
  }

  /// The addresses without a session.
  List<Unanswered> unanswered() {
    return unanswered;
  }
}
