// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A program in which there is all that the console shows, and a console.
///
/// In its loop `shop` many coroutines wait, a chain of waits grows while the file `grow` is there,
/// and two coroutines wait for each other; a coroutine holds its loop `batch` most of the time; in
/// its runtime `orders` a child is restarted without end, and a mailbox is flooded.
final class ConsoleProgram {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final Pattern URL = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/([\\w-]+)/");

  private static final String SOURCE =
      """
      import dev.heddle.*;
      import dev.heddle.io.*;
      import dev.heddle.process.*;
      import dev.heddle.process.supervisor.*;
      import dev.heddle.sync.*;
      import java.net.InetSocketAddress;
      import java.nio.file.*;
      import java.time.Duration;
      import java.util.concurrent.CountDownLatch;
      import java.util.concurrent.locks.ReentrantLock;

      void main(String[] args) throws Exception {
        processes();
        Thread.ofPlatform().daemon().start(() ->
            Heddle.run(HeddleOptions.defaults().withName("batch"), () -> {
              Heddle.background("report", this::nap);
              Heddle.spawn("sums", this::sums).await();
            }));
        Heddle.run(HeddleOptions.defaults().withName("shop"), () -> shop(Integer.parseInt(args[0])));
      }

      void shop(int sessions) throws Exception {
        for (int i = 0; i < sessions; i++) {
          Heddle.background("session-" + i, this::nap);
        }
        var orders = Channel.<String>of("orders", 8);
        for (int i = 0; i < 20; i++) {
          Heddle.background("packer-" + i, () -> { while (true) { orders.receive(); Heddle.delay(Duration.ofMillis(20)); } });
        }
        var ledger = new Mutex("ledger");
        Heddle.background("auditor", () -> { ledger.lock(); nap(); });
        for (int i = 0; i < 40; i++) {
          Heddle.background("clerk-" + i, () -> { ledger.lock(); });
        }
        var printer = new ReentrantLock();
        Heddle.background("invoice", () -> { printer.lock(); nap(); });
        for (int i = 0; i < 3; i++) {
          Heddle.background("label-" + i, () -> { printer.lock(); });
        }
        var left = new Mutex("left");
        var right = new Mutex("right");
        Heddle.background("credit", () -> { left.lock(); Heddle.yieldNow(); Heddle.yieldNow(); right.lock(); });
        Heddle.background("debit", () -> { right.lock(); Heddle.yieldNow(); Heddle.yieldNow(); left.lock(); });
        var strange = new Mutex("<img src=x onerror=alert(2)> \\u202E");
        Heddle.background("x".repeat(10_000), () -> { strange.lock(); nap(); });
        Heddle.background("'\\"\\uD83D</script>", () -> { strange.lock(); });
        Heddle.background("kitchen", () -> Heddle.scope(scope -> {
          for (int i = 0; i < 3; i++) {
            scope.launch("dish", this::nap);
          }
          scope.launch("waiter", () -> Heddle.scope(this::nap));
          nap();
          return true;
        }));
        Heddle.background("returns", () -> Heddle.supervise(scope -> {
          scope.launch("refund", () -> { throw new IllegalStateException("no such order <img src=x onerror=alert(4)> \\uD83D"); });
          return true;
        }));
        Listener counter = Tcp.listen(new InetSocketAddress("127.0.0.1", 0));
        Heddle.background("counter", counter::accept);
        Heddle.background("<img src=x onerror=alert(1)> \\u202E\\t", this::nap);
        Heddle.yieldNow();
        IO.println("ready");
        Mutex before = ledger;
        boolean seen = false;
        for (int i = 1; true; i++) {
          boolean watched = dev.heddle.coroutine.tree.CoroutineNode.current().tree().watch() != null;
          if (watched != seen) {
            IO.println(watched ? "The loop is watched." : "The loop is left alone.");
            seen = watched;
          }
          if (isBegun("link")) {
            var next = before;
            Heddle.background("late", () -> { next.lock(); });
            Heddle.yieldNow();
            begun("link");
          }
          if (i <= 9 || Files.exists(Path.of("grow"))) {
            var mine = new Mutex("account-" + i);
            var next = before;
            Heddle.background("transfer-" + i, () -> { mine.lock(); next.lock(); });
            before = mine;
          }
          for (int k = 0; k < 25; k++) {
            orders.send("order");
          }
          Heddle.delay(Duration.ofMillis(400));
        }
      }

      // ---- faults that a test begins ----

      final java.util.Set<String> all = java.util.concurrent.ConcurrentHashMap.newKeySet();

      boolean isBegun(String fault) {
        return Files.exists(Path.of("fault-" + fault)) && all.add(fault);
      }

      void begun(String fault) {
        IO.println("fault " + fault + " at " + System.currentTimeMillis() + ".");
      }

      void hold() {
        Heddle.run(HeddleOptions.defaults().withName("till").withReports(_ -> begun("hold")), () -> {
          while (Files.exists(Path.of("fault-hold"))) {
            add();
          }
        });
      }

      CoroutineProcess desk(java.util.concurrent.atomic.AtomicInteger starts) {
        return CoroutineProcess.of(self -> {
          if (starts.incrementAndGet() == 2) {
            begun("crash");
          }
          self.receive();
          throw new IllegalStateException("the desk is closed");
        });
      }

      void faults(ProcessRuntime runtime, Pid archive) {
        var starts = new java.util.concurrent.atomic.AtomicInteger();
        runtime.spawn(
            Supervisor.builder().child(ChildSpec.of("desk", () -> desk(starts)).withOptions(StartOptions.defaults().withName("desk-1"))).build(),
            StartOptions.defaults().withName("desk"));
        Thread.ofPlatform().daemon().start(() -> {
          while (true) {
            if (isBegun("letters")) {
              for (int i = 0; i < 5_000; i++) {
                runtime.send(archive, "letter");
              }
              begun("letters");
            }
            if (isBegun("crash")) {
              runtime.send("desk-1", "closed");
            }
            if (isBegun("hold")) {
              Thread.ofPlatform().daemon().start(this::hold);
            }
            java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);
          }
        });
      }

      void nap() {
        Heddle.delay(Duration.ofHours(1));
      }

      int sums() {
        while (true) {
          long end = System.nanoTime() + 4_000_000_000L;
          while (System.nanoTime() < end) {
            add();
          }
          Heddle.delay(Duration.ofMillis(1_500));
        }
      }

      void add() {
        for (int i = 0; i < 1_000; i++) {
          Thread.onSpinWait();
        }
      }

      CoroutineProcess service() {
        return CoroutineProcess.of(self -> { while (true) { self.receive(); } });
      }

      CoroutineProcess broken() {
        return CoroutineProcess.of(self -> {
          Thread.sleep(250);
          throw new IllegalStateException("the printer is out of paper");
        });
      }

      Supervisor printing() {
        return Supervisor.builder()
            .intensity(1_000_000, Duration.ofDays(1))
            .backoff(Backoff.constant(Duration.ofMillis(300)))
            .child(ChildSpec.of("printer", this::broken))
            .child(ChildSpec.of("labels", this::service))
            .build();
      }

      void processes() throws Exception {
        java.util.logging.Logger.getLogger("dev.heddle").setLevel(java.util.logging.Level.OFF);
        var runtime = ProcessRuntime.builder().workers(2).host("orders").start();
        runtime.spawn(
            Supervisor.builder()
                .child(ChildSpec.of("stock", this::service))
                .child(ChildSpec.of("prices", this::service))
                .child(ChildSpec.of("printing", this::printing))
                .build(),
            StartOptions.defaults().withName("shop"));
        for (int i = 0; i < 40; i++) {
          runtime.spawn(service(), StartOptions.defaults().withName("customer-" + i));
        }
        runtime.spawn(service(), StartOptions.defaults().withName("<img src=x onerror=alert(3)>"));
        var never = new CountDownLatch(1);
        Pid slow = runtime.spawn(stuck(never), StartOptions.defaults().withName("mailer"));
        faults(runtime, runtime.spawn(stuck(never), StartOptions.defaults().withName("archive")));
        Thread.ofPlatform().daemon().start(() -> {
          while (true) {
            for (int i = 0; i < 20; i++) {
              runtime.send(slow, "letter");
            }
            java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
          }
        });
      }

      CoroutineProcess stuck(CountDownLatch never) {
        return CoroutineProcess.of(self -> {
          never.await();
          return null;
        });
      }
      """;

