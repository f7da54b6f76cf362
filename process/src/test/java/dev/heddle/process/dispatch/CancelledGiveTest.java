// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.HeddleOptions;
import dev.heddle.process.Commands;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Ref;
import dev.heddle.process.Reply;
import dev.heddle.process.ResourceHandle;
import dev.heddle.process.StepOutput;
import dev.heddle.process.timer.Timers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A give that is called off at the moment at which it is carried out.
@Timeout(300)
@Tag("P11")
class CancelledGiveTest {
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();
  private final CommandLoop loops = new CommandLoop(HeddleOptions.defaults());
  private final Dispatcher dispatcher = dispatcher();
  private final Giver giver = new Giver(runtime);
  private long lastTag;

  @TempDir Path folder;

  private Dispatcher dispatcher() {
    return new Dispatcher(
        new CommandRegistry(), loops, new Timers("never started"), new Services());
  }

  /// A give asks for the end of the new owner, on the loop, before it moves anything: then the test
  /// does something.
  private final class Services implements CommandServices {
    @Override
    public ProcessContext contextOf(Pid process) {
      throw new AssertionError("a give needs no context");
    }

    @Override
    public CompletableFuture<Exit> whenExited(Pid process) {
      giver.whenAsked.run();
      return runtime.whenExited(process);
    }

    @Override
    public Pid find(String name, @Nullable Object message) {
      throw new AssertionError("the giver asks nobody");
    }

    @Override
    public Pid find(Ref<?> to, Object message) {
      throw new AssertionError("the giver asks nobody");
    }

    @Override
    public void send(Pid to, @Nullable Object message, CompletableFuture<@Nullable Object> answer) {
      throw new AssertionError("the giver asks nobody");
    }

    @Override
    public <M, R extends @Nullable Object> void send(
        Ref<M> to, Function<Reply<R>, ? extends M> message, CompletableFuture<R> answer) {
      throw new AssertionError("the giver asks nobody");
    }
  }

  @AfterEach
  void end() throws InterruptedException {
    loops.close(Duration.ofMinutes(4));
    runtime.close();
  }

  /// A process whose commands the test yields.
  private static final class Giver implements CommandIssuer {
    private final ProcessContext context;
    private final BlockingQueue<ProcessEvent> answers = new LinkedBlockingQueue<>();
    private volatile Runnable whenAsked = () -> {};

    Giver(ProcessRuntime runtime) {
      CompletableFuture<ProcessContext> known = new CompletableFuture<>();
      runtime.spawn(
          new Process() {
            @Override
            public void init(ProcessContext self, String method, @Nullable Object input) {
              known.complete(self);
            }

            @Override
            public void step(List<ProcessEvent> events, StepOutput output) {}
          });
      context = known.orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public Pid self() {
      return context.self();
    }

    @Override
    public @Nullable PendingCommand<?> invocation(long tag) {
      return null;
    }

    @Override
    public void monitor(Pid other, LongConsumer known) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void deliver(ProcessEvent event, boolean inOrder) {
      answers.add(event);
    }

    @Override
    public void onLateResult(PendingCommand<?> invocation) {}

    @Override
    public void logUnreported(String what, Throwable thrown) {
      throw new AssertionError(what, thrown);
    }
  }

  private <R extends @Nullable Object> PendingCommand<R> begin(ProcessCommand<R> processCommand) {
    PendingCommand<R> invocation = new PendingCommand<>(giver, ++lastTag);
    dispatcher.dispatch(processCommand, invocation);
    return invocation;
  }

  private ProcessEvent answer() throws InterruptedException {
    ProcessEvent answer = giver.answers.poll(240, TimeUnit.SECONDS);
    assertThat(answer).isNotNull();
    return answer;
  }

  private ProcessEvent answered(ProcessCommand<?> processCommand) throws InterruptedException {
    begin(processCommand);
    return answer();
  }

  @Test
  void giveThatIsCancelled_whileItIsCarriedOut_changesNothing() throws Exception {
    Pid other = runtime.spawn((_, _) -> {});
    Path file = Files.createFile(folder.resolve("file"));
    ResourceHandle resourceHandle = (ResourceHandle) answered(Commands.openFile(file)).data();
    assertThat(resourceHandle).isNotNull();
    PendingCommand<Boolean> give = new PendingCommand<>(giver, ++lastTag);
    giver.whenAsked = () -> give.cancel("too late");
    dispatcher.dispatch(Commands.transfer(resourceHandle, other), give);
    assertThat(answer().error()).isInstanceOf(CancellationException.class);
    giver.whenAsked = () -> {};
    assertThat(answered(Commands.close(resourceHandle)).data()).isEqualTo(true);
  }
}
