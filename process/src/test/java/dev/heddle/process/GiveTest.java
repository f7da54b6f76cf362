// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.routing.LocalPid;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Connections that change hands.
@Timeout(300)
@Tag("P11")
class GiveTest {
  private static final int ROUNDS = 200;

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();
  private final Pid acceptor = obedient();
  private ResourceHandle port;
  private InetSocketAddress at;

  @BeforeEach
  void listen() {
    port =
        ask(
            acceptor,
            self ->
                self.execute(
                    Commands.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))));
    at = ask(acceptor, self -> (InetSocketAddress) self.execute(Commands.localAddress(port)));
  }

  @AfterEach
  void end() {
    runtime.close();
  }

  /// What a process is asked to do.
  private interface Deed<R> {
    R in(CoroutineProcess self) throws Exception;
  }

  private record Errand<R>(Deed<R> deed, CompletableFuture<R> outcome) {
    void run(CoroutineProcess self) {
      try {
        outcome.complete(deed.in(self));
      } catch (Throwable t) {
        outcome.completeExceptionally(t);
      }
    }
  }

  private Pid obedient() {
    return runtime.spawn(
        CoroutineProcess.of(self -> {
          while (true) {
            self.receive(Errand.class).run(self);
          }
        }));
  }

  private <R> CompletableFuture<R> begin(Pid pid, Deed<R> deed) {
    CompletableFuture<R> outcome = new CompletableFuture<>();
    runtime.send(pid, new Errand<>(deed, outcome));
    return outcome;
  }

  private <R> R ask(Pid pid, Deed<R> deed) {
    return Kit.get(begin(pid, deed));
  }

  private Socket client() throws IOException {
    Socket client = new Socket(at.getAddress(), at.getPort());
    client.setSoTimeout((int) Kit.SOON.toMillis());
    return client;
  }

  private ResourceHandle accepted() {
    return ask(acceptor, self -> self.execute(Commands.accept(port)));
  }

  private boolean give(ResourceHandle resourceHandle, Pid to) {
    return ask(acceptor, self -> self.execute(Commands.transfer(resourceHandle, to)));
  }

  private byte[] read(Pid owner, ResourceHandle connection) {
    return ask(
        owner,
        self -> {
          byte @Nullable [] read = self.execute(Commands.read(connection, 10));
          return Objects.requireNonNull(read);
        });
  }

  /// Waits until the other side has closed.
  private static void awaitEnd(Socket client) throws IOException {
    try {
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    } catch (SocketException _) {
      // safe: reset is an end, too
    }
  }

  @Test
  void connectionGivenAway_isOfUseToTheNewOwner_only() throws Exception {
    Pid server = obedient();
    try (Socket client = client()) {
      ResourceHandle connection = accepted();
      assertThat(give(connection, server)).isTrue();
      assertThatThrownBy(() -> read(acceptor, connection))
          .hasRootCauseMessage(
              connection
                  + " is not open in "
                  + acceptor
                  + ": it was closed or transferred, or another process has opened it");
      assertThatThrownBy(() -> give(connection, server)).hasRootCauseInstanceOf(IOException.class);
      client.getOutputStream().write(42);
      assertThat(read(server, connection)).containsExactly(42);
      runtime.terminate(acceptor); // it is not its any more
      Kit.exit(runtime, acceptor);
      ask(server, self -> Objects.isNull(self.execute(Commands.write(connection, new byte[] {7}))));
      assertThat(client.getInputStream().read()).isEqualTo(7);
      runtime.terminate(server);
      awaitEnd(client);
    }
  }

  @Test
  void giveOfWhatIsInUse_isRefused_untilTheCommandHasEnded() throws Exception {
    BlockingQueue<Object> seen = Kit.queue();
    Pid server = obedient();
    Pid reader = // gives away what it is sent, while it reads from it; then calls the read off
        runtime.spawn(
            Kit.process((self, events, out) -> {
              for (ProcessEvent event : events) {
                if (event.data() instanceof ResourceHandle given) {
                  out.execute(1, Commands.read(given, 10));
                  out.execute(2, Commands.transfer(given, server));
                } else if (event.isMessage()) {
                  ResourceHandle given =
                      ((ResourceHandle[]) Objects.requireNonNull(event.data()))[0];
                  self.cancelCommand(1);
                  out.execute(3, Commands.transfer(given, server));
                } else {
                  seen.add(event);
                }
              }
            }));
    try (Socket client = client()) {
      ResourceHandle connection = accepted();
      assertThat(give(connection, reader)).isTrue();
      runtime.send(reader, connection);
      ProcessEvent refused = (ProcessEvent) Kit.take(seen);
      assertThat(refused.tag()).isEqualTo(2);
      assertThat(refused.error())
          .hasMessage(
              connection
                  + " is in use by another command of "
                  + reader
                  + "; transfer it when that has its result, or cancel that first");
      runtime.send(reader, new ResourceHandle[] {connection});
      assertThat(((ProcessEvent) Kit.take(seen)).error()).isInstanceOf(CancellationException.class);
      assertThat(Kit.take(seen)).isEqualTo(ProcessEvent.completed(3, true));
      client.getOutputStream().write(42);
      assertThat(read(server, connection)).containsExactly(42);
    }
  }

  @Test
  void giveToOneThatHasEnded_closes_andToStrangers_isRefused() throws Exception {
    Pid ended = obedient();
    runtime.terminate(ended);
    Kit.exit(runtime, ended);
    try (Socket client = client()) {
      ResourceHandle connection = accepted();
      Pid elsewhere = new Pid("other", "host", 1, 1);
      assertThatThrownBy(() -> give(connection, elsewhere))
          .hasRootCauseInstanceOf(IllegalArgumentException.class);
      assertThat(give(connection, ended)).isFalse();
      awaitEnd(client);
    }
  }

  @Test
  void gives_leaveNothingWithTheNewOwner() throws Exception {
    Pid server = obedient();
    try (Socket _ = client()) {
      ResourceHandle connection = accepted();
      for (int i = 0; i < 3; i++) {
        assertThat(give(connection, server)).isTrue();
        ask(server, self -> self.execute(Commands.transfer(connection, acceptor)));
      }
    }
    assertThat(listenersOf(server)).hasSize(1); // who closes what it has at its end
  }

  private static Collection<?> listenersOf(Pid pid) throws ReflectiveOperationException {
    Field listeners = ProcessLinks.class.getDeclaredField("listeners");
    listeners.setAccessible(true);
    ProcessInstance live = (ProcessInstance) ((LocalPid) pid).receiver();
    return (Collection<?>) listeners.get(live.processLinks());
  }

  @Test
  void newOwners_thatAreEndedMeanwhile_leaveNothingOpen() throws Exception {
    ProcessCommand<ResourceHandle> accept = Commands.accept(port);
    for (int i = 0; i < ROUNDS; i++) {
      Pid server = obedient();
      try (Socket client = client()) {
        CompletableFuture<Boolean> given =
            begin(acceptor, self -> self.execute(Commands.transfer(self.execute(accept), server)));
        for (int spin = 0; spin < i * 20 && !given.isDone(); spin++) {
          Thread.onSpinWait(); // so that the end comes at another moment each time
        }
        runtime.terminate(server);
        awaitEnd(client);
        assertThat(Kit.get(given)).isNotNull(); // either way: it was not refused
      }
    }
  }
}
