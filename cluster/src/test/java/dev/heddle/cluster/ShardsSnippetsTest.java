// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The examples about shards, and what is refused. The voters are elsewhere, and do not run.
class ShardsSnippetsTest {
  record Add(String item) {}

  record View() {}

  // @start region=entity
  /// A cart: `Add` puts an item into it, `View` is answered with all items.
  static final class Cart extends CoroutineProcess {
    @Override
    protected @Nullable Object run(@Nullable Object input) {
      EntityId id = (EntityId) Objects.requireNonNull(input); // load what id.key() had before
      List<String> items = new ArrayList<>();
      while (true) {
        switch (receive()) {
          case Add(String item) -> items.add(item);
          case Request(View _, var reply) -> {
            boolean _ = reply.complete(id.key() + ": " + items);
          }
          case null, default -> {}
        }
      }
    }
  }

  // @end

  // @start region=shards
  static ClusterOptions offering(ClusterOptions options) {
    return options.messages(Add.class, View.class).entry("cart", Cart::new); // at nodes with carts
  }

  static Shards carts(Cluster cluster) {
    return cluster.shards(
        "cart", ShardOptions.entry("cart").count(256).passivateAfter(Duration.ofMinutes(10)));
  }

  // @end

  // @start region=ask
  /// Puts an item into a cart, wherever that is.
  ///
  /// @return what is in it; null when that is not known now
  static @Nullable String add(Shards carts, String customer, String item)
      throws InterruptedException {
    EntityRef cart = carts.of(customer);
    try {
      cart.send(new Add(item));
      return cart.ask(new View(), Duration.ofSeconds(2));
    } catch (NoQuorumException later) {
      return null; // no majority of the voters answers, or this node has just joined
    } catch (NotDeliveredException lost) {
      return null; // its node was lost, say: lost.mayBeDelivered() tells what is known
    } catch (EntityFailedException failed) {
      throw new IllegalStateException("the cart of " + customer + " is broken", failed);
    }
  }

  // @end

  private static ClusterOptions options() throws IOException {
    return ClusterOptions.named("d").bind("127.0.0.1", TestPorts.next());
  }

  private static ClusterOptions withVoters() throws IOException {
    return offering(options().voters("a", "b", "c").lease(Duration.ofSeconds(1)));
  }

  @Test
  void shards_beforeThereIsAMajority_sendNothing_andSaySo() throws Exception {
    try (Cluster cluster = Cluster.join(withVoters())) {
      Shards carts = carts(cluster);
      EntityRef cart = carts.of("42");

      assertThat(add(carts, "42", "milk")).isNull();
      assertThatThrownBy(() -> cart.offer(new Add("milk")))
          .isInstanceOf(NoQuorumException.class)
          .hasMessageContainingAll("'42' of 'cart'", "node 'd'", "voters", "try again");
      assertThatThrownBy(() -> cart.request(new View(), Duration.ofSeconds(1)))
          .isInstanceOf(NoQuorumException.class);
      assertThat(carts.running()).isZero();
    }
  }

  @Test
  void shards_withoutVoters_areRefused_andNameTheOption() throws Exception {
    try (Cluster cluster = Cluster.join(options())) {
      assertThatThrownBy(() -> carts(cluster))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("node 'd' has no shards", "voters(...)");
    }
  }

  @Test
  void shards_usedOtherwiseAtOneNode_areRefused_withBothValues() throws Exception {
    try (Cluster cluster = Cluster.join(withVoters())) {
      Shards carts = carts(cluster);
      assertThat(carts(cluster).name()).isEqualTo(carts.name());

      ShardOptions other = ShardOptions.entry("cart").count(16).label("role", "cart");
      assertThatThrownBy(() -> cluster.shards("cart", other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("node 'd'", "256 shards", "16 shards", "{role=cart}");
    }
  }

  @Test
  void options_keysAndMessages_areChecked() throws Exception {
    ShardOptions carts = ShardOptions.entry("cart");
    for (int count : new int[] {0, -1, 65_537}) {
      assertThatThrownBy(() -> carts.count(count))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("1 to 65536", String.valueOf(count));
    }
    assertThatThrownBy(() -> carts.passivateAfter(Duration.ofMillis(-1)))
        .hasMessageContaining("PT-0.001S");
    assertThat(carts).hasToString("256 shards of entry 'cart', passivated after PT10M");
    try (Cluster cluster = Cluster.join(withVoters())) {
      Shards all = carts(cluster);
      assertThatThrownBy(() -> all.of("")).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> all.of("k".repeat(1_025))).hasMessageContaining("1025");
      assertThatThrownBy(() -> cluster.shards("", carts)).hasMessageContaining("not 0");
      assertThatThrownBy(() -> all.of("42").offer(new Object()))
          .isInstanceOf(dev.heddle.process.NotSendableException.class);
    }
  }

  @Test
  void request_thatCannotBeSent_isAnExceptionOfTheCall_notOfTheFuture() throws Exception {
    Cluster cluster = Cluster.join(withVoters());
    EntityRef cart = carts(cluster).of("42");
    cluster.close();
    assertThatThrownBy(
            () -> cart.request(new View(), Duration.ofSeconds(1)).get(1, TimeUnit.MINUTES))
        .isInstanceOf(NoQuorumException.class)
        .isNotInstanceOf(ExecutionException.class);
  }
}
