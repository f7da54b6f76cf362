// SPDX-License-Identifier: Apache-2.0

/// Netty under a loop and on it: drivers over Netty's I/O handlers, found by the service loader.
@org.jspecify.annotations.NullMarked
module dev.heddle.netty {
  requires transitive dev.heddle;
  requires static org.jspecify; // annotations only: who compiles against this module needs nothing
  requires transitive io.netty.common; // futures and event loops, in the signatures
  requires transitive io.netty.transport;
  requires io.netty.buffer;
  requires io.netty.codec.dns;
  requires io.netty.resolver.dns;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.classes.io_uring;
  requires io.netty.transport.classes.kqueue;
  requires io.netty.transport.unix.common;

  exports dev.heddle.netty;

  provides dev.heddle.io.dns.NameResolverProvider with
      dev.heddle.netty.dns.NettyDnsResolverProvider;
  provides dev.heddle.reactor.driver.DriverProvider with
      dev.heddle.netty.uring.UringProvider,
      dev.heddle.netty.epoll.EpollProvider,
      dev.heddle.netty.kqueue.KqueueProvider,
      dev.heddle.netty.nio.NioProvider;
}
