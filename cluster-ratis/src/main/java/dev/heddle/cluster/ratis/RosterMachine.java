// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.NodeDirectory;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;

/// Applies the log of Ratis to a [Roster], and tells the listener.
final class RosterMachine extends BaseStateMachine {
  /*
   * The index of Ratis begins with 0, that of a roster with 1: a roster's is one higher. Entries of
   * Ratis itself (terms, configurations) are not commands, so the indexes of commands have gaps.
   *
   * Threads. Ratis applies entries and loads snapshots on one thread, its updater; it starts the
   * machine and asks it on others. All that touches the roster is synchronized, and the listener is
   * called under the lock: so it hears of all in order.
   *
   * A command is decoded before it comes into the log. One that cannot be decoded when it is
   * applied was written by a later release: Ratis then stops this voter, and the rest goes on.
   */

  private final NameStore.Listener listener;
  private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
  private Roster roster = new Roster(); // this

  RosterMachine(NameStore.Listener listener) {
    this.listener = listener;
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage)
      throws IOException {
    super.initialize(server, group, raftStorage);
    storage.init(raftStorage);
    // Ratis pauses the machine to install a snapshot, which one that is NEW refuses
    getLifeCycle().transition(LifeCycle.State.STARTING);
    load();
    getLifeCycle().transition(LifeCycle.State.RUNNING);
  }

  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() throws IOException {
    load();
    if (getLifeCycleState() == LifeCycle.State.PAUSED) {
      getLifeCycle().transition(LifeCycle.State.STARTING);
      getLifeCycle().transition(LifeCycle.State.RUNNING);
    }
  }

  private synchronized void load() throws IOException {
    SingleFileSnapshotInfo latest = storage.loadLatestSnapshot();
    if (latest == null) {
      return;
    }
    File file = latest.getFile().getPath().toFile();
    MD5Hash digest = latest.getFile().getFileDigest();
    if (digest != null) {
      MD5FileUtil.verifySavedMD5(file, digest);
    }
    byte[] snapshot = Files.readAllBytes(file.toPath());
    roster = RosterCodec.restore(snapshot);
    setLastAppliedTermIndex(latest.getTermIndex());
    listener.replaced(snapshot);
  }

  @Override
  public synchronized long takeSnapshot() throws IOException {
    TermIndex last = getLastAppliedTermIndex();
    File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
    NodeDirectory.write(file.toPath(), RosterCodec.snapshot(roster));
    MD5Hash digest = MD5FileUtil.computeAndSaveMd5ForFile(file);
    storage.updateLatestSnapshot(
        new SingleFileSnapshotInfo(new FileInfo(file.toPath(), digest), last));
    return last.getIndex();
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return storage;
  }

  @Override
  public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
    TransactionContext transaction = super.startTransaction(request);
    try {
      RosterCodec.decodeCommand(request.getMessage().getContent().toByteArray());
    } catch (IllegalArgumentException e) {
      transaction.setException(e);
    }
    return transaction;
  }

  @Override
  public synchronized CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    Command command =
        RosterCodec.decodeCommand(entry.getStateMachineLogEntry().getLogData().toByteArray());
    long previous = roster.applied();
    long index = entry.getIndex() + 1;
    Outcome outcome = roster.apply(index, command);
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    listener.applied(new Delta(previous, index, command), outcome);
    return CompletableFuture.completedFuture(
        Message.valueOf(ByteString.copyFrom(RosterCodec.encode(outcome))));
  }

  /// @return the index of the last command that was applied
  @Override
  public synchronized CompletableFuture<Message> query(Message request) {
    ByteBuffer applied = ByteBuffer.allocate(Long.BYTES).putLong(0, roster.applied());
    return CompletableFuture.completedFuture(Message.valueOf(ByteString.copyFrom(applied)));
  }
}
