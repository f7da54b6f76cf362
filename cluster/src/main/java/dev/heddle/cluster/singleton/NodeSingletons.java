// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.singleton;

import dev.heddle.cluster.name.NameService;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.roster.SingletonSpec;
import dev.heddle.cluster.wire.MessageReader;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.StartOptions;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.ProcessOrder;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Starts the singletons of a running node.
///
/// @param node its name
/// @param labels of it
/// @param entries of it
/// @param types of messages, for inputs
public record NodeSingletons(
    String node,
    Map<String, String> labels,
    Map<String, Entry> entries,
    MessageTypes types,
    LocalProcesses local,
    NameService names)
    implements SingletonPort {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.singleton");

  @Override
  public boolean canRun(SingletonSpec spec) {
    boolean isHere =
        spec.node() == null
            ? labels.entrySet().containsAll(spec.labels().entrySet())
            : spec.node().equals(node);
    if (!isHere || !entries.containsKey(spec.entry())) {
      return false;
    }
    try {
      var _ = input(spec);
      return true;
    } catch (UndecodableMessageException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s' does not run singleton '%s', whose input it cannot decode: %s"
              .formatted(node, spec.name(), e.getMessage()));
      return false;
    }
  }

  /// The input of a singleton.
  public @Nullable Object input(SingletonSpec spec) throws UndecodableMessageException {
    SingletonSpec.Input it = spec.input();
    NodeLife sender = new NodeLife(it.sender(), it.host(), it.life());
    return new MessageReader(types, sender, it.types()).decode(it.content());
  }

  /// On a thread of its own: what makes the process may wait.
  @Override
  public void make(SingletonSpec spec, Run run) {
    local
        .callbacks()
        .execute(() -> {
          Pid pid;
          try {
            Entry entry = Objects.requireNonNull(entries.get(spec.entry()));
            SingletonProcess process =
                new SingletonProcess(
                    entry.process().get(), token -> names.token(spec.name()).orElse(0) == token);
            pid = local.spawn(process, entry.with(StartOptions.defaults().withInput(input(spec))));
            run.made(new Made(pid, process));
          } catch (Throwable e) { // of the supplier too, which is code of the program
            run.ended(e.toString());
            return;
          }
          ProcessLinks.Owner owner = local.find(pid);
          if (owner == null) {
            run.ended("it has ended at once");
          } else {
            owner.processLinks().onExit(exit -> run.ended(failure(exit)));
          }
        });
  }

  private static @Nullable String failure(Exit exit) {
    if (!exit.isFailure()) {
      return null;
    }
    return exit.cause() == null ? exit.reason().toString() : exit.reason() + ", " + exit.cause();
  }

  private record Made(Pid pid, SingletonProcess process) implements Waiting {
    @Override
    public void begin(long token) {
      process.begin(token);
    }
  }

  @Override
  public void cancel(Pid pid, String reason, long nanos) {
    local.order(pid, new ProcessOrder.Cancel(reason, Duration.ofNanos(nanos)));
  }
}
