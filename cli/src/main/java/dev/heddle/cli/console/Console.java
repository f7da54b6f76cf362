// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import dev.heddle.Heddle;
import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Serves the page until this program is told to end.
public final class Console {
  /*
   *   Looker, one for each program   --events-->  Subscribers  --server-sent events-->  pages
   *   Looker                         <-questions- Answers      <-------- GET ---------  pages
   *
   * The server is a program of Heddle: Netty's HTTP codec in the event loop of this loop. Looks are
   * taken by threads, because a program that is held answers late; what they see is handed to the
   * event loop. Without an open page nothing is looked at, and after five seconds nothing but two
   * pipes and a thread is there in the watched JVM; they are gone when this ends. That a program
   * has ended is still checked, once a second, so that the next page is told when and how.
   */
  private static final Duration SCAN = Duration.ofSeconds(2);
  private static final int UNSEEN = 3; // times that pause, while no page is open

  private final List<Long> pids;
  private final int port;

  /// @param pids those to watch; none: all that run, and those that begin later
  /// @param port 0: the system chooses
  public Console(List<Long> pids, int port) {
    this.pids = pids.stream().distinct().toList();
    this.port = port;
  }

  /// Serves, in a coroutine, until that is cancelled.
  ///
  /// @param announce gets the URL
  /// @throws AttachException when one of the programs cannot be watched
  /// @throws IOException when the port cannot be had
  public void serve(Consumer<String> announce) throws AttachException, IOException {
    HeddleEventLoop loop = HeddleEventLoop.current();
    Relay relay = new Relay(loop);
    try (Programs programs = new Programs(new LookerOpener(), System::nanoTime, relay)) {
      Pages pages = new Pages();
      Subscribers subscribers = new Subscribers(programs);
      relay.subscribers = subscribers;
      watchNamed(programs);
      String token = Gate.newToken();
      Channel server = listen(loop, new Answers(programs), pages, subscribers, token);
      int chosen = ((InetSocketAddress) server.localAddress()).getPort();
      announce.accept("http://127.0.0.1:" + chosen + "/" + token + "/");
      watchAll(programs, server);
    }
  }

  /// Hands events to the event loop.
  private static final class Relay implements Consumer<String> {
    private final HeddleEventLoop loop;
    private volatile @Nullable Subscribers subscribers;

    Relay(HeddleEventLoop loop) {
      this.loop = loop;
    }

    @Override
    public void accept(String event) {
      Subscribers all = subscribers;
      if (all == null) {
        return;
      }
      try {
        loop.execute(() -> all.send(event));
      } catch (RejectedExecutionException _) {
        // safe: the console ends, and nobody reads it
      }
    }
  }

  private Channel listen(
      HeddleEventLoop loop, Answers answers, Pages pages, Subscribers subscribers, String token)
      throws IOException {
    PeerUser users = PeerUser.ofSystem();
    var bootstrap = new ServerBootstrap().group(loop).channel(loop.serverChannelType());
    bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
    bootstrap.childHandler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            int own = ((InetSocketAddress) channel.localAddress()).getPort();
            channel
                .pipeline()
                .addLast(new HttpServerCodec())
                .addLast(
                    new RequestHandler(new Gate(token, own), users, pages, answers, subscribers));
          }
        });
    try {
      return NettyFutures.await(
          bootstrap.bind(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
    } catch (RuntimeException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException("cannot listen on port " + port + ": " + cause.getMessage(), e);
    }
  }

  // ---- what is watched ----

  private void watchNamed(Programs programs) throws AttachException {
    Map<Long, String> running = pids.isEmpty() ? Map.of() : Heddle.offload(JavaProcess::running);
    for (long pid : pids) {
      Heddle.offload(() -> {
        programs.add(pid, running.getOrDefault(pid, ""));
        return true;
      });
    }
  }

  private void watchAll(Programs programs, Channel server) {
    if (!pids.isEmpty()) {
      NettyFutures.await(server.closeFuture());
      return;
    }
    while (true) {
      Heddle.offload(() -> addNew(programs));
      for (int i = 0; i == 0 || (i < UNSEEN && programs.isPaused()); i++) {
        Heddle.delay(SCAN);
      }
    }
  }

  private static boolean addNew(Programs programs) {
    List<Long> candidates = JavaProcess.candidates();
    programs.tidy(candidates);
    List<Long> due = candidates.stream().filter(programs::isDue).toList();
    JavaProcess.running(due).forEach(programs::tryAdd);
    return true;
  }
}
