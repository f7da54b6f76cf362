// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.linux;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessCounts;
import dev.heddle.reactor.driver.Support;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// File descriptors that other code has opened, in an epoll set of their own. A driver that can
/// watch a file descriptor watches that of the set; any other driver uses a [RawPollThread].
public final class EpollSet {
  /*
   * States of a descriptor.
   *   from  event                               to
   *   OUT   its first listener is armed         IN, for that direction
   *   IN    a listener is armed or disarmed     IN, for the remaining listeners
   *   IN    it is ready: they are notified      IN, for the remaining listeners
   *   IN    no listener is left                 OUT
   *
   * The kernel reports no descriptor for which no listener waits, so its owner may close it then.
   *
   * Identity. The set identifies a descriptor by its number and its open file. If the owner closes
   * the number during a wait, the kernel drops it from the set and reports nothing, unless the file
   * is open under another number, too. If the number refers to another file by then, CHANGE finds
   * no entry and ADD adds the new file. The event of a file that is still open under another number
   * carries the id of the descriptor that armed it, not the number, so no other descriptor is
   * notified. It comes once, because each event disarms its entry (EPOLLONESHOT). So a listener may
   * be notified without need, as with any readiness.
   *
   * Why a separate set. Netty keeps the registrations of its epoll set by number; two of the same
   * number would be confused. A poll on the ring keeps the file open, so the other side of a
   * connection would not see the end until the wait is over.
   *
   * Direct calls. epoll_ctl takes no Java lock and never blocks, so coroutines call it at once.
   *
   * Cost. Two system calls for a wait, and one to poll.
   */
  private static final @Nullable String PROBLEM = problem();

  /// The id of no descriptor: that of a [RawPollThread]'s signal.
  static final long SIGNAL = 0;

  private final ReadinessCounts counts;
  private final Runnable whenChanged;
  private final Epoll set;
  private final Map<Long, RawDescriptor> byId = new HashMap<>();
  private long lastId = SIGNAL;
  private int waits;

  /// An empty set.
  ///
  /// @param whenChanged called after a listener was armed or disarmed
  public EpollSet(ReadinessCounts counts, Runnable whenChanged) throws IOException {
    this.counts = counts;
    this.whenChanged = whenChanged;
    this.set = new Epoll();
  }

  private static @Nullable String problem() {
    if (!System.getProperty("os.name").startsWith("Linux")) {
      return "file descriptors are watched on Linux only; watch a channel";
    }
    Module here = EpollSet.class.getModule();
    return here.isNativeAccessEnabled()
        ? null
        : "epoll is called natively; start the JVM with --enable-native-access="
            + (here.isNamed() ? here.getName() : "ALL-UNNAMED");
  }

  /// Why file descriptors cannot be watched here; null: they can.
  public static @Nullable String refusal() {
    return PROBLEM;
  }

  /// The support that a driver reports.
  ///
  /// @param served the support where file descriptors can be watched
  public static Support support(Support served) {
    return PROBLEM == null ? served : Support.unsupported(PROBLEM);
  }

  /// The file descriptor of the set, readable while a descriptor with a listener is ready.
  public int number() {
    return set.number();
  }

  Epoll set() {
    return set;
  }

  // ---- the loop's side ----

  /// Watches a file descriptor.
  ///
  /// @throws IOException when it is not open, or is of a kind that is always ready
  public RawDescriptor watch(int number) throws IOException {
    RawDescriptor descriptor = new RawDescriptor(counts, this, number, ++lastId);
    // checked now, not when the first listener is armed: a wrong number is the caller's mistake
    int error = number < 0 ? Epoll.EBADF : set.add(number, Epoll.ONCE, descriptor.id);
    if (error == 0) {
      set.remove(number);
    } else if (error != Epoll.EEXIST) {
      throw failure(number, error);
    }
    byId.put(descriptor.id, descriptor);
    return descriptor;
  }

  void armed(RawDescriptor raw, Direction direction) {
    waits++;
    int error = register(raw);
    if (error != 0) {
      boolean read = direction == Direction.READ;
      complete(raw, read ? Epoll.IN : Epoll.OUT, failure(raw.number, error));
    }
    whenChanged.run();
  }

  void disarmed(RawDescriptor raw) {
    waits--;
    renew(raw);
    whenChanged.run();
  }

  /// Whether a listener waits.
  public boolean isAwaited() {
    return waits > 0;
  }

  void forget(RawDescriptor raw) {
    byId.remove(raw.id);
    unregister(raw); // now: a later removal would remove the next registration of the number
  }

  /// Registers with the kernel what the listeners wait for.
  private int register(RawDescriptor raw) {
    int mask = raw.wanted() | Epoll.ONCE;
    int error = raw.registered ? set.change(raw.number, mask, raw.id) : Epoll.ENOENT;
    if (error == Epoll.ENOENT) {
      error = set.add(raw.number, mask, raw.id);
    }
    if (error == Epoll.EEXIST) {
      error = set.change(raw.number, mask, raw.id); // an earlier entry of that number was left
    }
    raw.registered = error == 0;
    return error;
  }

  private void unregister(RawDescriptor raw) {
    if (raw.registered) {
      raw.registered = false;
      set.remove(raw.number); // safe: if it fails, the owner has closed the descriptor
    }
  }

  private void renew(RawDescriptor raw) {
    if (raw.wanted() == 0) {
      unregister(raw);
      return;
    }
    if (!byId.containsKey(raw.id)) {
      return; // closed; its listeners are being notified
    }
    int error = register(raw);
    if (error != 0) {
      complete(raw, Epoll.IN | Epoll.OUT, failure(raw.number, error));
    }
  }

  /// Polls the set without blocking, and notifies the listeners of what is ready.
  public void poll() {
    int count;
    do {
      count = set.poll(false);
      for (int i = 0; i < count; i++) {
        onReady(set.id(i), set.mask(i));
      }
    } while (count == Epoll.MAX_EVENTS);
  }

  void onReady(long id, int mask) {
    RawDescriptor raw = byId.get(id);
    if (raw == null) {
      return; // it is no longer watched
    }
    boolean dead = (mask & (Epoll.ERR | Epoll.HUP)) != 0;
    int ready = dead ? Epoll.IN | Epoll.OUT : mask | ((mask & Epoll.RDHUP) == 0 ? 0 : Epoll.IN);
    complete(raw, ready, null);
    renew(raw);
  }

  private void complete(RawDescriptor raw, int ready, @Nullable IOException error) {
    waits -= raw.complete(ready, error);
  }

  /// Notifies all listeners of a failure.
  public void failed(IOException why) {
    for (RawDescriptor raw : List.copyOf(byId.values())) {
      complete(raw, Epoll.IN | Epoll.OUT, why);
      renew(raw);
    }
  }

  private static IOException failure(int number, int error) {
    return new IOException(
        "descriptor "
            + number
            + switch (error) {
              case Epoll.EBADF -> " is not open";
              case Epoll.EPERM -> " is a file or a directory: these are always ready";
              case Epoll.EINVAL -> " is the loop's own";
              default -> " cannot be watched: error " + error + " of epoll_ctl";
            });
  }

  void close() {
    set.close();
  }
}
