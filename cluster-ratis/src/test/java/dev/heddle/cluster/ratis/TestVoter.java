// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LeaseExpiry;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.NameStoreProvider.Setup;
import dev.heddle.cluster.roster.NodeDirectory;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Ownership;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.ShardTable;
import dev.heddle.cluster.roster.VoterTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One life of a voter, with a roster that follows what the log applies.
final class TestVoter implements NameStore.Listener, AutoCloseable {
  final String node;
  private final NodeDirectory directory;
  private final RosterCodec codec;
  final RatisNameStore store;

  interface Action {
    void run() throws InterruptedException;
  }

  /// Runs while a snapshot replaces its state.
  volatile Action whenReplaced = () -> {};

  private Roster roster = new Roster(); // this
  private int snapshots; // this
  private @Nullable LeaseExpiry expiry; // this; of the last term in which it led
  private int noted; // this; renewals without the log
  private boolean isElected; // this; it was told so
  private @Nullable String violation; // this

  TestVoter(Path path, String node, Set<String> voters, VoterTransport transport, Limits limits)
      throws IOException {
    this(NodeDirectory.open(path, node), voters, transport, RosterCodec.RELEASE, limits);
  }

  TestVoter(NodeDirectory directory, Set<String> voters, VoterTransport transport, Limits limits)
      throws IOException {
    this(directory, voters, transport, RosterCodec.RELEASE, limits);
  }

  TestVoter(
      NodeDirectory directory,
      Set<String> voters,
      VoterTransport transport,
      RosterCodec codec,
      Limits limits)
      throws IOException {
    this.codec = codec;
    this.node = directory.node();
    this.directory = directory;
    try {
      this.store =
          (RatisNameStore)
              new RatisNameStoreProvider()
                  .open(new Setup(voters, directory, transport, this, codec, limits));
    } catch (IOException | RuntimeException e) {
      directory.close();
      throw e;
    }
  }

  @Override
  public synchronized void applied(Delta delta, Outcome outcome) {
    if (!roster.follow(delta)) {
      violation = "deltas are missing at " + node + " before " + delta;
    }
  }

  @Override
  public synchronized void replaced(byte[] snapshot) {
    try {
      whenReplaced.run();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    snapshots++;
    roster = codec.restore(snapshot);
    roster.raise(RosterCodec.formatOf(snapshot)); // else it is unknown until the next command
  }

  @Override
  public synchronized void leads() {
    isElected = true;
    notifyAll();
  }

  /// Waits until it is told that it leads.
  synchronized void awaitElected() throws InterruptedException {
    while (!isElected) {
      wait();
    }
  }

  /// As the judge of a node does.
  @Override
  public synchronized long renewed(Command.Renew renewal, long term) {
    if (store.term() != term) {
      return 0;
    }
    if (expiry == null || expiry.term() != term) {
      expiry = new LeaseExpiry(LeaseTimes.DEFAULT, term, roster.applied());
    }
    expiry.see(roster, System.nanoTime());
    long admission = expiry.renew(renewal, term, System.nanoTime());
    noted += admission == 0 ? 0 : 1;
    return admission;
  }

  /// How many leases it has renewed without the log.
  synchronized int noted() {
    return noted;
  }

  /// Whether another server than this one takes part.
  boolean isOpen(RaftVoter than) {
    RaftVoter now = store.voter();
    return now != null && now != than && now.isAlive();
  }

  synchronized @Nullable Ownership owner(String name) {
    return roster.owner(name);
  }

  /// Looks at the shards.
  synchronized <T> T shards(Function<ShardTable, T> look) {
    return look.apply(roster.shards());
  }

  synchronized long applied() {
    return roster.applied();
  }

  /// How many snapshots have replaced its state.
  synchronized int snapshots() {
    return snapshots;
  }

  String id() {
    return VoterId.of(directory);
  }

  /// Whether a voter takes part, so that another one may fail.
  boolean hasVoter(String id) {
    RaftVoter now = store.voter();
    return now != null && now.hasVoter(id);
  }

  /// Whether its state has been written down.
  boolean hasSnapshot() {
    RaftVoter now = store.voter();
    try {
      return now != null && now.division().getStateMachine().getLatestSnapshot() != null;
    } catch (IOException _) {
      return false; // it is not open
    }
  }

  synchronized @Nullable String violation() {
    return violation;
  }

  /// Its state, as bytes: equal states are equal bytes.
  synchronized byte[] state() {
    return RosterCodec.RELEASE.snapshot(roster);
  }

  /// The format of the log that is in force, as it has heard.
  synchronized int format() {
    return codec.inForce(roster);
  }

  @Override
  public void close() {
    store.close();
    directory.close();
  }
}
