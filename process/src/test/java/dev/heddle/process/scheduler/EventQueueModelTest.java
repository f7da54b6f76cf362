// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.scheduler.EventQueue.Push;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random programs of pushes, takes and looks, against two lists.
@Tag("P9")
class EventQueueModelTest {
  private static final long SEED = Long.getLong("heddle.seed", 20_261_125);
  private static final int PROGRAMS = 4_000;
  private static final int STEPS = 120;

  private enum Kind {
    MESSAGE,
    URGENT,
    IN_ORDER,
    RESULT,
    RESULT_IN_ORDER
  }

  private static final List<Kind> WITHOUT_BOUND =
      List.of(Kind.URGENT, Kind.IN_ORDER, Kind.RESULT, Kind.RESULT_IN_ORDER);

  private static final class Item extends Node {
    final Kind kind;
    final int number;

    Item(Kind kind, int number) {
      this.kind = kind;
      this.number = number;
    }

    @Override
    public String toString() {
      return kind + " " + number;
    }
  }

  /// A queue, and what it should hold.
  private static final class Program {
    private final Random random;
    private final boolean latest;
    private final int bound;
    private final EventQueue queue;
    private final List<Item> urgentNews = new ArrayList<>(); // which no look has met
    private final List<Item> urgent = new ArrayList<>();
    private final List<Item> others = new ArrayList<>();
    private int urgentLeft; // so many were looked at and left
    private int othersLeft;
    private int made;

    Program(long seed) {
      random = new Random(seed);
      latest = random.nextBoolean();
      bound = 1 + random.nextInt(6);
      queue = new EventQueue(bound, latest);
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        switch (random.nextInt(8)) {
          case 0, 1 -> push();
          case 2 -> pushSome();
          case 3 -> pushWithoutBound();
          case 4 -> take();
          case 5 -> results();
          case 6 -> rewind();
          default -> look();
        }
        assertThat(queue.length()).isEqualTo(messages());
        assertThat(queue.isEmpty())
            .isEqualTo(urgentNews.isEmpty() && urgent.isEmpty() && others.isEmpty());
        assertThat(queue.hasUrgent())
            .isEqualTo(!urgentNews.isEmpty() || !urgent.isEmpty() || messages() < others.size());
        if (!urgentNews.isEmpty()) {
          assertThat(queue.hasUrgentNews()).isTrue();
        }
      }
      urgent.addAll(urgentNews);
      urgent.addAll(others);
      assertThat(items(queue.close())).isEqualTo(urgent);
    }

    private int messages() {
      return (int) others.stream().filter(item -> item.kind == Kind.MESSAGE).count();
    }

    private void push() {
      Item item = new Item(Kind.MESSAGE, made++);
      if (!latest) {
        Push expected = messages() < bound ? Push.ACCEPTED : Push.FULL;
        assertThat(queue.push(item)).isEqualTo(expected);
        if (expected == Push.ACCEPTED) {
          others.add(item);
        }
        return;
      }
      List<Node> gone = new ArrayList<>();
      assertThat(queue.push(item, gone::add)).isEqualTo(Push.ACCEPTED);
      if (messages() == bound) {
        int oldest = 0;
        while (others.get(oldest).kind != Kind.MESSAGE) {
          oldest++;
        }
        assertThat(gone).containsExactly(others.remove(oldest));
        othersLeft -= oldest < othersLeft ? 1 : 0;
      } else {
        assertThat(gone).isEmpty();
      }
      others.add(item);
    }

    private void pushSome() {
      Item[] row = new Item[1 + random.nextInt(4)];
      for (int i = 0; i < row.length; i++) {
        row[i] = new Item(Kind.MESSAGE, made++);
      }
      int from = random.nextInt(row.length);
      int space = latest ? 0 : Math.min(row.length - from, bound - messages());
      int pushed = queue.pushSome(row, from, row.length);
      assertThat(pushed).isBetween(Math.min(1, space), space);
      others.addAll(List.of(row).subList(from, from + pushed));
    }

