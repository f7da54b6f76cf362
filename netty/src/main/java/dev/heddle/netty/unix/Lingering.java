// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.observe.log.AsyncLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Closed sockets that have something left to send, each for a limited time.
///
/// **Thread** the loop's; what is left when the loop ends leaves on a thread of its own.
final class Lingering {
  /*
   * A kernel keeps what a closed socket has not sent, and drops it when the peer does not answer
   * for long. Bytes before the kernel are treated alike. If some are dropped, the socket ends with
   * a reset: a peer must not take a part for the whole. To make that sure whatever happens, also
   * when the JVM ends, SO_LINGER is 0 as long as something is left (UnixSocket.isOver).
   *
   * All get the same time, so the first that came is the first whose time is over. UNIX sockets
   * know no reset: nothing is taken for them (UnixSocket.tryAppend), so they have no rest.
   *
   * Rejected. TCP_USER_TIMEOUT: it also ends what the kernel would still deliver, and a
   * descriptor's end depends on its probes. A thread for each rest: as many as there are peers that
   * do not read.
   */
  private static final String PROPERTY = "heddle.linger";
  private static final long MILLIS = 30_000;
  private static final long PAUSE_NANOS = 10_000_000; // a peer that reads slowly waits so long

  private final Map<Member, Long> untils = new LinkedHashMap<>();
  private final long limitNanos;

  /// As the system property `heddle.linger` wants it.
  ///
  /// @throws IllegalArgumentException when it is no number of milliseconds
  Lingering() {
    String wish = System.getProperty(PROPERTY, Long.toString(MILLIS));
    try {
      limitNanos = TimeUnit.MILLISECONDS.toNanos(Integer.parseUnsignedInt(wish));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "-D" + PROPERTY + "=" + wish + ": it is a number of milliseconds", e);
    }
  }

  void add(Member socket) {
    untils.put(socket, System.nanoTime() + limitNanos);
  }

  void remove(Member socket) {
    untils.remove(socket);
  }

  int size() {
    return untils.size();
  }

  /// When to look again.
  long nextDeadline(long deadlineNanos) {
    return untils.isEmpty() ? deadlineNanos : Math.min(deadlineNanos, first().getValue());
  }

  /// Resets those whose time is over, in a tick.
  void resetExpired() {
    if (untils.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    while (!untils.isEmpty() && now - first().getValue() >= 0) {
      first().getKey().abandon();
    }
  }

  private Map.Entry<Member, Long> first() {
    return untils.entrySet().iterator().next();
  }

  /// Takes them from their driver, which is about to end.
  List<UnsentTail> handOver() {
    List<UnsentTail> rests = new ArrayList<>();
    untils.forEach((socket, until) -> rests.add(socket.rest(until)));
    untils.clear();
    return rests;
  }

  /// Sends them when nothing of the driver's refers to them any more.
  static void leave(String driver, List<UnsentTail> rests) {
    if (!rests.isEmpty()) {
      Thread.ofPlatform()
          .daemon()
          .name("heddle-rests-of-" + driver)
          .start(() -> sendAll(new ArrayList<>(rests)));
    }
  }

  private static void sendAll(List<UnsentTail> rests) {
    rests.removeIf(UnsentTail::isOver);
    while (!rests.isEmpty()) {
      LockSupport.parkNanos(PAUSE_NANOS);
      rests.removeIf(UnsentTail::isOver);
    }
  }

  /// One of them.
  interface Member {
    /// Drops what is left, and resets.
    void abandon();

    /// Takes what is left from the driver, which is about to end and closes nothing any more.
    UnsentTail rest(long until);
  }

  /// What a socket has to send before it is closed.
  ///
  /// @param bytes direct, from its position to its limit
  /// @param linger what the program had chosen for `SO_LINGER`
  /// @param until when it is given up
  record UnsentTail(NativeSocket socket, ByteBuffer bytes, int linger, long until) {
    /// Sends what there is room for; closes when all has left, resets when it cannot.
    boolean isOver() {
      try {
        int n = socket.send(bytes, bytes.position(), bytes.limit());
        bytes.position(bytes.position() + n);
        if (!bytes.hasRemaining()) {
          socket.setSoLinger(linger);
          socket.shutdownBoth();
        } else if (System.nanoTime() - until < 0) {
          return false;
        }
      } catch (IOException e) {
        log("while sending what was left of " + socket, e);
      }
      close();
      return true;
    }

    private void close() {
      try {
        socket.close();
      } catch (IOException e) {
        log("while closing " + socket, e);
      }
    }

    private static void log(String what, IOException e) {
      AsyncLog.shared().debug(what, e);
    }
  }
}
