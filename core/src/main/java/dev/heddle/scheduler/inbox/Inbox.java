// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Takes nodes from any thread and delivers them to the carrier in the order of arrival.
public final class Inbox {
  /*
   * A Treiber stack that the carrier empties with one exchange and reverses.
   *
   * States of a node.
   *   from  event          to      who, order
   *   OUT   post()         IN      any thread: exchange on `posted`; found OUT: links the node
   *   IN    post()         IN      any thread: the same; the pending arrival covers this post
   *   IN    clearPosted()  OUT     carrier: exchange, before it reads the state that the node
   *                                announces
   * States of the inbox.
   *   OPEN  close()        CLOSED  carrier: exchange; every later post is refused
   *
   * Threads. post(): any, also a virtual thread in the middle of an unpark. Everything else: the
   * carrier.
   *
   * I1. post() never blocks, parks, locks, throws or allocates: the caller owns the node.
   *     [InboxStress]
   * I2. What happened before post() is visible to the arrival that follows it. [InboxStress]
   * I3. A post that found the node IN is covered: the node arrives, or its posted flag is cleared,
   *     after that post. [InboxStress]
   * I4. After close() every post returns false, so that the caller can send its work elsewhere.
   *     [InboxLincheckTest]
   *
   * Memory order. Producer: write its own state, then the exchange on `posted`, then CAS `head`.
   * Carrier: exchange `head`, exchange `posted`, then read the state. The exchanges on `posted` are
   * totally ordered, and each reads what the previous one wrote. A producer that found IN therefore
   * precedes the carrier's next clearPosted(), which reads its write; so the carrier sees
   * everything that the producer wrote before, plain fields included (I2, I3). A producer that only
   * reads IN publishes nothing: its state may still be in its store buffer when the carrier, which
   * has cleared the flag meanwhile, reads it. Mutant: InboxStress.ReadOnlyClaim. With a plain store
   * in clearPosted() the carrier may read the state first; the producer then finds IN, and its post
   * is lost. Mutant: InboxStress.PlainClearPosted. The sleep protocol behind signal() is Wakeup's.
   *
   * Cost. Lock-free. An exchange and a CAS a post; an exchange a drain and an arrival. A producer
   * that is descheduled between its two instructions delays only its own node, which is not linked
   * yet (in a queue that claims and then publishes, the carrier would spin).
   *
   * Rejected. ConcurrentLinkedQueue: allocates. A ring of claimed slots: the carrier waits for a
   * slow producer. A separate lane for the carrier thread: saves 8 ns, but to find the carrier's
   * identity costs a reflective call on every post.
   *
   * Sources. R. K. Treiber, Coping with Parallelism, 1986. T1, T15; trap-38, trap-39.
   */

  /// An entry of the inbox. It contains its own link, so that posting allocates nothing.
  public abstract static class Node {
    private static final VarHandle POSTED = VarHandles.find(lookup(), "posted", boolean.class);

    // guarded by `posted`: written by the thread that found it OUT, read by the carrier afterwards
    @Nullable Node next;

    // any thread and the carrier, exchange
    @SuppressWarnings("unused") // through POSTED
    private volatile boolean posted;

    /// Called when the carrier takes this node out of the inbox, in a tick: takes no lock, runs no
    /// user code, throws nothing.
    public abstract void onArrival();

    /// Admits the next post. Called before the carrier reads the state that the node announces.
    public final void clearPosted() {
      // safe: the previous value does not matter, only that a producer's exchange was read
      var _ = (boolean) POSTED.getAndSet(this, false);
    }

    /// Whether it was posted and its posted flag has not been cleared since.
    protected final boolean isPosted() {
      return posted;
    }

    /// Claims the node for one arrival; a caller that gets true must make the node arrive.
    protected final boolean claim() {
      return !(boolean) POSTED.getAndSet(this, true);
    }
  }

  private static final VarHandle HEAD = VarHandles.find(lookup(), "head", Node.class);
  private static final Node CLOSED = new Sentinel();

  private final Wakeup wakeup;

  // any thread, CAS; the carrier exchanges
  @SuppressWarnings("unused") // through HEAD
  private volatile @Nullable Node head;

  /// An open, empty inbox whose posts signal `wakeup`.
  public Inbox(Wakeup wakeup) {
    this.wakeup = wakeup;
  }

  /// Adds the node, unless it is already in, and wakes the carrier if it sleeps.
  ///
  /// @return false when the inbox is closed: the node will not arrive
  public boolean post(Node node) {
    if (!node.claim()) {
      return head != CLOSED;
    }
    for (Node seen = head; seen != CLOSED; seen = head) {
      node.next = seen;
      if (HEAD.compareAndSet(this, seen, node)) {
        wakeup.signal();
        return true;
      }
    }
    node.clearPosted();
    return false;
  }

  /// Whether nothing has arrived since the last drain.
  public boolean isEmpty() {
    return head == null;
  }

  /// Delivers every node in the inbox, oldest first.
  public void drain() {
    Node seen = head;
    // safe: only the carrier, which runs this, puts the sentinel in; taking it out would reopen the
    // inbox
    if (seen == null || seen == CLOSED) {
      return;
    }
    deliver((Node) HEAD.getAndSet(this, null));
  }

  /// Refuses every later post and delivers the earlier ones.
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
      // unlinked first: onArrival() may post the node again
      n.next = null;
      n.onArrival();
      n = younger;
    }
  }

  private static final class Sentinel extends Node {
    @Override
    public void onArrival() {
      throw new IllegalStateException("the sentinel of a closed inbox does not arrive");
    }
  }
}
