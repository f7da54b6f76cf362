// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.DeadlineException;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Connects to the first of several addresses that takes the connection: Happy Eyeballs, RFC 8305.
final class HappyEyeballs {
  /*
   * A host has several addresses, and some of them may be dead: an IPv6 route that leads nowhere
   * refuses nothing, it is silent for minutes. To try one address after the other waits for each;
   * to try all at once is unfair to the host. So attempts begin one by one, a moment apart, and the
   * first that connects ends all others.
   *
   * The coroutine that calls begins the attempts. Each attempt is a member of a scope of the
   * caller's.
   *
   *   caller    for each address: begin an attempt, then wait until one attempt has ended, or the
   *             delay is over
   *   caller    when all have begun: wait until one has connected, or none is left
   *   attempt   connects; tells the caller of its connection or of its failure
   *
   * The delay counts anew with each attempt (RFC 8305, section 5). An attempt that fails lets the
   * next one begin at once, whichever failed. The order is the resolver's, but the families take
   * turns (section 4), so that a family without a route costs one delay and not one for each of its
   * addresses.
   *
   * I1. The caller returns when no attempt is left: the scope waits for those that it has
   *     cancelled, and each closes its descriptor on its way out. [HappyEyeballsTest]
   * I2. A connection is handed to the caller's caller, or is closed: also the second of two that
   *     connect in the same turn, and one that was made when the caller is cancelled.
   *     [HappyEyeballsTest]
   * I3. The failure has all failures. [HappyEyeballsTest]
   *
   * Threads. The loop's.
   *
   * Cost. One address: no scope, no coroutine. Else a coroutine for each attempt that begins.
   *
   * Rejected. To begin before all addresses are known (section 3): the resolver gives them
   * together. To remember which family has won: a program's own pools do that better. To sort by
   * round-trip times: they are not known here.
   *
   * Sources. RFC 8305; RFC 6724 (the order, the resolver's); trio.open_tcp_stream.
   */
  private static final int NAMED = 8; // failures in the message; all are suppressed exceptions

  /// One attempt.
  @FunctionalInterface
  interface Attempt {
    StreamSocket connect(InetSocketAddress address) throws IOException;
  }

  private final String target;
  private final List<InetSocketAddress> addresses;
  private final Duration delay;
  private final Attempt attempt;

  // loop only
  private final List<IOException> failures = new ArrayList<>();
  private int running;
  private @Nullable Promise<Boolean> ended; // while the caller waits: an attempt has ended
  private @Nullable StreamSocket winner;
  private @Nullable RuntimeException refusal;

  private HappyEyeballs(
      String target, List<InetSocketAddress> addresses, Duration delay, Attempt attempt) {
    this.target = target;
    this.addresses = addresses;
    this.delay = delay;
    this.attempt = attempt;
  }

  /// Connects to one of a host's addresses.
  ///
  /// @param host as errors call it
  /// @param known the host's addresses, in the order of preference, at least one
  /// @param delay between two attempts
  static StreamSocket connect(
      String host, List<InetAddress> known, int port, Duration delay, Attempt attempt)
      throws IOException {
    if (known.size() == 1) {
      return attempt.connect(new InetSocketAddress(known.getFirst(), port));
    }
    List<InetSocketAddress> addresses =
        interleaved(known).stream().map(address -> new InetSocketAddress(address, port)).toList();
    HappyEyeballs attempts = new HappyEyeballs(host + ":" + port, addresses, delay, attempt);
    return CoroutineNode.current().isCancelled() ? attempts.oneByOne() : attempts.race();
  }

  /// The same addresses, the families in turn, that of the first one first.
  static List<InetAddress> interleaved(List<InetAddress> known) {
    Class<?> family = known.getFirst().getClass();
    List<InetAddress> first = known.stream().filter(family::isInstance).toList();
    List<InetAddress> second = known.stream().filter(a -> !family.isInstance(a)).toList();
    List<InetAddress> mixed = new ArrayList<>(known.size());
    for (int i = 0; i < known.size(); i++) {
      if (i < first.size()) {
        mixed.add(first.get(i));
      }
      if (i < second.size()) {
        mixed.add(second.get(i));
      }
    }
    return mixed;
  }

  /// For a coroutine that cleans up: members of its scopes do not run any more.
  private StreamSocket oneByOne() throws IOException {
    for (InetSocketAddress address : addresses) {
      try {
        return attempt.connect(address);
      } catch (IOException e) {
        failures.add(e);
      }
    }
    throw failure();
  }

  private StreamSocket race() throws IOException {
    boolean handedOut = false;
    try {
      beginAndWait();
      if (winner == null) {
        throw failure();
      }
      handedOut = true;
      return winner;
    } finally {
      if (winner != null && !handedOut) {
        winner.close();
      }
    }
  }

  private void beginAndWait() {
    try (Scope attempts = Scope.open()) {
      for (int next = 0; next < addresses.size() && isUndecided(); next++) {
        InetSocketAddress address = addresses.get(next);
        running++;
        attempts
            .spawn("connect to " + address, () -> attempt(address))
            .onCompletion(_ -> attemptEnded()); // also of one that was cancelled before it began
        awaitEnd(next + 1 < addresses.size() ? Deadline.after(delay) : Deadline.never());
      }
      while (running > 0 && isUndecided()) {
        awaitEnd(Deadline.never());
      }
    }
    if (refusal != null) {
      throw refusal;
    }
  }

  private boolean isUndecided() {
    return winner == null && refusal == null;
  }

  private void awaitEnd(Deadline deadline) {
    Promise<Boolean> end =
        new Promise<>(CoroutineNode.current().scheduler(), "a connection to " + target);
    ended = end;
    try {
      end.future().await(deadline);
    } catch (DeadlineException e) {
      // safe: the deadline is this method's own, and the next attempt is due
    } finally {
      ended = null;
    }
  }

  private void attempt(InetSocketAddress address) {
    try {
      StreamSocket connected = attempt.connect(address);
      if (winner == null) {
        winner = connected;
      } else {
        connected.close();
      }
    } catch (IOException e) {
      failures.add(e);
    } catch (RuntimeException e) {
      refusal = e; // an option that there is not: it would be refused at each address
    }
  }

  private void attemptEnded() {
    running--;
    if (ended != null) {
      ended.tryComplete(true);
    }
  }

  private ConnectException failure() {
    String reasons =
        failures.stream().limit(NAMED).map(HappyEyeballs::reason).collect(Collectors.joining("; "));
    int unnamed = failures.size() - NAMED;
    ConnectException failure =
        new ConnectException(
            "none of the %d addresses of %s takes the connection: %s%s"
                .formatted(
                    addresses.size(),
                    target,
                    reasons,
                    unnamed > 0 ? "; and " + unnamed + " more" : ""));
    failures.forEach(failure::addSuppressed);
    return failure;
  }

  private static String reason(IOException failure) {
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }
}
