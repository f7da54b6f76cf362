// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.linux.EpollSet;
import java.util.EnumMap;
import java.util.Map;

/// The properties of a driver.
///
/// @param name name of the driver
/// @param channels its Netty channel types
/// @param capabilities its support of each capability
/// @param reportsUrgentData whether registrations report TCP's urgent data exactly when there is
///   some
public record Transport(
    String name,
    ChannelTypes channels,
    Map<Capability, Support> capabilities,
    boolean reportsUrgentData) {
  private static final Support CHANNELS =
      Support.emulated(
          "a Selector on its own thread; the driver cannot access their file descriptors");

  /// The support that all drivers here have in common.
  ///
  /// @param polled support of the driver's own descriptors
  /// @param more further support
  public static Map<Capability, Support> serving(Support polled, Map<Capability, Support> more) {
    Map<Capability, Support> all =
        new EnumMap<>(
            Map.of(
                Capability.TCP, polled,
                Capability.UNIX, polled,
                Capability.UNIX_DATAGRAM, polled,
                Capability.UDP, polled,
                Capability.PIPE, polled,
                Capability.POLL, CHANNELS,
                Capability.RAW_POLL,
                    Support.unsupported(
                        "file descriptors can be polled on Linux only; poll a channel")));
    all.putAll(more);
    return Support.withOffloaded(all);
  }

  /// The support that all drivers on Linux have in common. Otherwise as [#serving].
  public static Map<Capability, Support> servingLinux(
      Support polled, Map<Capability, Support> more) {
    Map<Capability, Support> all =
        new EnumMap<>(
            Map.of(
                Capability.ABSTRACT_ADDRESS, polled,
                Capability.PEER_CREDENTIALS, Support.natively("getsockopt, SO_PEERCRED"),
                Capability.ADOPTED_CHANNEL,
                    Support.emulated("JDK channels, with a Selector on its own thread"),
                Capability.ADOPTED_DESCRIPTOR,
                    DescriptorCalls.support("like the driver's own, after a check by getsockopt"),
                Capability.DESCRIPTOR_PASSING,
                    DescriptorCalls.support("sendmsg and recvmsg, SCM_RIGHTS, close-on-exec"),
                Capability.RAW_POLL,
                    EpollSet.support(
                        Support.natively("a separate epoll set, which the driver polls"))));
    all.putAll(more);
    return serving(polled, all);
  }

  /// The support of file transfers if both file descriptors are known.
  public static Support sendingFiles() {
    Support bySystem = DescriptorCalls.support("sendfile(2), on worker threads of the loop");
    return bySystem.level() == Support.Level.UNSUPPORTED ? Support.emulated("a copy") : bySystem;
  }
}
