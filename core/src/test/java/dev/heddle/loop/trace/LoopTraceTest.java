// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Switch;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.event.source.EventSource;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.observe.trace.TraceTicks;
import dev.heddle.scheduler.SwitchTrace;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Mutex;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The trace of a loop, from outside, as the session of an observer records it.
@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopTraceTest {
  private static final int ENTRIES = 1 << 14;

  private record Entry(int kind, String code, long who, long other, long time) {
    boolean is(TraceKind wanted) {
      return kind == wanted.number();
    }
  }

  /// What was recorded while a piece of a program ran.
  private record Trace(Map<String, String> whole, List<Entry> entries, Map<Long, String> names) {
    static Trace of(LoopRecording recording) {
      List<Map<String, String>> rows = recording.stop();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (byte[] piece = recording.piece(); piece != null; piece = recording.piece()) {
        bytes.writeBytes(piece);
      }
      Map<String, String> ring = rows.get(1);
      long total = Long.parseLong(ring.get("recorded"));
      TraceRing.Copy copy = TraceRing.Copy.of(bytes.toByteArray(), total);
      assertThat(copy.lost()).isEqualTo(Long.parseLong(ring.get("lost")));
      List<Entry> entries =
          IntStream.range(0, copy.size())
              .mapToObj(i ->
                  new Entry(
                      copy.kind(i),
                      ring.getOrDefault("code." + copy.code(i), "?"),
                      copy.who(i),
                      copy.other(i),
                      copy.time(i)))
              .toList();
      Map<Long, String> names = new HashMap<>();
      rows.stream()
          .filter(row -> "names".equals(row.get("row")))
          .forEach(row ->
              row.forEach((id, name) -> {
                if (!id.equals("row")) {
                  names.put(Long.valueOf(id), name);
                }
              }));
      return new Trace(rows.get(0), entries, names);
    }

    List<Entry> all(TraceKind kind) {
      return entries.stream().filter(entry -> entry.is(kind)).toList();
    }

    long count(String counter) {
      return Long.parseLong(whole.get(counter));
    }

    int runs() {
      return (int)
          (count("switches")
              - count("retriedMounts")
              + count("selfResumes")
              + count("reusedStarts"));
    }

    long id(String name) {
      return names.entrySet().stream()
          .filter(each -> each.getValue().startsWith(name + "\t"))
          .findFirst()
          .orElseThrow()
          .getKey();
    }
  }

  /// Records what `program` does in a coroutine.
  private static Trace traced(Action program, int entries) throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch recorded = new CountDownLatch(1);
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(
            HeddleOptions.defaults().withName("traced"),
            () -> {
              tree.complete(CoroutineNode.current().tree());
              recorded.await();
              try {
                program.run();
                ran.complete(true);
              } catch (Throwable e) {
                ran.completeExceptionally(e);
              }
              over.await();
              return true;
            });
    try (LoopRecording recording = new LoopRecording(tree.join(), entries)) {
      recorded.countDown();
      ran.join();
      return Trace.of(recording);
    } finally {
      over.countDown();
      loop.join();
    }
  }

  private static Trace traced(Action program) throws Exception {
    return traced(program, ENTRIES);
  }

  @Test
  void runs_areAsManyAsTheLoopHasCounted() throws Exception {
    Trace trace =
        traced(() -> {
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

    assertThat(trace.all(TraceKind.RUN))
        .hasSize(
            (int)
                (trace.count("switches")
                    - trace.count("retriedMounts")
                    + trace.count("selfResumes")
                    + trace.count("reusedStarts")));
    assertThat(trace.all(TraceKind.SLEEP)).hasSize((int) trace.count("sleeps"));
    assertThat(trace.all(TraceKind.SPAWN)).hasSize(51);
    assertThat(trace.all(TraceKind.END)).hasSize(51);
    assertThat(trace.count("coroutines")).isEqualTo(trace.count("coroutinesBefore"));
  }

  @Test
  void wakeUp_namesWhoWokeAndWhatWasWaitedFor() throws Exception {
    Trace trace =
        traced(() -> {
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
        .filteredOn(wake -> wake.who == trace.id("taker"))
        .singleElement()
        .satisfies(wake -> {
          assertThat(wake.code).isEqualTo("channel");
          assertThat(wake.other).isEqualTo(trace.id("giver"));
        });
    assertThat(trace.all(TraceKind.RUN))
        .filteredOn(run -> run.who == trace.id("taker"))
        .extracting(Entry::code)
        .containsExactly("channel", "ends");
  }

  @Test
  void wakeUpByATimer_isTheLoopsOwn() throws Exception {
    Trace trace = traced(() -> Heddle.delay(Duration.ofMillis(2)));

    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.code.equals("timer"))
        .singleElement()
        .satisfies(wake -> assertThat(wake.other).isZero());
  }

  @Test
  void cancellation_isRecordedWithTheCanceller_andEndsTheWait() throws Exception {
    Trace trace =
        traced(() -> {
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
          assertThat(cancel.who).isEqualTo(napper);
          assertThat(cancel.other).isEqualTo(trace.id("main"));
        });
    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.who == napper)
        .extracting(Entry::code)
        .containsExactly("a cancellation");
  }

  @Test
  void waitInTheJdk_endsTheRun_andIsWokenByTheCoroutineThatUnparks() throws Exception {
    Trace trace =
        traced(() -> {
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
        .filteredOn(run -> run.who == taker)
        .extracting(Entry::code)
        .containsExactly("waits in the JDK", "ends");
    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.who == taker)
        .singleElement()
        .satisfies(wake -> {
          assertThat(wake.code).isEqualTo("the JDK");
          assertThat(wake.other).isEqualTo(trace.id("giver"));
        });
  }

  @Test
  void times_goForward_andRunsDoNotOverlap() throws Exception {
    Trace trace =
        traced(() -> {
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

    List<Entry> spans = new ArrayList<>();
    for (Entry entry : trace.entries) {
      if (!spans.isEmpty()) {
        assertThat(entry.time).isGreaterThanOrEqualTo(spans.getLast().time);
      }
      if (entry.is(TraceKind.RUN) || entry.is(TraceKind.SLEEP)) {
        long from =
            spans.isEmpty() ? Long.parseLong(trace.whole.get("beganNanos")) : spans.getLast().time;
        assertThat(entry.other).isBetween(from, entry.time);
        spans.add(entry);
      }
    }
    assertThat(spans).hasSizeGreaterThan(1_000);
  }

  @Test
  void ringThatIsTooSmall_keepsTheNewest_andCountsTheLost() throws Exception {
    Trace trace =
        traced(
            () -> {
              for (int i = 0; i < 200; i++) {
                Heddle.yieldNow();
              }
              Heddle.delay(Duration.ofMillis(1));
            },
            64);

    assertThat(trace.entries).hasSize(63);
    assertThat(trace.entries.getLast().kind).isIn(TraceKind.RUN.number(), TraceKind.SLEEP.number());
    assertThat(trace.all(TraceKind.WAKE)).isNotEmpty();
  }

  @Test
  void loopThatIsHeld_isRecordedUpToTheHold() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch holding = new CountDownLatch(1);
    var go = new java.util.concurrent.atomic.AtomicBoolean();
    var over = new java.util.concurrent.atomic.AtomicBoolean();
    Loop<Boolean> loop =
        Loop.start(() -> {
          tree.complete(CoroutineNode.current().tree());
          while (!go.get()) {
            Heddle.delay(Duration.ofMillis(1));
          }
          holding.countDown();
          while (!over.get()) {
            Thread.onSpinWait();
          }
          return true;
        });
    try (LoopRecording recording = new LoopRecording(tree.join(), ENTRIES)) {
      go.set(true);
      holding.await();
      Trace trace = Trace.of(recording);
      assertThat(trace.whole).containsEntry("heldBy", "1");
    } finally {
      over.set(true);
    }
    loop.join();
  }

  @Test
  void twoObservers_cannotRecordOneLoopAtATime() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          tree.complete(CoroutineNode.current().tree());
          over.await();
          return true;
        });
    try {
      try (LoopRecording _ = new LoopRecording(tree.join(), ENTRIES)) {
        assertThatThrownBy(() -> new LoopRecording(tree.join(), ENTRIES))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("another observer");
      }
      new LoopRecording(tree.join(), ENTRIES).close();
    } finally {
      over.countDown();
    }
    loop.join();
  }

  /// What has been recorded stays, and nothing is called of it later.
  @Test
  void recordingThatHasEnded_leavesNoTraceInTheLoop() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          tree.complete(CoroutineNode.current().tree());
          while (over.getCount() > 0) {
            Heddle.yieldNow();
          }
          return true;
        });
    LoopRecording recording = new LoopRecording(tree.join(), ENTRIES);
    recording.stop();
    assertThat(tree.join().scheduler().trace()).isNull();
    assertThat(tree.join().observer()).isNull();
    recording.close();
    over.countDown();
    assertThat(loop.join()).isTrue();
  }

  @Test
  void mutexHandedOver_isWokenByItsHolder() throws Exception {
    Trace trace =
        traced(() -> {
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
        .filteredOn(wake -> wake.who == trace.id("clerk"))
        .singleElement()
        .satisfies(wake -> {
          assertThat(wake.code).isEqualTo("mutex");
          assertThat(wake.other).isEqualTo(trace.id("main"));
        });
  }

  // ---- found by review ----

  /// The run that went on was not counted: its end was taken for the rest of a run.
  @Test
  void leaveHandlerThatFails_endsNoRun() throws Exception {
    Trace trace =
        traced(() ->
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

    assertThat(trace.entries)
        .filteredOn(each -> each.who == trace.id("stubborn"))
        .filteredOn(each -> each.is(TraceKind.RUN) || each.is(TraceKind.RUN_ON))
        .extracting(Entry::kind)
        .containsExactly(TraceKind.RUN.number(), TraceKind.RUN.number());
    assertThat(trace.all(TraceKind.RUN)).hasSize(trace.runs());
  }

  /// The loop was recorded for ever, and no other observer could.
  @Test
  void observerThatGivesUpAsTheLoopBegins_leavesNoTrace() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          CoroutineTree own = CoroutineNode.current().tree();
          own.scheduler()
              .runOnCarrier(() -> {
                try (TraceTicks ticks = new TraceTicks()) {
                  LoopRecording.begin(own, new TraceRing(64), ticks, new GivenUp());
                  begun.complete(own.scheduler().trace() == null);
                }
              });
          tree.complete(own);
          over.await();
          return true;
        });
    assertThat(begun.join()).isTrue();
    new LoopRecording(tree.join(), ENTRIES).close();
    over.countDown();
    loop.join();
  }

  /// Is cancelled between the question whether it is, and the answer.
  private static final class GivenUp extends CompletableFuture<LoopRecording.Begin> {
    @Override
    public boolean complete(LoopRecording.Begin value) {
      cancel(false);
      return super.complete(value);
    }
  }

  /// What the loop did before it slept seemed to be sleep.
  @Test
  void sleep_beginsWhenTheLoopsOwnWorkIsOver() throws Exception {
    long[] worked = new long[1];
    Trace trace =
        traced(() -> {
          CoroutineNode.current()
              .scheduler()
              .runOnCarrier(() -> {
                long began = System.nanoTime();
                while (System.nanoTime() - began < 20_000_000) {
                  Thread.onSpinWait();
                }
                worked[0] = System.nanoTime();
              });
          Heddle.delay(Duration.ofMillis(200));
        });

    assertThat(trace.all(TraceKind.SLEEP))
        .filteredOn(sleep -> sleep.time > worked[0])
        .isNotEmpty()
        .allSatisfy(sleep -> assertThat(sleep.other).isGreaterThanOrEqualTo(worked[0]));
  }

  /// What the loop did for itself seemed to belong to the coroutine that ran next.
  @Test
  void run_beginsWhenTheLoopsOwnWorkIsOver() throws Exception {
    long[] worked = new long[1];
    Trace trace =
        traced(() -> {
          CoroutineNode.current()
              .scheduler()
              .runOnCarrier(() -> {
                long began = System.nanoTime();
                while (System.nanoTime() - began < 50_000_000) {
                  Thread.onSpinWait();
                }
                worked[0] = System.nanoTime();
              });
          Heddle.yieldNow();
          Heddle.delay(Duration.ofMillis(1));
        });

    long slack = 1_000_000; // of the ticks
    assertThat(trace.all(TraceKind.RUN))
        .filteredOn(run -> run.time > worked[0])
        .isNotEmpty()
        .allSatisfy(run -> assertThat(run.other).isGreaterThan(worked[0] - slack));
  }

  @Test
  void waitForSeveral_namesNoneOfThem() throws Exception {
    Trace trace =
        traced(() -> {
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
        .filteredOn(wake -> wake.who == trace.id("chooser"))
        .extracting(Entry::code)
        .containsExactly("one of several");
  }

  @Test
  void timersAndReadiness_areEntriesOfTheirOwn() throws Exception {
    Trace trace =
        traced(() -> {
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
        .allSatisfy(timer -> assertThat(timer.other).isNotNegative());
    assertThat(trace.all(TraceKind.IO)).isNotEmpty();
    assertThat(trace.all(TraceKind.WAKE))
        .filteredOn(wake -> wake.code.equals("timer"))
        .hasSize(7)
        .allSatisfy(wake -> assertThat(wake.other).isZero());
  }

  @Test
  void recordingThatIsStoppedTwice_saysTheSame() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          tree.complete(CoroutineNode.current().tree());
          over.await();
          return true;
        });
    try (LoopRecording recording = new LoopRecording(tree.join(), ENTRIES)) {
      List<Map<String, String>> first = recording.stop();
      over.countDown();
      loop.join();
      assertThat(recording.stop()).isEqualTo(first);
    }
  }

  /// Its counts were missing.
  @Test
  void loopThatEndsWhileItIsRecorded_hasItsCountsAndItsEnd() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch recorded = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          tree.complete(CoroutineNode.current().tree());
          recorded.await();
          Heddle.spawn("child", () -> Heddle.delay(Duration.ofMillis(1))).await();
          return true;
        });
    try (LoopRecording recording = new LoopRecording(tree.join(), ENTRIES)) {
      recorded.countDown();
      loop.join();
      long after = System.nanoTime();
      Trace trace = Trace.of(recording);

      assertThat(trace.all(TraceKind.RUN)).hasSize(trace.runs());
      assertThat(trace.count("endedNanos")).isLessThan(after);
      assertThat(trace.whole).doesNotContainKey("heldBy");
      assertThat(trace.names.values())
          .anyMatch(name -> name.startsWith("child"))
          .anyMatch(name -> name.endsWith("main"));
    }
  }

  /// A hundred thousand coroutines that wait, and some that run.
  @Test
  void trace_amongManyCoroutines_isWhatTheLoopHasCounted() throws Exception {
    int many = 100_000;
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch recorded = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          Channel<Integer> never = Channel.of(1);
          for (int i = 0; i < many; i++) {
            Heddle.background("parked", () -> never.receive());
          }
          Heddle.yieldNow();
          tree.complete(CoroutineNode.current().tree());
          recorded.await();
          for (int i = 0; i < 100; i++) {
            Heddle.spawn("one", () -> Heddle.delay(Duration.ofMillis(1))).await();
          }
          ran.countDown();
          over.await();
          return true;
        });
    try (LoopRecording recording = new LoopRecording(tree.join(), ENTRIES)) {
      recorded.countDown();
      ran.await();
      Trace trace = Trace.of(recording);

      assertThat(trace.all(TraceKind.RUN)).hasSize(trace.runs());
      assertThat(trace.all(TraceKind.END)).hasSize(100);
      assertThat(trace.names).hasSize(101); // no name of those that did nothing
    } finally {
      over.countDown();
      loop.join();
    }
  }

  /// Nothing is called of a coroutine that is not traced, nor of one whose trace has ended; it
  /// finds that out when it is called next.
  @Test
  void coroutineThatIsNotTraced_callsNothing() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch ended = new CountDownLatch(1);
    CountingTrace counting = new CountingTrace();
    Loop<Boolean> loop =
        Loop.start(() -> {
          tree.complete(CoroutineNode.current().tree());
          ended.await();
          Heddle.scope(() -> {
            Heddle.yieldNow();
            Heddle.delay(Duration.ofMillis(1)); // its bits are cleared by now
            CoroutineNode.current().scheduler().setTrace(counting);
            Channel<Integer> channel = Channel.of(1);
            Heddle.spawn(() -> channel.receive());
            for (int i = 0; i < 10; i++) {
              Heddle.yieldNow();
              Heddle.delay(Duration.ofMillis(1));
            }
            channel.send(1);
          });
          CoroutineNode.current().scheduler().setTrace(null);
          return true;
        });
    LoopRecording recording = new LoopRecording(tree.join(), ENTRIES);
    recording.stop();
    recording.close();
    ended.countDown();
    loop.join();

    assertThat(counting.calls).isZero();
  }

  private static final class CountingTrace implements SwitchTrace {
    int calls;

    @Override
    public void entered(Occupant coroutine) {
      calls++;
    }

    @Override
    public void left(Occupant coroutine, boolean inTheJdk, boolean yields) {
      calls++;
    }

    @Override
    public void stayed(Occupant coroutine) {
      calls++;
    }

    @Override
    public void woken(Occupant coroutine, WokenBy by) {
      calls++;
    }

    @Override
    public void arrived(ExecutionContext context) {
      // of waits in the JDK; each costs a look at a field
    }

    @Override
    public void cancelled(Occupant coroutine) {
      calls++;
    }

    @Override
    public void ended(Occupant coroutine, boolean ran) {
      calls++;
    }

    @Override
    public void loopEnds() {
      calls++;
    }
  }
}
