// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.heddle.bench.measure.Server;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.io.PrintStream;
import java.util.List;

/// A greeting by Netty's HTTP codec: requests that came in one turn are answered with one flush.
public final class NettyHttp implements Server {
  private static final byte[] GREETING = "Hello, World!".getBytes(US_ASCII);
  private static final ByteBuf BODY =
      Unpooled.unreleasableBuffer(Unpooled.directBuffer(GREETING.length).writeBytes(GREETING));
  private static final AsciiString LENGTH = AsciiString.cached(Integer.toString(GREETING.length));

  private final NettyLoop loop;
  private final HttpDate date = new HttpDate();

  /// A server on such a loop.
  public NettyHttp(NettyLoop loop) {
    this.loop = loop;
  }

  @Override
  public void serve(PrintStream output) throws InterruptedException {
    loop.serve(output, () -> List.of(new HttpServerCodec(), new Greeter()));
  }

  private final class Greeter extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      try {
        if (message instanceof HttpRequest request) {
          answer(context, request);
        }
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
      boolean good = request.decoderResult().isSuccess();
      FullHttpResponse response =
          good && request.uri().equals("/")
              ? greeting()
              : refusal(good ? HttpResponseStatus.NOT_FOUND : HttpResponseStatus.BAD_REQUEST);
      if (good && HttpUtil.isKeepAlive(request)) {
        context.write(response, context.voidPromise());
      } else {
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        context.write(response).addListener(ChannelFutureListener.CLOSE);
      }
    }

    private FullHttpResponse greeting() {
      var response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, BODY.duplicate());
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
          .set(HttpHeaderNames.CONTENT_LENGTH, LENGTH)
          .set(HttpHeaderNames.DATE, date.now());
      return response;
    }

    private static FullHttpResponse refusal(HttpResponseStatus status) {
      var response =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, HttpHeaderValues.ZERO);
      return response;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
