// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.cluster.wire.Urgent.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// How nodes get into sessions: which addresses are greeted when, and whose greeting is accepted.
///
/// A state machine without a thread or a clock, as [Session]: one call at a time.
///
/// @param <A> the addresses of the engine
public final class Greetings<A> {
  /*
   * States of an address.
   *
   * from      event                              to        then
   * (none)    found, or a packet of it           GREETING  HELLO at once, after a second, after two,
   *                                                        … each 15 s
   * GREETING  HELLO that fits                    OPEN      WELCOME; the session is opened
   * GREETING  WELCOME of my last HELLO           OPEN      the session is opened
   * GREETING  HELLO that does not fit            same      HELLO_REFUSED; the reason is kept
   * GREETING  HELLO_REFUSED of my last HELLO     same      the reason is kept; HELLO each 15 s
   * OPEN      HELLO of the same session          same      WELCOME again: it was lost
   * OPEN      another HELLO of the same life     same      the session is probed: either the other
   *                                                        node has ended it, and says so, or the
   *                                                        HELLO was late
   * OPEN      the session ends                   GREETING  HELLO at once, with another number
   * any       the node has another address       (none)    forgotten
   *
   * The name of a session is a number of each node. A node keeps its number for an address until a
   * session with it has ended, so it does not matter whose greeting is answered, or whether both
   * are: the session has the same name.
   *
   * What fits. The same cluster, a common version of the wire, another name than this node's, and
   * no session with another life of that name. If there is one, the node of that life is probed:
   * either it is lost, and the next HELLO of the new life is accepted, or it answers, and the new
   * one is refused as long as it lives.
   *
   * An address that has never answered is forgotten after FORGET_AFTER greetings; the engine finds
   * it again when there is somebody.
   *
   * proc-158, proc-196, proc-198.
   */
  /// What the greetings want done.
  public interface Output<A> {
    /// Sends an urgent packet.
    void send(A to, byte[] packet);

    /// Opens a session.
    void open(A with, Introduction other, SessionId id, int version);

    /// The life with which there is a session under this name may be lost: another one has come.
    void probe(String node);

    /// Two nodes do not come together. Told once for each reason.
    void refused(A address, String node, String text);

    /// Nothing is sent to this address any more.
    void forget(A address);
  }

  /// Greetings without an answer, after which an address is forgotten: more than an hour.
  private static final int FORGET_AFTER = 256;

  /// HELLOs of strangers that are answered in a second.
  private static final int ANSWERS_A_SECOND = 100;

  private static final long SECOND_NANOS = 1_000_000_000L;

  private final class Contact {
    final A address;
    long number; // this node's half of the name of the session
    long nextHello;
    long pause;
    int unanswered;
    boolean hasAnswered;
    @Nullable Introduction other; // of its last greeting
    @Nullable SessionId session; // open
    @Nullable String refusal;
    @Nullable String refuser; // the node that it was about

    Contact(A address, long now) {
      this.address = address;
      begin(now);
    }

    void begin(long now) {
      number = random.nextLong();
      pause = times.firstHello();
      nextHello = now;
      unanswered = 0;
      session = null;
    }
  }

  private final String cluster;
  private final NodeLife self;
  private final Map<String, String> labels;
  private final List<String> entries;
  private final SessionTimes times;
  private final RandomGenerator random;
  private final Map<A, Contact> contacts = new LinkedHashMap<>();
  private boolean isLeaving;
  private long secondBegan;
  private int answered;

  /// @param cluster the name of the cluster
  /// @param self this node
  /// @param labels of this node, for others to choose by
  /// @param entries what others may start here
  public Greetings(
      String cluster,
      NodeLife self,
      Map<String, String> labels,
      List<String> entries,
      SessionTimes times,
      RandomGenerator random) {
    this.cluster = cluster;
    this.self = self;
    this.labels = labels;
    this.entries = entries;
    this.times = times;
    this.random = random;
  }

  // ---- addresses ----

  /// There may be a node at an address.
  public void found(A address, long now) {
    if (!contacts.containsKey(address)) {
      contacts.put(address, new Contact(address, now));
    } else {
      contacts.get(address).unanswered = 0;
    }
  }

  /// Greets whom it is time to greet. To be called several times in a second.
  public void tick(long now, Output<A> out) {
    for (Contact contact : List.copyOf(contacts.values())) {
      if (contact.session != null || isLeaving || now - contact.nextHello < 0) {
        continue;
      }
      if (!contact.hasAnswered && ++contact.unanswered > FORGET_AFTER) {
        forget(contact, out);
        continue;
      }
      hello(contact, now, out);
    }
  }

