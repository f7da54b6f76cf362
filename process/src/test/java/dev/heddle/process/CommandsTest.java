// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.heddle.DeadlineException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The commands of every runtime.
@Timeout(300)
class CommandsTest {
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  /// A command, with the promise of its completion.
  private record Order(
      ProcessCommand<?> command,
      CompletableFuture<Long> tag,
      CompletableFuture<ProcessEvent> answer) {}

  /// A process that yields what it is sent.
  private final class Clerk {
    final Pid pid;

    Clerk() {
      Map<Long, Order> orders = new HashMap<>();
      long[] last = {0};
      pid =
          runtime.spawn(
              Kit.process((_, events, out) -> {
                for (ProcessEvent event : events) {
                  if (event.data() instanceof Order order) {
                    orders.put(++last[0], order);
                    order.tag().complete(last[0]);
                    out.execute(last[0], order.command());
                  } else if (!event.isMessage()) {
                    Objects.requireNonNull(orders.remove(event.tag())).answer().complete(event);
                  }
                }
              }));
    }

    Order begin(ProcessCommand<?> processCommand) {
      Order order = new Order(processCommand, new CompletableFuture<>(), new CompletableFuture<>());
      runtime.send(pid, order);
      return order;
    }

    ProcessEvent outcome(ProcessCommand<?> processCommand) {
      return Kit.get(begin(processCommand).answer());
    }

    @SuppressWarnings("unchecked") // the R of the command is that of its result
    <R> R result(ProcessCommand<R> processCommand) {
      ProcessEvent event = outcome(processCommand);
      assertThat(event.error()).isNull();
      return (R) event.data();
    }

    Throwable failure(ProcessCommand<?> processCommand) {
      return Objects.requireNonNull(outcome(processCommand).error());
    }
  }

  private final Clerk clerk = new Clerk();

  private static Pid nobody() {
    return new Pid("", "heddle", 999_999, 1);
  }

  // ---- processes ----

  @Test
  @Tag("proc-104")
  void send_neverFails_andSaysWhatBecameOfTheMessage() {
    Pid target = runtime.spawn(Kit.untilMessage());
    var exit = runtime.whenExited(target);
    assertThat(clerk.result(Commands.send(target, "hello"))).isEqualTo(SendResult.ACCEPTED);
    assertThat(Kit.get(exit).result()).isEqualTo("hello");
    assertThat(clerk.result(Commands.send(nobody(), "hello"))).isEqualTo(SendResult.NOT_FOUND);
  }

  @Test
  void ask_givesTheAnswer_orSaysWhyThereIsNone() {
    Pid answering =
        runtime.spawn((events, _) -> {
          for (ProcessEvent event : events) {
            Request request = (Request) Objects.requireNonNull(event.data());
            if (request.message() instanceof Throwable t) {
              request.reply().fail(t);
            } else {
              request.reply().complete("re: " + request.message());
            }
          }
        });
    assertThat(clerk.<Object>result(Commands.ask(answering, "x", Kit.SOON))).isEqualTo("re: x");
    IOException no = new IOException("no");
    assertThat(clerk.failure(Commands.ask(answering, no, Kit.SOON)))
        .isInstanceOf(AskFailedException.class)
        .hasCause(no);
    assertThat(clerk.failure(Commands.ask(nobody(), "x", Kit.SOON)))
        .isInstanceOf(SendFailedException.class);
    Pid silent = runtime.spawn(Kit.resting());
    assertThat(clerk.failure(Commands.ask(silent, "x", Duration.ofMillis(1))))
        .isInstanceOf(DeadlineException.class)
        .hasMessageContaining(silent.toString());
  }

