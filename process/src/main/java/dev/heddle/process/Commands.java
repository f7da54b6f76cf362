// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.Body;
import dev.heddle.os.CommandResult;
import dev.heddle.process.dispatch.InOrder;
import dev.heddle.process.dispatch.IoCommands;
import dev.heddle.process.dispatch.NameCommands;
import dev.heddle.process.dispatch.ProcessCommands;
import dev.heddle.process.dispatch.TimeCommands;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The commands that every runtime carries out. They are values: equal when they request the same.
///
/// The failure of a command arrives as the error of its result event, as the object that was
/// thrown.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=commands}
///
/// @since 0.1
public final class Commands {
  private Commands() {}

  // ---- processes ----

  /// Sends a message. Never fails: the result tells what became of it.
  public static ProcessCommand<SendResult> send(Pid to, @Nullable Object message) {
    return new ProcessCommands.Send(to, message);
  }

  /// Sends a message as a [dev.heddle.process.Request]; the result is the reply. Fails like
  /// [dev.heddle.process.ProcessRuntime#ask].
  ///
  /// @param <R> the type of the reply, as the two processes have agreed
  public static <R extends @Nullable Object> ProcessCommand<R> ask(
      Pid to, @Nullable Object message, Duration limit) {
    return new ProcessCommands.Ask<>(to, message, checked(limit));
  }

  /// Sends a message to the process that has a name when this is carried out:
  /// [SendResult#NOT_FOUND] when no process has it. Otherwise like [#send(Pid, Object)].
  public static ProcessCommand<SendResult> send(String name, @Nullable Object message) {
    return new NameCommands.Send(name, message);
  }

  /// Asks the process that has a name when this is carried out. Otherwise like [#ask(Pid, Object,
  /// Duration)].
  ///
  /// @param <R> the type of the reply, as the two processes have agreed
  public static <R extends @Nullable Object> ProcessCommand<R> ask(
      String name, @Nullable Object message, Duration limit) {
    return new NameCommands.Ask<>(name, message, checked(limit));
  }

  /// Sends a message that carries a [Reply]; the result is the reply. Fails like
  /// [dev.heddle.process.Ref#ask].
  ///
  /// @param <M> the class of the messages
  /// @param <R> the type of the reply
  /// @param message makes the message for a given [Reply]
  public static <M, R extends @Nullable Object> ProcessCommand<R> ask(
      Ref<M> to, Function<Reply<R>, ? extends M> message, Duration limit) {
    return new NameCommands.AskTyped<>(to, message, checked(limit));
  }

  /// Waits until a process has a name. The result is its PID. Fails with a
  /// [dev.heddle.DeadlineException] when no process has it in time.
  public static ProcessCommand<Pid> awaitRegistered(String name, Duration limit) {
    return new NameCommands.AwaitRegistered(name, checked(limit));
  }

  /// Starts a child. The result is its PID.
  public static ProcessCommand<Pid> spawn(Process process, StartOptions options) {
    return new ProcessCommands.Spawn(process, options);
  }

  /// Starts a child and waits for its end. The result is the child's result; when the child has not
  /// ended normally, the command fails with the cause of its exit. Cancelled: the child is
  /// terminated.
  ///
  /// @throws IllegalArgumentException when the options have a name: it might belong to another
  ///   process, which this command must not end
  public static ProcessCommand<@Nullable Object> run(Process process, StartOptions options) {
    if (options.name() != null) {
      throw new IllegalArgumentException(
          "run() starts a process of its own, and '"
              + options.name()
              + "' may belong to another one; leave the name out, or spawn() and monitor()");
    }
    return new ProcessCommands.Run(process, options);
  }

  /// Terminates a process without asking it.
  public static ProcessCommand<@Nullable Void> terminate(Pid pid) {
    return new ProcessCommands.Terminate(pid);
  }

