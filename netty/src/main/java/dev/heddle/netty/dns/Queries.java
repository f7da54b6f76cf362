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

/// Asks one name server one question: by UDP, and by TCP when the answer is too long for that.
final class Queries {
  /*
   * Netty's resolver asks: it makes the query, matches the answer with it (identifier, question,
   * the server's address), falls back to TCP and limits the time. What is to be asked of whom is
   * LoopDnsResolver'.
   *
   * Channels. Each query has a UDP socket of its own, so an answer that is forged has to hit a
   * port, too, and a late one hits nothing. It is connected to the server: then the system drops
   * what others send, and says when no process listens at the server's port, where a query would
   * wait for its whole time. It is closed with the query.
   *
   * So is the connection that Netty opens for a long answer: it does not do that itself when the
   * query is cancelled. Whose it is we know by the order of calls: Netty opens it while it reads
   * the datagram that was cut short, and all of that happens in one turn of the event loop.
   *
   * Threads. ask(), whenAnswered() and close(): the loop's. All else runs on the event loop, one
   * thing at a time; also the start of a query, for the channel that is opened in it to be known as
   * its own.
   *
   * I1. A query that has ended, however it has, leaves no channel. [NamesEndTest]
   * I2. A query ends: by an answer, its time, its channel's end, or its caller's. [NamesEndTest]
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

  /// The event loop that asks.
  HeddleEventLoop loop() {
    return loop;
  }

  /// Asks; a caller that does not want the answer any more closes the query.
  Query ask(InetSocketAddress server, Question question) {
    Query query = new Query(server, question);
    query.begin();
    return query;
  }

  private DatagramChannel openDatagram() {
    DatagramChannel channel = datagrams.newChannel();
    Query of = starting;
    if (of != null) {
      // before those that Netty adds
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

  /// Next to the socket: connects it to the server, and tells whose datagram is read.
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

    /// The system reports, say, that no process listens at the server's port.
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      query.envelope.tryFailure(cause);
    }
  }

  /// One that is out, or has been answered.
  final class Query {
    private final InetSocketAddress server;
    private final Question question;
    private final Envelope envelope = new Envelope(loop);
    private final Promise<Answer> answer = loop.newPromise();
    private @Nullable Answer refused; // the event loop has ended

    private Query(InetSocketAddress server, Question question) {
      this.server = server;
      this.question = question;
      // read where it comes: then it is released, whether or not a caller still waits
      envelope.addListener(ended -> answer.trySuccess(read(ended)));
    }

    private void begin() {
      try {
        loop.execute(this::start);
      } catch (RejectedExecutionException e) {
        refused = new Answer.Failed("was not asked: " + e.getMessage(), false);
      }
    }

    InetSocketAddress server() {
      return server;
    }

    /// Tells the answer, on the event loop; at once where that has ended.
    void whenAnswered(Consumer<Answer> then) {
      if (refused == null) {
        answer.addListener(_ -> then.accept(answer.getNow()));
      } else {
        then.accept(refused);
      }
    }

    /// No caller waits any more: closes what is open.
    void close() {
      if (refused == null) {
        envelope.cancel(false); // no effect once it has ended
      }
    }

    private void start() {
      if (envelope.isDone()) {
        return; // the caller has left
      }
      starting = this;
      try {
        var asked = new DefaultDnsQuestion(question.name(), question.type());
        var _ = resolver.query(server, asked, List.of(), envelope);
      } catch (RuntimeException e) {
        envelope.tryFailure(e); // a name that cannot be written, say
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
        return new Answer.Failed("sends what cannot be read: " + e, true);
      } finally {
        received.release();
      }
    }

    private String why(Throwable cause) {
      if (cause instanceof DnsNameResolverTimeoutException) {
        return "has not answered within " + timeout.toSeconds() + " s";
      }
      if (cause instanceof PortUnreachableException) {
        return "refuses: no server listens there";
      }
      Throwable reason = cause.getCause() == null ? cause : cause.getCause();
      return "could not be asked: " + reason;
    }
  }

  /// Netty fails a query without asking whether it was cancelled meanwhile.
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