  private void hello(Contact contact, long now, Output<A> out) {
    contact.nextHello = now + contact.pause;
    contact.pause = Math.min(contact.pause * 2, times.lastHello());
    out.send(contact.address, packet(new Urgent.Hello(introduction(contact))));
  }

  private Introduction introduction(Contact to) {
    return new Introduction(
        cluster, self, to.number, Packet.OLDEST_VERSION, Packet.VERSION, 0, labels, entries);
  }

  private static byte[] packet(Urgent content) {
    return Packet.write(Packet.OLDEST_VERSION, SessionId.NONE, 0, 0, content);
  }

  private void forget(Contact contact, Output<A> out) {
    contacts.remove(contact.address);
    out.forget(contact.address);
  }

  // ---- greetings of others ----

  /// Takes a greeting. Those of a second that are too many are ignored: they come again.
  public void received(A from, Urgent content, long now, Output<A> out) {
    switch (content) {
      case Urgent.Hello(Introduction sender) -> {
        if (mayAnswer(now)) {
          onHello(from, sender, now, out);
        }
      }
      case Urgent.Welcome(Introduction sender, long greeted, int version) ->
          onWelcome(from, sender, greeted, version, out);
      case Urgent.HelloRefused(String node, long greeted, Refusal why, String text) ->
          onRefused(from, node, greeted, why, text, out);
      default -> throw new IllegalArgumentException("no greeting: " + content);
    }
  }

  private boolean mayAnswer(long now) {
    if (now - secondBegan >= SECOND_NANOS || secondBegan == 0) {
      secondBegan = now;
      answered = 0;
    }
    return ++answered <= ANSWERS_A_SECOND;
  }

  private void onHello(A from, Introduction sender, long now, Output<A> out) {
    if (sender.life().equals(self)) {
      contacts.remove(from); // this node's own address
      return;
    }
    Contact contact = contacts.computeIfAbsent(from, a -> new Contact(a, now));
    contact.hasAnswered = true;
    if (isAgain(contact, sender)) {
      welcome(contact, sender, out);
      return;
    }
    if (contact.session != null
        && contact.other != null
        && contact.other.life().equals(sender.life())) {
      out.probe(sender.life().node());
      return;
    }
    Refusal why = refusalOf(sender);
    if (why == null && hasOtherLife(sender.life())) {
      out.probe(sender.life().node());
      why = Refusal.NAME_TAKEN;
    }
    if (why != null) {
      String text = textOf(why, sender);
      out.send(from, packet(new Urgent.HelloRefused(self.node(), sender.number(), why, text)));
      keep(contact, sender.life().node(), text, out);
      return;
    }
    accept(contact, sender, Math.min(Packet.VERSION, sender.newestVersion()), out);
    welcome(contact, sender, out);
  }

  private boolean isAgain(Contact contact, Introduction sender) {
    return contact.session != null
        && contact.session.equals(nameOf(contact, sender))
        && contact.other != null
        && contact.other.life().equals(sender.life());
  }

  private void welcome(Contact contact, Introduction sender, Output<A> out) {
    SessionId id = nameOf(contact, sender);
    int version = Math.min(Packet.VERSION, sender.newestVersion());
    out.send(
        contact.address,
        Packet.write(
            version,
            id,
            0,
            Session.WINDOW,
            new Urgent.Welcome(introduction(contact), sender.number(), version)));
  }

  private void onWelcome(A from, Introduction sender, long greeted, int version, Output<A> out) {
    Contact contact = contacts.get(from);
    if (contact == null || contact.session != null || greeted != contact.number) {
      return; // of an old greeting, or the session is open
    }
    contact.hasAnswered = true;
    Refusal why = refusalOf(sender);
    if (why != null || version < Packet.OLDEST_VERSION || version > Packet.VERSION) {
      keep(contact, sender.life().node(), textOf(Refusal.NO_COMMON_VERSION, sender), out);
    } else if (hasOtherLife(sender.life())) {
      out.probe(sender.life().node());
    } else {
      accept(contact, sender, version, out);
    }
  }

