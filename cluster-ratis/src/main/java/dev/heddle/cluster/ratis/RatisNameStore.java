// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.ratis.VoterStatus.State;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.NameStoreProvider.Setup;
import dev.heddle.cluster.roster.NodeDirectory;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.jspecify.annotations.Nullable;

/// The log behind a roster, by Ratis.
final class RatisNameStore implements NameStore {
  /*
   * States.  from       event                                         to
   *          FORMING    the formation has started a log, and that is  VOTING: its server is open
   *                     on the disk
   *          VOTING     Ratis has ended the server, or it could not   VOTING: opened again in 1 s,
   *                     be opened                                     until it is
   *          any        close                                         CLOSED: no server is open
   *
   * A voter that knows no leader, or does not vote yet, SEARCHES: it tells all others its status
   * again and again. One that FOLLOWS a leader only answers. When the leader hears of one that
   * searches and is not among those of the log, it puts it in the place of the old one of that
   * node. The old one is silent: a session with a node is one with its present life, so the life
   * that had the old directory is over, or has lost its place by the name. It may come back with
   * its old directory, and then takes the place back in the same way: it has forgotten nothing.
   *
   * Threads. `heddle-voter-NODE` does all that changes the state here, and begins all requests.
   * Ratis has threads of its own; VoterCalls has a pool. The threads of callers only hand over.
   *
   * I1. The state of the formation is on the disk before another voter hears of it, and before a
   *     server uses it. What could not be written is written at a later tick. [VoterDiskTest]
   * I2. A request is tried again, with the same number, until it is answered or its time is over.
   *     The roster knows a repetition, too: a new leader may have forgotten the number.
   *     [RatisNameStoreTest]
   * I3. close() returns when no server is open: one that is opened meanwhile is closed.
   *     [VoterDiskTest]
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.ratis");
  private static final String FILE = "voter";
  private static final String LOG_DIRECTORY = "log";
  private static final long TICK_MILLIS = 200; // between two tellings of a voter that searches
  private static final long REOPEN_TICKS = 5;

  private final Setup setup;
  private final RosterCodec codec;
  private final Limits limits;
  private final String id;
  private final Path file;
  private final VoterCalls calls;
  private final ScheduledExecutorService thread;
  private final Requests requests;
  private final Renewals renewals;
  private final Snapshots snapshots;

  // the thread of the store, and the one that opens it, before
  private final Formation formation;
  private VoterStatus kept; // of the formation: what is on the disk
  private int keptFormat; // on the disk; 0 for no file
  private @Nullable CompletableFuture<?> exchange; // that is under way
  private final Map<String, String> newcomers = new HashMap<>(); // do not vote yet; by node
  private long reopenIn = REOPEN_TICKS;
  private boolean isFailed; // the last tick
  private @Nullable String logged; // the last error of the log

  // written by the thread of the store, read by any
  private volatile @Nullable RaftVoter voter;
  private volatile int failures; // of tries to write or to open, since the last good one
  private volatile @Nullable RosterMachine machine; // of the last voter
  private volatile @Nullable String warned; // the last warning about others
  private volatile boolean isClosed;

  private RatisNameStore(Setup setup) {
    this.setup = setup;
    this.codec = setup.codec();
    this.limits = setup.limits();
    this.id = VoterId.of(setup.directory());
    this.file = setup.directory().path().resolve(FILE);
    this.formation = new Formation(id, setup.voters());
    this.kept = formation.status(State.SEARCHES);
    this.calls =
        new VoterCalls(
            setup.node(), setup.voters(), setup.transport(), limits.call(), this::received);
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("heddle-voter-" + setup.node()).factory());
    this.requests =
        new Requests(
            "voter '%s' of %s".formatted(id, setup.voters()),
            this::notFormed,
            () -> voter,
            thread,
            limits);
    this.renewals = new Renewals(setup, calls, this::encode, () -> voter, this::write);
    calls.renewBy((_, body) -> renewals.handle(body));
    this.snapshots = new Snapshots(id, requests, limits.submit());
  }

  static RatisNameStore open(Setup setup) throws IOException {
    RatisNameStore store = new RatisNameStore(setup);
    try {
      store.restore();
      store.calls.open();
      var _ =
          store.thread.scheduleWithFixedDelay(
              store::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
      return store;
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  // ---- formation: the thread of the store ----

  private void restore() throws IOException {
    if (Files.exists(file)) {
      kept = read();
      boolean isSame =
          kept.started().isEmpty() || VoterId.nodes(kept.started()).equals(setup.voters());
      if (!isSame) {
        throw new FileSystemException(
            file.toString(),
            null,
            "the voters are %s there, and cannot become %s"
                .formatted(VoterId.nodes(kept.started()), setup.voters()));
      }
      formation.restore(kept);
    } else if (formation.began()) {
      keep();
      if (formation.began()) {
        keep();
      }
    }
    openVoter();
  }

  private VoterStatus read() throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    try {
      VoterStatus status = VoterStatus.decode(bytes, codec.formats());
      keptFormat = RosterCodec.formatOf(bytes);
      return status;
    } catch (IOException e) {
      String why = e instanceof EOFException ? "it is cut off" : e.getMessage();
      FileSystemException named =
          new FileSystemException(
              file.toString(),
              null,
              why
                  + "; start the release that has written it, or all voters with empty"
                  + " directories, which forgets names, singletons and shards");
      named.initCause(e);
      throw named;
    }
  }

  private void keep() throws IOException {
    VoterStatus now = formation.status(State.SEARCHES);
    int format = Math.max(keptFormat, format());
    NodeDirectory.write(file, now.encode(format));
    if (keptFormat != 0 && keptFormat < format) {
      LOG.log(
          System.Logger.Level.INFO,
          "voter '%s': the log has format %d now, and releases that do not know it do not vote"
              .formatted(id, format));
    }
    kept = now;
    keptFormat = format;
    failures = 0;
  }

  /// Of what is put into the log here.
  private int format() {
    RosterMachine now = machine;
    return now == null ? codec.formats().oldest() : now.format();
  }

  /// The same, with what is in the log and not applied yet.
  private int comingFormat() {
    RosterMachine now = machine;
    return now == null ? format() : Math.max(now.comingFormat(), format());
  }

  private String notFormed() {
    String why = warned;
    return why == null ? "the voters have not all met yet" : why;
  }

  /// The formation has changed: that is written, then told and used.
  private void formed() throws IOException {
    keep();
    tellAll();
    openVoter();
  }

  private void openVoter() throws IOException {
    if (kept.started().isEmpty() || isClosed) {
      failures = 0;
      return;
    }
    Path directory = setup.directory().path().resolve(LOG_DIRECTORY);
    RosterMachine next = new RosterMachine(setup.listener(), codec, place());
    machine = next; // first: what keeps it from being opened is asked there
    RaftVoter opened = RaftVoter.open(id, kept.started(), directory, calls, next, limits);
    voter = opened;
    failures = 0;
    if (opened.isLeader()) {
      setup.listener().leads(); // it was elected before it was known here
    }
  }

  /// Of this voter among all, from 0 to 1: they do not write their snapshots at the same time.
  private double place() {
    TreeSet<String> all = new TreeSet<>(setup.voters());
    return (double) all.headSet(setup.node()).size() / all.size();
  }

  /// An exception would end the ticks for good, and nobody would hear of it.
  private void tick() {
    try {
      due();
      isFailed = false;
    } catch (RuntimeException | Error e) {
      if (!isFailed) {
        LOG.log(System.Logger.Level.ERROR, "voter '%s' goes on after a failure".formatted(id), e);
      }
      isFailed = true;
    }
  }

  private void due() {
    if (isClosed) {
      return;
    }
    RaftVoter now = voter;
    if (!formation.status(State.SEARCHES).equals(kept)) {
      attempt(this::formed);
    } else {
      if (keptFormat != 0 && keptFormat < format()) {
        attempt(this::keep);
      }
      if (now == null ? !kept.started().isEmpty() : !now.isAlive()) {
        reopen(now);
      }
    }
    if (state() == State.SEARCHES) {
      tellAll();
    }
    newcomers.values().removeIf(this::votesNow);
    snapshots.due(voter, machine);
  }

  /// The answer to an exchange may be lost with the leader. So each voter that has met a newcomer
  /// looks itself.
  private boolean votesNow(String newcomer) {
    RaftVoter now = voter;
    if (now == null || !now.hasVoter(newcomer)) {
      return false;
    }
    LOG.log(
        System.Logger.Level.INFO,
        "voter '%s' votes now, and another one may be restarted".formatted(newcomer));
    return true;
  }

  private void reopen(@Nullable RaftVoter ended) {
    if (--reopenIn > 0) {
      return;
    }
    reopenIn = REOPEN_TICKS;
    RosterMachine of = machine;
    String why = of == null ? null : of.obstacle();
    if (why != null) { // the next one would not read it either
      logOnce(unreadable(why));
      return;
    }
    if (ended != null) {
      LOG.log(
          System.Logger.Level.WARNING,
          "voter '%s' has stopped taking part in the log, and is opened again".formatted(id));
      voter = null;
      ended.close();
    }
    attempt(this::openVoter);
  }

  private void logOnce(String line) {
    if (!line.equals(logged)) {
      logged = line;
      LOG.log(System.Logger.Level.ERROR, line);
    }
  }

  private interface Task {
    void run() throws IOException;
  }

  /// Writes or opens, which may fail: then a later tick does it. The first failure is logged.
  private void attempt(Task task) {
    try {
      task.run();
    } catch (IOException | RuntimeException e) {
      int before = failures; // only the thread of the store changes it
      failures = before + 1;
      if (before == 0) {
        LOG.log(
            System.Logger.Level.ERROR,
            "voter '%s' cannot take part in the log, and tries again".formatted(id),
            e);
      }
    }
  }

  private State state() {
    RaftVoter now = voter;
    return now == null || !now.follows() ? State.SEARCHES : State.FOLLOWS;
  }

  private void tellAll() {
    for (String name : setup.voters()) {
      if (!name.equals(setup.node())) {
        tell(name);
      }
    }
  }

  private void tell(String name) {
    int known = codec.formats().common(setup.transport().logFormat(name));
    calls.send(name, kept.at(state()).encode(Math.max(known, format())));
  }

  /// Any thread.
  private void received(String from, byte[] body) {
    try {
      thread.execute(() -> decode(from, body));
    } catch (RejectedExecutionException _) {
      // safe: closed by now
    }
  }

  private void decode(String from, byte[] body) {
    VoterStatus status;
    try {
      status = VoterStatus.decode(body, codec.formats());
    } catch (IOException e) {
      warn("voter '%s' has not understood voter '%s': %s".formatted(id, from, e.getMessage()));
      return;
    }
    try {
      received(from, status, RosterCodec.formatOf(body));
    } catch (RuntimeException | Error e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "voter '%s' has not handled the status of voter '%s'".formatted(id, from),
          e);
    }
  }

  private void received(String from, VoterStatus status, int format) {
    if (!VoterId.node(status.id()).equals(from)) {
      warn("voter '%s' at node '%s' is not of that node".formatted(status.id(), from));
      return;
    }
    boolean isOther =
        !status.started().isEmpty()
            && !formation.started().isEmpty()
            && !status.started().equals(formation.started());
    if (isOther) {
      warn(
          "voter '%s' belongs to the log of %s, voter '%s' to that of %s"
              .formatted(id, formation.started(), status.id(), status.started()));
      return;
    }
    if (!VoterId.nodes(status.started()).equals(setup.voters()) && !status.started().isEmpty()) {
      warn(
          "voter '%s' has the voters %s, voter '%s' has %s"
              .formatted(id, setup.voters(), status.id(), VoterId.nodes(status.started())));
      return;
    }
    if (formation.received(status)) {
      attempt(this::formed);
    } else if (status.state() == State.SEARCHES && state() == State.FOLLOWS) {
      tell(from);
      RaftVoter now = voter;
      if (now != null && !now.isAmongVoters(status.id())) { // else it has only started
        newcomers.put(from, status.id());
      }
      takeIn(from, status, format);
    }
  }

  /// @param format that this voter and the other know
  private void takeIn(String from, VoterStatus status, int format) {
    RaftVoter now = voter;
    boolean isBusy = exchange != null && !exchange.isDone();
    if (now == null || isBusy || !now.isLeader() || status.started().isEmpty()) {
      return;
    }
    int needed = comingFormat();
    if (format < needed) {
      warn(
          ("voter '%s' knows the log up to format %d, and format %d is in force: start node '%s'"
                  + " with the release of the others")
              .formatted(status.id(), format, needed, from));
      return;
    }
    CompletableFuture<RaftClientReply> change;
    try {
      change = now.exchange(status.id(), requests.number());
    } catch (IOException e) {
      notTakenIn(status.id(), e); // this one has ended meanwhile, for instance
      return;
    }
    if (change == null) {
      return;
    }
    LOG.log(
        System.Logger.Level.INFO,
        "voter '%s', which leads, takes voter '%s' in for the earlier one of its node"
            .formatted(id, status.id()));
    exchange =
        change.whenComplete((reply, failure) -> {
          if (failure != null || !reply.isSuccess()) {
            notTakenIn(status.id(), failure != null ? failure : reply.getException());
          }
        });
  }

  private static void notTakenIn(String newcomer, @Nullable Throwable why) {
    LOG.log(
        System.Logger.Level.DEBUG, "voter '%s' is not taken in yet: %s".formatted(newcomer, why));
  }

  private void warn(String line) {
    if (!line.equals(warned)) {
      warned = line;
      LOG.log(System.Logger.Level.WARNING, line);
    }
  }

  // ---- requests: any thread ----

  @Override
  public CompletableFuture<Outcome> submit(Command command) {
    RosterMachine now = machine;
    String why = now == null ? null : now.obstacle();
    if (why != null) {
      return CompletableFuture.failedFuture(new IllegalStateException(unreadable(why)));
    }
    return command instanceof Command.Renew renewal ? renewals.submit(renewal) : write(command);
  }

  private CompletableFuture<Outcome> write(Command command) {
    return requests.submit(leader -> encode(command, leader), codec::decodeOutcome);
  }

  private String unreadable(String why) {
    return "voter '%s' cannot read the log: %s".formatted(id, why);
  }

  /// In the newest format that the leader knows, too; it puts it into the log in the one in force.
  private byte[] encode(Command command, @Nullable RaftPeerId leader) {
    if (command instanceof Command.Raise raise) {
      checkKnown(raise.format());
    }
    String node = leader == null ? setup.node() : VoterId.node(leader.toString());
    int newest = codec.formats().newest();
    int known = node.equals(setup.node()) ? newest : setup.transport().logFormat(node);
    int common = codec.formats().common(known);
    return codec.encodeEntry(command, common == 0 ? newest : common);
  }

  /// At each try: one that comes late may find another release of a voter in session.
  private void checkKnown(int format) {
    for (String name : setup.voters()) {
      int known = name.equals(setup.node()) ? format : setup.transport().logFormat(name);
      if (known < format) {
        throw new IllegalStateException(
            "voter '%s' knows the log up to format %d, not %d".formatted(name, known, format));
      }
    }
  }

  @Override
  public CompletableFuture<Long> barrier() {
    return requests.barrier();
  }

  @Override
  public long term() {
    RaftVoter now = voter;
    return now == null ? 0 : now.term();
  }

  @Override
  public CompletableFuture<Boolean> handOver() {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    onThread(() -> handOver(done), done);
    return done;
  }

  private void handOver(CompletableFuture<Boolean> done) {
    RaftVoter now = voter;
    if (now == null || !now.isLeader()) {
      done.complete(false);
      return;
    }
    try {
      handOver(now, now.followers().iterator(), done);
    } catch (IOException e) {
      notHandedOver("another one", e); // it has ended meanwhile
      done.complete(false);
    }
  }

  /// To the first one that takes it.
  private void handOver(RaftVoter from, Iterator<RaftPeerId> to, CompletableFuture<Boolean> done) {
    if (!to.hasNext()) {
      done.complete(false);
      return;
    }
    RaftPeerId next = to.next();
    CompletableFuture<RaftClientReply> change;
    try {
      change = from.transfer(next, requests.number(), limits.call());
    } catch (IOException e) {
      change = CompletableFuture.failedFuture(e);
    }
    var _ =
        change.whenComplete((reply, failure) -> {
          if (failure == null && reply.isSuccess()) {
            LOG.log(
                System.Logger.Level.INFO,
                "voter '%s' has handed the lead over to voter '%s'".formatted(id, next));
            done.complete(true);
          } else {
            notHandedOver(next.toString(), failure != null ? failure : reply.getException());
            onThread(() -> handOver(from, to, done), done);
          }
        });
  }

  private void notHandedOver(String to, @Nullable Throwable why) {
    LOG.log(
        System.Logger.Level.DEBUG,
        "voter '%s' has not handed the lead over to voter '%s': %s".formatted(id, to, why));
  }

  private void onThread(Runnable task, CompletableFuture<Boolean> orElse) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException _) {
      orElse.complete(false); // closed by now
    }
  }

  /// For tests: the server of Ratis; null before it is open.
  @Nullable RaftVoter voter() {
    return voter;
  }

  /// For tests: how many tries to write or to open have failed since the last good one.
  int failures() {
    return failures;
  }

  /// Ends this voter, and fails the requests that are open. Waits until its files are closed.
  @Override
  public void close() {
    isClosed = true;
    thread.shutdown();
    requests.close();
    calls.close();
    thread.close(); // waits for a task that runs: it may open a server
    RaftVoter last = voter;
    if (last != null) {
      last.close();
    }
  }
}
