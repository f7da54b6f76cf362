// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.raw;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessCounts;
import dev.heddle.reactor.driver.Support;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Descriptors of other code, in an epoll set of their own: a driver that can watch a number
/// watches the set's, another has a [RawWatcher].
public final class RawDescriptors {
  /*
   * States of a descriptor.  from  event                               to
   *                          OUT   its first listener is armed         IN, for that direction
   *                          IN    a listener is armed or disarmed     IN, for those that are left
   *                          IN    it is ready: they are notified      IN, for those that are left
   *                          IN    no listener is left                 OUT
   *
   * The system reports no descriptor for which no listener waits, so its owner may close it.
   *
   * Whose number. The set knows a descriptor by number and open file. When the owner closes a
   * number under a wait, the system drops it from the set and reports nothing, unless the file is
   * open under another number, too. If the number is another file's by then, CHANGE finds nothing
   * and ADD takes the new file in. The event of a file that lives on under another number carries
   * the id of the descriptor that armed it, not the number, so no other descriptor is notified; and
   * it comes once, for the set disarms with each event (EPOLLONESHOT). A listener may so be
   * notified in vain, as with any readiness.
   *
   * Why a set of its own. Netty keeps the registrations of its epoll by number: two of one number
   * would be mixed up. A poll on the ring holds the file, so the other side of a connection would
   * not see the end until the wait is over.
   *
   * Direct calls. epoll_ctl takes no lock of Java's and never waits: coroutines make it at once.
   *
   * Cost. Two system calls for a wait, and one to poll.
   */
  private static final @Nullable String PROBLEM = problem();

  /// No descriptor's id: that of a [RawWatcher]'s signal.
  static final long SIGNAL = 0;

  private final ReadinessCounts counts;
  private final Runnable whenChanged;
  private final Epoll set;
  private final Map<Long, RawDescriptor> byId = new HashMap<>();
  private long lastId = SIGNAL;
  private int waits;

  /// A set of none.
  ///
  /// @param counts the driver's
  /// @param whenChanged called when a listener was armed or disarmed
  public RawDescriptors(ReadinessCounts counts, Runnable whenChanged) throws IOException {
    this.counts = counts;
    this.whenChanged = whenChanged;
    this.set = new Epoll();
  }

  private static @Nullable String problem() {
    if (!System.getProperty("os.name").startsWith("Linux")) {
      return "descriptors are watched by number on Linux only; watch a channel";
    }
    Module here = RawDescriptors.class.getModule();
    return here.isNativeAccessEnabled()
        ? null
        : "epoll is called natively; start the JVM with --enable-native-access="
            + (here.isNamed() ? here.getName() : "ALL-UNNAMED");
  }

  /// Why no descriptor can be known by its number here; null: it can.
  public static @Nullable String refusal() {
    return PROBLEM;
  }

  /// Whether there can be any, as a driver says it of itself.
  ///
  /// @param served as which, if so
  public static Support support(Support served) {
    return PROBLEM == null ? served : Support.refused(PROBLEM);
  }

  /// The set's number, readable while something that is waited for is ready.
  public int number() {
    return set.number();
  }

  Epoll set() {
    return set;
  }

  // ---- the loop's side ----

  /// Watches a number.
  ///
  /// @throws IOException when the system has no such descriptor, or one that is never waited for
  public RawDescriptor watch(int number) throws IOException {
    RawDescriptor descriptor = new RawDescriptor(counts, this, number, ++lastId);
    // asked now, and not when the first listener is armed: a wrong number is the caller's mistake
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
    unregister(raw); // now: the next watch of the number is not to be taken away later
  }

  /// Tells the system what is waited for.
  private int register(RawDescriptor raw) {
    int mask = raw.wanted() | Epoll.ONCE;
    int error = raw.registered ? set.change(raw.number, mask, raw.id) : Epoll.ENOENT;
    if (error == Epoll.ENOENT) {
      error = set.add(raw.number, mask, raw.id);
    }
    if (error == Epoll.EEXIST) {
      error = set.change(raw.number, mask, raw.id); // another of the same number was not removed
    }
    raw.registered = error == 0;
    return error;
  }

  private void unregister(RawDescriptor raw) {
    if (raw.registered) {
      raw.registered = false;
      set.remove(raw.number); // safe: where it fails, the owner has closed it
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

  /// Looks, without waiting, and answers what is ready.
  public void look() {
    int count;
    do {
      count = set.look(false);
      for (int i = 0; i < count; i++) {
        told(set.id(i), set.mask(i));
      }
    } while (count == Epoll.MANY);
  }

  /// A descriptor is ready.
  void told(long id, int mask) {
    RawDescriptor raw = byId.get(id);
    if (raw == null) {
      return; // it is not watched any more
    }
    boolean dead = (mask & (Epoll.ERR | Epoll.HUP)) != 0;
    int ready = dead ? Epoll.IN | Epoll.OUT : mask | ((mask & Epoll.RDHUP) == 0 ? 0 : Epoll.IN);
    complete(raw, ready, null);
    renew(raw);
  }

  private void complete(RawDescriptor raw, int ready, @Nullable IOException error) {
    waits -= raw.complete(ready, error);
  }

  /// Notifies all listeners that nothing can come.
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

  /// Gives the set back.
  void close() {
    set.close();
  }
}