  @Test
  @Tag("proc-106")
  void ties_areMadeAndUndone() throws Exception {
    Pid target = clerk.result(Commands.spawn(Kit.untilMessage(), StartOptions.defaults()));
    long first = clerk.result(Commands.monitor(target));
    long second = clerk.result(Commands.monitor(target));
    assertThat(clerk.result(Commands.demonitor(first))).isTrue();
    assertThat(clerk.result(Commands.demonitor(first))).isFalse();
    assertThat(second).isNotEqualTo(first);
    assertThat(clerk.outcome(Commands.link(target)).error()).isNull();
    assertThat(clerk.outcome(Commands.unlink(target)).error()).isNull();
    assertThat(clerk.outcome(Commands.terminate(target)).error()).isNull();
    assertThat(Kit.exit(runtime, target).reason()).isEqualTo(Exit.Reason.TERMINATED);
    assertThat(clerk.result(Commands.send(clerk.pid, "still here"))).isEqualTo(SendResult.ACCEPTED);
    Pid other = clerk.result(Commands.spawn(Kit.untilMessage(), StartOptions.defaults()));
    assertThat(clerk.outcome(Commands.link(other)).error()).isNull();
    var exit = runtime.whenExited(clerk.pid);
    runtime.terminate(other);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.LINKED);
  }

  @Test
  @Tag("proc-114")
  @Tag("proc-115")
  void cancelAndTerminate_ofWhomThereIsNot_fail() {
    Pid target = runtime.spawn(Kit.resting());
    var exit = runtime.whenExited(target);
    assertThat(clerk.outcome(Commands.cancel(target, "enough", Kit.SOON)).error()).isNull();
    assertThat(Kit.get(exit).cause()).hasMessageContaining("enough");
    assertThat(clerk.failure(Commands.cancel(target, "enough", Kit.SOON)))
        .isInstanceOf(SendFailedException.class);
    assertThat(clerk.failure(Commands.terminate(nobody()))).isInstanceOf(SendFailedException.class);
  }

  @Test
  @Tag("proc-110")
  void run_givesTheResultOfTheChild_orWhatItFailedWith() {
    Pid[] parent = {null};
    Process child =
        Kit.process((self, _, out) -> {
          parent[0] = self.parent();
          out.done("result");
        });
    assertThat(clerk.result(Commands.run(child, StartOptions.defaults()))).isEqualTo("result");
    assertThat(parent[0]).isEqualTo(clerk.pid);
    IOException fault = new IOException("boom");
    Process failing =
        (_, _) -> {
          throw fault;
        };
    assertThat(clerk.failure(Commands.run(failing, StartOptions.defaults()))).isSameAs(fault);
    assertThat(clerk.failure(Commands.run(child, StartOptions.defaults().withEntryPoint("walk"))))
        .isInstanceOf(UnknownEntryPointException.class);
    assertThatThrownBy(() -> Commands.run(child, StartOptions.defaults().withName("x")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Tag("proc-111")
  void run_thatIsCancelled_completesAsThat_andTerminatesTheChild() {
    CompletableFuture<Pid> child = new CompletableFuture<>();
    CompletableFuture<ProcessEvent> answer = new CompletableFuture<>();
    Process sleeping = Kit.process((self, _, _) -> child.complete(self.self()));
    Pid pid =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              if (events.isEmpty()) {
                out.execute(1, Commands.run(sleeping, StartOptions.defaults()));
              } else if (events.getFirst().isMessage()) {
                self.cancelCommand(1);
              } else {
                answer.complete(events.getFirst());
              }
            }));
    var exit = runtime.whenExited(Kit.get(child));
    runtime.send(pid, "off");
    assertThat(Kit.get(answer).error()).isInstanceOf(CancellationException.class);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
  }

  @Test
  void run_endsWithItsCaller() {
    CompletableFuture<Pid> child = new CompletableFuture<>();
    clerk.begin(
        Commands.run(
            Kit.process((self, _, _) -> child.complete(self.self())), StartOptions.defaults()));
    var exit = runtime.whenExited(Kit.get(child));
    runtime.terminate(clerk.pid);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
  }

  @Test
  @Tag("proc-118")
  void resolve_takesAPid_orAName_andSaysWhatItDoesNotKnow() {
    Pid named = runtime.spawn(Kit.resting(), StartOptions.defaults().withName("store"));
    assertThat(clerk.result(Commands.whereIs("store"))).isEqualTo(named);
    assertThat(clerk.result(Commands.whereIs(named.toString()))).isEqualTo(named);
    assertThat(clerk.failure(Commands.whereIs("shop")))
        .hasMessageContaining("could not resolve 'shop'");
  }

  // ---- time ----

  @Test
  @Tag("proc-23")
  void sleep_isNeverTooShort() {
    long start = System.nanoTime();
    assertThat(clerk.outcome(Commands.sleep(Duration.ofMillis(50))).error()).isNull();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000);
    assertThatThrownBy(() -> Commands.sleep(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Tag("proc-23")
  void sleep_isNotOver_whenAShorterOneIsThatBeganLater() {
    Order longer = clerk.begin(Commands.sleep(Duration.ofDays(1)));
    assertThat(clerk.outcome(Commands.sleep(Duration.ofMillis(1))).error()).isNull();
    assertThat(longer.answer()).isNotDone();
  }

  @Test
  void timer_thatIsStopped_completesAsCancelled() {
    Order timer = clerk.begin(Commands.sleep(Duration.ofDays(1)));
    long tag = Kit.get(timer.tag());
    assertThat(clerk.result(Commands.stopTimer(tag))).isTrue();
    assertThat(Kit.get(timer.answer()).error()).isInstanceOf(CancellationException.class);
    assertThat(clerk.result(Commands.stopTimer(tag))).isFalse();
  }

  @Test
  void timer_thatIsReset_firesAtTheNewTime_onceOnly() {
    Order timer = clerk.begin(Commands.sleep(Duration.ofDays(1)));
    long tag = Kit.get(timer.tag());
    assertThat(clerk.result(Commands.resetTimer(tag, Duration.ofDays(2)))).isTrue();
    assertThat(timer.answer()).isNotDone();
    assertThat(clerk.result(Commands.resetTimer(tag, Duration.ZERO))).isTrue();
    assertThat(Kit.get(timer.answer()).error()).isNull();
    assertThat(clerk.result(Commands.resetTimer(tag, Duration.ZERO))).isFalse();
  }

  @Test
  void timerCommands_refuseWhatIsNoTimer() {
    Order other = clerk.begin(Commands.onLoop(() -> dev.heddle.Heddle.await(never())));
    assertThat(clerk.failure(Commands.resetTimer(Kit.get(other.tag()), Duration.ZERO)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a timer");
  }

  private static CompletableFuture<Object> never() {
    return new CompletableFuture<>();
  }

  @Test
  void ticks_areNumbered_andNeverComeTwice() {
    long first = clerk.result(Commands.tick(Duration.ofMillis(1)));
    long second = clerk.result(Commands.tick(Duration.ofMillis(1)));
    assertThat(first).isPositive();
    assertThat(second).isGreaterThan(first);
    assertThatThrownBy(() -> Commands.tick(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // ---- the world outside ----

  @Test
  void call_runsOnAThreadThatMayBlock() {
    Thread[] on = {null};
    assertThat(
            clerk.result(
                Commands.call(() -> {
                  on[0] = Thread.currentThread();
                  return 42;
                })))
        .isEqualTo(42);
    assertThat(on[0].getName()).doesNotContain("worker-");
    IOException fault = new IOException("boom");
    assertThat(
            clerk.failure(
                Commands.call(() -> {
                  throw fault;
                })))
        .isSameAs(fault);
  }

  @Test
  void exec_givesWhatTheProgramHasWritten() {
    var result = clerk.result(Commands.exec(dev.heddle.os.Command.shell("echo out; exit 3")));
    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.output()).isEqualTo("out\n");
    assertThat(clerk.failure(Commands.exec(dev.heddle.os.Command.of("/no/such/program"))))
        .isInstanceOf(IOException.class);
  }

  @Test
  void lookup_givesAddresses() {
    assertThat(clerk.result(Commands.resolve("127.0.0.1")))
        .containsExactly(InetAddress.ofLiteral("127.0.0.1"));
  }

  @Test
  void files_areReadAndWritten(@TempDir Path folder) {
    Path file = folder.resolve("f");
    byte[] bytes = {1, 2, 3, 4};
    clerk.outcome(Commands.writeFile(file, bytes));
    assertThat(clerk.result(Commands.readFile(file))).isEqualTo(bytes);
    ResourceHandle resourceHandle = clerk.result(Commands.openFile(file, StandardOpenOption.READ));
    assertThat(clerk.result(Commands.read(resourceHandle, 3))).isEqualTo(new byte[] {1, 2, 3});
    assertThat(clerk.result(Commands.read(resourceHandle, 3))).isEqualTo(new byte[] {4});
    assertThat(clerk.result(Commands.read(resourceHandle, 3))).isNull();
    assertThat(clerk.result(Commands.close(resourceHandle))).isTrue();
    assertThat(clerk.result(Commands.close(resourceHandle))).isFalse();
    assertThat(clerk.failure(Commands.read(resourceHandle, 3)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is not open");
    assertThat(clerk.failure(Commands.readFile(folder.resolve("none"))))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(Files.exists(file)).isTrue();
  }

  private static byte[] text(String s) {
    return s.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void tcp_connectsListensReadsAndWrites_andHandlesBelongToOneProcess() {
    ResourceHandle port =
        clerk.result(Commands.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    SocketAddress at = clerk.result(Commands.localAddress(port));
    Order accepting = clerk.begin(Commands.accept(port));
    Clerk other = new Clerk();
    ResourceHandle client = other.result(Commands.connect(at));
    ResourceHandle served =
        (ResourceHandle) Objects.requireNonNull(Kit.get(accepting.answer()).data());
    other.outcome(Commands.write(client, text("ping")));
    assertThat(clerk.result(Commands.read(served, 100))).isEqualTo(text("ping"));
    assertThat(other.failure(Commands.read(served, 100)))
        .hasMessageContaining("is not open in " + other.pid);
    assertThat(clerk.failure(Commands.accept(served))).hasMessageContaining("is not a Listener");
    Order reading = clerk.begin(Commands.read(served, 100));
    Kit.get(reading.tag());
    runtime.terminate(other.pid); // its end closes what it had open
    assertThat(Kit.get(reading.answer()).data()).isNull();
  }

  @Test
  void http_givesEveryStatusAsAResult() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = text("path " + exchange.getRequestURI().getPath());
          exchange.sendResponseHeaders(404, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/x");
      HttpResponse<byte[]> response = clerk.result(Commands.httpGet(address));
      assertThat(response.statusCode()).isEqualTo(404);
      assertThat(response.body()).isEqualTo(text("path /x"));
    } finally {
      server.stop(0);
    }
    try (Socket silent = new Socket()) { // has a port, and does not listen
      silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      URI closed = URI.create("http://127.0.0.1:" + silent.getLocalPort() + "/x");
      assertThat(clerk.failure(Commands.httpGet(closed))).isInstanceOf(IOException.class);
    }
  }

  @Test
  void commands_areValues() {
    assertThat(List.<ProcessCommand<?>>of(Commands.sleep(Kit.SOON), Commands.send(nobody(), "x")))
        .isEqualTo(List.of(Commands.sleep(Kit.SOON), Commands.send(nobody(), "x")));
  }
}
