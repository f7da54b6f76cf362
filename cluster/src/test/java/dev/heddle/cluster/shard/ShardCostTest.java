// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static dev.heddle.cluster.shard.FakePort.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.roster.Holder;
import dev.heddle.cluster.roster.ShardState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the agent looks at: what is due or has changed, however much there is.
@Tag("C9")
class ShardCostTest {
  private static final int MANY = 10_000;
  private static final long SECOND = 1_000_000_000L;

  private final FakePort port = new FakePort();
  private long entities;
  private final Shard shard = new Shard(port, () -> ++entities, ShardWindow.DEFAULT);

  private void deliver(String key, long nanos) {
    shard.received("b", new ShardMessage.Deliver(5, message("b", key, "m")), nanos);
    shard.taken(message("b", key, "m").withCredit(1), nanos);
  }

  @Test
  void entities_areLookedAt_whenTheyMayBeIdle_andNotBefore() {
    port.idle = 600 * SECOND;
    shard.view(new ShardState(5, new Holder("a", 1), null, 0, null), 0);
    for (int i = 0; i < MANY; i++) {
      deliver("k" + i, i < MANY / 2 ? 0 : SECOND);
    }
    shard.progress(2 * SECOND); // what was taken is told
    port.looked = 0;
    for (long now = 3 * SECOND; now < 600 * SECOND; now += SECOND) {
      assertThat(shard.due(now, Long.MAX_VALUE)).isEqualTo(600 * SECOND);
      shard.progress(now);
    }
    assertThat(port.looked).isZero();

    shard.progress(600 * SECOND);
    assertThat(port.looked).isEqualTo(MANY / 2);
    shard.progress(601 * SECOND);
    assertThat(port.looked).isEqualTo(MANY);
  }

  /// Each start of an entity was kept until its idle time, also when it had ended.
  @Test
  void entities_thatEndByThemselves_leaveNothing() {
    port.idle = 600 * SECOND;
    shard.view(new ShardState(5, new Holder("a", 1), null, 0, null), 0);
    for (int i = 0; i < MANY; i++) {
      deliver("k", i);
      shard.entityEnded(entities, List.of(), null, i);
    }
    assertThat(Objects.requireNonNull(shard.owner().entities()).watched()).isZero();
  }

  @Test
  void requests_areLookedAt_whenTheirTimeIsOver_andNotBefore() {
    EntityAsks asks = new EntityAsks(7, (_, _) -> {}, Runnable::run);
    List<CompletableFuture<@Nullable Object>> answers = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      answers.add(asks.answer(asks.begin((i + 1) * SECOND)));
    }
    for (int i = 1; i <= 100; i++) {
      asks.due(i * SECOND);
    }
    assertThat(answers.stream().filter(CompletableFuture::isDone)).hasSize(100);
    assertThat(asks.looked()).isEqualTo(200); // at each due one, and the next
    answers.forEach(answer -> answer.cancel(false));
    asks.due(MANY * SECOND);
    assertThat(asks.looked()).isEqualTo(200);
  }
}
