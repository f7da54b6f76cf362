// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.Body;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Dns;
import dev.heddle.io.FileIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.os.CommandResult;
import dev.heddle.process.CommandHandler;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.ResourceHandle;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Commands for I/O: coroutines on the loop, calls on threads, and HTTP through the JDK's client,
/// which is created with its first request.
public final class IoCommands {
  public record Call<R extends @Nullable Object>(Callable<R> callable)
      implements ProcessCommand<R> {}

  public record Coroutine<R extends @Nullable Object>(Body<R> body) implements ProcessCommand<R> {}

  public record Exec(dev.heddle.os.Command program) implements ProcessCommand<CommandResult> {}

  public record Resolve(String host) implements ProcessCommand<List<InetAddress>> {}

  public record Connect(SocketAddress to) implements ProcessCommand<ResourceHandle> {}

  public record Listen(SocketAddress at) implements ProcessCommand<ResourceHandle> {}

  public record LocalAddress(ResourceHandle listener) implements ProcessCommand<SocketAddress> {}

  public record Accept(ResourceHandle listener) implements ProcessCommand<ResourceHandle> {}

  public record OpenFile(Path path, Set<OpenOption> options)
      implements ProcessCommand<ResourceHandle> {}

  public record Read(ResourceHandle from, int most) implements ProcessCommand<byte @Nullable []> {}

  @SuppressWarnings("ArrayRecordComponent") // equal when they are to write the same array
  public record Write(ResourceHandle to, byte[] bytes) implements ProcessCommand<@Nullable Void> {
    @Override
    public String toString() {
      return "Write[to=" + to + ", " + bytes.length + " bytes]";
    }
  }

  public record Transfer(ResourceHandle handle, Pid to) implements ProcessCommand<Boolean> {}

  public record Close(ResourceHandle handle) implements ProcessCommand<Boolean> {}

  public record ReadFile(Path path) implements ProcessCommand<byte[]> {}

  @SuppressWarnings("ArrayRecordComponent") // equal when they are to write the same array
  public record WriteFile(Path path, byte[] bytes, Set<OpenOption> options)
      implements ProcessCommand<@Nullable Void> {
    @Override
    public String toString() {
      return "WriteFile[path=" + path + ", " + bytes.length + " bytes]";
    }
  }

  public record Http(HttpRequest request) implements ProcessCommand<HttpResponse<byte[]>> {}

  /// Opens a resource, or uses an open one.
  private interface Using<C, R extends @Nullable Object> {
    R use(C command, PendingCommand<?> by) throws Exception;
  }

  private final CommandLoop loop;
  private final CommandRunner runner;
  private final OpenResources resources;

  // any thread; completed once, by the thread that creates the client
  private final CompletableFuture<HttpClient> httpClient = new CompletableFuture<>();
  private final AtomicBoolean httpClientRequested = new AtomicBoolean();

  /// @param exits completes when a process ends
  IoCommands(CommandLoop loop, CommandRunner runner, Function<Pid, CompletableFuture<Exit>> exits) {
    this.loop = loop;
    this.runner = runner;
    this.resources = new OpenResources(loop, exits);
  }

