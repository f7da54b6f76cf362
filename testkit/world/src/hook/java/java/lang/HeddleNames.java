// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.net.UnknownHostException;

/// Names of hosts. A world answers past the JVM's cache of names: what is in there depends on what
/// ran before.
public final class HeddleNames {
  private static final MethodHandle ADDRESSES;
  private static final MethodHandle NAME;

  static {
    try {
      MethodHandles.Lookup in =
          MethodHandles.privateLookupIn(InetAddress.class, MethodHandles.lookup());
      ADDRESSES =
          in.findStatic(
              InetAddress.class,
              "getAllByName0",
              MethodType.methodType(InetAddress[].class, String.class, boolean.class));
      NAME =
          in.findStatic(
              InetAddress.class,
              "getHostFromNameService",
              MethodType.methodType(String.class, InetAddress.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private HeddleNames() {}

  /// Instead of `InetAddress.getAllByName0(host, useCache)`.
  public static InetAddress[] addressesOf(String host, boolean useCache)
      throws UnknownHostException {
    HeddleWorld world = HeddleWorld.current();
    if (world != null) {
      return world.addressesOf(host);
    }
    try {
      return (InetAddress[]) ADDRESSES.invokeExact(host, useCache);
    } catch (UnknownHostException e) {
      throw e;
    } catch (Throwable e) {
      throw HeddleInternals.rethrown(e);
    }
  }

  /// Instead of `InetAddress.getHostFromNameService(address)`.
  public static String nameOf(InetAddress address) {
    HeddleWorld world = HeddleWorld.current();
    if (world != null) {
      return world.nameOf(address);
    }
    try {
      return (String) NAME.invokeExact(address);
    } catch (Throwable e) {
      throw HeddleInternals.rethrown(e);
    }
  }

  /// Instead of `InetAddress.getLocalHost()`.
  public static InetAddress localHost() throws UnknownHostException {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? InetAddress.getLocalHost() : world.localHost();
  }
}
