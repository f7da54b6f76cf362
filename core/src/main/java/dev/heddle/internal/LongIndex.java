// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import java.util.Arrays;

/// A map from positive longs to ints: open addressing, so that an entry is 12 bytes and a look-up
/// allocates nothing.
public final class LongIndex {
  public static final int ABSENT = -1;

  private static final long GOLDEN = 0x9E3779B97F4A7C15L; // spreads numbers that are in a row

  private long[] keys = new long[64]; // 0: free
  private int[] values = new int[64];
  private int size;

  public int size() {
    return size;
  }

  public int get(long key) {
    int place = find(key);
    return keys[place] == key ? values[place] : ABSENT;
  }

  public void put(long key, int value) {
    int place = find(key);
    if (keys[place] != key) {
      if (2 * (size + 1) > keys.length) {
        grow(); // first: it may lack memory
        place = find(key);
      }
      size++;
      keys[place] = key;
    }
    values[place] = value;
  }

  /// Removes a key, and moves the entries behind it that would not be found any more.
  public int remove(long key) {
    int free = find(key);
    if (keys[free] != key) {
      return ABSENT;
    }
    int removed = values[free];
    size--;
    int mask = keys.length - 1;
    for (int next = (free + 1) & mask; keys[next] != 0; next = (next + 1) & mask) {
      int wanted = home(keys[next]);
      if (((next - wanted) & mask) >= ((next - free) & mask)) {
        keys[free] = keys[next];
        values[free] = values[next];
        free = next;
      }
    }
    keys[free] = 0;
    return removed;
  }

  // the place of a key, or the free one where it belongs
  private int find(long key) {
    int mask = keys.length - 1;
    int place = home(key);
    while (keys[place] != 0 && keys[place] != key) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private int home(long key) {
    return (int) ((key * GOLDEN) >>> (Long.numberOfLeadingZeros(keys.length) + 1));
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldValues = values;
    long[] moreKeys = new long[2 * oldKeys.length];
    values = Arrays.copyOf(values, moreKeys.length);
    keys = moreKeys;
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != 0) {
        int place = find(oldKeys[i]);
        keys[place] = oldKeys[i];
        values[place] = oldValues[i];
      }
    }
  }
}