  private void accept(Contact contact, Introduction sender, int version, Output<A> out) {
    forgetOthers(contact, sender.life(), out);
    contact.session = nameOf(contact, sender);
    out.open(contact.address, sender, contact.session, version);
    contact.other = sender;
    contact.refusal = null;
  }

  /// An address of a former life is of no use any more.
  private void forgetOthers(Contact kept, NodeLife life, Output<A> out) {
    for (Contact contact : List.copyOf(contacts.values())) {
      if (contact != kept
          && contact.other != null
          && contact.other.life().node().equals(life.node())) {
        forget(contact, out);
      }
    }
  }

  private SessionId nameOf(Contact contact, Introduction sender) {
    return self.node().compareTo(sender.life().node()) < 0
        ? new SessionId(contact.number, sender.number())
        : new SessionId(sender.number(), contact.number);
  }

  // ---- refusals ----

  private @Nullable Refusal refusalOf(Introduction sender) {
    if (isLeaving) {
      return Refusal.LEAVING;
    }
    if (!sender.cluster().equals(cluster)) {
      return Refusal.OTHER_CLUSTER;
    }
    if (sender.life().node().equals(self.node())) {
      return Refusal.NAME_TAKEN;
    }
    return sender.newestVersion() < Packet.OLDEST_VERSION || sender.oldestVersion() > Packet.VERSION
        ? Refusal.NO_COMMON_VERSION
        : null;
  }

  private boolean hasOtherLife(NodeLife life) {
    return contacts.values().stream()
        .anyMatch(contact ->
            contact.session != null
                && contact.other != null
                && contact.other.life().node().equals(life.node())
                && !contact.other.life().equals(life));
  }

  private String textOf(Refusal why, Introduction sender) {
    return switch (why) {
      case OTHER_CLUSTER ->
          "'%s' is of cluster '%s', '%s' of cluster '%s'"
              .formatted(sender.life().node(), sender.cluster(), self.node(), cluster);
      case NO_COMMON_VERSION ->
          "'%s' speaks versions %d to %d of the wire, '%s' %d to %d"
              .formatted(
                  sender.life().node(),
                  sender.oldestVersion(),
                  sender.newestVersion(),
                  self.node(),
                  Packet.OLDEST_VERSION,
                  Packet.VERSION);
      case NAME_TAKEN ->
          "the name '%s' belongs to another living node".formatted(sender.life().node());
      case LEAVING -> "'%s' leaves".formatted(self.node());
      case OTHER -> "for a reason of another release";
    };
  }

  private void onRefused(
      A from, String node, long greeted, Refusal why, String text, Output<A> out) {
    Contact contact = contacts.get(from);
    if (contact == null || contact.session != null || greeted != contact.number) {
      return;
    }
    contact.hasAnswered = true;
    if (why != Refusal.LEAVING && why != Refusal.NAME_TAKEN) {
      contact.pause = times.lastHello(); // a name may become free any moment
      contact.nextHello += times.lastHello();
    }
    keep(contact, node, text, out);
  }

  private void keep(Contact contact, String node, String text, Output<A> out) {
    boolean isNew = !text.equals(contact.refusal);
    contact.refusal = text;
    contact.refuser = node;
    if (isNew) {
      out.refused(contact.address, node, text);
    }
  }

  // ---- ends ----

  /// A session has ended: its node is greeted again.
  public void ended(A address, SessionId session, long now) {
    Contact contact = contacts.get(address);
    if (contact == null || !session.equals(contact.session)) {
      return;
    }
    contact.begin(now);
    String free = contact.other == null ? null : contact.other.life().node();
    for (Contact waiting : contacts.values()) {
      if (waiting.session == null && free != null && free.equals(waiting.refuser)) {
        waiting.nextHello = now; // its name may be free now
      }
    }
  }

  /// From now on nobody is greeted or accepted.
  public void leave() {
    isLeaving = true;
  }

  /// The addresses without a session, and why there is none.
  public List<Greeted<A>> greeted() {
    List<Greeted<A>> all = new ArrayList<>();
    for (Contact contact : contacts.values()) {
      if (contact.session == null) {
        Introduction other = contact.other;
        all.add(
            new Greeted<>(
                contact.address, other == null ? null : other.life().node(), contact.refusal));
      }
    }
    return all;
  }

  /// An address that is greeted.
  ///
  /// @param node its last known name; null when it has never had a session
  /// @param refusal why there is no session; null when there is no answer
  public record Greeted<A>(A address, @Nullable String node, @Nullable String refusal) {}
}
