// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.NotSendableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Messages that several threads encode, or change meanwhile.
@Tag("wire-8")
@Tag("proc-195")
@Timeout(300)
class MessageConcurrencyTest {
  record Tags(Map<String, List<Integer>> tags, List<String> list) {}

  private final MessageKit kit = MessageKit.of(Tags.class);

  private static Tags tags(Map<String, List<Integer>> tags, List<String> list) {
    for (int i = 0; i < 100; i++) {
      tags.put("key " + i, List.of(i, i + 1));
      list.add("text " + i);
    }
    return new Tags(tags, list);
  }

  @Test
  void oneMap_encodedByManyThreads_isTheSameForAll() throws Exception {
    Tags shared = tags(new HashMap<>(), new ArrayList<>());
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Callable<Boolean>> senders = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Tags own = new Tags(Map.of("of " + i, List.of(i)), List.of("mine".repeat(10 * i)));
        senders.add(() -> {
          boolean same = true;
          for (int k = 0; k < 500; k++) {
            same &= shared.equals(kit.sent(shared));
            same &= own.equals(kit.sent(own)); // as long as no other: bytes that are shared show
          }
          return same;
        });
      }
      for (Future<Boolean> each : threads.invokeAll(senders)) {
        assertThat(each.get()).isTrue();
      }
    }
  }

  /// A message that is changed is refused, or arrives as some mixture; the next one is whole.
  @Test
  void message_changedWhileItIsEncoded_damagesNoOther() throws Exception {
    Map<String, List<Integer>> map = new HashMap<>();
    List<String> list = new ArrayList<>();
    Tags changing = tags(map, list);
    Tags whole = tags(new HashMap<>(), new ArrayList<>());
    AtomicBoolean done = new AtomicBoolean();
    int refused = 0;
    int arrived = 0;
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<?> changer = threads.submit(() -> change(map, list, done));
      for (int k = 0; k < 3000; k++) {
        try {
          assertThat(kit.sent(changing)).isInstanceOf(Tags.class);
          arrived++;
        } catch (NotSendableException e) {
          refused++;
        }
        assertThat(kit.sent(whole)).isEqualTo(whole);
      }
      done.set(true);
      changer.get();
    }
    assertThat(refused + arrived).isEqualTo(3000);
  }

  private static void change(
      Map<String, List<Integer>> map, List<String> list, AtomicBoolean done) {
    for (int k = 0; !done.get(); k++) {
      map.put("new " + k % 200, List.of(k));
      map.remove("new " + (k + 100) % 200);
      list.add("more");
      list.removeLast();
    }
  }
}
