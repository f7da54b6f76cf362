// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/// Nodes of a test class whose options name no address are at one that only this process uses. At
/// 127.0.0.1 another program may have the ports, and another run of the tests the names of nodes.
final class OwnLoopback implements InvocationInterceptor {
  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> context,
      ExtensionContext extension)
      throws Throwable {
    Void _ = ScopedValue.where(ClusterOptions.OTHER_LOOPBACK, address()).call(invocation::proceed);
  }

  /// 127.64.0.0 and further: Linux has them all without being set up, and PIDs of 22 bits.
  private static String address() {
    long pid = ProcessHandle.current().pid();
    String own = "127.%d.%d.%d".formatted(64 + (pid >> 16 & 63), pid >> 8 & 255, pid & 255);
    try {
      new ServerSocket(0, 1, InetAddress.getByName(own)).close();
      return own;
    } catch (IOException _) {
      return "127.0.0.1"; // another system
    }
  }
}