  /// Asks a process to end. Otherwise like [dev.heddle.process.ProcessRuntime#cancel].
  public static ProcessCommand<@Nullable Void> cancel(Pid pid, String reason, Duration within) {
    return new ProcessCommands.Cancel(pid, reason, checked(within));
  }

  /// Links the process to another.
  public static ProcessCommand<@Nullable Void> link(Pid other) {
    return new ProcessCommands.Link(other);
  }

  /// Removes a link.
  public static ProcessCommand<@Nullable Void> unlink(Pid other) {
    return new ProcessCommands.Unlink(other);
  }

  /// Monitors another process. The result is the reference that the signal will carry.
  public static ProcessCommand<Long> monitor(Pid other) {
    return new ProcessCommands.Monitor(other);
  }

  /// Removes a monitor. The result is false when there is none, or its signal was delivered.
  public static ProcessCommand<Boolean> demonitor(long monitor) {
    return new ProcessCommands.Demonitor(monitor);
  }

  /// Finds a process by the text of a PID, or else by a name. Fails when no process has that name.
  public static ProcessCommand<Pid> whereIs(String text) {
    return new ProcessCommands.WhereIs(text);
  }

  // ---- time ----

  /// Completes after a time, never earlier. It is a timer: [#resetTimer] restarts it, and
  /// [#stopTimer] stops it.
  public static ProcessCommand<@Nullable Void> sleep(Duration time) {
    return new TimeCommands.Sleep(checked(time));
  }

  /// Stops the [#sleep] or the [#tick] that this process has requested with a tag; that command
  /// fails with a [java.util.concurrent.CancellationException]. The result is false when it has
  /// fired already.
  public static ProcessCommand<Boolean> stopTimer(long tag) {
    return new TimeCommands.StopTimer(tag);
  }

  /// Restarts the [#sleep] that this process has requested with a tag: it completes when `time` has
  /// passed from now on. The result is false when it has fired already; then nothing is started.
  public static ProcessCommand<Boolean> resetTimer(long tag, Duration time) {
    return new TimeCommands.ResetTimer(tag, checked(time));
  }

  /// Completes at the next multiple of `period` since the runtime's start, with the number of that
  /// multiple. Request it again for the next tick: so ticks neither drift nor accumulate for a slow
  /// process, and a gap in the numbers tells how many ticks it has missed.
  ///
  /// @throws IllegalArgumentException when the period is not positive
  public static ProcessCommand<Long> tick(Duration period) {
    if (!period.isPositive()) {
      throw new IllegalArgumentException("a period is positive: " + period);
    }
    return new TimeCommands.Tick(checked(period));
  }

  /// The same command with its result ordered after the messages that came before it; otherwise a
  /// result comes before all messages. An ordered [#sleep] is a timeout in the sense of `receive`:
  /// a reply that came in time is delivered first, however late the process runs.
  ///
  /// A process that waits for results only gets it at once, like any result.
  public static <R extends @Nullable Object> ProcessCommand<R> inOrder(ProcessCommand<R> command) {
    return command instanceof InOrder ? command : new InOrder<>(command);
  }

  // ---- calls ----

  /// Calls code that may block, on a thread for that. Cancelled: the thread is interrupted.
  ///
  /// [dev.heddle.process.ProcessRuntimeBuilder#maxBlockingCalls] limits how many run at once, by
  /// default 64. Further calls wait, so calls must not wait for one another: let processes do that.
  public static <R extends @Nullable Object> ProcessCommand<R> call(Callable<R> callable) {
    return new IoCommands.Call<>(callable);
  }

  /// Runs a body as a coroutine on the runtime's loop, where it can use all of Heddle's I/O. It
  /// must close what it opens. Cancelled: the coroutine is cancelled.
  public static <R extends @Nullable Object> ProcessCommand<R> onLoop(Body<R> body) {
    return new IoCommands.Coroutine<>(body);
  }

  /// Runs a program of the operating system to its end. Cancelled: the program is killed.
  public static ProcessCommand<CommandResult> exec(dev.heddle.os.Command program) {
    return new IoCommands.Exec(program);
  }

