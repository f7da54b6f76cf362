// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Promise;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/// A server of Netty's on the loop, and its clients: coroutines that share a connection of Netty's,
/// others with one of their own, and Heddle's sockets.
///
/// Each handler takes the lock that coroutines and a thread take, too, in the middle of the
/// pipeline. Whoever were let in meanwhile would get another's answer: a frame is its length, its
/// owner's number and that owner's bytes, and it comes back as it was.
///
/// **Thread** the loop's, but what the stranger does.
final class NettyChannels {
  private static final int HEAD = 4; // bytes of the length, and of the owner
  private static final int LONGEST = 10_000; // bytes
  private static final int LARGEST_FRAME = 1 << 16; // bytes
  private static final int SHARED = 2; // connections in a round

  private final HeddleEventLoop loop = HeddleEventLoop.current();
  private final SharedLock lock;
  private final Random random;
  private final Pattern pattern;
  private final Channel server;
  private final List<Channel> shared = new ArrayList<>();
  private int open; // channels, of servers and clients

  NettyChannels(SocketAddress address, SharedLock lock, Random random, Pattern pattern) {
    this.lock = lock;
    this.random = random;
    this.pattern = pattern;
    this.server =
        NettyFutures.await(
            new ServerBootstrap()
                .group(loop)
                .channel(loop.serverChannelType())
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childHandler(pipeline(Answers::new))
                .bind(address));
  }

  /// Begins a round: opens what is shared in it, and has coroutines hold the lock.
  void begin(Scope round) {
    shared.clear();
    for (int i = 0; i < SHARED; i++) {
      round.launch("shared connection", this::share);
    }
    round.launch("holder", () -> lock.holdAndPark(random));
  }

  private void share() {
    ChannelFuture connecting = connect();
    try {
      shared.add(NettyFutures.await(connecting));
      NettyFutures.await(connecting.channel().closeFuture());
      pattern.wrong("a shared connection was closed");
    } finally {
      connecting.channel().close();
    }
  }

  /// One thing that a client can do.
  ///
  /// @return how it ended
  String something() throws IOException {
    return switch (random.nextInt(5)) {
      case 0 -> onceAsked();
      case 1 -> askedBySocket();
      default -> shared.isEmpty() ? onceAsked() : asked();
    };
  }

  /// As with Heddle's own listeners.
  void awaitRest() throws IOException {
    askedBySocket();
    while (open > 0) {
      Heddle.delay(Duration.ofMillis(10));
    }
  }

  // --- clients ------------------------------------------------------------------------------

  private ChannelFuture connect() {
    return new Bootstrap()
        .group(loop)
        .channel(loop.channelType())
        .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
        .handler(pipeline(Questions::new))
        .connect(server.localAddress());
  }

  private String asked() {
    ask(shared.get(random.nextInt(shared.size())));
    return "asked";
  }

  private String onceAsked() {
    ChannelFuture connecting = connect();
    try {
      ask(NettyFutures.await(connecting));
      return "asked once";
    } finally {
      connecting.channel().close();
    }
  }

  /// Asks, unless it is cancelled. The answer is checked in any case.
  private void ask(Channel channel) {
    Promise<Integer> answered = Heddle.promise("the answer");
    answered.future().ignore(); // who is cancelled meanwhile takes no failure
    var question = new Question(pattern.next(), 1 + random.nextInt(LONGEST), answered);
    channel.writeAndFlush(question);
    int owner = answered.future().await();
    if (owner != question.owner()) {
      pattern.wrong("%d got the answer for %d".formatted(question.owner(), owner));
    }
  }

  private String askedBySocket() throws IOException {
    try (StreamSocket socket = Tcp.connect(server.localAddress())) {
      int owner = pattern.next();
      ByteBuffer bytes = Pattern.bytes(owner, 1 + random.nextInt(LONGEST));
      ByteBuffer head = ByteBuffer.allocate(2 * HEAD);
      socket.write(head.putInt(HEAD + bytes.capacity()).putInt(owner).flip());
      socket.write(bytes);
      ByteBuffer came = ByteBuffer.allocate(head.capacity() + bytes.capacity());
      socket.readFully(came);
      came.flip();
      pattern.check("head for " + owner, head.flip(), came.slice(0, head.capacity()));
      pattern.check("Netty's answer", owner, came.position(head.capacity()));
      return "asked by a socket";
    }
  }

  // --- pipelines ----------------------------------------------------------------------------

  private ChannelInitializer<Channel> pipeline(Supplier<ChannelDuplexHandler> last) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        open++;
        channel.closeFuture().addListener(_ -> open--);
        channel
            .pipeline()
            .addLast(new LengthFieldBasedFrameDecoder(LARGEST_FRAME, 0, HEAD, 0, HEAD))
            .addLast(last.get());
      }
    };
  }

  /// A frame that is to be sent.
  ///
  /// @param size of its bytes behind the head
  /// @param answered who waits for the answer
  private record Question(int owner, int size, Promise<Integer> answered) {}

  /// Takes the lock for each frame that comes and for each that goes, and looks whether anybody has
  /// entered meanwhile.
  private abstract class LockingHandler extends ChannelDuplexHandler {
    private boolean coming;
    private boolean going;

    /// A frame without its length.
    abstract void came(ChannelHandlerContext ctx, int owner, ByteBuf bytes);

    @Override
    public final void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf frame = (ByteBuf) message;
      try {
        enter(coming);
        coming = true;
        lock.holding(() -> null);
        int owner = frame.readInt();
        pattern.check("frame", owner, frame.nioBuffer());
        came(ctx, owner, frame);
      } finally {
        coming = false;
        frame.release();
      }
    }

    /// A frame in memory of the pool, made with the lock in the hand.
    final void send(ChannelHandlerContext ctx, int owner, ByteBuffer bytes, ChannelPromise sent) {
      enter(going);
      going = true;
      ByteBuf frame =
          lock.holding(() -> ctx.alloc().directBuffer(2 * HEAD + bytes.remaining()));
      frame.writeInt(HEAD + bytes.remaining()).writeInt(owner).writeBytes(bytes);
      going = false;
      ctx.write(frame, sent);
    }

    private void enter(boolean inside) {
      if (inside) {
        pattern.wrong("a pipeline was entered while its handler waited");
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (!(cause instanceof IOException)) {
        pattern.wrong("a pipeline failed: " + cause); // else its peer was killed
      }
      ctx.close();
    }
  }

  /// The server's.
  private final class Answers extends LockingHandler {
    @Override
    void came(ChannelHandlerContext ctx, int owner, ByteBuf bytes) {
      send(ctx, owner, bytes.nioBuffer(), ctx.newPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.flush();
    }
  }

  /// A client's: answers come in the order of the questions.
  private final class Questions extends LockingHandler {
    private final ArrayDeque<Question> asked = new ArrayDeque<>();

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise sent) {
      Question question = (Question) message;
      asked.add(question);
      ByteBuffer bytes = Pattern.bytes(question.owner(), question.size());
      send(ctx, question.owner(), bytes, sent);
    }

    @Override
    void came(ChannelHandlerContext ctx, int owner, ByteBuf bytes) {
      Question question = asked.poll();
      int size = bytes.readableBytes();
      if (question == null || owner != question.owner() || size != question.size()) {
        pattern.wrong("an answer for %d, of %d bytes, to %s".formatted(owner, size, question));
      }
      if (question != null) {
        question.answered().complete(owner);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      for (Question question : asked) {
        question.answered().tryFail(new IOException("the server hung up"));
      }
      asked.clear();
      ctx.fireChannelInactive();
    }
  }
}
