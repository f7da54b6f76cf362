// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.heddle.bench.measure.Server;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.PrintStream;
import java.util.List;

/// A greeting on Netty without its HTTP codec: the request line and the end of the head are looked
/// for, the answer is made once a second, and requests that came in one turn are answered with one
/// flush.
public final class NettyBareHttp implements Server {
  private static final int LARGEST_HEAD = 8 << 10;
  private static final ByteBuf REQUEST =
      Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("GET / HTTP/1.1\r\n", US_ASCII));
  private static final byte[] REFUSAL =
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".getBytes(US_ASCII);

  private final NettyLoop loop;

  // event loop only
  private final HttpDate date = new HttpDate();
  private String dated = "";
  private byte[] greeting = {};

  /// A server on such a loop.
  public NettyBareHttp(NettyLoop loop) {
    this.loop = loop;
  }

  @Override
  public void serve(PrintStream output) throws InterruptedException {
    loop.serve(output, () -> List.of(new Greeter()));
  }

  private byte[] greeting() {
    String now = date.now();
    if (!now.equals(dated)) {
      dated = now;
      greeting =
          ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\nDate: "
                  + now
                  + "\r\n\r\nHello, World!")
              .getBytes(US_ASCII);
    }
    return greeting;
  }

  /// Of one connection.
  private final class Greeter extends ChannelInboundHandlerAdapter {
    private ByteBuf input = Unpooled.EMPTY_BUFFER; // what has not been answered yet

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      input =
          ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), input, (ByteBuf) message);
      int requests = 0;
      int end = headEnd();
      while (end >= 0 && isKnown(end)) {
        requests++;
        input.readerIndex(end);
        end = headEnd();
      }
      greet(context, requests);
      if (end >= 0 || input.readableBytes() > LARGEST_HEAD) {
        input.skipBytes(input.readableBytes());
        context
            .writeAndFlush(Unpooled.wrappedBuffer(REFUSAL))
            .addListener(ChannelFutureListener.CLOSE);
      }
      if (!input.isReadable()) {
        forget();
      }
    }

    /// Behind the empty line of the first head, or -1 while that has not come.
    private int headEnd() {
      int line = input.readerIndex();
      int feed = input.indexOf(line, input.writerIndex(), (byte) '\n');
      while (feed >= 0 && (feed != line + 1 || input.getByte(line) != '\r')) {
        line = feed + 1;
        feed = input.indexOf(line, input.writerIndex(), (byte) '\n');
      }
      return feed < 0 ? -1 : feed + 1;
    }

    private boolean isKnown(int end) {
      int length = REQUEST.readableBytes();
      return end - input.readerIndex() > length
          && ByteBufUtil.equals(REQUEST, 0, input, input.readerIndex(), length);
    }

    private void greet(ChannelHandlerContext context, int times) {
      if (times > 0) {
        byte[] one = greeting();
        ByteBuf all = context.alloc().ioBuffer(times * one.length);
        for (int i = 0; i < times; i++) {
          all.writeBytes(one);
        }
        context.write(all, context.voidPromise());
      }
    }

    private void forget() {
      input.release();
      input = Unpooled.EMPTY_BUFFER;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      forget();
      context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
