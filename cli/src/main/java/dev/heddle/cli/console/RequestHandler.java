// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import dev.heddle.cli.attach.AttachException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The requests of one connection, one after the other: a browser sends the next one when it has
/// the answer. A client that does not wait is hung up on. **Thread** the event loop's.
final class RequestHandler extends ChannelInboundHandlerAdapter {
  private static final long IDLE_SECONDS = 30;
  private static final long WRITE_SECONDS = 60; // for a client to read an answer
  private static final long LINGER_SECONDS = 2; // for a client to read a refusal
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private final Gate gate;
  private final Pages pages;
  private final Answers answers;
  private final Subscribers subscribers;
  private final PeerUser users;
  private @Nullable ScheduledFuture<?> idle;
  private @Nullable CompletableFuture<String> asked; // last
  private boolean busy; // an answer is due, or goes on

  RequestHandler(Gate gate, PeerUser users, Pages pages, Answers answers, Subscribers subscribers) {
    this.gate = gate;
    this.users = users;
    this.pages = pages;
    this.answers = answers;
    this.subscribers = subscribers;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (!subscribers.connected()) {
      close(ctx); // too many
      return;
    }
    ctx.channel().config().setAutoRead(false); // until it is known to be this user's
    SocketAddress here = ctx.channel().localAddress();
    SocketAddress there = ctx.channel().remoteAddress();
    // the system's table has all sockets of this machine: read here, it would hold up all pages
    var _ =
        CompletableFuture.supplyAsync(() -> users.isAnother(here, there))
            .whenComplete((isAnother, failure) ->
                ctx.executor().execute(() -> admit(ctx, failure == null && !isAnother)));
  }

  private void admit(ChannelHandlerContext ctx, boolean isOwn) {
    if (!isOwn) {
      close(ctx);
    } else if (ctx.channel().isActive()) {
      waitForRequest(ctx);
      ctx.channel().config().setAutoRead(true);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    subscribers.left(ctx.channel());
    stopWaiting();
    CompletableFuture<String> unread = asked;
    if (unread != null) {
      unread.cancel(false); // else that program would pay for what nobody reads
    }
  }

  private void waitForRequest(ChannelHandlerContext ctx) {
    idle = ctx.executor().schedule(() -> close(ctx), IDLE_SECONDS, TimeUnit.SECONDS);
  }

  private static void close(ChannelHandlerContext ctx) {
    var _ = ctx.close();
  }

  private void stopWaiting() {
    ScheduledFuture<?> waits = idle;
    if (waits != null) {
      waits.cancel(false);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    try {
      if (message instanceof HttpRequest request) {
        if (busy) {
          close(ctx);
        } else {
          busy = true;
          stopWaiting();
          answer(ctx, request);
        }
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    close(ctx); // it reset the connection
  }

  // ---- answers ----

  private void answer(ChannelHandlerContext ctx, HttpRequest request) {
    Gate.Verdict verdict = gate.judge(request);
    HttpResponseStatus refusal = verdict.refusal();
    if (refusal != null) {
      refuse(ctx, refusal, verdict.why());
      return;
    }
    boolean keepAlive = HttpUtil.isKeepAlive(request);
    Pages.Page page = pages.at(verdict.path());
    if (page != null) {
      send(ctx, full(HttpResponseStatus.OK, page.type(), page.text()), keepAlive);
    } else if (verdict.path().equals("events")) {
      subscribe(ctx);
    } else {
      CompletableFuture<String> due = answers.to(verdict.path());
      asked = due;
      if (due == null) {
        send(ctx, text(HttpResponseStatus.NOT_FOUND, "nothing here\n"), keepAlive);
      } else {
        var _ =
            due.whenComplete((json, failure) ->
                ctx.executor().execute(() -> send(ctx, answer(json, failure), keepAlive)));
      }
    }
  }

  static DefaultFullHttpResponse answer(@Nullable String json, @Nullable Throwable failure) {
    if (json != null) {
      return full(HttpResponseStatus.OK, JSON, json);
    }
    if (failure instanceof TimeoutException late) {
      String why = late.getMessage();
      String words = why == null ? "that program has not answered yet" : why;
      return text(HttpResponseStatus.GATEWAY_TIMEOUT, words + "\n");
    }
    return failure instanceof AttachException || failure instanceof CancellationException
        ? text(HttpResponseStatus.GONE, failure.getMessage() + "\n")
        : text(HttpResponseStatus.BAD_GATEWAY, "that program cannot answer: " + failure + "\n");
  }

  /// What the client goes on to send is not read.
  private void refuse(ChannelHandlerContext ctx, HttpResponseStatus status, String why) {
    ctx.channel().config().setAutoRead(false);
    DefaultFullHttpResponse refusal = text(status, "heddle console: " + why + "\n");
    if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
      refusal.headers().set(HttpHeaderNames.ALLOW, "GET");
    }
    write(ctx, refusal, false)
        .addListener(_ -> {
          if (ctx.channel() instanceof DuplexChannel duplex && duplex.isActive()) {
            var _ = duplex.shutdownOutput(); // closed with something unread, it would be reset
          }
          var _ = ctx.executor().schedule(() -> close(ctx), LINGER_SECONDS, TimeUnit.SECONDS);
        });
  }

  private void send(ChannelHandlerContext ctx, DefaultFullHttpResponse answer, boolean keepAlive) {
    if (!ctx.channel().isActive()) {
      answer.release();
      return;
    }
    // one that reads nothing must not keep megabytes here
    ScheduledFuture<?> unread =
        ctx.executor().schedule(() -> close(ctx), WRITE_SECONDS, TimeUnit.SECONDS);
    write(ctx, answer, keepAlive)
        .addListener(_ -> {
          unread.cancel(false);
          busy = false;
          if (keepAlive) {
            waitForRequest(ctx);
          } else {
            close(ctx);
          }
        });
  }

  private static ChannelFuture write(
      ChannelHandlerContext ctx, DefaultFullHttpResponse answer, boolean keepAlive) {
    protect(answer.headers());
    answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
    HttpUtil.setKeepAlive(answer, keepAlive);
    return ctx.writeAndFlush(answer);
  }

  private void subscribe(ChannelHandlerContext ctx) {
    HttpResponse begin = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    protect(begin.headers());
    begin.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream");
    begin.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    var _ = ctx.writeAndFlush(begin);
    subscribers.add(ctx.channel());
  }

  static Object event(String text) {
    return new DefaultHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }

  private static void protect(HttpHeaders headers) {
    headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set(HttpHeaderNames.CACHE_CONTROL, "no-store");
  }

  private static DefaultFullHttpResponse text(HttpResponseStatus status, String text) {
    return full(status, TEXT, text);
  }

  private static DefaultFullHttpResponse full(HttpResponseStatus status, String type, String body) {
    ByteBuf bytes = Unpooled.copiedBuffer(body, StandardCharsets.UTF_8);
    var answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, bytes);
    answer.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    return answer;
  }
}
