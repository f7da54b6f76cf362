// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Switch;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.source.EventSource;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Mutex;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The trace of a loop, from outside, as the session of an observer records it.
@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopTraceTest {
  @Test
  void runs_areAsManyAsTheLoopHasCounted() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          Channel<Integer> channel = Channel.of(1);
          Heddle.scope(() -> {
            Heddle.spawn(() -> {
              for (int i = 0; i < 100; i++) {
                channel.send(i);
              }
              return 0;
            });
            for (int i = 0; i < 100; i++) {
              channel.receive();
            }
            for (int i = 0; i < 50; i++) {
              Heddle.spawn(() -> {
                Heddle.yieldNow();
                Heddle.delay(Duration.ofMillis(1));
                return 0;
              });
            }
          });
          Heddle.yieldNow();
        });

    assertThat(trace.all(TraceKind.RUN)).hasSize(trace.runs());
    assertThat(trace.all(TraceKind.SLEEP)).hasSize((int) trace.count("sleeps"));
    assertThat(trace.all(TraceKind.SPAWN)).hasSize(51);
    assertThat(trace.all(TraceKind.END)).hasSize(51);
    assertThat(trace.count("coroutines")).isEqualTo(trace.count("coroutinesBefore"));
  }

  @Test
  void wakeUp_namesWhoWokeAndWhatWasWaitedFor() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          Channel<Integer> channel = Channel.of("jobs", 1);
          Heddle.scope(() -> {
            Heddle.spawn("taker", () -> channel.receive());
            Heddle.yieldNow(); // it waits now
            Heddle.spawn(
                "giver",
                () -> {
                  channel.send(1);
                  return 0;
                });
          });
        });

    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.who() == trace.id("taker"))
        .singleElement()
        .satisfies(wake -> {
          assertThat(wake.code()).isEqualTo("channel");
          assertThat(wake.other()).isEqualTo(trace.id("giver"));
        });
    assertThat(trace.all(TraceKind.RUN))
        .filteredOn(run -> run.who() == trace.id("taker"))
        .extracting(RecordedTrace.Entry::code)
        .containsExactly("channel", "ends");
  }

  @Test
  void wakeUpByATimer_isTheLoopsOwn() throws Exception {
    RecordedTrace trace = RecordedTrace.of(() -> Heddle.delay(Duration.ofMillis(2)));

    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.code().equals("timer"))
        .singleElement()
        .satisfies(wake -> assertThat(wake.other()).isZero());
  }

  @Test
  void cancellation_isRecordedWithTheCanceller_andEndsTheWait() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          Heddle.scope(() -> {
            Coroutine<?> napper =
                Heddle.spawn(
                    "napper",
                    () -> {
                      Heddle.delay(Duration.ofHours(1));
                      return 0;
                    });
            Heddle.yieldNow();
            napper.cancel("enough");
          });
        });

    long napper = trace.id("napper");
    assertThat(trace.all(TraceKind.CANCEL))
        .singleElement()
        .satisfies(cancel -> {
          assertThat(cancel.who()).isEqualTo(napper);
          assertThat(cancel.other()).isEqualTo(trace.id("main"));
        });
    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.who() == napper)
        .extracting(RecordedTrace.Entry::code)
        .containsExactly("a cancellation");
  }

  @Test
  void waitInTheJdk_endsTheRun_andIsWokenByTheCoroutineThatUnparks() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          var queue = new SynchronousQueue<String>();
          Heddle.scope(() -> {
            Heddle.spawn("taker", () -> queue.take());
            Heddle.yieldNow();
            Heddle.spawn(
                "giver",
                () -> {
                  queue.put("item");
                  return 0;
                });
          });
        });

    long taker = trace.id("taker");
    assertThat(trace.all(TraceKind.RUN))
        .filteredOn(run -> run.who() == taker)
        .extracting(RecordedTrace.Entry::code)
        .containsExactly("waits in the JDK", "ends");
    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.who() == taker)
        .singleElement()
        .satisfies(wake -> {
          assertThat(wake.code()).isEqualTo("the JDK");
          assertThat(wake.other()).isEqualTo(trace.id("giver"));
        });
  }

  @Test
  void times_goForward_andRunsDoNotOverlap() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          Heddle.scope(() -> {
            for (int i = 0; i < 20; i++) {
              Heddle.spawn(() -> {
                for (int k = 0; k < 50; k++) {
                  Heddle.yieldNow();
                }
                Heddle.delay(Duration.ofMillis(1));
                return 0;
              });
            }
          });
        });

    List<RecordedTrace.Entry> spans = new ArrayList<>();
    for (RecordedTrace.Entry entry : trace.entries()) {
      if (!spans.isEmpty()) {
        assertThat(entry.time()).isGreaterThanOrEqualTo(spans.getLast().time());
      }
      if (entry.is(TraceKind.RUN) || entry.is(TraceKind.SLEEP)) {
        long from =
            spans.isEmpty()
                ? Long.parseLong(trace.whole().get("beganNanos"))
                : spans.getLast().time();
        assertThat(entry.other()).isBetween(from, entry.time());
        spans.add(entry);
      }
    }
    assertThat(spans).hasSizeGreaterThan(1_000);
  }

  @Test
  void ringThatIsTooSmall_keepsTheNewest_andCountsTheLost() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(
            () -> {
              for (int i = 0; i < 200; i++) {
                Heddle.yieldNow();
              }
              Heddle.delay(Duration.ofMillis(1));
            },
            64);

    assertThat(trace.entries()).hasSize(63);
    assertThat(trace.entries().getLast().kind())
        .isIn(TraceKind.RUN.number(), TraceKind.SLEEP.number());
    assertThat(trace.all(TraceKind.WAKE)).isNotEmpty();
  }

  @Test
  void mutexHandedOver_isWokenByItsHolder() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          Mutex mutex = new Mutex("ledger");
          mutex.lock();
          Heddle.scope(() -> {
            Heddle.spawn(
                "clerk",
                () -> {
                  mutex.lock();
                  mutex.unlock();
                  return 0;
                });
            Heddle.yieldNow();
            mutex.unlock();
          });
        });

    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.who() == trace.id("clerk"))
        .singleElement()
        .satisfies(wake -> {
          assertThat(wake.code()).isEqualTo("mutex");
          assertThat(wake.other()).isEqualTo(trace.id("main"));
        });
  }

  // ---- found by review ----

  /// The run that went on was not counted: its end was taken for the rest of a run.
  @Test
  void leaveHandlerThatFails_endsNoRun() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(() ->
            Heddle.spawn(
                    "stubborn",
                    () -> {
                      SwitchHandler failing =
                          (_, kind) -> {
                            if (kind == Switch.LEAVE) {
                              throw new IllegalStateException("not now");
                            }
                            return true;
                          };
                      Heddle.addSwitchHandler(failing);
                      assertThatThrownBy(Heddle::yieldNow).hasMessage("not now");
                      Heddle.current().removeSwitchHandler(failing);
                      Heddle.yieldNow();
                      return 0;
                    })
                .await());

    assertThat(trace.entries())
        .filteredOn(each -> each.who() == trace.id("stubborn"))
        .filteredOn(each -> each.is(TraceKind.RUN) || each.is(TraceKind.RUN_ON))
        .extracting(RecordedTrace.Entry::kind)
        .containsExactly(TraceKind.RUN.number(), TraceKind.RUN.number());
    assertThat(trace.all(TraceKind.RUN)).hasSize(trace.runs());
  }

  /// What the loop did before it slept seemed to be sleep.
  @Test
  void sleep_beginsWhenTheLoopsOwnWorkIsOver() throws Exception {
    long[] worked = new long[1];
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          CoroutineNode.current()
              .scheduler()
              .runOnCarrier(() -> {
                long began = System.nanoTime();
                while (System.nanoTime() - began < 20_000_000) {
                  Thread.onSpinWait();
                }
                worked[0] = System.nanoTime();
              });
          for (int i = 0; i < 5; i++) { // one that is due when the loop would sleep is no sleep
            Heddle.delay(Duration.ofMillis(100));
          }
        });

    assertThat(trace.all(TraceKind.SLEEP))
        .filteredOn(sleep -> sleep.time() > worked[0])
        .isNotEmpty()
        .allSatisfy(sleep -> assertThat(sleep.other()).isGreaterThanOrEqualTo(worked[0]));
  }

  private record Work(long middle, long end) {
    static Work done() {
      long began = System.nanoTime();
      while (System.nanoTime() - began < 50_000_000) {
        Thread.onSpinWait();
      }
      long end = System.nanoTime();
      return new Work(began + (end - began) / 2, end);
    }
  }

  /// What the loop did for itself seemed to belong to the coroutine that ran next. The thread that
  /// ticks may be late, but not always.
  @Test
  void run_beginsWhenTheLoopsOwnWorkIsOver() throws Exception {
    List<Work> works = new ArrayList<>();
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          for (int i = 0; i < 10; i++) {
            CoroutineNode.current().scheduler().runOnCarrier(() -> works.add(Work.done()));
            Heddle.yieldNow();
          }
          Heddle.delay(Duration.ofMillis(1));
        });

    assertThat(works)
        .anySatisfy(work ->
            assertThat(trace.all(TraceKind.RUN))
                .filteredOn(run -> run.time() > work.end)
                .first()
                .satisfies(run -> assertThat(run.other()).isGreaterThan(work.middle)));
  }

  @Test
  void waitForSeveral_namesNoneOfThem() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          Heddle.scope(() -> {
            Heddle.spawn(
                "chooser",
                () -> {
                  CoroutineNode<?> self = CoroutineNode.current();
                  self.renew();
                  self.resumeWhen(EventSource.of(Heddle.timer(Duration.ofHours(1))));
                  self.resumeWhen(EventSource.of(Heddle.spawn("quick", () -> 1)));
                  self.scheduler().suspend(self);
                  return 0;
                });
          });
        });

    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.who() == trace.id("chooser"))
        .extracting(RecordedTrace.Entry::code)
        .containsExactly("one of several");
  }

  @Test
  void timersAndReadiness_areEntriesOfTheirOwn() throws Exception {
    RecordedTrace trace =
        RecordedTrace.of(() -> {
          var anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
          Listener listener = Tcp.listen(anyPort);
          Heddle.scope(() -> {
            Heddle.spawn("server", () -> listener.accept().write(ByteBuffer.wrap(new byte[1])));
            AsyncIo client = Tcp.connect((InetSocketAddress) listener.localAddress());
            client.readFully(ByteBuffer.allocate(1));
            client.close();
          });
          listener.close();
          for (int i = 0; i < 7; i++) {
            Heddle.delay(Duration.ofMillis(1));
          }
        });

    assertThat(trace.all(TraceKind.TIMER))
        .hasSize(7)
        .allSatisfy(timer -> assertThat(timer.other()).isNotNegative());
    assertThat(trace.all(TraceKind.IO)).isNotEmpty();
    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.code().equals("timer"))
        .hasSize(7)
        .allSatisfy(wake -> assertThat(wake.other()).isZero());
  }
}
