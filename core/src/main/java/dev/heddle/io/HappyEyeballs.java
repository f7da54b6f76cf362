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

/// Connects to the first of several addresses that accepts: Happy Eyeballs, RFC 8305.
final class HappyEyeballs {
  /*
   * A host has several addresses, and some of them may be dead: a broken IPv6 route does not refuse
   * a connection, it drops packets for minutes. Trying one address after the other waits for each;
   * trying all at once loads the host. So attempts begin one by one, a short delay apart, and the
   * first that connects cancels all others.
   *
   * The calling coroutine begins the attempts. Each attempt is a member of a scope that the caller
   * owns.
   *
   *   caller    for each address: begin an attempt, then wait until one attempt has ended, or the
   *             delay is over
   *   caller    when all have begun: wait until one has connected, or none is left
   *   attempt   connects; reports its connection or failure to the caller
   *
   * The delay restarts with each attempt (RFC 8305, section 5). When any attempt fails, the next
   * one begins at once. The order is the resolver's, but the families alternate (section 4), so a
   * family without a route costs one delay instead of one for each of its addresses.
   *
   * I1. The caller returns when no attempt is left: the scope waits for the attempts it has
   *     cancelled, and each closes its descriptor as it ends. [HappyEyeballsTest]
   * I2. Each connection is either returned or closed, also the second of two that connect in the
   *     same turn, and one that was made when the caller is cancelled. [HappyEyeballsTest]
   * I3. The exception names the failures of all attempts. [HappyEyeballsTest]
   *
   * Threads. The carrier.
   *
   * Cost. One address: no scope, no coroutine. Otherwise one coroutine for each attempt that
   * begins.
   *
   * Rejected. Beginning before all addresses are known (section 3): the resolver returns them
   * together. Remembering which family won: a program's connection pool does that better. Sorting
   * by round-trip times: they are not known here.
   *
   * Sources. RFC 8305; RFC 6724 (the order, the resolver's); trio.open_tcp_stream.
   */
  // failures named in the message; all are suppressed exceptions
  private static final int NAMED = 8;

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
  /// @param host as named in messages
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

  /// The same addresses with alternating families, beginning with the family of the first.
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

  /// For a cancelled coroutine in its clean-up: members of its scopes no longer run.
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
            .onCompletion(_ -> attemptEnded()); // also if cancelled before it began
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
    Promise<Boolean> end = new Promise<>("a connection to " + target);
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
      refusal = e; // an unsupported option fails at every address
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
            "none of the %d addresses of %s accepts the connection: %s%s"
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