  // ---- network and files ----

  /// Looks up the addresses of a host.
  public static ProcessCommand<List<InetAddress>> resolve(String host) {
    return new IoCommands.Resolve(host);
  }

  /// Opens a TCP connection. The result is a handle, usable by this process only, until it
  /// transfers the handle; it is closed at the latest when its owner ends.
  public static ProcessCommand<ResourceHandle> connect(SocketAddress to) {
    return new IoCommands.Connect(to);
  }

  /// Opens a TCP port. Otherwise like [#connect].
  public static ProcessCommand<ResourceHandle> listen(SocketAddress at) {
    return new IoCommands.Listen(at);
  }

  /// Returns the local address of a port.
  public static ProcessCommand<SocketAddress> localAddress(ResourceHandle listener) {
    return new IoCommands.LocalAddress(listener);
  }

  /// Waits for a connection. Otherwise like [#connect].
  public static ProcessCommand<ResourceHandle> accept(ResourceHandle listener) {
    return new IoCommands.Accept(listener);
  }

  /// Opens a file; reads and writes continue where the last one ended. Otherwise like [#connect].
  public static ProcessCommand<ResourceHandle> openFile(Path path, OpenOption... options) {
    return new IoCommands.OpenFile(path, Set.of(options));
  }

  /// Reads the available bytes, at least one. The result is null at the end of the input.
  ///
  /// @param most the maximum of bytes, at least 1
  public static ProcessCommand<byte @Nullable []> read(ResourceHandle from, int most) {
    if (most < 1) {
      throw new IllegalArgumentException("at least one byte is to be read: " + most);
    }
    return new IoCommands.Read(from, most);
  }

  /// Writes all of `bytes`, which must not change meanwhile.
  public static ProcessCommand<@Nullable Void> write(ResourceHandle to, byte[] bytes) {
    return new IoCommands.Write(to, bytes);
  }

  /// Transfers a connection, a port or a file to another process of this runtime: from then on only
  /// that process can use it, and it is closed at the latest when that process ends. Afterwards,
  /// send the new owner a message with the handle.
  ///
  /// The result is false when the new owner has ended; the handle is then closed soon. Fails and
  /// changes nothing while another command uses the handle (such as a waiting read), when it is
  /// cancelled, and when the PID is not that of a process of this runtime.
  public static ProcessCommand<Boolean> transfer(ResourceHandle handle, Pid to) {
    return new IoCommands.Transfer(
        Objects.requireNonNull(handle, "handle"), Objects.requireNonNull(to, "to"));
  }

  /// Closes a connection, a port or a file. The result is false when it was closed before.
  public static ProcessCommand<Boolean> close(ResourceHandle handle) {
    return new IoCommands.Close(handle);
  }

  /// Reads a whole file.
  public static ProcessCommand<byte[]> readFile(Path path) {
    return new IoCommands.ReadFile(path);
  }

  /// Writes a whole file, like [java.nio.file.Files#write(Path, byte[], OpenOption...)] with the
  /// same options.
  public static ProcessCommand<@Nullable Void> writeFile(
      Path path, byte[] bytes, OpenOption... options) {
    return new IoCommands.WriteFile(path, bytes, Set.of(options));
  }

  /// Sends an HTTP GET through the JDK's client; every status is a result.
  public static ProcessCommand<HttpResponse<byte[]>> httpGet(URI address) {
    return http(HttpRequest.newBuilder(address).GET().build());
  }

  /// Sends a request through the JDK's client; every status is a result. The body of the response
  /// is held in memory. Cancelled: the exchange is cancelled.
  public static ProcessCommand<HttpResponse<byte[]>> http(HttpRequest request) {
    return new IoCommands.Http(request);
  }

  private static Duration checked(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("a time to wait is not negative: " + time);
    }
    return BoundedWaits.bounded(time);
  }
}
