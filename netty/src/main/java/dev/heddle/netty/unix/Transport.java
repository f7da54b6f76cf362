// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.reactor.driver.Facility;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.raw.RawDescriptors;
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
    Map<Facility, Support> capabilities,
    boolean reportsUrgentData) {
  private static final Support CHANNELS =
      Support.composed(
          "a Selector on a thread of its own tells; the driver cannot see their numbers");

  /// What every system's driver serves.
  ///
  /// @param polled how it serves descriptors of its own
  /// @param more what else it serves
  public static Map<Facility, Support> serving(Support polled, Map<Facility, Support> more) {
    Map<Facility, Support> all =
        new EnumMap<>(
            Map.of(
                Facility.TCP, polled,
                Facility.UNIX, polled,
                Facility.UNIX_DATAGRAM, polled,
                Facility.UDP, polled,
                Facility.PIPE, polled,
                Facility.POLL, CHANNELS,
                Facility.RAW_POLL,
                    Support.refused(
                        "descriptors are watched by number on Linux only; watch a channel")));
    all.putAll(more);
    return Support.withThoseBesideTheLoop(all);
  }

  /// What every driver of Linux serves. Else as [#serving].
  public static Map<Facility, Support> servingLinux(Support polled, Map<Facility, Support> more) {
    Map<Facility, Support> all =
        new EnumMap<>(
            Map.of(
                Facility.ABSTRACT_NAME, polled,
                Facility.PEER_CREDENTIALS, Support.natively("getsockopt, SO_PEERCRED"),
                Facility.ADOPTED_CHANNEL,
                    Support.composed(
                        "the JDK's channels act, a Selector on a thread of its own tells"),
                Facility.ADOPTED_NUMBER,
                    DescriptorCalls.support(
                        "as the driver's own, when getsockopt says that they are fit"),
                Facility.DESCRIPTOR_PASSING,
                    DescriptorCalls.support("sendmsg and recvmsg, SCM_RIGHTS, close-on-exec"),
                Facility.RAW_POLL,
                    RawDescriptors.support(
                        Support.natively("an epoll set of theirs, which the driver watches"))));
    all.putAll(more);
    return serving(polled, all);
  }

  /// How files go to sockets where both have numbers.
  public static Support sendingFiles() {
    Support bySystem = DescriptorCalls.support("sendfile(2), on threads beside the loop");
    return bySystem.level() == Support.Level.REFUSED ? Support.composed("a copy") : bySystem;
  }
}
