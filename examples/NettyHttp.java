// SPDX-License-Identifier: Apache-2.0

import static io.netty.handler.codec.http.HttpHeaderNames.ALLOW;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;
import static io.netty.handler.codec.http.HttpVersion.HTTP_1_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpContentException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/// An HTTP server on Netty's codec whose requests are coroutines, until Ctrl-C. Try it with `curl
/// http://127.0.0.1:PORT/`, with `/slow`, and with `/self`, for which the server asks itself.
///
/// Netty reads and writes in its own turns; each request gets a coroutine, which may wait for
/// whatever it likes. Answers leave in the order of their requests. Who says that it will send no
/// more still gets its answers; who sends what is no HTTP is told so, and hung up on.
final class NettyHttp {
  private static final int LARGEST_BODY = 64 << 10; // bytes
  private static final int MOST_WAITING = 16; // requests of a connection, answered at the same time
  private static final int MOST_IN_A_READ = 4_096; // requests that 64 KiB hold; Netty's own is 128
  private static final Duration SLOW = Duration.ofMillis(100);
  private static final Duration LINGER = Duration.ofSeconds(2); // for a client to read the last

  private final HeddleEventLoop loop = HeddleEventLoop.current();
  private @Nullable SocketAddress self;

  static void main(String[] args) {
    String port = args.length == 0 ? "0" : args[0]; // 0: the system chooses
    if (args.length > 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
      System.err.println("usage: ./heddle run examples/NettyHttp.java [PORT]");
      Heddle.exit(2);
    }
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    Heddle.supervise(requests -> {
      new NettyHttp().serve(address, requests);
      return null;
    });
  }

