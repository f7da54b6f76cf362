// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import dev.heddle.netty.OnDriver;
import dev.heddle.thread.RemotePromise;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.internal.ThreadExecutorMap;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Tasks and futures of Netty's on a loop of ours, without any channel.
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record TaskTest(String driver) implements OnDriver {
  private static final int TASKS = 5_000; // more than one turn runs

  @Test
  void execute_fromManyThreads_wakesTheLoopAndLosesNothing() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          AtomicInteger ran = new AtomicInteger();
          RemotePromise<Void> all = new RemotePromise<>("all tasks");
          for (int i = 0; i < 4; i++) {
            Thread.ofPlatform()
                .start(() -> {
                  for (int task = 0; task < TASKS; task++) {
                    loop.execute(() -> {
                      if (ran.incrementAndGet() == 4 * TASKS) {
                        all.complete(null);
                      }
                    });
                  }
                });
          }
          all.future().await();
          assertThat(ran).hasValue(4 * TASKS);
        });
  }

  @Test
  void execute_oneByOneFromAThread_wakesTheLoopEachTime() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Integer rounds =
              Heddle.offload(() -> {
                int done = 0;
                for (; done < 1_000; done++) {
                  loop.submit(() -> {}).get();
                }
                return done;
              });
          assertThat(rounds).isEqualTo(1_000);
        });
  }

  @Test
  void schedule_inOrderOfDeadline_andNeverEarly() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          List<Integer> order = new ArrayList<>();
          Map<Integer, ScheduledFuture<?>> scheduled = new HashMap<>();
          long begin = System.nanoTime();
          // in a task, so none runs before the last is scheduled; from outside, what is late by
          // then runs as it came. Netty forgets the deadline of what was run
          Future<List<Integer>> byDeadline =
              loop.submit(() -> {
                for (int millis : new int[] {5, 1, 3}) {
                  scheduled.put(
                      millis,
                      loop.schedule(() -> order.add(millis), millis, TimeUnit.MILLISECONDS));
                }
                return scheduled.entrySet().stream()
                    .sorted(Map.Entry.comparingByValue())
                    .map(Map.Entry::getKey)
                    .toList();
              });
          NettyFutures.await(byDeadline);
          for (ScheduledFuture<?> each : scheduled.values()) {
            NettyFutures.await(each);
          }
          assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(5_000_000);
          assertThat(order).isEqualTo(byDeadline.getNow());
        });
  }

  @Test
  void schedule_byAThread_runsOnTheLoop() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          ScheduledFuture<Boolean> byAThread =
              Heddle.offload(
                  () -> loop.schedule(() -> loop.inEventLoop(), 1, TimeUnit.MICROSECONDS));
          assertThat(NettyFutures.await(byAThread)).isTrue();
        });
  }

  @Test
  void schedule_forEver_leavesTheTimersOfTheLoopAlone() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          loop.schedule(() -> {}, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
          Heddle.delay(Duration.ofMillis(1));
        });
  }

  @Test
  void schedule_again_cancelledByACoroutine_isOver() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Promise<Void> third = Heddle.promise();
          AtomicInteger ticks = new AtomicInteger();
          ScheduledFuture<?> ticking =
              loop.scheduleAtFixedRate(
                  () -> {
                    if (ticks.incrementAndGet() == 3) {
                      third.complete(null);
                    }
                  },
                  0,
                  100,
                  TimeUnit.MICROSECONDS);
          third.future().await(); // nobody else could wake it: the detector knows of the timer
          ticking.cancel(false);
          assertThatThrownBy(() -> NettyFutures.await(ticking))
              .isInstanceOf(CancellationException.class);
        });
  }

  @Test
  void task_thatQueuesItselfForEver_leavesCoroutinesTheirTurn() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          boolean[] over = new boolean[1];
          Runnable[] again = new Runnable[1];
          again[0] =
              () -> {
                if (!over[0]) {
                  loop.execute(again[0]);
                }
              };
          loop.execute(again[0]);
          Heddle.delay(Duration.ofMillis(2));
          over[0] = true;
        });
  }

  @Test
  void task_runsAsNettyKnowsIt() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          assertThat(NettyFutures.await(loop.submit(ThreadExecutorMap::currentExecutor)))
              .isSameAs(loop);
        });
    assertThat(ThreadExecutorMap.currentExecutor()).isNull();
  }

  @Test
  void await_ofAFailedFuture_throwsWhatItFailedWith() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          IOException checked = new IOException("no");
          assertThatThrownBy(() -> NettyFutures.await(loop.newFailedFuture(checked)))
              .isInstanceOf(dev.heddle.CoroutineException.class)
              .hasCause(checked);
          IllegalStateException unchecked = new IllegalStateException("neither");
          assertThatThrownBy(() ->
                  NettyFutures.await(
                      loop.submit(() -> {
                        throw unchecked;
                      })))
              .isSameAs(unchecked);
          assertThat(NettyFutures.await(loop.newSucceededFuture("yes"))).isEqualTo("yes");
        });
  }

  @Test
  void await_cutByADeadlineOrCancelled_leavesTheFutureAlone() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          io.netty.util.concurrent.Promise<String> future = loop.newPromise();
          assertThatThrownBy(() -> NettyFutures.await(future, Deadline.after(Duration.ofMillis(1))))
              .isInstanceOf(DeadlineException.class);
          Coroutine<String> waiting = Heddle.spawn(() -> NettyFutures.await(future));
          Heddle.yieldNow();
          assertThat(Heddle.dump().text()).contains("waits for the future 'Netty's'");
          waiting.cancel("not needed");
          assertThatThrownBy(waiting::await).isInstanceOf(dev.heddle.Cancellation.class);
          assertThat(future.isDone()).isFalse();
          future.setSuccess("still");
          assertThat(NettyFutures.await(future)).isEqualTo("still");
        });
  }

  @Test
  void await_ofAnOperationOfAChannel_returnsTheChannel_andEndsWhenTheTokenFires() {
    Bridge.run(
        driver,
        () -> {
          Channel channel = new LocalChannel();
          HeddleEventLoop loop = HeddleEventLoop.current();
          ChannelPromise operation = new DefaultChannelPromise(channel, loop);
          Promise<String> token = new Promise<>();
          Coroutine<Channel> waiting =
              Heddle.spawn(() -> NettyFutures.await(operation, token.future()));
          Heddle.yieldNow();
          token.complete("enough");
          assertThatThrownBy(waiting::await).isInstanceOf(WaitCancelledException.class);
          Promise<String> never = new Promise<>();
          Coroutine<Channel> patient =
              Heddle.spawn(() -> NettyFutures.await(operation, never.future()));
          Heddle.yieldNow();
          operation.setSuccess();
          assertThat(patient.await()).isSameAs(channel);
          assertThat(NettyFutures.await(operation, Deadline.after(Duration.ofSeconds(10))))
              .isSameAs(channel);
        });
  }

  /// An event loop that has ended tells no listener.
  @Test
  void await_ofAFutureWhoseEventLoopEnds_fails() {
    Bridge.run(
        driver,
        () -> {
          EventLoopGroup other = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
          Channel channel = NettyFutures.await(other.register(new LocalChannel()));
          Coroutine<Channel> waiting = Heddle.spawn(() -> NettyFutures.await(channel.newPromise()));
          while (!waiting.isSuspended()) {
            Heddle.yieldNow();
          }
          var _ = other.shutdownGracefully(0, 0, TimeUnit.SECONDS);
          assertThatThrownBy(waiting::await)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("the event loop has ended that would complete");
        });
  }

  @Test
  void await_ofAFutureThatEndsAsItIsAskedFor_isNotLeftWaiting() {
    Bridge.run(
        driver,
        () -> {
          EventExecutor ended = new DefaultEventExecutor();
          NettyFutures.await(ended.shutdownGracefully(0, 0, TimeUnit.SECONDS));
          io.netty.util.concurrent.Promise<String> late =
              new DefaultPromise<>(ended) {
                @Override
                public io.netty.util.concurrent.Promise<String> addListener(
                    GenericFutureListener<? extends Future<? super String>> listener) {
                  setSuccess("meanwhile");
                  return super.addListener(listener);
                }
              };
          assertThat(NettyFutures.await(late)).isEqualTo("meanwhile");
        });
  }
}
