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

/// The commands that every runtime carries out. They are values: equal when they ask for the same.
///
/// What a command fails with arrives as the error of its completion, as the object that was thrown.
///
/// @since 0.1
public final class Commands {
  private static final Duration CENTURY = Duration.ofDays(36_525); // what clocks can count to

  private Commands() {}

  // ---- processes ----

  /// Sends a message. Never fails: the result says what became of it.
  public static ProcessCommand<SendResult> send(Pid to, @Nullable Object message) {
    return new ProcessCommands.Send(to, message);
  }

  /// Sends a message as a [dev.heddle.process.Request]; the result is the answer. Fails as
  /// [dev.heddle.process.ProcessRuntime#ask] does.
  ///
  /// @param <R> of the answer, as the two have agreed
  public static <R extends @Nullable Object> ProcessCommand<R> ask(
      Pid to, @Nullable Object message, Duration limit) {
    return new ProcessCommands.Ask<>(to, message, checked(limit));
  }

  /// Sends a message to whoever has a name when this is carried out: [SendResult#NOT_FOUND] when no
  /// process has it. Else as [#send(Pid, Object)].
  public static ProcessCommand<SendResult> send(String name, @Nullable Object message) {
    return new NameCommands.Send(name, message);
  }

  /// Asks whoever has a name when this is carried out. Else as [#ask(Pid, Object, Duration)].
  ///
  /// @param <R> of the answer, as the two have agreed
  public static <R extends @Nullable Object> ProcessCommand<R> ask(
      String name, @Nullable Object message, Duration limit) {
    return new NameCommands.Ask<>(name, message, checked(limit));
  }

  /// Sends a message that carries a [Reply]; the result is the answer. Fails as
  /// [dev.heddle.process.Ref#ask] does.
  ///
  /// @param <M> of the messages
  /// @param <R> of the answer
  /// @param message makes the message of the reply
  public static <M, R extends @Nullable Object> ProcessCommand<R> ask(
      Ref<M> to, Function<Reply<R>, ? extends M> message, Duration limit) {
    return new NameCommands.AskTyped<>(to, message, checked(limit));
  }

  /// Waits until a process has a name. The result is its PID. Fails with a
  /// [dev.heddle.DeadlineException] when no process has it in time.
  public static ProcessCommand<Pid> awaitName(String name, Duration limit) {
    return new NameCommands.Await(name, checked(limit));
  }

  /// Starts a child. The result is its PID.
  public static ProcessCommand<Pid> spawn(Process process, StartOptions options) {
    return new ProcessCommands.Spawn(process, options);
  }

  /// Starts a child, and waits for its end. The result is its result; when it has not ended
  /// normally, what it ended with is what this fails with. Cancelled: the child is terminated.
  ///
  /// @throws IllegalArgumentException when the options name it: the name might belong to another
  ///   process, which is nobody's to end
  public static ProcessCommand<@Nullable Object> run(Process process, StartOptions options) {
    if (options.name() != null) {
      throw new IllegalArgumentException(
          "run() starts a process of its own, and '"
              + options.name()
              + "' may belong to another one; leave the name out, or spawn() and monitor()");
    }
    return new ProcessCommands.Run(process, options);
  }

  /// Ends a process without asking it.
  public static ProcessCommand<@Nullable Void> terminate(Pid pid) {
    return new ProcessCommands.Terminate(pid);
  }

  /// Asks a process to end. Else as [dev.heddle.process.ProcessRuntime#cancel].
  public static ProcessCommand<@Nullable Void> cancel(Pid pid, String reason, Duration within) {
    return new ProcessCommands.Cancel(pid, reason, checked(within));
  }

  /// Links the process to another.
  public static ProcessCommand<@Nullable Void> link(Pid other) {
    return new ProcessCommands.Link(other);
  }

  /// Undoes a link.
  public static ProcessCommand<@Nullable Void> unlink(Pid other) {
    return new ProcessCommands.Unlink(other);
  }

  /// Monitors another process. The result is what the signal will carry.
  public static ProcessCommand<Long> monitor(Pid other) {
    return new ProcessCommands.Monitor(other);
  }

  /// Takes a monitor back. The result is false when there is none, or its signal was seen.
  public static ProcessCommand<Boolean> demonitor(long monitor) {
    return new ProcessCommands.Demonitor(monitor);
  }

  /// Finds who is meant: by the text of a PID, or else by a name. Fails when nobody has that name.
  public static ProcessCommand<Pid> resolve(String text) {
    return new ProcessCommands.Resolve(text);
  }

  // ---- time ----

  /// Completes after a time, never earlier. It is a timer: [#resetTimer] starts it anew, and
  /// [#stopTimer] ends it.
  public static ProcessCommand<@Nullable Void> sleep(Duration time) {
    return new TimeCommands.Sleep(checked(time));
  }

  /// Stops the [#sleep] or the [#tick] that this process has yielded with a tag: it completes with
  /// a [java.util.concurrent.CancellationException]. The result is false when it has fired.
  public static ProcessCommand<Boolean> stopTimer(long tag) {
    return new TimeCommands.StopTimer(tag);
  }

  /// Starts the [#sleep] that this process has yielded with a tag anew: it completes when `time`
  /// has passed from now on. The result is false when it has fired; nothing is started then.
  public static ProcessCommand<Boolean> resetTimer(long tag, Duration time) {
    return new TimeCommands.ResetTimer(tag, checked(time));
  }