  private void serve(SocketAddress address, Scope requests) {
    var bootstrap = new ServerBootstrap().group(loop).channel(loop.serverChannelType());
    bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    bootstrap.childHandler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            channel
                .pipeline()
                .addLast(
                    new HttpServerCodec(new HttpDecoderConfig(), MOST_IN_A_READ), new Aggregator())
                .addLast(new EndInOrder(), new FlowControlHandler()) // a read brings many requests
                .addLast(new Conversation(requests));
          }
        });
    Channel server = NettyFutures.await(bootstrap.bind(address));
    server.pipeline().addLast(new Refusals());
    self = server.localAddress();
    int chosen = ((InetSocketAddress) server.localAddress()).getPort();
    System.out.println("Netty says hello at http://127.0.0.1:" + chosen + "/");
    NettyFutures.await(server.closeFuture());
  }

  /// Told when the system gives no connection, most often for want of a descriptor. Netty's own
  /// acceptor then pauses for a second and tries again; here is only said so, once a minute.
  private static final class Refusals extends ChannelInboundHandlerAdapter {
    private static final Duration PERIOD = Duration.ofMinutes(1);

    private @Nullable Deadline next;

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (next == null || next.remaining().isZero()) {
        System.err.println("Cannot accept: " + cause.getMessage());
        next = Deadline.after(PERIOD);
      }
    }
  }

  /// Hands on a body that is too large as a request that cannot be read: Netty's own answer would
  /// leave before those to earlier requests.
  private static final class Aggregator extends HttpObjectAggregator {
    Aggregator() {
      super(LARGEST_BODY);
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
      var refused = new DefaultFullHttpRequest(HTTP_1_1, HttpMethod.POST, "/");
      refused.setDecoderResult(DecoderResult.failure(new TooLongHttpContentException()));
      ctx.fireChannelRead(refused);
    }
  }

  /// Hands on the end of what the client sends as a message: behind the requests that wait in the
  /// [FlowControlHandler], which events overtake.
  private static final class EndInOrder extends ChannelInboundHandlerAdapter {
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof ChannelInputShutdownEvent) {
        ctx.fireChannelRead(event);
      } else {
        ctx.fireUserEventTriggered(event);
      }
    }
  }

  /// A request and, when there is one, its answer.
  private static final class Exchange {
    final HttpVersion version;
    final boolean keepAlive;
    @Nullable FullHttpResponse answer;

    Exchange(FullHttpRequest request) {
      version = request.protocolVersion();
      keepAlive = request.decoderResult().isSuccess() && HttpUtil.isKeepAlive(request);
    }

    /// Whether no other request of the connection is answered after it.
    boolean isLast() {
      return !keepAlive
          || (answer != null && answer.status().equals(HttpResponseStatus.INTERNAL_SERVER_ERROR));
    }
  }

  /// The requests of one connection. All of this runs in Netty's turns; only [#answerOrFailure]
  /// runs in coroutines.
  private final class Conversation extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final Scope requests;
    private final ArrayDeque<Exchange> waiting = new ArrayDeque<>(); // the oldest first
    private boolean isAtEnd; // there is nothing to be read any more
    private boolean heardAll; // the client sends no more, or nobody will listen
    private boolean saidAll; // the last answer is on its way

    Conversation(Scope requests) {
      this.requests = requests;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      if (heardAll) {
        return; // behind the last request: nobody expects an answer
      }
      var exchange = new Exchange(request);
      if (request.decoderResult().isFailure()) {
        exchange.answer = refusal(request.decoderResult().cause());
      } else {
        requests.spawn("request " + request.uri(), () -> attend(ctx, request, exchange));
        request.retain(); // this handler returns, the coroutine goes on
      }
      heardAll = !exchange.keepAlive;
      waiting.add(exchange);
      goOn(ctx);
    }

    private void attend(ChannelHandlerContext ctx, FullHttpRequest request, Exchange exchange) {
      FullHttpResponse answer = null;
      try {
        answer = answerOrFailure(request);
      } finally {
        request.release();
        handOver(ctx, exchange, answer);
      }
    }

    private void handOver(
        ChannelHandlerContext ctx, Exchange exchange, @Nullable FullHttpResponse answer) {
      loop.execute(() -> {
        if (answer == null) {
          var _ = ctx.close(); // its coroutine was cancelled
        } else if (saidAll || !ctx.channel().isActive()) {
          answer.release(); // nobody reads it
        } else {
          exchange.answer = answer;
          goOn(ctx);
        }
      });
    }

    /// Sends the answers that are due, and sees to it that no more is read than can be answered.
    private void goOn(ChannelHandlerContext ctx) {
      for (Exchange next = waiting.peek();
          next != null && next.answer != null && !saidAll;
          next = waiting.peek()) {
        waiting.remove();
        saidAll = next.isLast() || (heardAll && waiting.isEmpty());
        heardAll |= saidAll;
        HttpUtil.setKeepAlive(next.answer.headers(), next.version, !saidAll);
        ChannelFuture sent = ctx.write(next.answer);
        if (saidAll) {
          sent.addListener(_ -> hangUp(ctx));
        }
      }
      ctx.flush();
      if (!isAtEnd) {
        boolean more = waiting.size() < MOST_WAITING && ctx.channel().isWritable();
        ctx.channel().config().setAutoRead(more || saidAll);
      }
    }

    /// Lets the client read the last answer: a connection that is closed with something unread is
    /// reset, and what is on its way is lost.
    private void hangUp(ChannelHandlerContext ctx) {
      if (!ctx.channel().isActive() || ((DuplexChannel) ctx.channel()).isInputShutdown()) {
        var _ = ctx.close();
      } else {
        var _ = ((DuplexChannel) ctx.channel()).shutdownOutput();
        Runnable close =
            () -> {
              var _ = ctx.close();
            };
        var end = loop.schedule(close, LINGER.toMillis(), TimeUnit.MILLISECONDS);
        ctx.channel().closeFuture().addListener(_ -> end.cancel(false));
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      if (message instanceof ChannelInputShutdownEvent) {
        heardAll(ctx);
      } else {
        super.channelRead(ctx, message);
      }
    }

    /// The client has sent all it has to send.
    private void heardAll(ChannelHandlerContext ctx) {
      isAtEnd = true;
      heardAll = true;
      if (waiting.isEmpty()) {
        // behind what is on its way
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      goOn(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      saidAll = true;
      for (Exchange exchange : waiting) {
        ReferenceCountUtil.release(exchange.answer);
      }
      waiting.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      var _ = ctx.close(); // it reset the connection
    }
  }

  private static FullHttpResponse refusal(Throwable cause) {
    return switch (cause) {
      case TooLongHttpHeaderException _ ->
          text(HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the head is too large\n");
      case TooLongHttpLineException _ ->
          text(HttpResponseStatus.REQUEST_URI_TOO_LONG, "the first line is too long\n");
      case TooLongHttpContentException _ ->
          text(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "the body is too large\n");
      default -> text(HttpResponseStatus.BAD_REQUEST, "that is no HTTP\n");
    };
  }

  private FullHttpResponse answerOrFailure(FullHttpRequest request) {
    try {
      return answer(request);
    } catch (RuntimeException e) {
      System.err.println(request.method() + " " + request.uri() + " failed: " + e);
      return text(HttpResponseStatus.INTERNAL_SERVER_ERROR, "that went wrong\n");
    }
  }

  // ---- what is served: plain code that may wait ----

  private FullHttpResponse answer(FullHttpRequest request) {
    if (!request.method().equals(HttpMethod.GET)) {
      var refusal = text(HttpResponseStatus.METHOD_NOT_ALLOWED, "only GET is served\n");
      refusal.headers().set(ALLOW, HttpMethod.GET.name());
      return refusal;
    }
    return switch (new QueryStringDecoder(request.uri()).path()) {
      case "/" -> text(HttpResponseStatus.OK, "Hello from Netty on a loop\n");
      case "/slow" -> {
        Heddle.delay(SLOW); // the others go on
        yield text(HttpResponseStatus.OK, "that took a while\n");
      }
      case "/self" -> text(HttpResponseStatus.OK, "the server said: " + get("/slow"));
      default -> text(HttpResponseStatus.NOT_FOUND, "nothing here\n");
    };
  }

  private static FullHttpResponse text(HttpResponseStatus status, String text) {
    var body = Unpooled.copiedBuffer(text, UTF_8);
    var answer = new DefaultFullHttpResponse(HTTP_1_1, status, body);
    answer.headers().set(CONTENT_TYPE, "text/plain; charset=utf-8");
    answer.headers().set(CONTENT_LENGTH, body.readableBytes());
    return answer;
  }

  /// What this server answers, asked by a client of Netty's.
  private String get(String path) {
    Promise<String> answer = Heddle.promise("the answer for " + path);
    var bootstrap = new Bootstrap().group(loop).channel(loop.channelType());
    bootstrap.handler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            channel
                .pipeline()
                .addLast(new HttpClientCodec(), new HttpObjectAggregator(LARGEST_BODY))
                .addLast(new Answers(answer));
          }
        });
    Channel channel = NettyFutures.await(bootstrap.connect(self));
    try {
      NettyFutures.await(
          channel.writeAndFlush(new DefaultFullHttpRequest(HTTP_1_1, HttpMethod.GET, path)));
      return answer.future().await();
    } finally {
      var _ = channel.close();
    }
  }

  /// Brings the answer to who waits for it.
  private static final class Answers extends SimpleChannelInboundHandler<FullHttpResponse> {
    private final Promise<String> answer;

    Answers(Promise<String> answer) {
      this.answer = answer;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
      answer.complete(response.content().toString(UTF_8));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      answer.tryFail(new IOException("the server hung up"));
    }
  }
}
