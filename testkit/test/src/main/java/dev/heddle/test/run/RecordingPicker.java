// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.scheduler.BornThread;
import dev.heddle.scheduler.ReadyCandidates;
import dev.heddle.scheduler.ReadyPicker;
import dev.heddle.scheduler.context.ExecutionContext;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Asks a chooser for each decision of the loop and at each preemption point; records the course.
///
/// What is ready after a preemption is no decision of its own: the schedule names it together with
/// the point. So a schedule that leaves the preemption out has the same numbers for the decisions
/// behind it.
///
/// **Thread** the loop's, in a tick or at a point.
final class RecordingPicker implements ReadyPicker, Candidates, ArrivalOrder.Lane {
  private static final long CHOICES = Long.MIN_VALUE / 2; // the id of all choices, in the course
  private static final int MOST_OUTCOMES = 1 << 16;
  private static final int MOST_POINTS = 10_000; // in a step: it spins until another one has run
  private static final int NONE = -1;

  private final Chooser chooser;
  private final VirtualClock clock;
  private final Steps steps;
  private final Course course; // that of the run
  private final String prefix; // of names
  private final long firstId; // those of one loop lie together
  private final ArrivalOrder order = new ArrivalOrder();
  private final Map<Long, Coroutine<?>> coroutines = new LinkedHashMap<>();
  private final IdentityHashMap<Runnable, Long> threads = new IdentityHashMap<>();
  private final IdentityHashMap<Runnable, String> names = new IdentityHashMap<>();
  private final Map<Long, Thread> born = new LinkedHashMap<>();
  private final WaitingThreads waiting = new WaitingThreads(coroutines, born);

  private @Nullable ReadyCandidates lane; // only during a pick
  private int left = NONE; // only during a pick: the position that is no candidate
  private long running; // the id of what was picked last
  private boolean preempted; // it gives way to others
  private int preemptedAt; // the point; NONE: it has run too long
  private int interruption; // its place in the course
  private int pointsInStep;
  private @Nullable Object last; // the entry that was picked

  /// Follows the steps of a run.
  interface Steps {
    /// A step begins.
    ///
    /// @param thread the thread that will run; null: it does not exist yet
    void onStep(@Nullable Thread thread);

    /// Ends the wait of a thread in the JDK for no reason.
    ///
    /// @return false: it does not wait there
    boolean wake(Thread thread);
  }

  RecordingPicker(Chooser chooser, VirtualClock clock, Steps steps) {
    this(chooser, clock, steps, new Course(), "", 0);
  }

  private RecordingPicker(
      Chooser chooser,
      VirtualClock clock,
      Steps steps,
      Course course,
      String prefix,
      long firstId) {
    this.chooser = chooser;
    this.clock = clock;
    this.steps = steps;
    this.course = course;
    this.prefix = prefix;
    this.firstId = firstId;
  }

  /// That of another loop in the run, whose steps are part of the same course.
  ///
  /// @param name of the node, which is in front of the names of its coroutines
  /// @param nodeId is added to the numbers of its coroutines and threads
  RecordingPicker forNode(String name, long nodeId, Steps ofNode) {
    return new RecordingPicker(chooser, clock, ofNode, course, name + "/", nodeId);
  }

  @Override
  public int pick(int size) {
    throw new IllegalStateException("the scheduler passes its candidates");
  }

  @Override
  public int pick(ReadyCandidates candidates) {
    lane = candidates;
    left = NONE;
    order.update(this);
    left = preempted && candidates.size() > 1 ? positionOf(running) : NONE;
    int chosen = left == NONE ? choose() : chooseInstead();
    wake(steps(), chooser.wake(steps(), waiting)); // it is ready at the next pick
    int position = position(chosen);
    int place = order.place(position);
    running = id(chosen);
    order.chosen(position, running);
    if (left == NONE) {
      course.step(clock.nanoTime(), running, size(), chosen);
    } else {
      course.step(clock.nanoTime(), running, 1, 0);
    }
    last = candidates.at(place);
    lane = null;
    preempted = false;
    pointsInStep = 0;
    steps.onStep(lastThread());
    return place;
  }

  /// A coroutine runs that was not picked: a cancellation has ended its wait in the JDK.
  void resumes(ExecutionContext context) {
    running = idOf(context);
    preempted = false;
    pointsInStep = 0;
  }

  private int choose() {
    return size() == 1 ? 0 : within(chooser.choose(course.decisions(), this), size());
  }

  private int chooseInstead() {
    if (preemptedAt == NONE) {
      return 0;
    }
    int chosen = size() == 1 ? 0 : within(chooser.chooseInstead(preemptedAt, this), size());
    course.choseInstead(interruption, size(), chosen, id(chosen));
    return chosen;
  }

  private static int within(int chosen, int size) {
    return chosen < 0 || chosen >= size ? 0 : chosen;
  }

  private int positionOf(long id) {
    for (int position = 0; position < size(); position++) {
      if (laneId(order.place(position)) == id) {
        return position;
      }
    }
    return NONE;
  }

  private int position(int candidate) {
    return left != NONE && candidate >= left ? candidate + 1 : candidate;
  }

  // ---- points ----

