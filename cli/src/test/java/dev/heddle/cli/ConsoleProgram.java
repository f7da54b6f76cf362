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
/// and two coroutines wait for each other; a coroutine holds its loop `batch` most of the time; its
/// loop `depot` has stalled; in its loop `dock` a chain grows while the file `grow-dock` is there,
/// and becomes a deadlock when `close-dock` is; in its runtime `orders` a child is restarted
/// without end, a mailbox is flooded, and two processes wait for each other.
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
        Heddle.background("kitchen", () -> Heddle.scope(scope -> {
          for (int i = 0; i < 3; i++) {
            scope.launch("dish", this::nap);
          }
          scope.launch("waiter", () -> Heddle.scope(this::nap));
          nap();
          return true;
        }));
        Heddle.background("returns", () -> Heddle.supervise(scope -> {
          scope.launch("refund", () -> { throw new IllegalStateException("no such order"); });
          return true;
        }));
        Listener counter = Tcp.listen(new InetSocketAddress("127.0.0.1", 0));
        Heddle.background("counter", counter::accept);
        loop("depot", _ -> {}, this::stall);
        loop("dock", _ -> {}, this::dock);
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
          if (isBegun("crowd")) {
            crowd();
          }
          if (isBegun("strange")) {
            strange();
          }
          if (isBegun("compute")) {
            Heddle.background("prices", this::compute);
            Heddle.background("taxes", this::compute);
            begun("compute");
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

      void loop(String name, java.util.function.Consumer<dev.heddle.observe.LoopReport> reports, Action main) {
        var options = HeddleOptions.defaults().withName(name).withStallLimit(Duration.ofMillis(50)).withReports(reports);
        Thread.ofPlatform().daemon().start(() -> {
          try {
            Heddle.run(options, main);
          } catch (DeadlockError _) {
            // as it should
          }
        });
      }

      void stall() throws InterruptedException {
        var gate = new ReentrantLock();
        gate.lock();
        Heddle.background("carrier", () -> { gate.lock(); });
        new CountDownLatch(1).await();
      }

      void dock() {
        Mutex before = new Mutex("quay");
        before.lock();
        for (int i = 1; !Files.exists(Path.of("close-dock")); i++) {
          if (i <= 3 || Files.exists(Path.of("grow-dock"))) {
            var mine = new Mutex("berth-" + i);
            var next = before;
            Heddle.spawn("ship-" + i, () -> { mine.lock(); next.lock(); });
            before = mine;
          }
          Heddle.delay(Duration.ofMillis(200));
        }
        before.lock();
      }

      // ---- faults that a test begins ----

      volatile ProcessRuntime processes;

      final java.util.Set<String> all = java.util.concurrent.ConcurrentHashMap.newKeySet();

      boolean isBegun(String fault) {
        return Files.exists(Path.of("fault-" + fault)) && all.add(fault);
      }

      void begun(String fault) {
        IO.println("fault " + fault + " at " + System.currentTimeMillis() + ".");
      }

      void hold(String loop, String fault) {
        loop(loop, _ -> begun(fault), () -> {
          while (Files.exists(Path.of("fault-" + fault))) {
            add();
          }
        });
      }

      void crowd() {
        for (int i = 0; i < 500; i++) {
          Heddle.background("guest", this::nap);
        }
        Heddle.yieldNow();
        begun("crowd");
      }

      // what a program is called, and says, is no part of a page
      void strange() {
        var mutex = new Mutex("<img src=x onerror=alert(2)> \\u202E");
        Heddle.background("x".repeat(10_000), () -> { mutex.lock(); nap(); });
        Heddle.background("'\\"\\uD83D</script>", () -> { mutex.lock(); });
        Heddle.background("<img src=x onerror=alert(1)> \\u202E\\t", this::nap);
        Heddle.background("returns", () -> Heddle.supervise(scope -> {
          scope.launch("refund", () -> { throw new IllegalStateException("no such customer <img src=x onerror=alert(4)> \\uD83D"); });
          return true;
        }));
        processes.spawn(service(), StartOptions.defaults().withName("<img src=x onerror=alert(3)>"));
        Heddle.yieldNow();
        begun("strange");
      }

      // while a test wants it: the other views are about coroutines that wait
      void compute() {
        while (Files.exists(Path.of("fault-compute"))) {
          long end = System.nanoTime() + 1_000_000;
          while (System.nanoTime() < end) {
            add();
          }
          Heddle.delay(Duration.ofMillis(9));
        }
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
              hold("till", "hold");
            }
            if (isBegun("delay")) {
              hold("counter", "delay");
            }
            if (isBegun("deadlock")) {
              loop("pier", _ -> begun("deadlock"), () -> {
                var anchor = new Mutex("anchor");
                anchor.lock();
                Heddle.spawn("boat", () -> { anchor.lock(); }).await();
              });
            }
            if (isBegun("stall")) {
              loop("yard", _ -> begun("stall"), this::stall);
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

      CoroutineProcess asking(ProcessRuntime runtime) {
        return CoroutineProcess.of(self -> {
          runtime.ask(self.receive(Pid.class), "who is first?", Duration.ofDays(1));
          return null;
        });
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
        var halt = Path.of("halt-" + ProcessHandle.current().pid());
        Thread.ofPlatform().daemon().start(() -> {
          while (!Files.exists(halt)) {
            java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);
          }
          Runtime.getRuntime().halt(4);
        });
        var runtime = ProcessRuntime.builder().workers(2).host("orders").deadlock(Duration.ofMillis(200)).start();
        processes = runtime;
        Pid buyer = runtime.spawn(asking(runtime), StartOptions.defaults().withName("buyer"));
        Pid seller = runtime.spawn(asking(runtime), StartOptions.defaults().withName("seller"));
        runtime.send(buyer, seller);
        runtime.send(seller, buyer);
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
    return start(checkout, command(checkout, sessions));
  }

  /// Starts it below a parent that never asks for its exit code, so that the system keeps that. It
  /// says `pid`, its process id, and `end`; that process is not ended with the parent.
  static Outcome.Started startOfACarelessParent(Checkout checkout, int sessions)
      throws IOException, InterruptedException {
    String java = String.join("' '", command(checkout, sessions));
    return start(
        checkout, List.of("sh", "-c", "'" + java + "' & echo pid $! end; exec sleep 3000"));
  }

  private static List<String> command(Checkout checkout, int sessions) throws IOException {
    return List.of(
        JAVA.toString(),
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED",
        "-cp",
        System.getProperty("heddle.jar"),
        checkout.write("Shop.java", SOURCE).toString(),
        Integer.toString(sessions));
  }

  private static Outcome.Started start(Checkout checkout, List<String> command)
      throws IOException, InterruptedException {
    Outcome.Started child = Outcome.start(command, checkout.root(), Map.of(), "");
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
