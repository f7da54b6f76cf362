// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.event.Promise;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What coroutines print while they capture: whose it is, and what is left of it in the process.
@Tag("T11")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutputCaptureTest {
  private final PrintStream outBefore = System.out;
  private final PrintStream errBefore = System.err;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream console = new PrintStream(printed, true, StandardCharsets.UTF_8);

  @BeforeEach
  void setConsole() {
    System.setOut(console);
    System.setErr(console);
  }

  @AfterEach
  void putBack() {
    PrintStream out = System.out;
    PrintStream err = System.err;
    System.setOut(outBefore);
    System.setErr(errBefore);
    assertThat(List.of(out, err)).as("streams that a test has left").containsOnly(console);
  }

  private String onConsole() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  private static String captured(Action body) throws Exception {
    try (OutputCapture capture = OutputCapture.open()) {
      body.run();
      return capture.out();
    }
  }

  // ---- whose it is ----

  @Test
  @Tag("loop-284")
  void coroutines_thatTakeTurns_eachSeeTheirOwnOutput() {
    List<String> texts = new ArrayList<>();
    Heddle.run(() -> {
      for (String name : List.of("a", "b", "c")) {
        Heddle.launch(name, () -> texts.add(captured(() -> printInTurns(name))));
      }
      Heddle.launch("plain", () -> printInTurns("-"));
    });
    assertThat(texts).containsExactly("aaa", "bbb", "ccc");
    assertThat(onConsole()).isEqualTo("---");
  }

  private static void printInTurns(String what) {
    for (int i = 0; i < 3; i++) {
      System.out.print(what);
      Heddle.yieldNow();
    }
  }

  /// No switch handler is told of such a wait.
  @Test
  @Tag("loop-284")
  void coroutine_thatTheJdkParks_doesNotGetTheOutputOfOthers() {
    Heddle.run(() -> {
      CountDownLatch released = new CountDownLatch(1);
      Coroutine<String> parked =
          Heddle.spawn(() ->
              captured(() -> {
                System.out.print("before ");
                released.await();
                System.out.print("after");
              }));
      while (!parked.isSuspended()) {
        Heddle.yieldNow();
      }
      System.out.print("meanwhile");
      released.countDown();
      assertThat(parked.await()).isEqualTo("before after");
    });
    assertThat(onConsole()).isEqualTo("meanwhile");
  }

  @Test
  @Tag("loop-284")
  void nestedCaptures_unwindInEachCoroutine() {
    Heddle.run(() -> {
      Coroutine<List<String>> one = Heddle.spawn(() -> nested("1"));
      Coroutine<List<String>> two = Heddle.spawn(() -> nested("2"));
      assertThat(one.await()).containsExactly("1inner", "1outer 1again");
      assertThat(two.await()).containsExactly("2inner", "2outer 2again");
    });
    assertThat(onConsole()).isEmpty();
  }

  private static List<String> nested(String who) throws Exception {
    List<String> texts = new ArrayList<>();
    String outer =
        captured(() -> {
          System.out.print(who + "outer ");
          Heddle.yieldNow();
          texts.add(
              captured(() -> {
                Heddle.yieldNow();
                System.out.print(who + "inner");
              }));
          Heddle.yieldNow();
          System.out.print(who + "again");
        });
    texts.add(outer);
    return texts;
  }

  @Test
  void outAndErr_areKeptApart() {
    Heddle.run(() -> {
      try (OutputCapture capture = OutputCapture.open()) {
        System.out.print("result");
        System.err.print("complaint");
        assertThat(capture.out()).isEqualTo("result");
        assertThat(capture.err()).isEqualTo("complaint");
      }
    });
    assertThat(onConsole()).isEmpty();
  }

  @Test
  void spawnedCoroutine_inheritsNoCapture() throws Exception {
    Heddle.run(() -> {
      String text =
          captured(() -> {
            Heddle.spawn(() -> print("child ")).await();
            print("parent");
          });
      assertThat(text).isEqualTo("parent");
    });
    assertThat(onConsole()).isEqualTo("child ");
  }

  @Test
  void otherThreads_printAsEver() {
    Heddle.run(() -> {
      String text =
          captured(() -> {
            Heddle.offload(() -> print("offloaded "));
            Thread.ofVirtual().start(() -> print("virtual ")).join();
            Thread.ofPlatform().start(() -> print("platform")).join();
          });
      assertThat(text).isEmpty();
    });
    assertThat(onConsole()).isEqualTo("offloaded virtual platform");
  }

  private static boolean print(String what) {
    System.out.print(what);
    return true;
  }

  @Test
  @Tag("loop-284")
  void loopsOnSeveralThreads_keepTheirOutputApart() {
    CyclicBarrier together = new CyclicBarrier(2);
    List<Loop<String>> loops =
        Stream.of("a", "b").map(name -> Loop.start(() -> manyTimes(together, name))).toList();
    assertThat(loops.stream().map(Loop::join)).containsExactly("a".repeat(500), "b".repeat(500));
    assertThat(onConsole()).isEmpty();
  }

  // begins and ends captures while the other one does
  private static String manyTimes(CyclicBarrier together, String what) throws Exception {
    StringBuilder all = new StringBuilder();
    together.await();
    for (int i = 0; i < 500; i++) {
      all.append(
          captured(() -> {
            System.out.print(what);
            Heddle.yieldNow();
          }));
    }
    return all.toString();
  }

  // ---- its end ----

  @Test
  void body_thatThrows_leavesTheStreamsAsTheyWere() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              captured(() -> {
                throw new IllegalStateException("body");
              });
            }))
        .hasMessage("body");
    assertThat(System.out).isSameAs(console);
  }

  @Test
  @Tag("T10")
  void captureLeftOpen_isClosedWithItsCoroutine() {
    Heddle.run(() -> {
      Coroutine<OutputCapture> careless =
          Heddle.spawn(() -> {
            OutputCapture outer = OutputCapture.open();
            var _ = OutputCapture.open();
            System.out.print("inner");
            Heddle.yieldNow();
            return outer;
          });
      assertThat(careless.await().out()).isEmpty();
      assertThat(System.out).isSameAs(console);
      System.out.print("printed");
    });
    assertThat(onConsole()).isEqualTo("printed");
  }

  @Test
  void captureLeftOpen_byACoroutineThatIsCancelled_isClosedWithIt() {
    Heddle.run(() -> {
      Coroutine<?> cancelled =
          Heddle.spawn(() -> {
            var _ = OutputCapture.open();
            Heddle.delay(Duration.ofHours(1));
            return null;
          });
      Heddle.yieldNow();
      cancelled.cancel("for a test");
    });
    assertThat(System.out).isSameAs(console);
  }

  @Test
  void captureOfAnAbandonedCoroutine_isItsOwnUntilItClosesIt() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    CompletableFuture<String> text = new CompletableFuture<>();
    try (Reports _ = new Reports()) {
      Heddle.run(() -> {
        Coroutine<?> stubborn =
            Heddle.spawn(() -> text.complete(captured(() -> printAndWait(released))));
        while (!stubborn.isSuspended()) {
          Heddle.yieldNow();
        }
        Heddle.shutdown(Duration.ZERO);
      });
    }
    assertThat(text).isNotDone();
    released.countDown();
    assertThat(text.get()).isEqualTo("before after");
  }

  private static void printAndWait(CountDownLatch released) {
    System.out.print("before ");
    while (released.getCount() > 0) {
      try {
        released.await();
      } catch (InterruptedException e) {
        // stubborn on purpose: its loop must end without it
      }
    }
    System.out.print("after");
  }

  @Test
  void outerCapture_closedFirst_closesThoseInside() {
    Heddle.run(() -> {
      OutputCapture outer = OutputCapture.open();
      OutputCapture inner = OutputCapture.open();
      System.out.print("inner");
      outer.close();
      assertThat(System.out).isSameAs(console);
      inner.close();
      outer.close();
      assertThat(inner.out()).isEqualTo("inner");
    });
  }

  @Test
  void capturesOneAfterTheOther_withoutAnySwitch_workEachTime() {
    Heddle.run(() -> {
      for (int i = 0; i < 100; i++) {
        String number = Integer.toString(i);
        assertThat(captured(() -> System.out.print(number))).isEqualTo(number);
      }
      Heddle.yieldNow();
      assertThat(captured(() -> System.out.print("after a switch"))).isEqualTo("after a switch");
    });
  }

  @Test
  void close_byAnotherCoroutine_isRefused() {
    Heddle.run(() -> {
      Promise<OutputCapture> opened = Heddle.promise();
      Promise<Boolean> done = Heddle.promise();
      Coroutine<?> owner =
          Heddle.spawn(
              "owner",
              () -> {
                try (OutputCapture mine = OutputCapture.open()) {
                  opened.complete(mine);
                  return done.future().await();
                }
              });
      OutputCapture others = opened.future().await();
      assertThatThrownBy(others::close)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'owner'");
      done.complete(true);
      owner.await();
    });
  }

  @Test
  void open_outsideALoop_isRefusedNamingHeddleRun() {
    assertThatThrownBy(OutputCapture::open)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }

  // ---- the process's streams ----

  @Test
  void streamSetMeanwhile_stays_andIsCapturedByLaterOnes() {
    Heddle.run(() -> {
      ByteArrayOutputStream other = new ByteArrayOutputStream();
      PrintStream theirs = new PrintStream(other, true, StandardCharsets.UTF_8);
      try (OutputCapture outer = OutputCapture.open()) {
        System.setOut(theirs);
        System.out.print("theirs");
        assertThat(captured(() -> System.out.print("inner"))).isEqualTo("inner");
        assertThat(outer.out()).isEmpty();
      }
      assertThat(System.out).isSameAs(theirs);
      assertThat(other).asString().isEqualTo("theirs");
      System.setOut(console);
    });
  }

  @Test
  void closeOfSystemOut_insideACapture_leavesTheConsoleOpen() {
    Heddle.run(() -> {
      String text =
          captured(() -> {
            System.out.print("before");
            System.out.close();
            System.out.print("after");
          });
      assertThat(text).isEqualTo("before");
      System.out.print("console");
    });
    assertThat(onConsole()).isEqualTo("console");
  }

  /// One that was forgotten would write to the console.
  @Test
  void methodsOfPrintStream_areAllCaptured() {
    Heddle.run(() -> {
      try (OutputCapture _ = OutputCapture.open()) {
        Class<?> ours = System.out.getClass();
        assertThat(PrintStream.class.getMethods())
            .filteredOn(m -> m.getDeclaringClass() != Object.class)
            .filteredOn(m -> !m.isBridge() && !Modifier.isStatic(m.getModifiers()))
            .allSatisfy(m -> assertThat(declared(ours, m)).as(m.toString()).isTrue());
      }
    });
  }

  private static boolean declared(Class<?> type, Method like) {
    return Arrays.stream(type.getDeclaredMethods())
        .anyMatch(m ->
            m.getName().equals(like.getName())
                && Arrays.equals(m.getParameterTypes(), like.getParameterTypes()));
  }

  @Test
  void everyWayToPrint_isCaptured() throws Exception {
    printEveryWay();
    String expected = onConsole();
    printed.reset();
    Heddle.run(() -> {
      assertThat(captured(OutputCaptureTest::printEveryWay)).isEqualTo(expected);
    });
    assertThat(onConsole()).isEmpty();
  }

  private static void printEveryWay() throws Exception {
    PrintStream out = System.out;
    Object nothing = null;
    out.print(true);
    out.print('c');
    out.print(1);
    out.print(2L);
    out.print(3.5f);
    out.print(4.5);
    out.print(new char[] {'[', ']'});
    out.print("s");
    out.print(nothing);
    out.println();
    out.println(true);
    out.println('c');
    out.println(1);
    out.println(2L);
    out.println(3.5f);
    out.println(4.5);
    out.println(new char[] {'[', ']'});
    out.println("s");
    out.println(nothing);
    out.printf("%d", 1).printf(Locale.ROOT, "%.1f", 1.5);
    out.format("%d", 1).format(Locale.ROOT, "%.1f", 1.5);
    out.append("text").append("text", 1, 2).append('x');
    out.write('w');
    out.write("bytes".getBytes(out.charset()));
    out.write("bytes".getBytes(out.charset()), 1, 2);
    out.writeBytes("bytes".getBytes(out.charset()));
    out.flush();
    assertThat(out.checkError()).isFalse();
  }
}
