// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.Registration;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.ForEach;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.event.Trigger;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Dns;
import dev.heddle.io.Listener;
import dev.heddle.io.SrvRecord;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.TxtRecord;
import dev.heddle.observe.CoroutineSnapshot;
import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.Dump;
import dev.heddle.observe.DumpPart;
import dev.heddle.observe.ForeignWait;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.LoopCounters;
import dev.heddle.observe.LoopMXBean;
import dev.heddle.observe.PlatformReport;
import dev.heddle.observe.ScopeSnapshot;
import dev.heddle.observe.StallReport;
import dev.heddle.observe.WaitSnapshot;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Mutex;
import dev.heddle.sync.Select;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the API documentation shows, compiled and run. Each region is one type's.
@Tag("once")
class SnippetsTest {
  @Test
  @Tag("loop-321")
  void broadCatch() {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Heddle.run(() ->
        assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofMillis(5), () -> firstOf(queue)))
            .isInstanceOf(DeadlineException.class));
  }

  private static String firstOf(BlockingQueue<String> queue) {
    // @start region=broadCatch
    while (true) {
      try {
        return queue.take(); // or JDBC, an HTTP client, a socket
      } catch (Exception e) {
        Heddle.checkCancelled(); // throws when it was the limit, and no failure
        System.err.println("trying again after " + e);
      }
    }
    // @end
  }

  @Test
  void heddle() {
    // @start region=heddle
    int sum =
        Heddle.run(() ->
            Heddle.scope(s -> {
              var a = s.spawn(() -> fetch("a"));
              var b = s.spawn(() -> fetch("b"));
              return a.await() + b.await();
            }));
    // @end
    assertThat(sum).isEqualTo(2);
  }

  @Test
  void options() {
    // @start region=options
    var options =
        HeddleOptions.defaults()
            .withSignalHandling() // Ctrl-C ends it gracefully
            .withShutdownDeadline(Duration.ofSeconds(3));
    Heddle.run(options, () -> serve("request"));
    // @end
    assertThat(options.handleSignals()).isTrue();
  }

  @Test
  void dns() {
    Heddle.run(() -> {
      // @start region=dns
      List<InetAddress> addresses =
          Heddle.withTimeout(Duration.ofSeconds(30), () -> Dns.resolve("localhost"));
      // @end
      assertThat(addresses).isNotEmpty();
    });
  }

  @Test
  void srv() {
    HeddleOptions withoutResolver = HeddleOptions.defaults().withDriver("jdk");
    Heddle.run(
        withoutResolver,
        () ->
            assertThatThrownBy(
                    () -> {
                      // @start region=srv
                      for (SrvRecord server : Dns.resolveSrv("_imaps._tcp.example.org")) {
                        log(server.target() + ":" + server.port() + ", for " + server.ttl());
                      }
                      // @end
                    })
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("the driver jdk"));
  }

  @Test
  void txt() {
    HeddleOptions withoutResolver = HeddleOptions.defaults().withDriver("jdk");
    Heddle.run(
        withoutResolver,
        () ->
            assertThatThrownBy(
                    () -> {
                      // @start region=txt
                      for (TxtRecord record : Dns.resolveTxt("example.org")) {
                        if (record.text().startsWith("v=spf1 ")) {
                          log(record.text());
                        }
                      }
                      // @end
                    })
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("TXT records"));
  }

  @Test
  void dump() {
    String text =
        Heddle.run(() ->
            Heddle.scope(s -> {
              s.background("heartbeat", () -> Heddle.delay(Duration.ofHours(1)));
              Heddle.yieldNow();
              // @start region=dump
              Dump dump = Heddle.dump();
              for (CoroutineSnapshot c : dump.coroutines()) {
                log(c.label() + " " + c.state().displayName() + " at " + c.suspendSite());
              }
              log(dump.text()); // the same, with stacks, as a tree
              // @end
              return dump.text();
            }));
    assertThat(text).contains("'heartbeat' waits for a timer");
  }

  @Test
  void waits() {
    List<String> seen = new ArrayList<>();
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Heddle.run(() -> {
      Heddle.background("heartbeat", () -> Heddle.delay(Duration.ofHours(1)));
      Heddle.background("reader", () -> seen.add(queue.take()));
      Heddle.yieldNow();
      // @start region=waits
      Dump dump = Heddle.dump();
      for (CoroutineSnapshot c : dump.coroutines()) {
        for (WaitSnapshot wait : c.waits()) { // any of them wakes it
          seen.add(c.name() + " waits for " + wait.on());
        }
        ForeignWait foreign = c.foreign(); // in the JDK: a lock, a queue, a sleep
        if (foreign != null) {
          seen.add(c.name() + " waits in " + foreign.method());
        }
      }
      for (ScopeSnapshot scope : dump.scopes()) {
        log(scope.kind() + " of coroutine " + scope.owner());
      }
      for (DumpPart part : dump.parts()) {
        log(part.text()); // a pool with its leases, a runtime with its processes
      }
      // @end
    });
    assertThat(seen).anyMatch(line -> line.startsWith("heartbeat waits for a timer"));
    assertThat(seen).anyMatch(line -> line.startsWith("reader waits in"));
  }

  private static void log(String line) {
    assertThat(line).isNotEmpty();
  }

  @Test
  void bean() throws Exception {
    // @start region=bean
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    for (ObjectName name : server.queryNames(new ObjectName("dev.heddle:type=Loop,*"), null)) {
      LoopMXBean loop = JMX.newMXBeanProxy(server, name, LoopMXBean.class);
      log(loop.getName() + ": " + loop.getCoroutines() + " coroutines, " + loop.getState());
    }
    // @end
  }

  @Test
  void reports() {
    List<String> alarms = new CopyOnWriteArrayList<>();
    // @start region=reports
    var options =
        HeddleOptions.defaults()
            .withHoldLimit(Duration.ofMillis(50))
            .withReports(report ->
                alarms.add(
                    switch (report) {
                      case HoldReport hold -> hold.coroutine() + " holds the loop";
                      case StallReport stall -> stall.dump().coroutines().size() + " stand still";
                      case DeadlockReport deadlock -> deadlock.cycles() + " wait for one another";
                    }));
    // @end
    Heddle.run(
        options,
        () -> {
          while (alarms.isEmpty()) {
            Thread.onSpinWait();
          }
        });
    assertThat(alarms.getFirst()).endsWith("holds the loop");
  }

  @Test
  void deadlock() {
    List<Integer> lengths = new ArrayList<>();
    // @start region=deadlock
    try {
      Heddle.run(SnippetsTest::awaitEachOther);
    } catch (DeadlockError e) {
      for (List<CoroutineSnapshot> cycle : e.report().cycles()) {
        lengths.add(cycle.size()); // each waits for the next one, the last for the first
      }
    }
    // @end
    assertThat(lengths).containsExactly(2);
  }

  private static void awaitEachOther() {
    Coroutine<?> main = Heddle.current();
    Heddle.spawn(() -> main.await()).await();
  }

  @Test
  void section() {
    int[] accounts = {10, 0};
    Heddle.run(() -> {
      // @start region=section
      Heddle.assertNoSuspend(() -> {
        accounts[0] -= 3;
        accounts[1] += 3; // a log call that waits for a lock between the two would be an error
      });
      // @end
    });
    assertThat(accounts).containsExactly(7, 3);
  }

  @Test
  void loop() {
    // @start region=loop
    Loop<Integer> loop = Loop.start(() -> fetch("a")); // returns at once
    int value = loop.join(); // any thread may wait
    // @end
    assertThat(value).isEqualTo(1);
  }

  @Test
  void scope() {
    String answer = Heddle.run(SnippetsTest::userAndOrder);
    assertThat(answer).isEqualTo("1 1");
  }

  private static String userAndOrder() {
    // @start region=scope
    try (Scope s = Scope.open()) {
      var user = s.spawn(() -> fetch("user"));
      var order = s.spawn(() -> fetch("order"));
      s.join(); // without it, close() would cancel them
      return user.await() + " " + order.await();
    }
    // @end
  }

  @Test
  void report() {
    List<String> said = new ArrayList<>();
    // @start region=report
    try {
      Heddle.run(() -> Heddle.spawn("page", () -> broken("page")));
    } catch (IllegalStateException e) {
      FailureReport report = Heddle.reportOf(e);
      said.add(e + " " + (report == null ? "" : report.trace()));
    }
    // @end
    assertThat(said).singleElement().asString().contains("'page'");
  }

  private static int broken(String what) {
    throw new IllegalStateException(what);
  }

  @Test
  void coroutine() {
    Heddle.run(() -> {
      // @start region=coroutine
      Coroutine<Integer> page = Heddle.spawn("page", () -> fetch("page"));
      serve("something else meanwhile");
      int value = page.await();
      // @end
      assertThat(value).isEqualTo(1);
    });
  }

  @Test
  void deadline() {
    Heddle.run(() -> {
      var slow = Heddle.spawn(SnippetsTest::never);
      // @start region=deadline
      Deadline soon = Deadline.after(Duration.ofMillis(5));
      assertThatThrownBy(() -> slow.await(soon)).isInstanceOf(DeadlineException.class);
      slow.cancel("nobody waits any more"); // the deadline ended the wait, not the work
      // @end
    });
  }

  @Test
  void event() {
    Heddle.run(() -> {
      var slow = Heddle.spawn(SnippetsTest::never);
      // @start region=event
      Event timer = Heddle.timer(Duration.ofMillis(5));
      Heddle.await(timer); // the first of its awaiters to run finds it fired
      // @end
      slow.cancel("enough");
    });
  }

  @Test
  void callback() {
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      // @start region=callback
      EventCallback note = (event, result, error) -> log.add("fired: " + event.info());
      Event timer = Heddle.timer(Duration.ofMillis(5));
      timer.subscribe(note);
      Heddle.await(timer);
      // @end
      Heddle.yieldNow();
    });
    assertThat(log).hasSize(1);
  }

  @Test
  void trigger() {
    Heddle.run(() -> {
      // @start region=trigger
      Trigger changed = Heddle.trigger("configuration changed");
      Thread watcher = Thread.ofPlatform().start(changed::fire); // any thread may pull
      Heddle.await(changed);
      // @end
      watcher.join();
    });
  }

  @Test
  void tcp() {
    Heddle.run(() -> {
      var echoed = Heddle.scope(SnippetsTest::echoOnce);
      assertThat(echoed).isEqualTo(3);
    });
  }

  private static int echoOnce(Scope s) throws IOException {
    InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    // @start region=tcp
    try (Listener listener = Tcp.listen(local)) {
      s.launch("server", () -> echo(listener.accept()));
      return ask(listener.localAddress());
    }
    // @end
  }

  // @start region=stream
  private static void echo(AsyncIo client) throws IOException {
    try (client) {
      var buffer = ByteBuffer.allocate(1024);
      while (client.read(buffer) >= 0) {
        client.write(buffer.flip()); // writes all of it
        buffer.clear();
      }
    }
  }

  // @end

  private static int ask(SocketAddress server) throws IOException {
    try (StreamSocket peer = Tcp.connect(server)) {
      peer.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      var answer = ByteBuffer.allocate(3);
      while (answer.hasRemaining()) {
        peer.read(answer);
      }
      return answer.position();
    }
  }

  @Test
  void counters() {
    Heddle.run(() -> {
      // @start region=counters
      LoopCounters before = Heddle.counters();
      Heddle.yieldNow(); // nobody else is ready
      assertThat(Heddle.counters().switches() - before.switches()).isLessThanOrEqualTo(1);
      // @end
    });
  }

  @Test
  void iterate() {
    List<String> done = new ArrayList<>();
    Heddle.run(() -> {
      List<String> pages = List.of("a", "b", "c");
      // @start region=iterate
      Heddle.forEach(pages, 2, page -> done.add(page + fetch(page))); // two at a time

      ForEach.over(pages)
          .withConcurrency(2)
          .runWhile(page -> fetch(page) > 1); // false ends it early
      // @end
    });
    assertThat(done).containsExactlyInAnyOrder("a1", "b1", "c1");
  }

  @Test
  void select() {
    // @start region=select
    String first =
        Heddle.run(() -> {
          Channel<String> jobs = Channel.of(0);
          return Select.<String>create()
              .onReceive(jobs, job -> "job " + job)
              .onTimeout(Duration.ofMillis(5), () -> "nothing to do")
              .await();
        });
    // @end
    assertThat(first).isEqualTo("nothing to do");
  }

  @Test
  void channel() {
    List<String> served = new ArrayList<>();
    // @start region=channel
    Heddle.run(() -> {
      Channel<String> jobs = Channel.of(64);
      Coroutine<?> worker =
          Heddle.spawn(() -> {
            for (String job : jobs) {
              served.add(job);
            }
          });
      jobs.send("first");
      jobs.send("second");
      jobs.close();
      worker.await();
    });
    // @end
    assertThat(served).containsExactly("first", "second");
  }

  @Test
  void mutex() {
    int[] balance = {0};
    Heddle.run(() -> {
      // @start region=mutex
      Mutex account = new Mutex("account");
      for (int i = 0; i < 3; i++) {
        Heddle.launch(
            "deposit",
            () ->
                account.withLock(() -> {
                  int before = balance[0];
                  Heddle.delay(Duration.ofMillis(1)); // others run, but none of them comes in here
                  balance[0] = before + 1;
                }));
      }
      // @end
    });
    assertThat(balance[0]).isEqualTo(3);
  }

  private static String locale = "en"; // as an old library keeps it

  @Test
  void switchHandler() {
    List<String> seen = new ArrayList<>();
    Heddle.run(() -> {
      Heddle.launch("other", () -> seen.add(locale));
      // @start region=switchHandler
      String[] others = {locale};
      Heddle.addSwitchHandler((coroutine, kind) -> { // Switch.ENTER, LEAVE or FINISH
        String swapped = locale;
        locale = others[0];
        others[0] = swapped;
        return true;
      });
      locale = "fr"; // in this coroutine only
      Heddle.yieldNow();
      seen.add(locale);
      // @end
    });
    assertThat(seen).containsExactly("en", "fr");
    assertThat(locale).isEqualTo("en");
  }

  @Test
  void closer() {
    List<String> closed = new ArrayList<>();
    Heddle.run(() -> {
      AutoCloseable connections = () -> closed.add("connections");
      AutoCloseable metrics = () -> closed.add("metrics");
      // @start region=closer
      Heddle.onShutdown("connections", connections);
      Registration flush = Heddle.onShutdown(metrics); // closed before the connections
      // @end
      assertThat(flush).isNotNull();
    });
    assertThat(closed).containsExactly("metrics", "connections");
  }

  @Test
  void registration() {
    // @start region=registration
    Registration greeting =
        Heddle.onMainStart((main, kind) -> {
          log("a loop starts");
          return false; // once is enough
        });
    Heddle.run(() -> serve("request"));
    greeting.close(); // loops that start from now on do without
    // @end
  }

  @Test
  void platform() {
    // @start region=platform
    String problem = PlatformReport.probe().hookProblem();
    if (problem != null) {
      throw new IllegalStateException("coroutines cannot run here: " + problem);
    }
    // @end
    assertThat(problem).isNull();
  }

  private static int fetch(String what) throws InterruptedException {
    Thread.sleep(1); // suspends this coroutine only
    return what.isEmpty() ? 0 : 1;
  }

  private static void serve(String what) {
    assertThat(what).isNotEmpty();
  }

  private static Void never() {
    Heddle.delay(Duration.ofHours(1));
    throw new AssertionError("an hour is over");
  }
}