  /// A console that has said where it is.
  record Running(Outcome.Started console, int port, String token) {
    String url() {
      return "http://127.0.0.1:" + port + "/" + token + "/";
    }
  }

  private ConsoleProgram() {}

  /// Starts it.
  ///
  /// @param sessions so many coroutines of one site
  static Outcome.Started start(Checkout checkout, int sessions)
      throws IOException, InterruptedException {
    Outcome.Started child =
        Outcome.start(
            List.of(
                JAVA.toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED",
                "-cp",
                System.getProperty("heddle.jar"),
                checkout.write("Shop.java", SOURCE).toString(),
                Integer.toString(sessions)),
            checkout.root(),
            Map.of(),
            "");
    child.awaitOutput("ready");
    return child;
  }

  /// Starts a console without a browser, and waits for its URL.
  static Running console(Checkout checkout, String... arguments)
      throws IOException, InterruptedException {
    String[] words = new String[arguments.length + 2];
    words[0] = "console";
    words[1] = "--no-browser";
    System.arraycopy(arguments, 0, words, 2, arguments.length);
    Outcome.Started console = checkout.start(words);
    console.awaitOutput("Ctrl-C");
    Matcher url = URL.matcher(console.read("out"));
    if (!url.find()) {
      throw new AssertionError("no URL: " + console.read("out"));
    }
    return new Running(console, Integer.parseInt(url.group(1)), url.group(2));
  }
}
