// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.NameStoreProvider;
import dev.heddle.cluster.roster.NodeDirectory;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.SortedNames;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.ProcessOrder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The names of a running node: their service, its log and its directory.
///
/// **Thread** any. [#open], [#leave] and [#close] wait.
public final class NodeNames implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.name");
  private static final String ROSTER = "roster"; // messages of nodes without a log

  /// What names need to be told.
  ///
  /// @param voters the names of the nodes that vote
  /// @param directory of this node; a voter has one
  /// @param formats of the log that this release knows
  public record Settings(
      Set<String> voters, @Nullable Path directory, Duration lease, LogFormats formats) {
    public Settings {
      voters = SortedNames.copyOf(voters);
    }
  }

  private final String node;
  private final LeaseTimes times;
  private final @Nullable NodeDirectory directory;
  private final NameService service;

  private NodeNames(
      ClusterNode node, LocalProcesses local, Settings settings, @Nullable NodeDirectory directory)
      throws IOException {
    this.node = node.self().node();
    this.times = LeaseTimes.holding(settings.lease());
    this.directory = directory;
    RosterCodec codec = new RosterCodec(settings.formats());
    NameService.Setup setup =
        new NameService.Setup(
            node.self(),
            settings.voters(),
            directory == null ? null : directory.proof(),
            times,
            codec);
    Function<NameStore.Listener, NameStore> open = null;
    if (settings.voters().contains(this.node)) {
      NameStoreProvider provider = provider(settings.voters());
      NodeDirectory own = Objects.requireNonNull(directory, "a voter has a directory");
      Transport transport = new Transport(node);
      node.add(transport);
      open =
          listener ->
              open(
                  provider,
                  new NameStoreProvider.Setup(
                      settings.voters(),
                      own,
                      transport,
                      listener,
                      codec,
                      NameStoreProvider.Limits.DEFAULT));
    }
    try {
      service =
          new NameService(setup, new Port(node, local), System::nanoTime, node::wakeAgent, open);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    node.add(new RosterPart(service));
  }

  /// Opens the names of a node that is not started yet.
  ///
  /// @throws IOException when the directory is that of another node, is locked, or cannot be used
  /// @throws IllegalStateException when the artifact with the log of a voter is not there
  public static NodeNames open(ClusterNode node, LocalProcesses local, Settings settings)
      throws IOException {
    Path path = settings.directory();
    NodeDirectory directory = path == null ? null : NodeDirectory.open(path, node.self().node());
    try {
      return new NodeNames(node, local, settings, directory);
    } catch (IOException | RuntimeException | Error e) {
      if (directory != null) {
        directory.close();
      }
      throw e;
    }
  }

  private NameStoreProvider provider(Set<String> voters) {
    return ServiceLoader.load(NameStoreProvider.class, NodeNames.class.getClassLoader())
        .findFirst()
        .orElseThrow(() ->
            new IllegalStateException(
                "node '%s' is one of the voters %s: put dev.heddle:heddle-cluster-ratis on its class path"
                    .formatted(node, voters)));
  }

  private static NameStore open(NameStoreProvider provider, NameStoreProvider.Setup setup) {
    try {
      return provider.open(setup);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// What the names do.
  public NameService service() {
    return service;
  }

  /// Gives away all that this node owns, while its sessions are open: within three quarters of the
  /// limit what its parts own, then its names. Without a majority the others get them when the
  /// lease is over: it does not wait for longer than a quarter of a lease, or of the limit.
  public void leave(Duration limit) throws InterruptedException {
    long nanos = Math.max(0, TimeUnit.NANOSECONDS.convert(limit)); // 292 years at most
    long forParts = nanos / 4 * 3;
    long forNames = Math.min(nanos / 4, times.holdNanos() / 4);
    try {
      Object _ = service.leave(forParts, forNames).get(nanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s' leaves, and others get its names when its lease is over: %s"
              .formatted(node, isLate(e) ? "no answer in time" : e.getCause()));
    }
  }

  private static boolean isLate(Exception e) {
    return e instanceof TimeoutException || e.getCause() instanceof TimeoutException;
  }

  /// Fails what waits, and closes the log and the directory.
  @Override
  public void close() {
    service.close();
    if (directory != null) {
      directory.close();
    }
  }

  /// Hands messages and sessions to the service.
  private record RosterPart(NameService service) implements ClusterNode.Part {
    @Override
    public String name() {
      return ROSTER;
    }

    @Override
    public void opened(NodeLife node) {
      service.opened(node);
    }

    @Override
    public void received(NodeLife from, byte[] content) {
      service.received(from, content);
    }

    @Override
    public void ended(NodeLife node) {
      service.ended(node);
    }

    @Override
    public long run() {
      return service.run();
    }

    @Override
    public boolean isLeader() {
      return service.isLeader();
    }
  }

  /// Processes and sessions of the node.
  private record Port(ClusterNode node, LocalProcesses local) implements NodePort {
    @Override
    public boolean send(String to, byte[] content) {
      return node.send(to, new Frame.Service(ROSTER, content)).isAccepted();
    }

    @Override
    public CompletableFuture<@Nullable Void> room(String to) {
      RemoteNode there = node.node(to);
      return there == null ? CompletableFuture.completedFuture(null) : there.serviceRoom();
    }

    @Override
    public int logFormat(String other) {
      Introduction says = node.introduction(other);
      return says == null ? 0 : says.can().logFormat();
    }

    @Override
    public Runnable watch(Pid pid, Runnable ended) {
      ProcessLinks.Owner owner = local.find(pid);
      if (owner == null) {
        ended.run();
        return () -> {};
      }
      Consumer<Exit> listener = _ -> ended.run();
      owner.processLinks().onExit(listener); // at once, if it has ended
      return () -> owner.processLinks().offExit(listener);
    }

    @Override
    public void cancel(Pid pid, String reason, long nanos) {
      local.order(pid, new ProcessOrder.Cancel(reason, Duration.ofNanos(nanos)));
    }
  }
}
