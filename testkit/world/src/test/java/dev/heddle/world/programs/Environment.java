// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;

/// What a program asks of its machine.
public final class Environment {
  private Environment() {}

  public static int processors() {
    return Runtime.getRuntime().availableProcessors();
  }

  /// Names and addresses that it looks up.
  public static List<String> names() throws IOException {
    InetAddress local = InetAddress.getLocalHost();
    InetAddress loopback = InetAddress.getByName("localhost");
    InetAddress literal = InetAddress.getByAddress(new byte[] {10, 0, 0, 7});
    return List.of(
        local.toString(), loopback.toString(), literal.getHostName(), literal.getHostAddress());
  }

  /// Asks for a host that a world does not know.
  public static InetAddress[] unknown() throws IOException {
    return InetAddress.getAllByName("db.heddle.example");
  }

  public static long nanoTime() {
    return System.nanoTime();
  }

  public static long currentTimeMillis() {
    return System.currentTimeMillis();
  }

  public static Thread currentThread() {
    return Thread.currentThread();
  }

  public static long threadId() {
    return Thread.currentThread().threadId();
  }
}
