// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What one process leaves on a thread, another one on the same thread does not find.
@Timeout(300)
@Tag("proc-281")
class ThreadStateTest {
  private static final ThreadLocal<@Nullable String> LOCAL = new ThreadLocal<>();
  private static final InheritableThreadLocal<@Nullable String> INHERITABLE =
      new InheritableThreadLocal<>();

  private final ProcessRuntime runtime =
      ProcessRuntime.builder().workers(1).maxBlockingCalls(1).host("clean").start();

  @AfterEach
  void end() {
    runtime.close();
  }

  /// What of a thread a program can change.
  private record Seen(
      @Nullable String local,
      @Nullable String inheritable,
      String name,
      int priority,
      @Nullable ClassLoader loader,
      boolean hasHandler,
      boolean interrupted) {}

  private static Seen look() {
    Thread thread = Thread.currentThread();
    return new Seen(
        LOCAL.get(),
        INHERITABLE.get(),
        thread.isVirtual() ? "" : thread.getName(),
        thread.getPriority(),
        thread.getContextClassLoader(),
        !(thread.getUncaughtExceptionHandler() instanceof ThreadGroup),
        thread.isInterrupted());
  }

  private static void soil() {
    Thread thread = Thread.currentThread();
    LOCAL.set("left");
    INHERITABLE.set("left");
    thread.setName("left");
    thread.setPriority(Thread.MIN_PRIORITY);
    thread.setContextClassLoader(null);
    thread.setUncaughtExceptionHandler((_, _) -> {});
    thread.interrupt();
  }

  private Seen lookInStep() {
    Pid pid = runtime.spawn((_, out) -> out.done(look()));
    return (Seen) Objects.requireNonNull(Kit.exit(runtime, pid).result());
  }

  private Seen lookIn(CoroutineProcess.Code code) {
    Exit exit = Kit.exit(runtime, runtime.spawn(CoroutineProcess.of(code)));
    return (Seen) Objects.requireNonNull(exit.result());
  }

  @Test
  void step_thatChangesItsThread_leavesNothingToTheNextProcess() {
    Seen before = lookInStep();
    Pid pid =
        runtime.spawn((_, out) -> {
          soil();
          out.done();
        });
    Kit.exit(runtime, pid);
    assertThat(lookInStep()).isEqualTo(before);
  }

  @Test
  void step_thatChangesItsThread_leavesNothingToTheNextBody() {
    Seen before = lookIn(_ -> look());
    Pid pid =
        runtime.spawn((_, out) -> {
          soil();
          out.done();
        });
    Kit.exit(runtime, pid);
    assertThat(lookIn(_ -> look())).isEqualTo(before);
  }

  @Test
  void step_thatFails_leavesNothingToTheNextProcess() {
    Seen before = lookInStep();
    Pid pid =
        runtime.spawn((_, _) -> {
          soil();
          throw new IllegalStateException("on purpose");
        });
    Kit.exit(runtime, pid);
    assertThat(lookInStep()).isEqualTo(before);
  }

  @Test
  void call_thatChangesItsThread_leavesNothingToTheNextCall() {
    Seen before = lookIn(self -> self.execute(Commands.call(ThreadStateTest::look)));
    Exit soiled =
        Kit.exit(
            runtime,
            runtime.spawn(
                CoroutineProcess.of(self ->
                    self.execute(
                        Commands.call(() -> {
                          soil();
                          return null;
                        })))));
    assertThat(soiled.reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(lookIn(self -> self.execute(Commands.call(ThreadStateTest::look))))
        .isEqualTo(before);
  }
}
