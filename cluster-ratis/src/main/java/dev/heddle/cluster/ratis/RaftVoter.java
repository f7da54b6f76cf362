// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.RosterCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RaftClientRequestProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/// A server of Ratis that takes part in one log.
///
/// **Thread** any. Opening and closing wait for the disk.
final class RaftVoter implements AutoCloseable {
  /// Of what one call carries: it fits into a packet, with all that Ratis adds. The largest command
  /// fits into it, too, with what an entry has besides: Ratis refuses a larger entry in such a way
  /// that the leader gives up its lead.
  private static final int PART_BYTES = RosterCodec.MOST_BYTES + 1024;

  private static final long ENTRY_BYTES = 100; // of a name that is registered, about
  private static final long MIN_SEGMENT = 16 * 1024;
  private static final long MAX_SEGMENT = 512 * 1024;

  /// Of the log between two snapshots. The last one and the cached ones are kept in memory, an
  /// entry there takes several times what it takes on the disk.
  private static final int SEGMENTS = 8;

  private static final int STAND_BACK = 3; // elections
  private static final double FIRST_MIN = 0.1; // elections
  private static final double FIRST_MAX = 0.4; // so that two seldom ask for votes at the same time
  private static final TimeDuration NEVER = TimeDuration.valueOf(36_500, TimeUnit.DAYS);

  private static final int CACHED_SEGMENTS = 1; // for voters that are behind; others read the disk

  private final RaftServer server;
  private final RaftPeerId id;
  private final RaftGroupId group;
  private final ClientId client = ClientId.randomId();

  private RaftVoter(RaftServer server, RaftPeerId id, RaftGroupId group) {
    this.server = server;
    this.id = id;
    this.group = group;
  }

  /// Opens the part of a log that is in a directory, or begins it.
  ///
  /// @param first the ids of the first voters, which name the log
  static RaftVoter open(
      String id,
      SortedSet<String> first,
      Path directory,
      VoterCalls calls,
      StateMachine machine,
      Limits limits)
      throws IOException {
    // one that is not among the first ones learns from the log who votes
    List<RaftPeer> peers = first.contains(id) ? peers(first) : List.of();
    RaftGroupId group = RaftGroupId.valueOf(uuid(first));
    Parameters parameters = new Parameters();
    parameters.put(VoterRpc.CALLS, calls, VoterCalls.class);
    RaftServer server =
        RaftServer.newBuilder()
            .setServerId(RaftPeerId.valueOf(id))
            .setGroup(RaftGroup.valueOf(group, peers))
            .setProperties(properties(directory, limits))
            .setParameters(parameters)
            .setStateMachine(machine)
            .setOption(RaftStorage.StartupOption.RECOVER)
            .build();
    RaftVoter voter = new RaftVoter(server, RaftPeerId.valueOf(id), group);
    try {
      server.start();
    } catch (IOException | RuntimeException e) {
      voter.close();
      throw e;
    }
    return voter;
  }

  private static UUID uuid(SortedSet<String> ids) {
    return UUID.nameUUIDFromBytes(String.join("\n", ids).getBytes(StandardCharsets.UTF_8));
  }

  private static List<RaftPeer> peers(SortedSet<String> ids) {
    return ids.stream().map(RaftVoter::peer).toList();
  }

  private static RaftPeer peer(String id) {
    return RaftPeer.newBuilder().setId(id).build();
  }

