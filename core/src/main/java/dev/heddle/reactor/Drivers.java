// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.jdk.JdkDriverProvider;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Chooses the driver of a loop: the one that was requested, or the best that works here.
public final class Drivers {
  /// The name that requests the best driver.
  public static final String AUTO = "auto";

  // determined once: the class path does not change
  private static final List<DriverProvider> OFFERED =
      Stream.concat(
              ServiceLoader.load(DriverProvider.class, DriverProvider.class.getClassLoader())
                  .stream()
                  .map(ServiceLoader.Provider::get),
              Stream.of(new JdkDriverProvider()))
          .sorted(Comparator.comparingInt(DriverProvider::priority).reversed())
          .toList();

  private Drivers() {}

  /// All drivers, the best first, whether they work here or not.
  public static List<DriverProvider> offered() {
    return OFFERED;
  }

  /// The requested driver.
  ///
  /// @param name a driver's name, or [#AUTO]
  /// @throws IllegalArgumentException when no driver has that name, or it does not work here; the
  ///   message says why
  public static DriverProvider choose(String name) {
    for (DriverProvider provider : OFFERED) {
      if (name.equals(AUTO) && provider.problem() == null) {
        return provider;
      }
      if (name.equals(provider.name())) {
        String problem = provider.problem();
        if (problem != null) {
          throw new IllegalArgumentException(
              "the driver " + name + " does not work here: " + problem);
        }
        return provider;
      }
    }
    throw new IllegalArgumentException(
        "there is no driver "
            + name
            + "; here are "
            + OFFERED.stream().map(DriverProvider::name).collect(Collectors.joining(", "))
            + ", and auto for the best of them (io_uring, epoll, kqueue and nio come with the"
            + " module heddle-netty)");
  }

  /// Opens the requested driver, on the carrier; [#AUTO] is chosen when a coroutine first opens
  /// something. Throws as [#choose] does.
  public static ReactorDriver open(String name, DriverHost host) {
    return name.equals(AUTO) && OFFERED.size() > 1
        ? new LazyDriver(host, () -> choose(name).open(host))
        : choose(name).open(host);
  }
}
