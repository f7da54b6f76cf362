// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import dev.heddle.netty.HeddleEventLoop;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverChannelStrategy;
import io.netty.resolver.dns.DnsNameResolverTimeoutException;
import io.netty.resolver.dns.NoopAuthoritativeDnsServerCache;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Sends one question to one name server, by UDP, and by TCP if the answer is truncated.
final class Queries {
  /*
   * Netty's resolver sends the query, matches the answer (identifier, question, the server's
   * address), falls back to TCP and limits the time. LoopDnsResolver and Lookups choose questions
   * and servers.
   *
   * Channels. Each query has its own UDP socket, so a forged answer must also match a port, and a
   * late answer reaches nothing. The socket is connected to the server: the system then drops
   * datagrams of others, and reports at once when no process listens at the server's port. It is
   * closed with the query.
   *
   * The TCP connection for a long answer is closed, too; Netty does not close it when the query is
   * cancelled. It is attributed to its query by the order of calls: Netty opens it while it reads
   * the truncated datagram, within one turn of the event loop.
   *
   * Threads. ask(), whenAnswered() and close(): the carrier. Everything else runs on the event
   * loop, one task at a time, also the start of a query, so that the channel opened in it is
   * attributed to it.
   *
   * I1. An ended query leaves no channel. [NamesEndTest]
   * I2. Every query ends: by an answer, its timeout, or the end of its channel or of its caller.
   * [NamesEndTest]
   */
  private final HeddleEventLoop loop;
  private final Duration timeout;
  private final DnsNameResolver resolver;
  private final ReflectiveChannelFactory<DatagramChannel> datagrams;
  private final ReflectiveChannelFactory<SocketChannel> connections;

  // event loop only
  private @Nullable Query starting;
  private @Nullable Query reading;

  Queries(HeddleEventLoop loop, Duration timeout, boolean edns0) {
    this.loop = loop;
    this.timeout = timeout;
    this.datagrams = new ReflectiveChannelFactory<>(loop.datagramChannelType());
    this.connections = new ReflectiveChannelFactory<>(loop.channelType());
    this.resolver =
        new DnsNameResolverBuilder(loop)
            .datagramChannelFactory(this::openDatagram)
            .socketChannelFactory(this::openConnection)
            .datagramChannelStrategy(DnsNameResolverChannelStrategy.ChannelPerResolution)
            .queryTimeoutMillis(timeout.toMillis())
            .optResourceEnabled(edns0)
            .resolveCache(NoopDnsCache.INSTANCE)
            .cnameCache(NoopDnsCnameCache.INSTANCE)
            .authoritativeDnsServerCache(NoopAuthoritativeDnsServerCache.INSTANCE)
            .build();
  }

  HeddleEventLoop loop() {
    return loop;
  }

  /// Starts a query; a caller that no longer wants the answer closes it.
  Query ask(InetSocketAddress server, Question question) {
    Query query = new Query(server, question);
    try {
      loop.execute(query::start);
    } catch (RejectedExecutionException e) {
      query.refused = new Answer.Failed("was not asked: " + e.getMessage(), false);
    }
    return query;
  }

  private DatagramChannel openDatagram() {
    DatagramChannel channel = datagrams.newChannel();
    Query of = starting;
    if (of != null) {
      // before Netty's handlers
      channel.pipeline().addLast(new Exchange(of), new AnswerValidator(of.question));
      channel.closeFuture().addListener(_ -> of.envelope.tryFailure(new ClosedChannelException()));
    }
    return channel;
  }

  private SocketChannel openConnection() {
    SocketChannel channel = connections.newChannel();
    if (reading != null) {
      reading.envelope.addListener(_ -> channel.close());
    }
    return channel;
  }

  /// First handler of a query's channel: connects the socket, and records whose datagram is read.
  private final class Exchange extends ChannelDuplexHandler {
    private final Query query;

    Exchange(Query query) {
      this.query = query;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise written) {
      ctx.connect(query.server)
          .addListener(connected -> {
            if (connected.isSuccess()) {
              ctx.writeAndFlush(message, written);
            } else {
              ReferenceCountUtil.release(message);
              written.tryFailure(connected.cause());
            }
          });
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      reading = query;
      try {
        ctx.fireChannelRead(message);
      } finally {
        reading = null;
      }
    }

    /// Called for example when no process listens at the server's port.
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      query.envelope.tryFailure(cause);
    }
  }

  final class Query {
    private final InetSocketAddress server;
    private final Question question;
    private final Envelope envelope = new Envelope(loop);
    private final Promise<Answer> answer = loop.newPromise();
    private @Nullable Answer refused; // the event loop has ended

    private Query(InetSocketAddress server, Question question) {
      this.server = server;
      this.question = question;
      // read on arrival, so that it is released even without a waiter
      envelope.addListener(ended -> answer.trySuccess(read(ended)));
    }

    InetSocketAddress server() {
      return server;
    }

    /// Calls `then` with the answer, on the event loop; at once if that has ended.
    void whenAnswered(Consumer<Answer> then) {
      if (refused == null) {
        answer.addListener(_ -> then.accept(answer.getNow()));
      } else {
        then.accept(refused);
      }
    }

    /// Closes the query's channels; no caller waits any more.
    void close() {
      if (refused == null) {
        envelope.cancel(false); // no effect once it has ended
      }
    }

    private void start() {
      if (envelope.isDone()) {
        return; // closed by the caller
      }
      starting = this;
      try {
        var asked = new DefaultDnsQuestion(question.name(), question.type());
        var _ = resolver.query(server, asked, List.of(), envelope);
      } catch (RuntimeException e) {
        envelope.tryFailure(e); // for example an invalid name
      } finally {
        starting = null;
      }
    }

    private Answer read(Future<?> ended) {
      if (!ended.isSuccess()) {
        return new Answer.Failed(why(ended.cause()), true);
      }
      AddressedEnvelope<? extends DnsResponse, InetSocketAddress> received = envelope.getNow();
      try {
        return AnswerReader.read(received.content(), question);
      } catch (RuntimeException e) {
        return new Answer.Failed("sends a malformed response: " + e, true);
      } finally {
        received.release();
      }
    }

    private String why(Throwable cause) {
      if (cause instanceof DnsNameResolverTimeoutException) {
        return "has not answered within " + timeout.toSeconds() + " s";
      }
      if (cause instanceof PortUnreachableException) {
        return "refuses: no process listens there";
      }
      Throwable reason = cause.getCause() == null ? cause : cause.getCause();
      return "could not be queried: " + reason;
    }
  }

  /// A promise that tolerates Netty failing a query that was cancelled meanwhile.
  private static final class Envelope
      extends DefaultPromise<AddressedEnvelope<? extends DnsResponse, InetSocketAddress>> {
    Envelope(HeddleEventLoop loop) {
      super(loop);
    }

    @Override
    public Promise<AddressedEnvelope<? extends DnsResponse, InetSocketAddress>> setFailure(
        Throwable cause) {
      var _ = tryFailure(cause);
      return this;
    }
  }
}