  /// Completes at the next multiple of `period` since the runtime's start, with the number of that
  /// multiple. Who wants the next tick yields it again: so ticks neither drift nor pile up before a
  /// process that is slow, and a gap in the numbers says how many it has missed.
  ///
  /// @throws IllegalArgumentException when the period is not positive
  public static ProcessCommand<Long> tick(Duration period) {
    if (!period.isPositive()) {
      throw new IllegalArgumentException("a period is positive: " + period);
    }
    return new TimeCommands.Tick(checked(period));
  }

  /// The same command, whose result comes behind the messages that have come before it. Else a
  /// result comes before all messages. A [#sleep] that is in order is a timeout in the sense of
  /// `receive`: an answer that came in time is seen first, however late its process is.
  ///
  /// To a process that waits for results only it comes at once, as any result.
  public static <R extends @Nullable Object> ProcessCommand<R> inOrder(
      ProcessCommand<R> processCommand) {
    return processCommand instanceof InOrder ? processCommand : new InOrder<>(processCommand);
  }

  // ---- calls ----

  /// Calls something that may block, on a thread for that. Cancelled: the thread is interrupted.
  ///
  /// So many run at once as [dev.heddle.process.ProcessRuntimeBuilder#maxBlockingCalls] says, 64
  /// where that is not said. Those above wait, so calls must not wait for one another: let
  /// processes do that.
  public static <R extends @Nullable Object> ProcessCommand<R> call(Callable<R> callable) {
    return new IoCommands.Call<>(callable);
  }

  /// Runs a body as a coroutine on the runtime's loop, where all of Heddle's I/O is at its hand.
  /// What it opens it must close. Cancelled: so is the coroutine.
  public static <R extends @Nullable Object> ProcessCommand<R> onLoop(Body<R> body) {
    return new IoCommands.Coroutine<>(body);
  }

  /// Runs a program of the system to its end. Cancelled: it is ended.
  public static ProcessCommand<CommandResult> exec(dev.heddle.os.Command program) {
    return new IoCommands.Exec(program);
  }

  // ---- network and files ----

  /// Looks up the addresses of a host.
  public static ProcessCommand<List<InetAddress>> lookup(String host) {
    return new IoCommands.Lookup(host);
  }

  /// Opens a TCP connection. The result stands for it, for this process only, until it is given
  /// away; it is closed with its process at the latest.
  public static ProcessCommand<ResourceHandle> connect(SocketAddress to) {
    return new IoCommands.Connect(to);
  }

  /// Opens a TCP port. Else as [#connect].
  public static ProcessCommand<ResourceHandle> listen(SocketAddress at) {
    return new IoCommands.Listen(at);
  }

  /// The address at which a port is open.
  public static ProcessCommand<SocketAddress> localAddress(ResourceHandle listener) {
    return new IoCommands.LocalAddress(listener);
  }

  /// Waits for a connection. Else as [#connect].
  public static ProcessCommand<ResourceHandle> accept(ResourceHandle listener) {
    return new IoCommands.Accept(listener);
  }

  /// Opens a file; reads and writes go on where the last one ended. Else as [#connect].
  public static ProcessCommand<ResourceHandle> openFile(Path path, OpenOption... options) {
    return new IoCommands.OpenFile(path, Set.of(options));
  }

  /// Reads what there is, at least one byte. The result is null at the end of the input.
  ///
  /// @param most bytes, at least 1
  public static ProcessCommand<byte @Nullable []> read(ResourceHandle from, int most) {
    if (most < 1) {
      throw new IllegalArgumentException("at least one byte is to be read: " + most);
    }
    return new IoCommands.Read(from, most);
  }

  /// Writes all of `bytes`, which nobody may change meanwhile.
  public static ProcessCommand<@Nullable Void> write(ResourceHandle to, byte[] bytes) {
    return new IoCommands.Write(to, bytes);
  }

  /// Gives a connection, a port or a file to another process of this runtime: from then on that one
  /// may use it, and this one not any more; it is closed with that one at the latest. The new owner
  /// learns of it by a message, sent behind this: the handle itself is what it is called by.
  ///
  /// The result is false when the new owner has ended: then the handle is closed soon. Fails, and
  /// changes nothing, while another command uses it, a read that waits, say; when it is cancelled;
  /// and when the PID is not one of a process of this runtime.
  public static ProcessCommand<Boolean> transfer(ResourceHandle resourceHandle, Pid to) {
    return new IoCommands.Transfer(
        Objects.requireNonNull(resourceHandle, "handle"), Objects.requireNonNull(to, "to"));
  }

  /// Closes a connection, a port or a file. The result is false when it was closed before.
  public static ProcessCommand<Boolean> close(ResourceHandle resourceHandle) {
    return new IoCommands.Close(resourceHandle);
  }

  /// Reads a file at once.
  public static ProcessCommand<byte[]> readFile(Path path) {
    return new IoCommands.ReadFile(path);
  }

  /// Writes a file at once: as [java.nio.file.Files#write(Path, byte[], OpenOption...)] does with
  /// the same options.
  public static ProcessCommand<@Nullable Void> writeFile(
      Path path, byte[] bytes, OpenOption... options) {
    return new IoCommands.WriteFile(path, bytes, Set.of(options));
  }

  /// Gets what is at an address of the web, through the JDK's client; all statuses are results.
  public static ProcessCommand<HttpResponse<byte[]>> httpGet(URI address) {
    return http(HttpRequest.newBuilder(address).GET().build());
  }

  /// Sends a request through the JDK's client; all statuses are results. The body of the response
  /// is held in memory. Cancelled: so is the exchange.
  public static ProcessCommand<HttpResponse<byte[]>> http(HttpRequest request) {
    return new IoCommands.Http(request);
  }

  private static Duration checked(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("a time to wait is not negative: " + time);
    }
    return time.compareTo(CENTURY) > 0 ? CENTURY : time;
  }
}