  private static RaftProperties properties(Path directory, Limits limits) {
    RaftProperties all = new RaftProperties();
    all.set("raft.rpc.type", VoterRpc.Type.class.getName());
    RaftServerConfigKeys.setStorageDir(all, List.of(directory.toFile()));
    TimeDuration election = duration(limits.election());
    RaftServerConfigKeys.Rpc.setTimeoutMin(all, election);
    RaftServerConfigKeys.Rpc.setTimeoutMax(all, election.multiply(2));
    // Nobody has led a new log yet, so there is nobody to wait for. Where a voter starts again, the
    // others refuse it their votes while they hear of a leader.
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(all, election.multiply(FIRST_MIN));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(all, election.multiply(FIRST_MAX));
    RaftServerConfigKeys.Rpc.setRequestTimeout(all, duration(limits.call()));
    // One that was elected on a busy machine may step down before the others have heard of it. By
    // default it would not stand again for 10 s, and if it alone has the last entries nobody leads
    // until then: longer than a lease. Others have their chance within the time of three elections.
    // No less: a leader steps down, too, when its JVM has stood still for as long as this.
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(
        all, election.multiply(STAND_BACK));
    // A voter on a busy machine wakes late. Ratis would then begin its wait for the leader anew,
    // again and again. Without that a voter may ask for votes too early, which changes nothing: the
    // others refuse while they hear of the leader.
    RaftServerConfigKeys.setSleepDeviationThreshold(all, NEVER);
    RaftServerConfigKeys.Read.setOption(all, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    RaftServerConfigKeys.Read.setTimeout(all, duration(limits.submit()));
    // a process that was stopped for a minute goes on afterwards; Ratis would close the server
    RaftServerConfigKeys.setCloseThreshold(all, NEVER);
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(all, SizeInBytes.valueOf(PART_BYTES));
    RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(all, SizeInBytes.valueOf(PART_BYTES));
    long bytes = limits.snapshotEntries() * ENTRY_BYTES / SEGMENTS;
    long segment = Math.clamp(bytes, MIN_SEGMENT, MAX_SEGMENT);
    RaftServerConfigKeys.Log.setSegmentSizeMax(all, SizeInBytes.valueOf(segment));
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(all, CACHED_SEGMENTS);
    RaftServerConfigKeys.Log.setPreallocatedSize(all, SizeInBytes.valueOf(MIN_SEGMENT));
    RaftServerConfigKeys.Log.setWriteBufferSize(all, SizeInBytes.valueOf("1MB"));
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(all, true);
    RaftServerConfigKeys.Log.setPurgeGap(all, Math.min(1024, limits.snapshotEntries()));
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(all, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(all, limits.snapshotEntries());
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(all, false);
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(all, 2);
    return all;
  }

  private static TimeDuration duration(Duration time) {
    return TimeDuration.valueOf(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  // ---- what it knows ----

  /// Whether it takes part; Ratis ends that when it cannot write, or when the others say so.
  boolean isAlive() {
    try {
      return server.getDivision(group).getInfo().isAlive();
    } catch (IOException _) {
      return false; // it was not added, or is closed
    }
  }

  /// Whether it leads, and has applied what earlier leaders have committed.
  boolean isLeader() {
    try {
      return server.getDivision(group).getInfo().isLeaderReady();
    } catch (IOException _) {
      return false;
    }
  }

  /// The term in which it leads, and has applied what earlier leaders have committed; 0 while it
  /// does not.
  long term() {
    try {
      DivisionInfo info = info();
      long term = info.getCurrentTerm();
      return info.isLeaderReady() && info.getCurrentTerm() == term ? term : 0;
    } catch (IOException _) {
      return 0;
    }
  }

  RaftPeerId id() {
    return id;
  }

  /// The leader that it follows; null for none.
  @Nullable RaftPeerId leader() {
    try {
      return server.getDivision(group).getInfo().getLeaderId();
    } catch (IOException _) {
      return null;
    }
  }

  /// Whether it follows a leader, or leads, as one of the voters. One that is only being taken in
  /// gets the log from a leader, too.
  boolean follows() {
    return leader() != null && isAmongVoters(id.toString());
  }

  /// For tests, and for what is shown of a voter.
  RaftServer.Division division() throws IOException {
    return server.getDivision(group);
  }

  // ---- requests ----

  /// Carries out a request at a voter.
  CompletableFuture<RaftClientReply> request(RaftClientRequest request) {
    if (!request.getServerId().equals(id)) {
      return ((VoterRpc) server.getServerRpc()).request(request);
    }
    try {
      // One that begins to lead only after this look was elected after the request.
      boolean asks = request.is(RaftClientRequestProto.TypeCase.READ) && info().isLeader();
      return asks
          ? leadership()
              .confirmed(
                  division(),
                  RaftClientReply::isSuccess,
                  () -> server.submitClientRequestAsync(request))
          : server.submitClientRequestAsync(request);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /// Asks the others whether this one leads.
  ///
  /// @return completes with the term: see [Leadership#confirm]
  CompletableFuture<Long> confirm() {
    try {
      return leadership().confirm(division());
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Leadership leadership() {
    return ((VoterRpc) server.getServerRpc()).leadership();
  }

  private DivisionInfo info() throws IOException {
    return division().getInfo();
  }

  /// A command for the log. Requests with the same number are one request.
  RaftClientRequest write(@Nullable RaftPeerId to, long number, byte[] command) {
    return base(to, number)
        .setMessage(Message.valueOf(ByteString.copyFrom(command)))
        .setType(RaftClientRequest.writeRequestType())
        .build();
  }

  /// A request that is answered when this voter has applied all that is committed now.
  RaftClientRequest barrier(long number) {
    return base(null, number).setType(RaftClientRequest.readRequestType()).build();
  }

  private RaftClientRequest.Builder base(@Nullable RaftPeerId to, long number) {
    return RaftClientRequest.newBuilder()
        .setClientId(client)
        .setServerId(to == null ? id : to)
        .setGroupId(group)
        .setCallId(number);
  }

  /// Whether a voter takes part: by a configuration that is committed and has followed no other,
  /// and of which that voter itself knows this. The others can commit it without that voter, which
  /// refuses its vote until it has heard of it: if the leader ended then, nobody could be elected.
  boolean hasVoter(String other) {
    try {
      RaftServer.Division division = division();
      RaftConfiguration now = division.getRaftConf();
      return now.getPreviousPeers().isEmpty()
          && now.getLogEntryIndex() <= division.getInfo().getLastAppliedIndex()
          && now.getCurrentPeers().stream().anyMatch(it -> it.getId().toString().equals(other))
          && now.getLogEntryIndex() <= committed(division, other);
    } catch (IOException _) {
      return false; // it has ended meanwhile
    }
  }

  /// Up to where a voter knows the log to be committed, as it has told the leader, and the leader
  /// this one; -1 when nothing is known.
  private static long committed(RaftServer.Division division, String voter) {
    return division.getCommitInfos().stream()
        .filter(it -> it.getServer().getId().toStringUtf8().equals(voter))
        .mapToLong(CommitInfoProto::getCommitIndex)
        .findFirst()
        .orElse(-1);
  }

  /// Whether a voter takes part, or will when the last configuration in the log is committed.
  boolean isAmongVoters(String other) {
    try {
      return division().getRaftConf().getCurrentPeers().stream()
          .anyMatch(it -> it.getId().toString().equals(other));
    } catch (IOException _) {
      return false; // it has ended meanwhile
    }
  }

  /// The leader puts a voter in the place of the one of the same node. Both the voters of before
  /// and those of afterwards agree to it by a majority.
  ///
  /// @return null when there is nothing to do
  @Nullable CompletableFuture<RaftClientReply> exchange(String newcomer, long number)
      throws IOException {
    List<RaftPeer> before = List.copyOf(server.getDivision(group).getRaftConf().getCurrentPeers());
    List<RaftPeer> after = new ArrayList<>();
    for (RaftPeer peer : before) {
      String known = peer.getId().toString();
      if (known.equals(newcomer)) {
        return null;
      }
      boolean isReplaced = VoterId.node(known).equals(VoterId.node(newcomer));
      after.add(isReplaced ? peer(newcomer) : peer);
    }
    SetConfigurationRequest.Arguments change =
        SetConfigurationRequest.Arguments.newBuilder()
            .setServersInCurrentConf(before)
            .setServersInNewConf(after)
            .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
            .build();
    return server.setConfigurationAsync(
        new SetConfigurationRequest(client, id, group, number, change));
  }

  /// Writes the state down, and cuts the log.
  CompletableFuture<RaftClientReply> snapshot(long number, Duration limit) throws IOException {
    return server.snapshotManagementAsync(
        SnapshotManagementRequest.newCreate(client, id, group, number, limit.toMillis(), 1));
  }

  /// The other voters, as a leader sees them: the one that it has heard of last comes first.
  List<RaftPeerId> followers() throws IOException {
    List<ServerRpcProto> all =
        new ArrayList<>(
            server
                .getDivision(group)
                .getInfo()
                .getRoleInfoProto()
                .getLeaderInfo()
                .getFollowerInfoList());
    all.sort(Comparator.comparingLong(ServerRpcProto::getLastRpcElapsedTimeMs));
    return all.stream().map(each -> RaftPeerId.valueOf(each.getId().getId())).toList();
  }

  /// Has another voter lead, which holds an election at once, with all that is in the log here. No
  /// command is accepted meanwhile.
  ///
  /// @param limit after which this one goes on to lead
  CompletableFuture<RaftClientReply> transfer(RaftPeerId to, long number, Duration limit)
      throws IOException {
    return server.transferLeadershipAsync(
        new TransferLeadershipRequest(client, id, group, number, to, limit.toMillis()));
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException _) {
      // safe: what was acknowledged is on the disk already
    }
  }
}
