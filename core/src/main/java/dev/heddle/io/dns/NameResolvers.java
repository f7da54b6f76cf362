// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import dev.heddle.PinnedException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/// Selects the resolver for the current coroutine.
public final class NameResolvers {
  private static final String PROPERTY = "heddle.dns";
  private static final String HOSTS_FILE = "jdk.net.hosts.file";

  private NameResolvers() {}

  /// The values of `-Dheddle.dns`.
  enum Choice {
    /// The loop's resolver if it has one, otherwise the system's on a worker thread.
    LOOP,
    /// The system's, on a worker thread.
    THREAD,
    /// The JDK's, as without Heddle.
    JDK
  }

  /// The chosen value.
  ///
  /// @throws IllegalArgumentException when the value is unknown
  static Choice choice() {
    String asked = System.getProperty(PROPERTY, "loop");
    return switch (asked) {
      case "loop" -> Choice.LOOP;
      case "thread" -> Choice.THREAD;
      case "jdk" -> Choice.JDK;
      default ->
          throw new IllegalArgumentException(
              "-D" + PROPERTY + "=" + asked + " is unknown; use loop, thread or jdk");
    };
  }

  /// The resolver of the current loop; null if the system's is to be used. Called in a coroutine.
  public static @Nullable NameResolver current() {
    // with that property the JDK resolves from this file alone, and so does Heddle
    boolean wanted = choice() == Choice.LOOP && System.getProperty(HOSTS_FILE) == null;
    return wanted ? Found.current() : null;
  }

  /// Initialised at the first look-up in a coroutine. A provider is loaded when those before it
  /// have no resolver for a loop: so a program's loops do not load a provider for tests.
  private static final class Found {
    private static final LazyProviders PROVIDERS =
        new LazyProviders(
            ServiceLoader.load(
                    NameResolverProvider.class, NameResolverProvider.class.getClassLoader())
                .stream()
                .iterator());

    /// The resolver of the provider to which the loop's driver belongs.
    static @Nullable NameResolver current() {
      for (int i = 0; ; i++) {
        NameResolverProvider provider = PROVIDERS.get(i);
        NameResolver resolver = provider == null ? null : provider.current();
        if (provider == null || resolver != null) {
          return resolver;
        }
      }
    }
  }

  /// The addresses that the current loop's resolver finds, in the order that the JDK's properties
  /// ask for; null if the system's is to be used. Called in a coroutine.
  ///
  /// @throws UnknownHostException when there is none, or no name server could answer
  public static @Nullable List<InetAddress> addresses(String host) throws UnknownHostException {
    if (mayBeAnAddress(host)) {
      return null;
    }
    NameResolver resolver = current();
    return resolver == null ? null : addresses(resolver, host, preference());
  }

  /// The addresses that `resolver` finds; null if the system's is to be used.
  static @Nullable List<InetAddress> addresses(
      @Nullable NameResolver resolver, String host, LookupPolicy policy)
      throws UnknownHostException {
    if (resolver == null) {
      return null;
    }
    try {
      return resolver.addresses(host, policy);
    } catch (PinnedException e) {
      return null; // pinned: the thread waits for the system, as without Heddle
    }
  }

  /// Whether the JDK may parse the name as an address; such names are left to the JDK. No top-level
  /// domain is a number.
  static boolean mayBeAnAddress(String host) {
    int label = host.lastIndexOf('.', host.length() - 2) + 1;
    return host.isEmpty() || host.indexOf(':') >= 0 || Character.isDigit(host.charAt(label));
  }

  /// Reads the properties as [java.net.InetAddress] does.
  private static LookupPolicy preference() {
    if (Boolean.getBoolean("java.net.preferIPv4Stack")) {
      return LookupPolicy.of(LookupPolicy.IPV4);
    }
    int both = LookupPolicy.IPV4 | LookupPolicy.IPV6;
    return switch (System.getProperty("java.net.preferIPv6Addresses", "false")) {
      case "true" -> LookupPolicy.of(both | LookupPolicy.IPV6_FIRST);
      case "system" -> LookupPolicy.of(both);
      default -> LookupPolicy.of(both | LookupPolicy.IPV4_FIRST);
    };
  }
}
