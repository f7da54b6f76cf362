// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.unix.UnixDescriptor;
import dev.heddle.netty.unix.UnixDriver;
import dev.heddle.netty.unix.Watch;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.Facility;
import dev.heddle.reactor.driver.Support;
import io.netty.channel.IoHandler;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.IOException;
import java.util.Map;

/// One ring for all: what is submitted in a turn goes to the system in one call.
final class UringDriver extends UnixDriver {
  static final String NAME = "io_uring";
  private static final int RING = 1_024; // submissions; more in one turn cost another call
  private static final int COMPLETIONS =
      16_384; // of edges that come at once; more are survived, with a warning of Netty's each time
  private static final Support POLLED =
      Support.natively("a multishot poll on the ring tells, direct calls act");
  private static final Support WATCHED =
      Support.composed(
          "a Selector on a thread of its own tells; the driver cannot see their numbers");
  private static final ChannelTypes CHANNELS =
      new ChannelTypes(
          IoUringIoHandler.class,
          IoUringIoHandle.class,
          IoUringSocketChannel.class,
          IoUringServerSocketChannel.class,
          IoUringDatagramChannel.class);
  private static final Map<Facility, Support> CAPABILITIES =
      Support.withThoseBesideTheLoop(
          Map.of(
              Facility.TCP, POLLED,
              Facility.UNIX, POLLED,
              Facility.UDP, POLLED,
              Facility.PIPE, POLLED,
              Facility.POLL, WATCHED));

  UringDriver(DriverHost host) {
    super(
        host,
        IoUringIoHandler.newFactory(
            new IoUringIoHandlerConfig().setRingSize(RING).setCqSize(COMPLETIONS)));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public ChannelTypes channelTypes() {
    return CHANNELS;
  }

  @Override
  public Map<Facility, Support> capabilities() {
    return CAPABILITIES;
  }

  @Override
  protected Watch watch(IoHandler handler, UnixDescriptor descriptor) throws IOException {
    return new UringWatch(this, handler, descriptor);
  }
}
