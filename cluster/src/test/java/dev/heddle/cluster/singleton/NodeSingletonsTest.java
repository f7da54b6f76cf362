// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.singleton;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.peer.FakeNode;
import dev.heddle.cluster.roster.SingletonSpec;
import dev.heddle.cluster.wire.MessageTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class NodeSingletonsTest {
  /// Notes that a process could not be made: this node has no entry.
  private static final class NotMade implements SingletonPort.Run {
    final List<@Nullable String> failures = new ArrayList<>();

    @Override
    public void made(SingletonPort.Waiting process) {
      throw new IllegalStateException("it has no entry");
    }

    @Override
    public void ended(@Nullable String failure) {
      failures.add(failure);
    }
  }

  /// It counted as starting for good, and no other node started it.
  @Test
  @Tag("C6")
  void singleton_forWhichNoThreadCanBeMade_isMadeWhenThereIsOne() {
    FakeNode node = new FakeNode("a", "b", 0);
    var input = new SingletonSpec.Input("a", "main", 7, List.of(), new byte[0]);
    var spec = new SingletonSpec("billing", "worker", null, Map.of(), input);
    MessageTypes types = MessageTypes.of(List.of(), List.of());
    var port = new NodeSingletons("a", Map.of(), Map.of(), types, node, null);
    NotMade run = new NotMade();

    node.callbacks = FakeNode.NO_THREAD;
    port.make(spec, run);
    assertThat(run.failures).isEmpty();
    node.callbacks = Runnable::run;
    node.retry();

    assertThat(run.failures).hasSize(1);
  }
}
