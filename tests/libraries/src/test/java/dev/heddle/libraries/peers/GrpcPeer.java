// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;

/// gRPC on Netty, whose own threads read and write; all calls come over one connection.
final class GrpcPeer {
  private static final MethodDescriptor<String, String> CALL =
      MethodDescriptor.<String, String>newBuilder(new Text(), new Text())
          .setFullMethodName(MethodDescriptor.generateFullMethodName("peers", "call"))
          .setType(MethodType.UNARY)
          .build();

  private GrpcPeer() {}

  static Running start(ExecutorService executor, Handler handler) throws IOException {
    ServerServiceDefinition service =
        ServerServiceDefinition.builder("peers")
            .addMethod(
                CALL,
                ServerCalls.asyncUnaryCall((_, observer) -> {
                  observer.onNext(handler.answer());
                  observer.onCompleted();
                }))
            .build();
    InetSocketAddress address = Running.ADDRESS;
    // @start region=grpc
    Server server =
        NettyServerBuilder.forAddress(address).executor(executor).addService(service).build();
    // @end
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.start().getPort())
            .usePlaintext()
            .build();
    return new Running(
        () -> ClientCalls.blockingUnaryCall(channel, CALL, CallOptions.DEFAULT, "next"),
        () -> server.shutdown().awaitTermination(),
        channel::shutdownNow);
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