  /// The one that runs is at a preemption point. See [Chooser#atPoint].
  ///
  /// @param where class and method
  /// @param contested whether another one may be ready
  long pauseAt(String where, boolean contested) {
    boolean spins = contested && ++pointsInStep > MOST_POINTS;
    int point = course.point(contested && !spins);
    preempted = false; // below a native frame it has not given way at the last one
    if (spins) {
      preempted = true;
      preemptedAt = NONE;
      return 0;
    }
    long pause = chooser.atPoint(point, running, contested);
    if (pause > 0) {
      var _ = interrupt(Interruption.Kind.STALL, point, pause, 0, running, where);
    } else if (pause == 0 && contested) {
      interruption = interrupt(Interruption.Kind.PREEMPTION, point, 0, 0, running, where);
      preempted = true;
      preemptedAt = point;
    }
    return pause == 0 && !contested ? Chooser.GO_ON : pause;
  }

  private int interrupt(
      Interruption.Kind kind, int number, long value, int among, long id, String where) {
    return course.interrupt(
        new Interruption(
            kind, number, value, among, course.steps(), clock.nanoTime(), id, 0, where));
  }

  private void wake(int step, int woken) {
    if (woken >= 0 && woken < waiting.size() && steps.wake(waiting.thread(woken))) {
      var _ =
          interrupt(Interruption.Kind.WAKE_UP, step, woken, waiting.size(), waiting.id(woken), "");
    }
    waiting.forget();
  }

  // ---- candidates, in the order of their arrival ----

  @Override
  public long id(int candidate) {
    return laneId(order.place(position(candidate)));
  }

  @Override
  public int size() {
    int all = lane == null ? 0 : lane.size();
    return left == NONE ? all : all - 1;
  }

  // ---- the lane ----

  @Override
  public Object queue() {
    return Objects.requireNonNull(lane, "only during a pick");
  }

  @Override
  public long laneId(int place) {
    return lane == null ? 0 : idOf(lane.at(place));
  }

  @Override
  public boolean isForeign(int place) {
    return lane != null
        && (lane.at(place) instanceof ExecutionContext || lane.at(place) instanceof BornThread);
  }

  private long idOf(@Nullable Object entry) {
    Object runs = entry instanceof ExecutionContext context ? context.occupant() : entry;
    return switch (runs) {
      case Coroutine<?> coroutine -> {
        long id = firstId + coroutine.id();
        coroutines.putIfAbsent(id, coroutine);
        yield id;
      }
      case BornThread thread -> idOf(thread);
      case null, default -> 0;
    };
  }

  /// A choice that is not about what runs next: a number below `among`. 0 is what happens where the
  /// chooser wants nothing special.
  int choose(int among) {
    if (among == 1) {
      return 0;
    }
    int number = course.choices();
    Candidates outcomes =
        new Candidates() {
          @Override
          public int size() {
            return among;
          }

          // another one in each choice: a chooser that ranks candidates has not ranked these
          @Override
          public long id(int place) {
            return CHOICES - (long) number * MOST_OUTCOMES - place;
          }
        };
    int chosen = chooser.choose(course.decisions(), outcomes);
    chosen = chosen < 0 || chosen >= among ? 0 : chosen;
    course.step(clock.nanoTime(), CHOICES, among, chosen);
    course.madeChoice();
    return chosen;
  }

  /// Names a thread by the task that continues it.
  void name(Runnable turn, String name) {
    names.putIfAbsent(turn, name);
  }

  private long idOf(BornThread thread) {
    Long known = threads.get(thread.turn());
    if (known != null) {
      return known;
    }
    long id = -1L - firstId - threads.size();
    threads.put(thread.turn(), id);
    if (thread.thread() != null) {
      born.put(id, thread.thread());
    }
    return id;
  }

  /// The thread of the last step; null: it does not exist, or only the JDK knows it.
  @Nullable Thread lastThread() {
    return switch (last) {
      case ExecutionContext context -> context.thread();
      case BornThread thread -> thread.thread();
      case CoroutineNode<?> node when node.context() != null -> node.context().thread();
      case null, default -> null;
    };
  }

  /// The threads that have run and are no coroutines, in the order in which they first ran.
  List<Thread> threads() {
    return List.copyOf(born.values());
  }

  /// Whether threads have run that are no coroutines.
  boolean hasThreads() {
    return !threads.isEmpty();
  }

  /// The number of picks in all loops of the run. Other choices are steps of the course, but
  /// nothing runs in them.
  int steps() {
    return course.steps() - course.choices();
  }

  /// The course until now, with the names that its coroutines and threads have now.
  Course course() {
    coroutines.forEach((id, coroutine) -> course.name(id, prefix + coroutine.name()));
    names.forEach((turn, name) -> {
      Long id = threads.get(turn);
      if (id != null) {
        course.name(id, prefix + name);
      }
    });
    course.name(CHOICES, "a choice");
    born.forEach((id, thread) -> course.name(id, prefix + nameOf(id, thread)));
    return course;
  }

  private static String nameOf(long id, Thread thread) {
    return thread.getName().isEmpty() ? "thread" + id : thread.getName();
  }
}
