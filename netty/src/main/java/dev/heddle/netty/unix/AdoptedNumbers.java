// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import java.io.IOException;
import java.net.SocketException;

/// Sockets that another process has opened: asked what they are before anything is done with them.
final class AdoptedNumbers {
  private static final int AF_UNIX = 1;
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int STREAM = 1; // SOCK_STREAM

  private AdoptedNumbers() {}

  /// A connected stream socket.
  static NativeSocket socket(int number) throws IOException {
    NativeSocket socket = stream(number, false);
    boolean isConnected =
        socket.isUnix()
            ? socket.remoteDomainSocketAddress() != null
            : socket.remoteAddress() != null;
    if (!isConnected) {
      throw refused(number, "is a socket that is not connected");
    }
    DescriptorCalls.makeOurs(number);
    return socket;
  }

  /// A socket that listens.
  static NativeSocket listener(int number) throws IOException {
    NativeSocket socket = stream(number, true);
    DescriptorCalls.makeOurs(number);
    return socket;
  }

  /// Whether an end of a pipe is the one that is read from.
  static boolean isSource(int number) throws IOException {
    if (!DescriptorCalls.isPipe(number)) {
      throw refused(number, "is no end of a pipe");
    }
    return !DescriptorCalls.makeOurs(number);
  }

  private static NativeSocket stream(int number, boolean listens) throws IOException {
    int type = asked(number, SystemNumbers.SO_TYPE);
    if (type != STREAM) {
      throw refused(number, "is a socket of another type than a stream: " + type);
    }
    int family = asked(number, SystemNumbers.SO_DOMAIN);
    if (family != AF_UNIX && family != AF_INET && family != AF_INET6) {
      throw refused(number, "is neither a TCP nor a UNIX socket: its family is " + family);
    }
    boolean isListener = asked(number, SystemNumbers.SO_ACCEPTCONN) != 0;
    if (isListener != listens) {
      throw refused(number, isListener ? "listens: it is no connection" : "does not listen");
    }
    return new NativeSocket(number, family == AF_UNIX);
  }

  private static int asked(int number, int option) throws IOException {
    int value = DescriptorCalls.option(number, option);
    if (value < 0) {
      throw refused(number, "is no socket: " + Failures.words(value));
    }
    return value;
  }

  private static IOException refused(int number, String why) {
    return new SocketException("descriptor " + number + " " + why);
  }
}
