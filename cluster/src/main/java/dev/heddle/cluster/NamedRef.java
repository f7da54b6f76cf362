// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Ref;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Leads to the process that has a name of the cluster, at each use: also after the name has moved.
///
/// {@snippet class=dev.heddle.cluster.NamesSnippetsTest region=named}
///
/// It goes by what its node knows, as [ClusterNames#lookup]: while a name moves, a message may
/// still go to the last owner, or be refused. Only when this node knows no owner does [#ask] ask a
/// majority. A message is sent once; nothing is tried again.
///
/// **Thread** any: it is immutable.
///
/// @since 0.1
public final class NamedRef {
  private final String name;
  private final ProcessRuntime runtime;
  private final ClusterNames names;

  NamedRef(String name, ProcessRuntime runtime, ClusterNames names) {
    ClusterNames.checkName(name);
    this.name = name;
    this.runtime = runtime;
    this.names = names;
  }

  /// The name.
  public String name() {
    return name;
  }

  /// The process that it leads to at this moment; null when this node knows none.
  ///
  /// @throws NoQuorumException before this node knows anything, just after it has joined
  public @Nullable Pid pid() {
    return names.lookup(name);
  }

  /// Sends a message. Otherwise like [ProcessRuntime#send(Pid, Object)].
  ///
  /// @throws SendFailedException when it was not accepted, or no process has the name
  /// @throws NoQuorumException before this node knows anything, just after it has joined
  public void send(@Nullable Object message) {
    runtime.send(orNobody(pid()), message);
  }

  /// Sends a message and returns what became of it: [SendResult#NOT_FOUND] when no process has the
  /// name. **Suspends** never.
  ///
  /// @throws NoQuorumException before this node knows anything, just after it has joined
  public SendResult offer(@Nullable Object message) {
    return runtime.offer(orNobody(pid()), message);
  }

  /// Sends a request, and waits for the reply. Otherwise like [ProcessRuntime#ask(Pid, Object,
  /// Duration)]. When this node knows no owner it asks a majority first.
  ///
  /// @throws SendFailedException when it was not accepted, or no process has the name
  /// @throws NoQuorumException when this node knows no owner, and no majority answers
  @SuppressWarnings("TypeParameterUnusedInFormals") // as ProcessRuntime.ask
  public <R extends @Nullable Object> R ask(@Nullable Object message, Duration limit)
      throws InterruptedException {
    return runtime.ask(resolved(), message, limit);
  }

  /// A typed reference to the process that has the name now. It does not follow the name.
  ///
  /// @throws SendFailedException when no process has the name
  /// @throws NoQuorumException before this node knows anything, just after it has joined
  public <M> Ref<M> ref(Class<M> protocol) {
    Pid now = pid();
    if (now == null) {
      throw new SendFailedException(nobody(), SendResult.NOT_FOUND);
    }
    return runtime.ref(now, protocol);
  }

  private Pid resolved() throws InterruptedException {
    Pid known = names.isReady() ? pid() : null;
    return known != null ? known : orNobody(names.whereis(name));
  }

  private Pid orNobody(@Nullable Pid pid) {
    return pid != null ? pid : nobody();
  }

  /// An address of this node that no process has.
  private Pid nobody() {
    return names.nobody();
  }

  @Override
  public String toString() {
    return "NamedRef(" + name + ")";
  }
}
