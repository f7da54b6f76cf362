// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Takes arrivals from any thread and hands them to the carrier in order of arrival.
public final class Inbox {
  /*
   * A Treiber stack that the carrier empties with one exchange and reverses.
   *
   * States of a node.  from      event      to        who, order
   *                    OUT       post()     IN        any thread: exchange on `posted`; who found OUT links the node
   *                    IN        post()     IN        any thread: the same exchange, the arrival to come covers this one
   *                    IN        readmit()  OUT       carrier: exchange, before it looks at what the node stands for
   * States of the box. OPEN      close()    CLOSED    carrier: exchange; later posts are refused, for ever
   *
   * Threads. post(): any, also a virtual thread in the middle of an unpark. Everything else: the carrier.
   *
   * I1. post() never blocks, parks, locks, throws or allocates: the node is the caller's own. [InboxStress]
   * I2. What happened before post() is visible to the arrival that follows it. [InboxStress]
   * I3. A post that found the node IN is covered: the node arrives, or is readmitted, after that post. [InboxStress]
   * I4. After close() every post returns false, so that the caller can send its work elsewhere. [InboxLincheckTest]
   *
   * Memory order. Producer: its own state, then the exchange on `posted`, then CAS `head`. Carrier: exchange `head`, exchange
   * `posted`, read the state. The exchanges on `posted` follow one another, each reading what the one before wrote: a producer that
   * found IN comes before the carrier's next readmit(), which reads its write, so that the carrier sees what the producer wrote
   * before, plain fields included (I2, I3). A producer that only reads IN publishes nothing: its state may still be in its store
   * buffer when the carrier, which readmitted meanwhile, looks. Mutant: InboxStress.ReadOnlyClaim. With a plain store in
   * readmit() the carrier may read the state first, the producer finds IN, and nobody comes. Mutant: InboxStress.PlainReadmit.
   * The sleep protocol behind ring() is Wakeup's.
   *
   * Cost. Lock-free; an exchange and a CAS a post, an exchange a drain and an arrival. A producer descheduled between its two
   * delays only its own node: a node that is not linked yet is simply not there (a claim/publish queue would make the carrier spin).
   *
   * Rejected. ConcurrentLinkedQueue: allocates. A ring of claimed slots: the carrier waits for a slow producer. An own lane for
   * the carrier thread: saves 8 ns, but the carrier's identity costs a reflective call on every post.
   *
   * Sources. R. K. Treiber, Coping with Parallelism, 1986. Promises T1, T15; traps 38, 39.
   */

  /// Something that can arrive: its own link, so that posting allocates nothing.
  public abstract static class Node {
    private static final VarHandle POSTED = handle(Node.class, "posted", boolean.class);

    // guarded by `posted`: who found it out of the box writes, the carrier reads after its exchange
    @Nullable Node next;

    // any thread and the carrier, exchange
    @SuppressWarnings("unused") // through POSTED
    private volatile boolean posted;

    /// Constructed outside the inbox.
    protected Node() {}

    /// The carrier took this node out of the box. Runs in a tick: no lock, no user code, no throw.
    public abstract void arrive();

    /// Lets the next post in again; called before looking at what the node stands for.
    public final void readmit() {
      // safe: what was there is of no interest, only that a producer's exchange is read
      var _ = (boolean) POSTED.getAndSet(this, false);
    }

    /// Whether it has been posted and not readmitted since.
    protected final boolean isPosted() {
      return posted;
    }

    /// Takes the node for one arrival; whoever gets true must see to it that the node arrives.
    protected final boolean claim() {
      return !(boolean) POSTED.getAndSet(this, true);
    }
  }

  private static final VarHandle HEAD = handle(Inbox.class, "head", Node.class);
  private static final Node CLOSED = new Sentinel();

  private final Wakeup wakeup;

  // any thread, CAS; the carrier exchanges
  @SuppressWarnings("unused") // through HEAD
  private volatile @Nullable Node head;

  /// An open, empty box whose posts ring `wakeup`.
  public Inbox(Wakeup wakeup) {
    this.wakeup = wakeup;
  }

  /// Puts the node in, unless it is in already, and wakes the carrier if it sleeps.
  ///
  /// @return false when the box is closed: the node will not arrive
  public boolean post(Node node) {
    if (!node.claim()) {
      return head != CLOSED;
    }
    for (Node seen = head; seen != CLOSED; seen = head) {
      node.next = seen;
      if (HEAD.compareAndSet(this, seen, node)) {
        wakeup.ring();
        return true;
      }
    }
    node.readmit();
    return false;
  }

  /// Whether nothing has arrived since the last drain.
  public boolean isEmpty() {
    return head == null;
  }

  /// Lets everything that is in the box arrive, oldest first.
  public void drain() {
    Node seen = head;
    // safe: only the carrier, which is here, puts the sentinel in; taking it out would open the box
    // again
    if (seen == null || seen == CLOSED) {
      return;
    }
    deliver((Node) HEAD.getAndSet(this, null));
  }

  /// Refuses every later post and lets arrive what came before.
  public void close() {
    deliver((Node) HEAD.getAndSet(this, CLOSED));
  }

  private static void deliver(@Nullable Node newest) {
    Node oldest = null;
    for (Node n = newest; n != null && n != CLOSED; ) {
      Node older = n.next;
      n.next = oldest;
      oldest = n;
      n = older;
    }
    for (Node n = oldest; n != null; ) {
      Node younger = n.next;
      // unlinked first: the node may be posted again while it arrives
      n.next = null;
      n.arrive();
      n = younger;
    }
  }

  private static VarHandle handle(Class<?> owner, String field, Class<?> type) {
    try {
      return MethodHandles.lookup().findVarHandle(owner, field, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final class Sentinel extends Node {
    @Override
    public void arrive() {
      throw new IllegalStateException("the sentinel of a closed inbox does not arrive");
    }
  }
}
