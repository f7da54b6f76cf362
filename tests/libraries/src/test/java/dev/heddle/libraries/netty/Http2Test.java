// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import static dev.heddle.libraries.netty.TwoLoops.answer;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.heddle.Heddle;
import dev.heddle.event.Promise;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Frame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import java.io.EOFException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Netty's HTTP/2 codec, with a stream for each question: all of a loop share one connection, and
/// the tables by which their headers are shortened.
@ParameterizedClass
@MethodSource("dev.heddle.libraries.netty.TwoLoops#drivers")
@Tag("T14.6")
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record Http2Test(String driver) {
  private static final String NAME = "name"; // the header by which each stream is known

  @Test
  void streams_ofOneConnection_getTheirOwnAnswers() throws Exception {
    requestAll(2_000);
  }

  @Test
  @Tag("full")
  void streams_manyMore_getTheirOwnAnswers() throws Exception {
    requestAll(TwoLoops.many(driver));
  }

  private void requestAll(int requests) throws Exception {
    TwoLoops.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel server =
              Sockets.listen(
                  loop,
                  c ->
                      c.pipeline()
                          .addLast(
                              Http2FrameCodecBuilder.forServer().build(),
                              new Http2MultiplexHandler(answering())));
          Channel client =
              Sockets.connect(
                  loop,
                  server.localAddress(),
                  c ->
                      c.pipeline()
                          .addLast(
                              Http2FrameCodecBuilder.forClient().build(),
                              new Http2MultiplexHandler(new ChannelInboundHandlerAdapter())));
          TwoLoops.askAll(requests, question -> request(client, question));
          NettyFutures.await(client.close());
          NettyFutures.await(server.close());
        });
  }

  private static String request(Channel connection, String question) {
    Promise<Message> answer = Heddle.promise("the answer");
    Http2StreamChannel stream =
        NettyFutures.await(
            new Http2StreamChannelBootstrap(connection)
                .handler(new Collecting(answer::complete, answer::fail))
                .open());
    String name = question.substring(0, question.indexOf(' '));
    // two writes: other streams' come between them
    NettyFutures.await(stream.writeAndFlush(head(new DefaultHttp2Headers().method("POST"), name)));
    NettyFutures.await(stream.writeAndFlush(body(question)));
    Message message = answer.future().await();
    return message.name.equals(name) ? message.text : "the answer to " + message.name;
  }

  private static Http2HeadersFrame head(Http2Headers headers, String name) {
    return new DefaultHttp2HeadersFrame(headers.set(NAME, name));
  }

  private static Http2DataFrame body(String text) {
    return new DefaultHttp2DataFrame(Unpooled.copiedBuffer(text, UTF_8), true);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // who is not answered misses it
  private static ChannelHandler answering() {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel stream) {
        stream
            .pipeline()
            .addLast(
                new Collecting(
                    question -> {
                      stream.write(head(new DefaultHttp2Headers().status("200"), question.name));
                      stream.writeAndFlush(body(answer(question.text)));
                    },
                    _ -> stream.close()));
      }
    };
  }

  private record Message(String name, String text) {}

  /// What comes on a stream, until its end.
  private static final class Collecting extends SimpleChannelInboundHandler<Http2Frame> {
    private final Consumer<Message> whole;
    private final Consumer<Throwable> failed;
    private final StringBuilder text = new StringBuilder(); // ASCII: no character is cut
    private String name = "nobody";
    private boolean ended;

    Collecting(Consumer<Message> whole, Consumer<Throwable> failed) {
      this.whole = whole;
      this.failed = failed;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Http2Frame frame) {
      if (frame instanceof Http2HeadersFrame head) {
        name = String.valueOf(head.headers().get(NAME));
      } else if (frame instanceof Http2DataFrame data) {
        text.append(data.content().toString(UTF_8));
        if (data.isEndStream()) {
          ended = true;
          whole.accept(new Message(name, text.toString()));
        }
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ended = true;
      failed.accept(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      if (!ended) {
        failed.accept(new EOFException("the stream has ended before its message"));
      }
    }
  }
}
