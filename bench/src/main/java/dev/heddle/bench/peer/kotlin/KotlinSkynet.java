// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.Deferred;
import kotlinx.coroutines.Dispatchers;
import org.jspecify.annotations.Nullable;

/// A tree of coroutines on `Dispatchers.Default`, each starting ten others by `async`; the leaves'
/// numbers are added up on the way back.
public final class KotlinSkynet implements Program {
  @Override
  public Sample round(long operations) throws InterruptedException {
    Tree tree = Tree.within(operations);
    return SuspendingLambda.measure(new Main(tree, null));
  }

  private static Deferred<Long> start(CoroutineScope scope, long number, long leaves) {
    return BuildersKt.async(
        scope,
        Dispatchers.getDefault(),
        CoroutineStart.DEFAULT,
        new Node(number, leaves, List.of(), null));
  }

  /// The lambda of `runBlocking`.
  private static final class Main extends SuspendingLambda {
    private final Tree tree;
    private final Meter meter = new Meter();
    private @Nullable Deferred<Long> root;

    Main(Tree tree, @Nullable Continuation<Object> completion) {
      super(completion);
      this.tree = tree;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      var main = new Main(tree, completion);
      main.meter.start();
      main.root = start(scope, 0, tree.leaves());
      return main;
    }

    @Override
    Object step(Object value) {
      Object found = value;
      if (!(found instanceof Long)) {
        found = Objects.requireNonNull(Objects.requireNonNull(root).await(this));
        if (isSuspended(found)) {
          return SUSPENDED;
        }
      }
      tree.check((Long) found);
      return meter.stop(tree.leaves());
    }
  }

  /// `{ if (leaves == 1) number else List(10) { async { ... } }.sumOf { it.await() } }`.
  private static final class Node extends SuspendingLambda {
    private final long number;
    private final long leaves;
    private final List<Deferred<Long>> parts;
    private int awaited;
    private long sum;

    Node(
        long number,
        long leaves,
        List<Deferred<Long>> parts,
        @Nullable Continuation<Object> completion) {
      super(completion);
      this.number = number;
      this.leaves = leaves;
      this.parts = parts;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      List<Deferred<Long>> started = List.of();
      if (leaves > 1) {
        started = new ArrayList<>(Tree.CHILDREN);
        long each = leaves / Tree.CHILDREN;
        for (int i = 0; i < Tree.CHILDREN; i++) {
          started.add(start(scope, number + i * each, each));
        }
      }
      return new Node(number, leaves, started, completion);
    }

    @Override
    Object step(Object value) {
      if (value instanceof Long part) {
        sum += part;
      }
      while (awaited < parts.size()) {
        Object part = Objects.requireNonNull(parts.get(awaited++).await(this));
        if (isSuspended(part)) {
          return SUSPENDED;
        }
        sum += (Long) part;
      }
      return leaves == 1 ? number : sum;
    }
  }
}
