// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryEncoder;
import io.netty.handler.codec.dns.DatagramDnsResponseDecoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverChannelStrategy;
import java.net.InetSocketAddress;
import java.security.SecureRandom;

/// Loads the classes that a JVM's first query needs, once: about 600 classes, a third of a second.
/// On the loop that would hold all coroutines.
final class WarmUp {
  private static volatile boolean done;

  private WarmUp() {}

  static boolean isDone() {
    return done;
  }

  /// Runs it, on a worker thread; a second caller waits for the first.
  static synchronized boolean run(Class<? extends DatagramChannel> datagrams) {
    if (!done) {
      writeAndRead(datagrams);
      var _ = new SecureRandom().nextInt();
      done = true;
    }
    return true;
  }

  /// Encodes and decodes a query, in memory.
  private static void writeAndRead(Class<? extends DatagramChannel> datagrams) {
    EmbeddedChannel channel =
        new EmbeddedChannel(new DatagramDnsQueryEncoder(), new DatagramDnsResponseDecoder());
    var resolver =
        new DnsNameResolverBuilder(channel.eventLoop())
            .datagramChannelFactory(new ReflectiveChannelFactory<>(datagrams))
            .datagramChannelStrategy(DnsNameResolverChannelStrategy.ChannelPerResolution)
            .build();
    try {
      InetSocketAddress server = Literals.server("127.0.0.1");
      DatagramDnsQuery query = new DatagramDnsQuery(server, server, 1);
      query.addRecord(DnsSection.QUESTION, new DefaultDnsQuestion("test", DnsRecordType.A));
      channel.writeOutbound(query);
      DatagramPacket written = channel.readOutbound();
      ByteBuf answer = written.content();
      channel.writeInbound(new DatagramPacket(answer.setByte(2, 0x81), server, server));
    } finally {
      resolver.close();
      channel.finishAndReleaseAll();
    }
  }
}