    private void pushWithoutBound() {
      Item item = new Item(WITHOUT_BOUND.get(random.nextInt(WITHOUT_BOUND.size())), made++);
      Push push =
          switch (item.kind) {
            case URGENT -> queue.pushUrgent(item);
            case IN_ORDER -> queue.pushInOrder(item);
            case RESULT -> queue.pushResult(item, false);
            case RESULT_IN_ORDER -> queue.pushResult(item, true);
            case MESSAGE -> throw new IllegalStateException();
          };
      assertThat(push).isEqualTo(Push.ACCEPTED);
      boolean isUrgent = item.kind == Kind.URGENT || item.kind == Kind.RESULT;
      (isUrgent ? urgentNews : others).add(item);
    }

    private static List<Item> takeOut(Kind kind, List<Item> from) {
      List<Item> taken = from.stream().filter(item -> item.kind == kind).toList();
      from.removeAll(taken);
      return taken;
    }

    private void take() {
      boolean deaf = random.nextBoolean();
      urgent.addAll(urgentNews);
      urgentNews.clear();
      if (deaf) {
        urgent.addAll(takeOut(Kind.RESULT_IN_ORDER, others));
      }
      int most = 1 + random.nextInt(4);
      List<Item> all = new ArrayList<>(urgent);
      all.addAll(others);
      List<Item> taken = items(queue.take(most, deaf));
      assertThat(taken).hasSizeBetween(all.isEmpty() ? 0 : 1, Math.min(most, all.size()));
      assertThat(taken).isEqualTo(all.subList(0, taken.size()));
      urgent.removeAll(taken);
      others.removeAll(taken);
      rewind();
    }

    /// Which looks for results only where there is news, and for those in order only then.
    private void results() {
      boolean hasNews = queue.hasUrgentNews();
      if (!hasNews) {
        assertThat(queue.takeResults()).isNull();
        return;
      }
      rewind();
      List<Item> results = new ArrayList<>(urgent);
      results.removeIf(item -> item.kind == Kind.URGENT); // a take has left some of these
      urgent.removeAll(results);
      results.addAll(takeOut(Kind.RESULT, urgentNews));
      urgent.addAll(urgentNews);
      urgentNews.clear();
      results.addAll(takeOut(Kind.RESULT_IN_ORDER, others));
      assertThat(items(queue.takeResults())).isEqualTo(results);
    }

    private void rewind() {
      queue.rewind();
      urgentLeft = 0;
      othersLeft = 0;
    }

    private void look() {
      boolean isUrgent = urgentLeft < urgent.size();
      List<Item> from = isUrgent ? urgent : others;
      int at = isUrgent ? urgentLeft : othersLeft;
      Item expected = at < from.size() ? from.get(at) : null;
      assertThat(queue.hasNews()).isEqualTo(expected != null || !urgentNews.isEmpty());
      Node seen = queue.peekNext();
      assertThat(seen).isSameAs(expected);
      if (expected == null) {
        return;
      }
      if (latest && random.nextBoolean()) {
        push(); // before the consumer has made up its mind
      }
      boolean gone = !from.contains(expected);
      if (random.nextBoolean()) {
        assertThat(queue.remove(Objects.requireNonNull(seen))).isEqualTo(!gone);
        from.remove(expected);
        queue.publish();
      } else {
        queue.skip(Objects.requireNonNull(seen));
        if (isUrgent) {
          urgentLeft++;
        } else if (!gone) {
          othersLeft++;
        }
      }
    }

    private static List<Item> items(@Nullable Node first) {
      List<Item> all = new ArrayList<>();
      for (Node node = first; node != null; node = EventQueue.after(node)) {
        all.add((Item) node);
      }
      return all;
    }
  }

  @Test
  @Tag("proc-230")
  @Tag("proc-233")
  @Tag("proc-234")
  void randomPrograms_ofPushesTakesAndLooks_doAsTheModel() {
    for (long seed = SEED; seed < SEED + PROGRAMS; seed++) {
      try {
        new Program(seed).run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("program of seed " + seed, e);
      }
    }
  }
}
