// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/// A runtime for bodies, and a command that a test answers when it likes.
abstract class CoroutineFixture {
  static final Duration DAY = Duration.ofDays(1);

  final BlockingQueue<Invocation<Object>> asked = Kit.queue();
  ProcessRuntime runtime = start(2);

  private ProcessRuntime start(int workers) {
    return ProcessRuntime.builder()
        .workers(workers)
        .handler(Kit.Call.class, CommandHandler.inline((_, invocation) -> asked.add(invocation)))
        .start();
  }

  void restart(int workers) {
    runtime.close();
    runtime = start(workers);
  }

  @AfterEach
  void end() {
    runtime.close();
  }

  Pid spawn(CoroutineProcess.Code code) {
    return runtime.spawn(CoroutineProcess.of(code));
  }

  @Nullable Object result(CoroutineProcess.Code code) {
    Exit exit = Kit.exit(runtime, spawn(code));
    assertThat(exit.cause()).isNull();
    return exit.result();
  }

  @Nullable Throwable failure(CoroutineProcess.Code code) {
    return Kit.exit(runtime, spawn(code)).cause();
  }
}
