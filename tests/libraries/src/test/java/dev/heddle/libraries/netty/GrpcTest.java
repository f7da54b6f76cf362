// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import static dev.heddle.libraries.netty.TwoLoops.answer;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.netty.HeddleEventLoop;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// gRPC, server and client on the loop: all calls of a loop share one connection.
@ParameterizedClass
@MethodSource("dev.heddle.libraries.netty.TwoLoops#drivers")
@Tag("T14.6")
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record GrpcTest(String driver) {
  private static final int IN_A_STREAM = 10; // messages
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private static final MethodDescriptor<String, String> CALL = method("call", MethodType.UNARY);
  private static final MethodDescriptor<String, String> STREAM =
      method("stream", MethodType.BIDI_STREAMING);

  @Test
  void calls_ofOneConnection_getTheirOwnAnswers() throws Exception {
    callAll(2_000);
  }

  @Test
  @Tag("full")
  void calls_manyMore_getTheirOwnAnswers() throws Exception {
    callAll(TwoLoops.many(driver));
  }

  @Test
  void streams_ofOneConnection_keepTheirMessagesInOrder() throws Exception {
    streamAll(400);
  }

  @Test
  @Tag("full")
  void streams_ofManyMoreMessages_keepTheirMessagesInOrder() throws Exception {
    streamAll(TwoLoops.many(driver) / IN_A_STREAM);
  }

  private void callAll(int calls) throws Exception {
    withConnection(connection ->
        TwoLoops.askAll(
            calls,
            question ->
                ClientCalls.blockingUnaryCall(connection, CALL, CallOptions.DEFAULT, question)));
  }

  private void streamAll(int streams) throws Exception {
    withConnection(
        connection -> TwoLoops.askAll(streams, question -> stream(connection, question)));
  }

  /// Sends all questions of a stream, and then looks at the answers.
  ///
  /// @return the answer to `question`
  private static String stream(ManagedChannel connection, String question) {
    Answers answers = new Answers();
    StreamObserver<String> questions =
        ClientCalls.asyncBidiStreamingCall(
            connection.newCall(STREAM, CallOptions.DEFAULT), answers);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < IN_A_STREAM; i++) {
      questions.onNext(question + i);
      expected.add(answer(question + i));
    }
    questions.onCompleted();
    assertThat(Heddle.await(answers.all)).isEqualTo(expected);
    return answer(question);
  }

  private static final class Answers implements StreamObserver<String> {
    final CompletableFuture<List<String>> all = new CompletableFuture<>();
    final List<String> sofar = new CopyOnWriteArrayList<>(); // called back one at a time

    @Override
    public void onNext(String answer) {
      sofar.add(answer);
    }

    @Override
    public void onError(Throwable failure) {
      all.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      all.complete(sofar);
    }
  }

  /// With a call that is open: its last callbacks find a loop that ends, or none.
  @Test
  void serverThatIsShutDownAsItsLoopEnds_terminates() throws Exception {
    AtomicReference<Server> left = new AtomicReference<>();
    AtomicReference<Executor> executor = new AtomicReference<>();
    TwoLoops.require(driver);
    Heddle.run(
        HeddleOptions.defaults().withDriver(driver),
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Executor coroutines = onLoop();
          executor.set(coroutines);
          Server server = server(loop, coroutines).addService(service()).build().start();
          left.set(server);
          // nobody closes it: it must not hold gRPC's shared executor, whose end PeersTest waits
          // for
          ManagedChannel connection = client(loop, server.getPort()).directExecutor().build();
          Answers answers = new Answers();
          StreamObserver<String> questions =
              ClientCalls.asyncBidiStreamingCall(
                  connection.newCall(STREAM, CallOptions.DEFAULT), answers);
          questions.onNext("a call that nobody ends");
          while (answers.sofar.isEmpty()) {
            Heddle.delay(Duration.ofMillis(1));
          }
          server.shutdownNow();
        });
    left.get().awaitTermination();
    assertThatThrownBy(() -> executor.get().execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessageContaining("has ended");
  }

  private interface Use {
    void use(ManagedChannel connection) throws Exception;
  }

  private void withConnection(Use use) throws Exception {
    TwoLoops.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Server server = server(loop, onLoop()).addService(service()).build().start();
          try {
            ManagedChannel connection = client(loop, server.getPort()).build();
            use.use(connection);
            connection.shutdown();
            connection.awaitTermination(1, TimeUnit.DAYS);
          } finally {
            server.shutdownNow();
            server.awaitTermination();
          }
        });
  }

  private static Executor onLoop() {
    // @start region=grpc-executor
    Loop<?> home = Loop.current();
    Executor coroutines =
        call -> {
          Future<?> made =
              home.submit(
                  "call",
                  () -> {
                    call.run();
                    return true;
                  });
          if (made.state() == Future.State.FAILED
              && made.exceptionNow() instanceof LoopEndedException ended) {
            throw new RejectedExecutionException(ended);
          }
        };
    // @end
    return coroutines;
  }

  private static NettyServerBuilder server(HeddleEventLoop loop, Executor coroutines) {
    InetSocketAddress address = new InetSocketAddress(LOOPBACK, 0);
    // @start region=grpc-server
    NettyServerBuilder server =
        NettyServerBuilder.forAddress(address)
            .bossEventLoopGroup(loop)
            .workerEventLoopGroup(loop)
            .channelType(loop.serverChannelType())
            .executor(coroutines);
    // @end
    return server.channelFactory(() -> Waiting.inAccepted(Waiting.make(loop.serverChannelType())));
  }

  private static NettyChannelBuilder client(HeddleEventLoop loop, int port) {
    InetSocketAddress address = new InetSocketAddress(LOOPBACK, port);
    // @start region=grpc-client
    NettyChannelBuilder client =
        NettyChannelBuilder.forAddress(address)
            .eventLoopGroup(loop)
            .channelType(loop.channelType());
    // @end
    return client.usePlaintext().channelFactory(() -> Waiting.in(Waiting.make(loop.channelType())));
  }

  private static ServerServiceDefinition service() {
    return ServerServiceDefinition.builder("peers")
        .addMethod(
            CALL,
            ServerCalls.asyncUnaryCall((question, observer) -> {
              observer.onNext(answer(question));
              observer.onCompleted();
            }))
        .addMethod(STREAM, ServerCalls.asyncBidiStreamingCall(Answering::new))
        .build();
  }

  private record Answering(StreamObserver<String> answers) implements StreamObserver<String> {
    @Override
    public void onNext(String question) {
      answers.onNext(answer(question));
    }

    @Override
    public void onError(Throwable failure) {
      // the client has gone, and says why
    }

    @Override
    public void onCompleted() {
      answers.onCompleted();
    }
  }

  private static MethodDescriptor<String, String> method(String name, MethodType type) {
    return MethodDescriptor.<String, String>newBuilder(new Text(), new Text())
        .setFullMethodName(MethodDescriptor.generateFullMethodName("peers", name))
        .setType(type)
        .build();
  }

  /// In the place of generated messages.
  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String value) {
      return new ByteArrayInputStream(value.getBytes(UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
      try {
        return new String(stream.readAllBytes(), UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
