// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.scheduler.context.ContextPool;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The contexts of a loop follow its load, up and down.
@Tag("T9")
@Tag("once")
@Timeout(300)
class ContextLoadTest {
  private static final int LOAD = 1_000; // coroutines at the same time
  private static final int WINDOW = 1_024; // rests that the pool looks back on, twice
  private static final int LEAST = 4;

  private static final ThreadLocal<String> LOCAL = new ThreadLocal<>();
  private static final InheritableThreadLocal<String> INHERITABLE = new InheritableThreadLocal<>();
  private static final ClassLoader FOREIGN =
      new URLClassLoader(new URL[0], ContextLoadTest.class.getClassLoader());
  private static final Thread.UncaughtExceptionHandler HANDLER = new ThreadGroup("handler");

  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  private void load(int coroutines) {
    load(
        coroutines,
        () -> {
          threads.add(Thread.currentThread());
          Heddle.yieldNow(); // with the others
        });
  }

  private static void load(int coroutines, Action each) {
    Heddle.scope(s -> {
      for (int i = 0; i < coroutines; i++) {
        s.launch("loaded", each);
      }
      return null;
    });
  }

  private static void oneAtATime(int coroutines) {
    for (int i = 0; i < coroutines; i++) {
      Coroutine<Boolean> one = Heddle.spawn(() -> true);
      one.await();
    }
  }

  @Test
  void contexts_underLoad_growToItAndServeItAgain() {
    Heddle.run(
        HeddleOptions.defaults().withReuse(),
        () -> {
          ContextPool pool = CoroutineNode.current().scheduler().contexts();
          load(LOAD);
          assertThat(pool.created()).isEqualTo(LOAD + 1); // and main's
          assertThat(pool.size()).isEqualTo(LOAD);
          for (int i = 0; i < 10; i++) {
            load(LOAD);
          }
          assertThat(pool.created()).isEqualTo(LOAD + 1);
        });
  }

  /// Binds to its thread all that can be bound, and tells what it found there.
  private static Set<String> bound() {
    Thread thread = Thread.currentThread();
    Set<String> found = new TreeSet<>();
    if (LOCAL.get() != null) {
      found.add("thread-local");
    }
    if (INHERITABLE.get() != null) {
      found.add("inheritable thread-local");
    }
    if (thread.getContextClassLoader() == FOREIGN) {
      found.add("context class loader");
    }
    if (thread.isInterrupted()) {
      found.add("interrupt");
    }
    if (thread.getName().equals("leak")) {
      found.add("name");
    }
    if (thread.getUncaughtExceptionHandler() == HANDLER) {
      found.add("handler");
    }
    LOCAL.set("leak");
    INHERITABLE.set("leak");
    thread.setContextClassLoader(FOREIGN);
    thread.setName("leak");
    thread.setUncaughtExceptionHandler(HANDLER);
    return found;
  }

  @Test
  @Tag("trap-43")
  void contexts_thatServeALoadAgain_bringNothingThatWasBoundToTheirThreads() {
    Set<String> found = new TreeSet<>();
    Heddle.run(
        HeddleOptions.defaults().withReuse(),
        () -> {
          ContextPool pool = CoroutineNode.current().scheduler().contexts();
          for (int i = 0; i < 5; i++) {
            load(
                LOAD,
                () -> {
                  found.addAll(bound());
                  Heddle.yieldNow(); // with the others
                  Thread.currentThread().interrupt();
                });
          }
          assertThat(pool.created()).isEqualTo(LOAD + 1);
        });
    assertThat(found).isEmpty();
  }

  @Test
  void contexts_whenTheLoadHasGone_shrinkToTheLeastAndTheirThreadsEnd() {
    Heddle.run(
        HeddleOptions.defaults().withReuse(),
        () -> {
          ContextPool pool = CoroutineNode.current().scheduler().contexts();
          load(LOAD);
          oneAtATime(WINDOW / 2);
          assertThat(pool.size()).isEqualTo(LOAD); // the load may come back
          oneAtATime(WINDOW);
          assertThat(pool.size()).isLessThanOrEqualTo(LEAST);
          assertThat(threads).filteredOn(Thread::isAlive).hasSizeLessThanOrEqualTo(LEAST + 1);
        });
  }

  @Test
  void contexts_ofALoadThatComesAndGoes_areMadeAnewOnlyAfterALongRest() {
    Heddle.run(
        HeddleOptions.defaults().withReuse(),
        () -> {
          ContextPool pool = CoroutineNode.current().scheduler().contexts();
          for (int i = 0; i < 5; i++) {
            load(LOAD);
            oneAtATime(WINDOW / 8);
          }
          assertThat(pool.created()).isEqualTo(LOAD + 1);
          oneAtATime(4 * WINDOW);
          load(LOAD);
          assertThat(pool.created()).isGreaterThan(LOAD + LOAD / 2);
        });
  }
}
