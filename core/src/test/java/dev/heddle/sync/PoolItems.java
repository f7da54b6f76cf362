// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Numbered items for the tests of pools, which note what happens to them.
class PoolItems {
  final List<Object> log = new ArrayList<>();
  int made;
  int ended;

  static final class Item {
    final int number;
    boolean good = true;

    Item(int number) {
      this.number = number;
    }

    @Override
    public String toString() {
      return "item " + number;
    }
  }

  PoolOptions<Item> items(int min, int max) {
    return PoolOptions.<Item>of(() -> new Item(++made))
        .withName("items")
        .withSize(min, max)
        .withDestroy(item -> {
          ended++;
          log.add("ended " + item);
        });
  }

  static boolean broken(Item item) throws IOException {
    if (!item.good) {
      throw new IOException(item + " is broken");
    }
    return true;
  }

  /// Lets every coroutine that is ready run until it waits.
  static void settle() {
    for (int i = 0; i < 10; i++) {
      Heddle.yieldNow();
    }
  }

  <R> Coroutine<Lease<R>> acquirer(Pool<R> pool, String name) {
    return Heddle.spawn(
        name,
        () -> {
          Lease<R> lease = pool.acquire();
          log.add(name + " got " + lease.resource());
          return lease;
        });
  }
}
