// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftClientReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftClientRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexReplyProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.TimeoutIOException;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;

/// The calls of a server of Ratis over [VoterCalls]. It opens no port.
final class VoterRpc implements RaftServerRpc {
  /// Under this name the calls are among the parameters of a server.
  static final String CALLS = "voter-calls";

  /// The type that Ratis makes by the name of its class.
  public static final class Type implements RpcType {
    @Override
    public String name() {
      return Type.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
      return new Factory(parameters.getNonNull(CALLS, VoterCalls.class));
    }
  }

  private record Factory(VoterCalls calls) implements ServerFactory {
    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      return new VoterRpc(server, calls);
    }

    @Override
    public LogAppender newLogAppender(
        RaftServer.Division division, LeaderState leader, FollowerInfo follower) {
      LogAppender appender = ServerFactory.super.newLogAppender(division, leader, follower);
      ((VoterRpc) division.getRaftServer().getServerRpc()).leadership.sendsBy(appender);
      return appender;
    }

    @Override
    public RpcType getRpcType() {
      return new Type();
    }
  }

  private interface Parser<T> {
    T parse(byte[] bytes) throws InvalidProtocolBufferException;
  }

  private final RaftServer server;
  private final VoterCalls calls;
  private final Leadership leadership;
  private final VoterCalls.Handler handler = this::handle;

  private VoterRpc(RaftServer server, VoterCalls calls) {
    this.server = server;
    this.calls = calls;
    this.leadership = new Leadership(calls.limit());
  }

  Leadership leadership() {
    return leadership;
  }

  @Override
  public void start() {
    calls.handleBy(handler);
  }

  @Override
  public void close() {
    calls.handleNoMoreBy(handler);
  }

  @Override
  public InetSocketAddress getInetSocketAddress() {
    return InetSocketAddress.createUnresolved("heddle", 1); // it is asked for, and nobody connects
  }

  @Override
  public RpcType getRpcType() {
    return new Type();
  }

  @Override
  public void addRaftPeers(Collection<RaftPeer> peers) {
    // the id of a peer is its address
  }

  @Override
  public void handleException(RaftPeerId to, Exception failure, boolean reconnect) {
    // there is no connection that could be made again
  }

  // ---- calls ----

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    ByteString to = request.getServerRequest().getReplyId();
    return await(to, call(VoterCalls.VOTE, to, request, RequestVoteReplyProto::parseFrom));
  }

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    ByteString to = request.getServerRequest().getReplyId();
    leadership.sends(to.toStringUtf8(), request.getEntriesCount() == 0);
    long sent = System.nanoTime();
    AppendEntriesReplyProto reply =
        await(to, call(VoterCalls.APPEND, to, request, AppendEntriesReplyProto::parseFrom));
    boolean isOfTerm = reply.getTerm() == request.getLeaderTerm();
    if (isOfTerm && reply.getResult() != AppendResult.NOT_LEADER) {
      leadership.answered(to.toStringUtf8(), request.getLeaderTerm(), sent);
    }
    return reply;
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    ByteString to = request.getServerRequest().getReplyId();
    return await(to, call(VoterCalls.INSTALL, to, request, InstallSnapshotReplyProto::parseFrom));
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    ByteString to = request.getServerRequest().getReplyId();
    return await(to, call(VoterCalls.ELECT, to, request, StartLeaderElectionReplyProto::parseFrom));
  }

  @Override
  public RaftServerAsynchronousProtocol async() {
    return new RaftServerAsynchronousProtocol() {
      @Override
      public CompletableFuture<AppendEntriesReplyProto> appendEntriesAsync(
          AppendEntriesRequestProto request) {
        ByteString to = request.getServerRequest().getReplyId();
        return call(VoterCalls.APPEND, to, request, AppendEntriesReplyProto::parseFrom);
      }

      @Override
      public CompletableFuture<ReadIndexReplyProto> readIndexAsync(ReadIndexRequestProto request) {
        ByteString to = request.getServerRequest().getReplyId();
        return call(VoterCalls.READ_INDEX, to, request, ReadIndexReplyProto::parseFrom);
      }
    };
  }

  /// Has another voter carry out a request of this one: a leader.
  CompletableFuture<RaftClientReply> request(RaftClientRequest request) {
    return call(
            VoterCalls.CLIENT,
            request.getServerId().toByteString(),
            ClientProtoUtils.toRaftClientRequestProto(request),
            RaftClientReplyProto::parseFrom)
        .thenApply(ClientProtoUtils::toRaftClientReply);
  }

  private <T> CompletableFuture<T> call(
      int kind, ByteString id, MessageLite request, Parser<T> parser) {
    return calls
        .call(VoterId.node(id.toStringUtf8()), kind, request.toByteArray())
        .thenApply(bytes -> parse(bytes, parser));
  }

  private static <T> T parse(byte[] bytes, Parser<T> parser) {
    try {
      return parser.parse(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> T await(ByteString id, CompletableFuture<T> answer) throws IOException {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      throw (IOException)
          new InterruptedIOException("interrupted in a call of " + id.toStringUtf8()).initCause(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new TimeoutIOException("no answer from " + id.toStringUtf8());
      }
      throw new IOException("a call of %s failed".formatted(id.toStringUtf8()), e.getCause());
    }
  }

  // ---- what others call ----

  private CompletableFuture<byte[]> handle(int kind, byte[] body) throws IOException {
    return result(kind, body).thenApply(MessageLite::toByteArray);
  }

  private CompletableFuture<? extends MessageLite> result(int kind, byte[] body)
      throws IOException {
    return switch (kind) {
      case VoterCalls.VOTE -> {
        RequestVoteRequestProto request = RequestVoteRequestProto.parseFrom(body);
        requireThis(request.getServerRequest().getReplyId());
        yield CompletableFuture.completedFuture(server.requestVote(request));
      }
      case VoterCalls.APPEND -> {
        AppendEntriesRequestProto request = AppendEntriesRequestProto.parseFrom(body);
        requireThis(request.getServerRequest().getReplyId());
        yield server.appendEntriesAsync(request);
      }
      case VoterCalls.INSTALL -> {
        InstallSnapshotRequestProto request = InstallSnapshotRequestProto.parseFrom(body);
        requireThis(request.getServerRequest().getReplyId());
        yield CompletableFuture.completedFuture(server.installSnapshot(request));
      }
      case VoterCalls.ELECT -> {
        StartLeaderElectionRequestProto request = StartLeaderElectionRequestProto.parseFrom(body);
        requireThis(request.getServerRequest().getReplyId());
        yield CompletableFuture.completedFuture(server.startLeaderElection(request));
      }
      case VoterCalls.READ_INDEX -> {
        ReadIndexRequestProto request = ReadIndexRequestProto.parseFrom(body);
        requireThis(request.getServerRequest().getReplyId());
        RaftGroupId group =
            RaftGroupId.valueOf(request.getServerRequest().getRaftGroupId().getId());
        yield leadership.confirmed(
            server.getDivision(group),
            reply -> reply.getServerReply().getSuccess(),
            () -> server.readIndexAsync(request));
      }
      case VoterCalls.CLIENT -> {
        RaftClientRequestProto request = RaftClientRequestProto.parseFrom(body);
        requireThis(request.getRpcRequest().getReplyId());
        yield server
            .submitClientRequestAsync(ClientProtoUtils.toRaftClientRequest(request))
            .thenApply(ClientProtoUtils::toRaftClientReplyProto);
      }
      default -> throw new IOException("no call has the number " + kind);
    };
  }

  /// A call goes to a node, and Ratis does not look at whom it was meant for. One for an earlier
  /// voter of this node, whose disk was lost, is not for this one: it would vote and acknowledge in
  /// the other's name, and would take the leader for its own before it is taken in.
  private void requireThis(ByteString to) throws IOException {
    if (!to.equals(server.getId().toByteString())) {
      throw new IOException(
          "this is voter '%s', and the call is for voter '%s'"
              .formatted(server.getId(), to.toStringUtf8()));
    }
  }
}