  void register(CommandRegistry registry) {
    registerCalls(registry);
    opening(registry, Connect.class, "connection", (c, _) -> Tcp.connect(c.to()));
    opening(registry, Listen.class, "port", (c, _) -> Tcp.listen(c.at()));
    opening(
        registry,
        Accept.class,
        "connection",
        (c, by) -> resources.use(by, c.listener(), Listener.class, Listener::accept));
    opening(
        registry,
        OpenFile.class,
        "file",
        (c, _) -> FileIo.open(c.path(), c.options().toArray(OpenOption[]::new)));
    using(
        registry,
        LocalAddress.class,
        (c, by) -> resources.use(by, c.listener(), Listener.class, Listener::localAddress));
    using(registry, Read.class, this::read);
    using(
        registry,
        Write.class,
        (c, by) ->
            resources.use(
                by,
                c.to(),
                AsyncIo.class,
                to -> {
                  to.write(ByteBuffer.wrap(c.bytes()));
                  return null;
                }));
    registry.inline(
        Transfer.class,
        (transfer, by) ->
            runner.onLoop(
                transfer,
                () -> resources.transfer(by, transfer.handle(), transfer.to()),
                by,
                _ -> resources.undoTransfer(by, transfer.handle(), transfer.to())));
    using(registry, Close.class, (c, by) -> resources.close(by.caller(), c.handle()));
    registry.inline(Http.class, this::send);
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the R of a Call is that of what it holds
  private static void registerCalls(CommandRegistry registry) {
    registry.register(
        (Class<Call<@Nullable Object>>) (Class<?>) Call.class,
        CommandHandler.onThread((c, _) -> c.callable().call()));
    registry.register(
        (Class<Coroutine<@Nullable Object>>) (Class<?>) Coroutine.class,
        CommandHandler.onLoop((c, _) -> c.body().run()));
    registry.register(Exec.class, CommandHandler.onLoop((c, _) -> c.program().run()));
    registry.register(Resolve.class, CommandHandler.onLoop((c, _) -> Dns.resolve(c.host())));
    registry.register(ReadFile.class, CommandHandler.onLoop((c, _) -> FileIo.readBytes(c.path())));
    registry.register(
        WriteFile.class,
        CommandHandler.onLoop((c, _) -> {
          FileIo.writeBytes(c.path(), c.bytes(), c.options().toArray(OpenOption[]::new));
          return null;
        }));
  }

  private <C extends ProcessCommand<ResourceHandle>> void opening(
      CommandRegistry registry, Class<C> type, String what, Using<C, AutoCloseable> opening) {
    registry.inline(
        type,
        (command, pending) ->
            runner.onLoop(
                command,
                () -> resources.add(pending, opening.use(command, pending), what),
                pending,
                unwanted ->
                    loop.submit(
                        "close unwanted " + unwanted,
                        () -> resources.close(pending.caller(), unwanted))));
  }

  private <C extends ProcessCommand<R>, R extends @Nullable Object> void using(
      CommandRegistry registry, Class<C> type, Using<C, R> using) {
    registry.inline(
        type,
        (command, pending) -> runner.onLoop(command, () -> using.use(command, pending), pending));
  }

  private byte @Nullable [] read(Read command, PendingCommand<?> by) throws Exception {
    ByteBuffer into = ByteBuffer.allocate(command.most());
    int count = resources.use(by, command.from(), AsyncIo.class, from -> from.read(into));
    return count < 0 ? null : Arrays.copyOf(into.array(), count);
  }

  private void send(Http http, PendingCommand<HttpResponse<byte[]>> pending) {
    var _ =
        httpClient()
            .whenComplete((client, none) -> {
              if (none != null) {
                pending.fail(none);
              } else if (pending.isOpen()) {
                exchange(client, http.request(), pending);
              }
            });
  }

  private static void exchange(
      HttpClient client, HttpRequest request, PendingCommand<HttpResponse<byte[]>> pending) {
    CompletableFuture<HttpResponse<byte[]>> response =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
    pending.onCancel(() -> response.cancel(true));
    var _ =
        response.whenComplete((result, failure) -> {
          if (failure == null) {
            pending.complete(result);
          } else if (pending.isOpen()) {
            pending.fail(CommandRunner.unwrapped(failure));
          }
        });
  }

  /// The client, created on its own thread: that takes too long for a worker and for the loop.
  private CompletableFuture<HttpClient> httpClient() {
    if (httpClientRequested.compareAndSet(false, true)) {
      var _ = Thread.ofPlatform().daemon().name("heddle-http").start(this::makeClient);
    }
    return httpClient;
  }

  private void makeClient() {
    try {
      HttpClient client = HttpClient.newHttpClient();
      if (!loop.atClose(client::shutdownNow)) {
        client.shutdownNow();
      }
      httpClient.complete(client);
    } catch (Throwable t) {
      httpClient.completeExceptionally(t);
    }
  }
}
