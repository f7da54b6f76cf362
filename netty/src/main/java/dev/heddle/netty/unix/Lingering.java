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

/// Closed sockets that still have bytes to send, each for a limited time.
///
/// **Thread** the carrier; bytes left at the loop's end are sent on a thread of their own.
final class Lingering {
  /*
   * A kernel keeps the unsent bytes of a closed socket and drops them if the peer does not answer
   * for long. Bytes that the kernel has not accepted yet are treated alike. If some are dropped,
   * the socket ends with a reset, so that the peer does not take truncated data for complete. To
   * ensure that also when the JVM ends, SO_LINGER is 0 as long as bytes are left
   * (UnixSocket.isOver).
   *
   * All sockets get the same time, so they expire in the order of their arrival. UNIX sockets have
   * no reset: their sends are never batched (UnixSocket.tryAppend), so they have no unsent bytes.
   *
   * Rejected. TCP_USER_TIMEOUT: it also aborts bytes that the kernel would still deliver, and the
   * end of a descriptor depends on its probes. A thread per socket: as many as there are peers that
   * do not read.
   */
  private static final String PROPERTY = "heddle.linger";
  private static final long MILLIS = 30_000;
  // the extra delay for a peer that reads slowly
  private static final long PAUSE_NANOS = 10_000_000;

  private final Map<Member, Long> untils = new LinkedHashMap<>();
  private final long limitNanos;

  /// Configured by the system property `heddle.linger`.
  ///
  /// @throws IllegalArgumentException when it is not a number of milliseconds
  Lingering() {
    String wish = System.getProperty(PROPERTY, Long.toString(MILLIS));
    try {
      limitNanos = TimeUnit.MILLISECONDS.toNanos(Integer.parseUnsignedInt(wish));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "-D" + PROPERTY + "=" + wish + " is not a number of milliseconds", e);
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

  /// The time of the next check.
  long nextDeadline(long deadlineNanos) {
    return untils.isEmpty() ? deadlineNanos : Math.min(deadlineNanos, first().getValue());
  }

  /// Resets the expired sockets. Called in a poll.
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

  /// Detaches the sockets from their driver, which is about to end.
  List<UnsentTail> handOver() {
    List<UnsentTail> rests = new ArrayList<>();
    untils.forEach((socket, until) -> rests.add(socket.rest(until)));
    untils.clear();
    return rests;
  }

  /// Sends the unsent bytes when the driver no longer refers to the sockets.
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

  interface Member {
    /// Drops the unsent bytes and resets the connection.
    void abandon();

    /// Detaches the unsent bytes from the driver, which is about to end and no longer closes the
    /// socket.
    UnsentTail rest(long until);
  }

  /// The unsent bytes of a closed socket.
  ///
  /// @param bytes direct, from its position to its limit
  /// @param linger the program's value of `SO_LINGER`
  /// @param until when it is abandoned
  record UnsentTail(NativeSocket socket, ByteBuffer bytes, int linger, long until) {
    /// Sends as much as possible; closes when all is sent, resets on failure.
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
        AsyncLog.shared().debug("while sending the unsent bytes of " + socket, e);
      }
      close();
      return true;
    }

    private void close() {
      try {
        socket.close();
      } catch (IOException e) {
        AsyncLog.shared().debug("while closing " + socket, e);
      }
    }
  }
}
