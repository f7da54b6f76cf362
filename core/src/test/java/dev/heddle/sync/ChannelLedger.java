// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Where each item of a random program of a channel is, and what must hold of that at its end. The
/// items have numbers, in the order in which the sends were called, and so have the receives.
final class ChannelLedger {
  private record Reception(int number, int item) {}

  private final List<Integer> sent = new ArrayList<>();
  private final Set<Integer> refused = new HashSet<>();
  private final List<Reception> received = new ArrayList<>();
  private final List<Integer> left = new ArrayList<>();

  /// A send has returned.
  void sent(int item) {
    sent.add(item);
  }

  /// A send has thrown, or returned false.
  void refused(int item) {
    refused.add(item);
  }

  /// A receive has returned.
  void received(int number, int item) {
    received.add(new Reception(number, item));
  }

  /// A cancel has handed it over.
  void left(int item) {
    left.add(item);
  }

  int receptions() {
    return received.size();
  }

  /// Each item is in one place, and none is lost; of a conflated channel the newest is not.
  void verify(boolean conflated) {
    List<Integer> all = new ArrayList<>(received.stream().map(Reception::item).toList());
    all.addAll(left);
    assertThat(all).as("doubled").doesNotHaveDuplicates();
    assertThat(all).as("received though refused").noneMatch(refused::contains);
    if (conflated) {
      assertThat(all)
          .as("the newest")
          .containsAll(sent.stream().sorted().skip(newestOnly()).toList());
    } else {
      assertThat(all).as("lost").containsAll(sent);
    }
  }

  private long newestOnly() {
    return Math.max(0, sent.size() - 1L);
  }

  /// An earlier receive has got an earlier item.
  void verifyOrder() {
    List<Integer> inOrder =
        new ArrayList<>(
            received.stream()
                .sorted(Comparator.comparingInt(Reception::number))
                .map(Reception::item)
                .toList());
    inOrder.addAll(left);
    assertThat(inOrder).as("the first come, the first served").isSorted();
  }
}
