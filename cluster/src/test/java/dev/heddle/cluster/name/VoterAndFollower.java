// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.engine.LoopbackNetwork.Place;
import dev.heddle.cluster.name.RosterMessage.Part;
import dev.heddle.cluster.name.SimulatedTime.Scale;
import dev.heddle.cluster.node.LoopbackSessions;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A voter `a` and a node `d` without a log, with real sessions, in virtual time. A test says what
/// the log of `a` applies.
final class VoterAndFollower {
  private static final String VOTER = "a";

  final SimulatedTime time = new SimulatedTime(1, Scale.SHORT);
  final Node voter;
  final Node follower;
  private final LoopbackSessions sessions = new LoopbackSessions(1, time.now());
  private final Roster log = new Roster();
  private NameStore.Listener listener;

  VoterAndFollower() {
    time.calm();
    time.drives(sessions);
    voter = new Node(VOTER);
    follower = new Node("d");
    apply(new Command.Renew(VOTER, voter.life.life(), null));
  }

  /// The log applies its next command.
  void apply(Command command) {
    long before = log.applied();
    Outcome outcome = log.apply(before + 1, command);
    listener.applied(new Delta(before, before + 1, command), outcome);
  }

  /// A name is taken for a process of the voter.
  void register(String name) {
    long number = log.applied() + 1;
    long admission = log.admission(VOTER, voter.life.life());
    Command.Origin origin = new Command.Origin(VOTER, admission, number, number);
    apply(new Command.Register(origin, name, new Pid(VOTER, "h", number, voter.life.life())));
  }

  /// The whole state as bytes: equal ones are equal states.
  byte[] state() {
    return RosterCodec.RELEASE.snapshot(log);
  }

  /// From now on so many bytes a second reach the other node.
  void slow(long bytesPerSecond, boolean areUrgentOvertaking) {
    Place to = new Place(follower.life.node());
    sessions.network().slow(new Place(VOTER), to, bytesPerSecond, areUrgentOvertaking);
  }

  /// From now on a program fills the outbox of the voter to the other node, soon after it has room.
  void keepFilling() {
    fillOutbox();
    var _ =
        voter.connection.room(follower.life.node()).thenRun(() -> time.after(1, this::keepFilling));
  }

  /// Until the outbox of the voter to the other node takes no more.
  void fillOutbox() {
    byte[] content =
        new RosterMessageCodec(RosterCodec.RELEASE)
            .encode(new RosterMessage.State(0, Part.MORE, new byte[100_000]), 3);
    while (voter.connection.send(follower.life.node(), content)) {}
  }

  /// How many subscriptions the voter was asked for; one may be asked for several times.
  long subscriptions() {
    return voter.received.stream()
        .filter(RosterMessage.Subscribe.class::isInstance)
        .distinct()
        .count();
  }

  final class Node implements ProcesslessPort, NameStore, LoopbackSessions.Listener {
    final NodeLife life;
    final NameService service;
    final List<RosterMessage> received = new ArrayList<>();
    private final LoopbackSessions.Node connection;
    private final RosterMessageCodec codec = new RosterMessageCodec(RosterCodec.RELEASE);
    private @Nullable Roster roster;

    Node(String name) {
      life = new NodeLife(name, "h", 1);
      connection = sessions.start(life, name, new Features(3, 1), this);
      service =
          new NameService(
              new NameService.Setup(
                  life, Set.of(VOTER), null, LeaseTimes.DEFAULT, RosterCodec.RELEASE),
              this,
              time::now,
              () -> time.after(0, this::agent),
              name.equals(VOTER)
                  ? it -> {
                    listener = it;
                    return this;
                  }
                  : null);
      service.add(new State());
      turn();
    }

    private void turn() {
      agent();
      time.after(100, this::turn);
    }

    private void agent() {
      if (!connection.isPaused()) {
        long _ = service.run();
      }
    }

    private final class State implements RosterAccess.Part {
      @Override
      public void applied(Roster roster) {
        Node.this.roster = roster; // safe: one thread does all
      }

      @Override
      public void tick(Roster roster) {}

      @Override
      public CompletableFuture<@Nullable Void> leave() {
        return CompletableFuture.completedFuture(null);
      }
    }

    /// What this node knows.
    byte[] state() {
      return RosterCodec.RELEASE.snapshot(Objects.requireNonNull(roster));
    }

    /// How many messages of a kind have come.
    long count(Class<? extends RosterMessage> kind) {
      return received.stream().filter(kind::isInstance).count();
    }

    /// How many whole states have come.
    long states() {
      return received.stream()
          .filter(it -> it instanceof RosterMessage.State part && part.part() == Part.LAST)
          .count();
    }

    void pause() {
      connection.pause();
    }

    void resume() {
      connection.resume();
    }

    // ---- sessions ----

    @Override
    public void opened(NodeLife other, SessionId session) {
      service.opened(other);
    }

    @Override
    public void received(NodeLife from, SessionId session, byte[] content) {
      received.add(codec.decode(content));
      service.received(from, content);
    }

    @Override
    public void ended(NodeLife other, SessionId session) {
      service.ended(other);
    }

    @Override
    public boolean send(String to, byte[] content) {
      return connection.send(to, content);
    }

    @Override
    public CompletableFuture<@Nullable Void> room(String to) {
      return connection.room(to);
    }

    @Override
    public int logFormat(String other) {
      Features can = connection.can(other);
      return can == null ? 0 : can.logFormat();
    }

    // ---- the log: it answers nobody, but renewals ----

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
      return command instanceof Command.Renew
          ? CompletableFuture.completedFuture(new Outcome.Admitted(1))
          : new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Long> barrier() {
      return new CompletableFuture<>();
    }

    @Override
    public long term() {
      return 0;
    }

    @Override
    public CompletableFuture<Boolean> handOver() {
      return CompletableFuture.completedFuture(false);
    }

    @Override
    public void close() {}
  }
}
