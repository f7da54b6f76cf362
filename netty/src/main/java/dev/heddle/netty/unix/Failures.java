// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import io.netty.channel.unix.Errors;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Converts system errors to the JDK's exception types and messages; Netty's exceptions have other
/// messages and no stack trace.
public final class Failures {
  private static final Pattern NETTY = Pattern.compile("failed with error\\((-?\\d+)\\): (.*)");

  // error numbers that differ between systems
  static final int EACCES = 13;
  static final int EPIPE = 32;
  static final int ECONNABORTED = PlatformConstants.LINUX ? 103 : 53;
  private static final int EADDRINUSE = PlatformConstants.LINUX ? 98 : 48;
  private static final int EADDRNOTAVAIL = PlatformConstants.LINUX ? 99 : 49;
  private static final int ECONNRESET = PlatformConstants.LINUX ? 104 : 54;
  private static final int ENOTCONN = PlatformConstants.LINUX ? 107 : 57;
  private static final int ETIMEDOUT = PlatformConstants.LINUX ? 110 : 60;
  private static final int ECONNREFUSED = PlatformConstants.LINUX ? 111 : 61;
  private static final int EHOSTUNREACH = PlatformConstants.LINUX ? 113 : 65;

  private Failures() {}

  /// The exception for a negative result.
  public static IOException of(String call, int result) {
    return of(Errors.newIOException(call, result));
  }

  /// The system's message for a negative result.
  public static String words(int result) {
    String netty = String.valueOf(Errors.newIOException("", result).getMessage());
    Matcher text = NETTY.matcher(netty);
    return text.find() ? text.group(2) : "error " + -result;
  }

  /// The exception for one that Netty has thrown.
  static IOException of(IOException netty) {
    if (netty instanceof ClosedChannelException) {
      return netty;
    }
    if (netty instanceof NoRouteToHostException && netty.getMessage() == null) {
      return caused(new NoRouteToHostException("Network is unreachable"), netty);
    }
    if (netty instanceof FileNotFoundException && netty.getMessage() == null) {
      return caused(new ConnectException("No such file or directory"), netty);
    }
    Matcher text = NETTY.matcher(String.valueOf(netty.getMessage()));
    return text.find() ? of(-Integer.parseInt(text.group(1)), text.group(2), netty) : netty;
  }

  /// The error number of a Netty exception; 0 if it has none.
  static int number(IOException netty) {
    return netty instanceof Errors.NativeIoException e ? -e.expectedErr() : 0;
  }

  private static IOException of(int number, String words, IOException cause) {
    if (number == ECONNRESET) {
      return caused(new SocketException("Connection reset"), cause);
    }
    if (number == EPIPE) {
      return caused(new IOException(words), cause);
    }
    if (number == ECONNREFUSED || number == ETIMEDOUT || number == ENOTCONN) {
      return caused(new ConnectException(words), cause);
    }
    if (number == EHOSTUNREACH) {
      return caused(new NoRouteToHostException(words), cause);
    }
    if (number == EADDRINUSE || number == EADDRNOTAVAIL || number == EACCES) {
      return caused(new BindException(words), cause);
    }
    return caused(new SocketException(words), cause);
  }

  private static <E extends IOException> E caused(E failure, IOException cause) {
    failure.initCause(cause);
    return failure;
  }
}
