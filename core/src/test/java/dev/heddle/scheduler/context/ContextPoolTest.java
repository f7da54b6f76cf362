// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The pool with real contexts, mounted by the test's thread.
@Tag("T9")
@Tag("once")
class ContextPoolTest {
  private final HandHost host = new HandHost();
  private ContextPool pool = new ContextPool(host, host.arrivals::add, true);

  /// Starts `count` guests, each on a context of its own.
  private List<ExecutionContext> occupy(int count) {
    List<ExecutionContext> contexts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ExecutionContext context = pool.acquire(HandHost.guest(ExecutionContext::suspend));
      context.mount();
      contexts.add(context);
    }
    return contexts;
  }

  private static void release(List<ExecutionContext> contexts) {
    contexts.forEach(ExecutionContext::mount);
  }

  @Test
  void take_afterARest_givesTheSameContext() {
    List<ExecutionContext> first = occupy(1);
    release(first);
    assertThat(occupy(1)).isEqualTo(first);
    assertThat(pool.created()).isOne();
  }

  @Test
  void pool_underLoad_keepsAsManyAsWereInUse() {
    release(occupy(100));
    assertThat(pool.size()).isEqualTo(100);
    release(occupy(100));
    assertThat(pool.created()).isEqualTo(100);
  }

  @Test
  void pool_whenTheLoadHasGone_endsWhatIsTooMuch() {
    List<ExecutionContext> burst = occupy(100);
    release(burst);
    for (int i = 0; i < 3 * 1_024; i++) {
      release(occupy(1));
      if (host.trimDue) {
        host.trimDue = false;
        pool.trim();
      }
    }
    assertThat(pool.size()).isEqualTo(4);
    assertThat(burst).filteredOn(context -> context.thread().isAlive()).hasSize(4);
  }

  @Test
  void pool_whileTheLoadLasts_isNotTrimmed() {
    for (int i = 0; i < 50; i++) {
      release(occupy(100));
      pool.trim();
    }
    assertThat(pool.created()).isEqualTo(100);
    assertThat(pool.size()).isEqualTo(100);
  }

  @Test
  @Tag("trap-66")
  void close_endsRestingContextsAndLaterThoseInUse() {
    List<ExecutionContext> resting = occupy(3);
    List<ExecutionContext> busy = occupy(2);
    release(resting);
    pool.close();
    assertThat(resting).noneMatch(context -> context.thread().isAlive());
    assertThat(busy).allMatch(context -> context.thread().isAlive());
    release(busy);
    assertThat(busy).noneMatch(context -> context.thread().isAlive());
    assertThat(pool.inUse()).isZero();
  }

  @Test
  @Tag("trap-66")
  void withoutReuse_everyContextServesOneOccupantAndEnds() {
    pool = new ContextPool(host, host.arrivals::add, false);
    List<ExecutionContext> first = occupy(2);
    release(first);
    assertThat(first).noneMatch(context -> context.thread().isAlive());
    assertThat(pool.size()).isZero();
    release(occupy(2));
    assertThat(pool.created()).isEqualTo(4);
  }
}
