// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.raw;

import dev.heddle.reactor.driver.Operation;
import dev.heddle.reactor.driver.Support;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Descriptors of somebody else's, in an epoll set of their own: a driver that can watch a number
/// watches the set's, another has a [RawWatcher].
public final class RawDescriptors {
  /*
   * States of a descriptor.  OUT --somebody waits--> IN, for what is waited for
   *                          IN  --another waits, or one of two leaves--> IN, for what is waited for now
   *                          IN  --ready--> IN, for nothing; who waited for it is answered, and the set told what is still waited for
   *                          IN  --nobody waits--> OUT
   * So the system has no word of a descriptor for which nobody waits, and its owner may close it.
   *
   * Whose number. The set knows a descriptor by number and open file. When the owner closes a number under a wait, the system drops it
   * from the set without a word, unless the file is open under another number, too. A number that is somebody else's by then is another
   * file to the set: CHANGE finds nothing, and ADD takes it in. The event of a file that lives on under another number bears the id of
   * the descriptor that asked, not the number: it is told to that one or to nobody, and once, for the set forgets with each
   * event what it was asked (EPOLLONESHOT). A wait may so be answered in vain, as any readiness may.
   *
   * Why a set of its own. Netty keeps the registrations of its epoll by number: two of one number would be mixed up.
   * A poll on the ring holds the file, so the other side of a connection would not see the end until the wait is over.
   *
   * Direct calls. epoll_ctl takes no lock of Java's and never waits, so coroutines make it at once (fact 8 is about locks).
   *
   * Cost. Two calls of the system for a wait, and one to look.
   */
  private static final @Nullable String PROBLEM = problem();

  private final Epoll set;
  private final BiConsumer<Operation, @Nullable IOException> answer;
  private final Map<Long, RawDescriptor> byId = new HashMap<>();
  private long lastId = RawWatcher.SIGNAL;
  private int waits;

  /// A set of none.
  ///
  /// @param answer gives its answer to an operation
  public RawDescriptors(BiConsumer<Operation, @Nullable IOException> answer) throws IOException {
    this.set = new Epoll();
    this.answer = answer;
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
    RawDescriptor descriptor = new RawDescriptor(this, number, ++lastId);
    // asked now, and not by the first who waits: a wrong number is the caller's mistake
    int error = number < 0 ? Epoll.EBADF : set.add(number, Epoll.ONCE, descriptor.id);
    if (error == 0) {
      set.remove(number);
    } else if (error != Epoll.EEXIST) {
      throw failure(number, error);
    }
    byId.put(descriptor.id, descriptor);
    return descriptor;
  }

  /// Whether an operation is for this.
  public boolean owns(Operation operation) {
    return operation.descriptor() instanceof RawDescriptor raw && raw.owner() == this;
  }

  /// Asks for an operation.
  ///
  /// @return why it cannot be; null: it can
  public @Nullable IOException ask(Operation operation) {
    RawDescriptor raw = (RawDescriptor) operation.descriptor();
    put(raw, operation.kind(), operation);
    waits++;
    int error = register(raw);
    if (error == 0) {
      return null;
    }
    put(raw, operation.kind(), null);
    waits--;
    return failure(raw.number, error);
  }

  /// Takes an operation back.
  public void withdraw(Operation operation) {
    RawDescriptor raw = (RawDescriptor) operation.descriptor();
    put(raw, operation.kind(), null);
    waits--;
    renew(raw);
  }

  private static void put(RawDescriptor raw, Operation.Kind kind, @Nullable Operation operation) {
    switch (kind) {
      case POLL_INPUT -> raw.input = operation;
      case POLL_OUTPUT -> raw.output = operation;
    }
  }

  /// Whether somebody waits.
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
      return; // closed; who waits is being told
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
      return; // nobody watches it any more
    }
    boolean dead = (mask & (Epoll.ERR | Epoll.HUP)) != 0;
    int ready = dead ? Epoll.IN | Epoll.OUT : mask | ((mask & Epoll.RDHUP) == 0 ? 0 : Epoll.IN);
    complete(raw, ready, null);
    renew(raw);
  }

  private void complete(RawDescriptor raw, int ready, @Nullable IOException error) {
    Operation input = raw.input;
    Operation output = raw.output;
    if (input != null && (ready & Epoll.IN) != 0) {
      raw.input = null;
      waits--;
      answer.accept(input, error);
    }
    if (output != null && (ready & Epoll.OUT) != 0) {
      raw.output = null;
      waits--;
      answer.accept(output, error);
    }
  }

  /// Whoever waits is told why nothing can come.
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
