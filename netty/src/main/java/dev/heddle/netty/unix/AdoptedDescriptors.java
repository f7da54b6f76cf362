// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.io.DescriptorTypeException;
import dev.heddle.reactor.linux.LinuxCalls;
import java.io.IOException;
import java.net.SocketException;

/// Sockets that other code has opened. Their kind is checked before they are used.
final class AdoptedDescriptors {
  // of Linux, the only system that adopts descriptors
  private static final int AF_UNIX = 1;
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int STREAM = 1; // SOCK_STREAM
  private static final int SO_TYPE = 3;
  private static final int SO_ACCEPTCONN = 30;
  private static final int SO_DOMAIN = 39;
  private static final int ENOTSOCK = 88;

  private AdoptedDescriptors() {}

  /// A connected stream socket.
  static NativeSocket socket(int number) throws IOException {
    NativeSocket socket = stream(number, false);
    if (!isConnected(socket)) {
      throw refused(number, "is a socket that is not connected");
    }
    DescriptorCalls.makeOurs(number);
    return socket;
  }

  private static boolean isConnected(NativeSocket socket) {
    return socket.isUnix()
        ? socket.remoteDomainSocketAddress() != null
        : socket.remoteAddress() != null;
  }

  static NativeSocket listener(int number) throws IOException {
    NativeSocket socket = stream(number, true);
    DescriptorCalls.makeOurs(number);
    return socket;
  }

  /// Whether an end of a pipe is the read end.
  static boolean isSource(int number) throws IOException {
    if (!LinuxCalls.isFifo(number)) {
      throw refused(number, "is not an end of a pipe");
    }
    return !DescriptorCalls.makeOurs(number);
  }

  private static NativeSocket stream(int number, boolean listens) throws IOException {
    int type = asked(number, SO_TYPE);
    if (type != STREAM) {
      throw other(number, "is a socket of another type than a stream: " + type);
    }
    int family = asked(number, SO_DOMAIN);
    if (family != AF_UNIX && family != AF_INET && family != AF_INET6) {
      throw other(number, "is neither a TCP nor a UNIX socket: its family is " + family);
    }
    boolean isListener = asked(number, SO_ACCEPTCONN) != 0;
    NativeSocket socket = new NativeSocket(number, family == AF_UNIX);
    if (isListener && !listens) {
      throw other(number, "listens: it is not a connection");
    }
    if (listens && !isListener) {
      throw isConnected(socket)
          ? other(number, "does not listen: it is a connection")
          : refused(number, "does not listen");
    }
    return socket;
  }

  private static int asked(int number, int option) throws IOException {
    int value = DescriptorCalls.option(number, option);
    if (value < 0) {
      String why = "is not a socket: " + Failures.words(value);
      throw value == -ENOTSOCK ? other(number, why) : refused(number, why);
    }
    return value;
  }

  private static IOException other(int number, String why) {
    return new DescriptorTypeException("descriptor " + number + " " + why);
  }

  private static IOException refused(int number, String why) {
    return new SocketException("descriptor " + number + " " + why);
  }
}
