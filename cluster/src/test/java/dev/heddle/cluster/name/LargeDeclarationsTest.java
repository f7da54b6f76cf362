// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Command.DeclareSingleton;
import dev.heddle.cluster.roster.Command.OfferSingletons;
import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Command.Raise;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.CommandTooLargeException;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.SingletonSpec;
import dev.heddle.cluster.singleton.SingletonPort;
import dev.heddle.cluster.singleton.Singletons;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a node says in the log when it has much to say.
@Tag("C6")
class LargeDeclarationsTest {
  private static final String LONG = "x".repeat(1_000);
  private static final int SINGLETONS = 300;

  private final OneNode node = new OneNode();
  private long index;

  private static SingletonSpec spec(String name, int labels) {
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < labels; i++) {
      all.put(i + LONG, "1");
    }
    return new SingletonSpec(
        name, "worker", null, all, new SingletonSpec.Input("a", "h", 7, List.of(), new byte[0]));
  }

  private void apply(Command command) {
    index++;
    node.apply(index, command);
  }

  /// Its node repeated it until a lease was over, and each time it cost the log its leader.
  @Test
  void declaration_thatTheLogDoesNotTake_isRefusedToItsCaller() {
    assertThatThrownBy(() -> node.service.declare(spec("billing", 600)))
        .isInstanceOf(CommandTooLargeException.class)
        .hasMessageContaining("the declaration of singleton 'billing' has ")
        .hasMessageContaining("fewer labels");
    assertThat(node.service.declare(spec("billing", 60))).isNotDone();
  }

  @Test
  void command_thatTheLogDoesNotTake_isAnsweredAtOnce_atANodeWithoutALog() {
    FollowerLog log =
        new FollowerLog(
            new NodeLife("b", "h", 1),
            Set.of("a"),
            new RosterSender("b", new ProcesslessPort() {}, RosterCodec.RELEASE),
            RosterCodec.RELEASE,
            new RosterReplica("b", System::nanoTime, _ -> {}),
            LeaseTimes.DEFAULT);
    log.opened("a", 0);
    List<String> failures = new ArrayList<>();
    log.submit(
        new DeclareSingleton(new Origin("b", 1, 1, 0), spec("billing", 600)),
        (_, why) -> failures.add(why));

    assertThat(failures).singleElement().asString().contains("at most 523,264");
  }

  @Test
  void manySingletons_areOffered_oneCommandAfterTheOther() {
    Singletons all =
        new Singletons("a", node.service, new Able(), LeaseTimes.DEFAULT, node.service::now);
    node.service.add(all);
    apply(new Renew("a", OneNode.LIFE, null));
    node.admit(1);
    apply(new Raise(3));
    for (int i = 0; i < SINGLETONS; i++) {
      Origin origin = new Origin("a", 1, i, 0);
      apply(new DeclareSingleton(origin, spec("%03d".formatted(i) + LONG, 0)));
    }
    node.run(1_000); // what was offered meanwhile was lost
    node.all(OfferSingletons.class).forEach(node.tries::remove);
    node.run(1_000);

    int commands = 0;
    for (; !node.all(OfferSingletons.class).isEmpty(); commands++) {
      assertThat(node.all(OfferSingletons.class)).as("repeated in a second").hasSize(1);
      OneNode.Try next = node.take(OfferSingletons.class);
      assertThat(RosterCodec.RELEASE.encode(next.command())).hasSizeLessThan(130 * 1024);
      apply(next.command());
    }
    assertThat(commands).isEqualTo(3);
  }

  private static final class Able implements SingletonPort {
    @Override
    public boolean canRun(SingletonSpec spec) {
      return true;
    }

    @Override
    public void make(SingletonSpec spec, Run run) {}

    @Override
    public void cancel(Pid pid, String reason, long nanos) {}
  }
}
