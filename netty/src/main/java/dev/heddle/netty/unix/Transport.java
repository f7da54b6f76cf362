// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.linux.EpollSet;
import java.util.EnumMap;
import java.util.Map;

/// What a driver is, apart from how it works.
///
/// @param name the driver's
/// @param channels Netty's classes that go with it
/// @param capabilities how it serves what it serves
/// @param reportsUrgentData whether watches report TCP's urgent data when there is some, and only
///   then
public record Transport(
    String name,
    ChannelTypes channels,
    Map<Capability, Support> capabilities,
    boolean reportsUrgentData) {
  private static final Support CHANNELS =
      Support.emulated(
          "a Selector on a thread of its own: the driver cannot see their file descriptors");

  /// What every system's driver serves.
  ///
  /// @param polled how it serves descriptors of its own
  /// @param more what else it serves
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
                        "file descriptors are watched on Linux only; watch a channel")));
    all.putAll(more);
    return Support.withOffloaded(all);
  }

  /// What every driver of Linux serves. Else as [#serving].
  public static Map<Capability, Support> servingLinux(
      Support polled, Map<Capability, Support> more) {
    Map<Capability, Support> all =
        new EnumMap<>(
            Map.of(
                Capability.ABSTRACT_ADDRESS, polled,
                Capability.PEER_CREDENTIALS, Support.natively("getsockopt, SO_PEERCRED"),
                Capability.ADOPTED_CHANNEL,
                    Support.emulated("JDK channels, a Selector on a thread of its own"),
                Capability.ADOPTED_DESCRIPTOR,
                    DescriptorCalls.support(
                        "as the driver's own, when getsockopt says that they are fit"),
                Capability.DESCRIPTOR_PASSING,
                    DescriptorCalls.support("sendmsg and recvmsg, SCM_RIGHTS, close-on-exec"),
                Capability.RAW_POLL,
                    EpollSet.support(
                        Support.natively("an epoll set of theirs, which the driver watches"))));
    all.putAll(more);
    return serving(polled, all);
  }

  /// How files go to sockets where both have numbers.
  public static Support sendingFiles() {
    Support bySystem = DescriptorCalls.support("sendfile(2), on worker threads of the loop");
    return bySystem.level() == Support.Level.UNSUPPORTED ? Support.emulated("a copy") : bySystem;
  }
}
