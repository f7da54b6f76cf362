// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.NodeDirectory;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.UnknownFormatException;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
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
import org.jspecify.annotations.Nullable;

/// Applies the log of Ratis to a [Roster], and tells the listener.
final class RosterMachine extends BaseStateMachine {
  /*
   * The index of Ratis begins with 0, that of a roster with 1: a roster's is one higher. Entries of
   * Ratis itself (terms, configurations) are not commands, so the indexes of commands have gaps.
   *
   * Threads. Ratis applies entries and loads snapshots on one thread, its updater; it starts the
   * machine and asks it on others. All that touches the roster is synchronized, and the listener is
   * called under the lock: so it hears of all in order. That this voter leads it hears without the
   * lock: it looks for itself then.
   *
   * A command is decoded before it comes into the log, and encoded anew in the format in force: its
   * sender may not know yet which one that is. One that cannot be decoded when it is applied is of
   * another release, as a snapshot is that cannot be restored: Ratis then stops this voter, which
   * says why to all that ask it, and the rest goes on.
   *
   * One that is too large is refused before it comes into the log, too. Ratis would refuse it
   * later, where that ends the lead of this voter; its sender repeats it, to the next leader.
   *
   * A snapshot is due in two cases. First, while there is an entry of an older format than the one
   * in force after the last snapshot: a release that does not know that format does not meet it
   * then. Second, after some entries: a voter that starts again applies those after its snapshot
   * once more, and if it is elected meanwhile the log answers nobody until it has done so. So these
   * are few; where the state is large, as many as take about as long as the state itself, so that
   * writing it costs no more than applying does. Voters differ by up to a half in how many, so that
   * they do not all write and cut their logs at the same entry.
   */

  private static final long ENTRIES = 1_000; // 50 ms of a processor, in a JVM that has just begun
  private static final long ENTRY_BYTES = 64; // of a state that is read as fast as one is applied

  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.ratis");

  private final NameStore.Listener listener;
  private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
  private final RosterCodec codec;
  private final double place; // of this voter among all
  private Roster roster = new Roster(); // this
  private boolean hasOlderFormat; // this; of an entry since the last snapshot
  private long snapshotIndex; // this; of Ratis
  private long snapshotBytes; // this
  private final RefusedCommands refusals = new RefusedCommands();
  private volatile int raising; // the format of a Raise that this leader has put into its log
  private volatile @Nullable String obstacle; // written by Ratis

  /// @param place of this voter among all, from 0 to 1
  RosterMachine(NameStore.Listener listener, RosterCodec codec, double place) {
    this.listener = listener;
    this.codec = codec;
    this.place = place;
  }

  /// The format of what is put into the log.
  synchronized int format() {
    return codec.inForce(roster);
  }

  /// The format that is in force, or will be when what this leader has put into its log is applied.
  int comingFormat() {
    return Math.max(raising, format());
  }

  /// Whether entries since the last snapshot have an older format than the one in force, or are
  /// many.
  synchronized boolean isSnapshotDue() {
    long entries = getLastAppliedTermIndex().getIndex() - snapshotIndex;
    long few = Math.max(ENTRIES, snapshotBytes / ENTRY_BYTES);
    return hasOlderFormat || entries >= few + (long) (few * place / 2);
  }

  /// Why this release cannot read the log; null when it can.
  @Nullable String obstacle() {
    return obstacle;
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
    roster = readable(() -> codec.restore(snapshot));
    roster.raise(RosterCodec.formatOf(snapshot));
    setLastAppliedTermIndex(latest.getTermIndex());
    written(latest.getIndex(), snapshot.length);
    listener.replaced(snapshot);
  }

  private <T> T readable(Supplier<T> read) {
    try {
      return read.get();
    } catch (UnknownFormatException e) {
      obstacle = e.getMessage();
      throw e;
    }
  }

  @Override
  public synchronized long takeSnapshot() throws IOException {
    TermIndex last = getLastAppliedTermIndex();
    File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
    byte[] snapshot = codec.snapshot(roster, format());
    NodeDirectory.write(file.toPath(), snapshot);
    MD5Hash digest = MD5FileUtil.computeAndSaveMd5ForFile(file);
    storage.updateLatestSnapshot(
        new SingleFileSnapshotInfo(new FileInfo(file.toPath(), digest), last));
    written(last.getIndex(), snapshot.length);
    return last.getIndex();
  }

  private synchronized void written(long index, long bytes) {
    hasOlderFormat = false;
    snapshotIndex = index;
    snapshotBytes = bytes;
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return storage;
  }

  @Override
  public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
    try {
      Command command = codec.decodeCommand(request.getMessage().getContent().toByteArray());
      return TransactionContext.newBuilder()
          .setStateMachine(this)
          .setClientRequest(request)
          .setLogData(ByteString.copyFrom(inForce(command)))
          .setStateMachineContext(command instanceof Command.Raise ? command : null)
          .build();
    } catch (IllegalArgumentException e) {
      refused(e);
      TransactionContext refused = super.startTransaction(request);
      refused.setException(e);
      return refused;
    }
  }

  private void refused(IllegalArgumentException why) {
    String line = refusals.line(String.valueOf(why.getMessage()), System.nanoTime());
    if (line != null) {
      LOG.log(
          System.Logger.Level.WARNING,
          "voter '%s' keeps a command out of the log: %s".formatted(getId(), line));
    }
  }

  /// Ratis calls it and [#notifyNotLeader] under one lock, so what a leader of before began does
  /// not count later.
  @Override
  public TransactionContext preAppendTransaction(TransactionContext transaction) {
    if (transaction.getStateMachineContext() instanceof Command.Raise raise) {
      raising = Math.max(raising, raise.format());
    }
    return transaction;
  }

  /// What earlier leaders have committed is applied by now.
  @Override
  public void notifyLeaderReady() {
    listener.leads();
  }

  /// The next leader asks its own log.
  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    raising = 0;
  }

  /// The command that raises the format has the one that it raises to.
  private byte[] inForce(Command command) {
    return codec.encodeEntry(
        command, command instanceof Command.Raise raise ? raise.format() : format());
  }

  @Override
  public synchronized CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    byte[] bytes = entry.getStateMachineLogEntry().getLogData().toByteArray();
    Command command = readable(() -> codec.decodeCommand(bytes));
    int format = RosterCodec.formatOf(bytes); // the same at all voters
    int before = format();
    roster.raise(format);
    long previous = roster.applied();
    long index = entry.getIndex() + 1;
    Outcome outcome = roster.apply(index, command);
    hasOlderFormat |= format < format() || before < format();
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    listener.applied(new Delta(previous, index, command, format), outcome);
    return CompletableFuture.completedFuture(
        Message.valueOf(ByteString.copyFrom(codec.encode(outcome, format()))));
  }

  /// @return the index of the last command that was applied
  @Override
  public synchronized CompletableFuture<Message> query(Message request) {
    ByteBuffer applied = ByteBuffer.allocate(Long.BYTES).putLong(0, roster.applied());
    return CompletableFuture.completedFuture(Message.valueOf(ByteString.copyFrom(applied)));
  }
}
