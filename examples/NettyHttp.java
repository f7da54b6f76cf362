// SPDX-License-Identifier: Apache-2.0

import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;
import static io.netty.handler.codec.http.HttpVersion.HTTP_1_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
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
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.flow.FlowControlHandler;
import org.jspecify.annotations.Nullable;

/// An HTTP server on Netty's codec whose requests are coroutines, until Ctrl-C. Try it with `curl
/// http://127.0.0.1:PORT/`, with `/slow`, and with `/self`, for which the server asks itself.
///
/// Netty reads and writes on the loop's own thread; each request gets a coroutine, which may wait
/// for whatever it likes. Answers leave in the order of their requests.
final class NettyHttp {
  private static final int LARGEST_BODY = 64 << 10; // bytes
  private static final int MOST_WAITING = 16; // requests of a connection, answered at the same time
  private static final Duration SLOW = Duration.ofMillis(100);

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
    bootstrap.childHandler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            channel
                .pipeline()
                .addLast(new HttpServerCodec(), new HttpObjectAggregator(LARGEST_BODY))
                .addLast(new FlowControlHandler()) // one read brings many requests
                .addLast(new Conversation(requests));
          }
        });
    Channel server = NettyFutures.await(bootstrap.bind(address));
    self = server.localAddress();
    int chosen = ((InetSocketAddress) server.localAddress()).getPort();
    System.out.println("Netty says hello at http://127.0.0.1:" + chosen + "/");
    NettyFutures.await(server.closeFuture());
  }

  /// The requests of one connection.
  private final class Conversation extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final Scope requests;
    private @Nullable Coroutine<?> before;
    private int waiting;

    Conversation(Scope requests) {
      this.requests = requests;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      Coroutine<?> previous = before;
      request.retain(); // the handler returns, the coroutine goes on
      if (++waiting == MOST_WAITING) {
        ctx.channel().config().setAutoRead(false);
      }
      before =
          requests.spawn(
              "request " + request.uri(),
              () -> {
                try {
                  serve(ctx, request, previous);
                } finally {
                  request.release();
                  if (waiting-- == MOST_WAITING) {
                    ctx.channel().config().setAutoRead(true);
                  }
                }
              });
    }

    private void serve(
        ChannelHandlerContext ctx, FullHttpRequest request, @Nullable Coroutine<?> previous) {
      FullHttpResponse answer = answerOrFailure(request);
      try {
        if (previous != null) {
          previous.await();
        }
      } catch (Throwable e) {
        answer.release(); // nobody sends it
        throw e;
      }
      boolean failed = answer.status().equals(HttpResponseStatus.INTERNAL_SERVER_ERROR);
      send(ctx, answer, !failed && HttpUtil.isKeepAlive(request));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      var _ = ctx.close(); // it reset the connection, or speaks no HTTP
    }
  }

  private static void send(ChannelHandlerContext ctx, FullHttpResponse answer, boolean keepAlive) {
    HttpUtil.setKeepAlive(answer, keepAlive);
    ChannelFuture sent = ctx.writeAndFlush(answer);
    if (!keepAlive) {
      sent.addListener(ChannelFutureListener.CLOSE);
    }
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
      return text(HttpResponseStatus.METHOD_NOT_ALLOWED, "only GET is served\n");
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
