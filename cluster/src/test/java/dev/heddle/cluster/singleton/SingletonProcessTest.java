// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.singleton;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
@Tag("C6")
class SingletonProcessTest {
  private final ProcessRuntime runtime = ProcessRuntime.builder().node("a").start();
  private final BlockingQueue<Object> said = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    runtime.close();
  }

  /// Says what it is given, by steps.
  private final class Steps implements Process {
    @Override
    public void init(ProcessContext context, String entryPoint, @Nullable Object input) {
      said.add("init " + input);
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      List<Object> data = new ArrayList<>();
      events.forEach(event -> data.add(String.valueOf(event.data())));
      said.add(data);
      if (data.contains("end")) {
        out.done("ended");
      }
    }

    @Override
    public void close() {
      said.add("closed");
    }
  }

  private Pid spawn(SingletonProcess process) {
    return runtime.spawn(process, StartOptions.defaults().withInput(7));
  }

  private Exit exit(Pid pid) throws Exception {
    return runtime.whenExited(pid).get(1, TimeUnit.MINUTES);
  }

  @Test
  void process_beginsWithItsToken_andThenGetsWhatHasWaited() throws Exception {
    SingletonProcess process = new SingletonProcess(new Steps(), token -> token == 5);
    Pid pid = spawn(process);
    assertThat(runtime.whenStarted(pid).get(1, TimeUnit.MINUTES)).isTrue();
    runtime.send(pid, "end");
    assertThat(said).isEmpty();
    process.begin(5);
    assertThat(exit(pid).result()).isEqualTo("ended");
    assertThat(said).containsExactly("init 7", List.of(), List.of("end"), "closed");
  }

  @Test
  void process_thatWantsNoMessagesFirst_getsThemInTheStepAfter() throws Exception {
    BlockingQueue<Object> steps = new LinkedBlockingQueue<>();
    Process inner =
        (events, out) -> {
          steps.add(events.size());
          switch (steps.size()) {
            case 1 -> out.continueBeforeMessages();
            case 2 -> out.awaitWakeUp(); // somebody else will wake it up
            default -> out.done(events.getFirst().data());
          }
        };
    SingletonProcess process = new SingletonProcess(inner, _ -> true);
    Pid pid = spawn(process);
    runtime.send(pid, "end");
    process.begin(5);
    while (steps.size() < 2) {
      Thread.onSpinWait(); // the test has a limit
    }
    process.begin(5); // as good as any wake-up
    assertThat(exit(pid).result()).isEqualTo("end");
    assertThat(steps).containsExactly(0, 0, 1);
  }

  @Test
  void process_whoseNameIsLostBeforeItsFirstStep_doesNothing() throws Exception {
    SingletonProcess process = new SingletonProcess(new Steps(), _ -> false);
    Pid pid = spawn(process);
    process.begin(5);
    assertThat(exit(pid).isFailure()).isTrue();
    assertThat(said).containsExactly("closed");
  }

  @Test
  void process_thatIsAskedToEndBeforeItBegins_ends() throws Exception {
    Pid pid = spawn(new SingletonProcess(new Steps(), _ -> true));
    runtime.cancel(pid, "as a test", Duration.ofMinutes(1));
    assertThat(exit(pid).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(said).containsExactly("closed");
  }

  @Test
  void body_getsWhatHasWaited_andReportsThatItIsReady() throws Exception {
    SingletonProcess process =
        new SingletonProcess(
            CoroutineProcess.of(
                    self -> {
                      self.ready();
                      return self.receive() + " " + self.receive();
                    })
                .reportingReady(),
            _ -> true);
    Pid pid = spawn(process);
    runtime.send(pid, "one");
    runtime.send(pid, "two");
    assertThat(runtime.whenStarted(pid)).isNotDone();
    process.begin(5);
    assertThat(runtime.whenStarted(pid).get(1, TimeUnit.MINUTES)).isTrue();
    assertThat(exit(pid).result()).isEqualTo("one two");
  }
}
